"""What is said of the cells of an eta grid: only what is true of them, with the numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from wgnn_core.claims import best_on_edge
from wgnn_core.figures.eta_cells import standard_error
from wgnn_core.figures.text import count, signed

SPAN = 2
"""The colours reach at least so many standard errors to either side: noise looks like noise."""


def told(data: pd.DataFrame, names: tuple[str, str]) -> list[str]:
    """What each cell says when pointed at, row by row."""
    lines = []
    for at in data.sort_values(["y", "x"]).itertuples():
        head = f"{names[0]} = {at.x:g}, {names[1]} = {at.y:g}"
        if not np.isfinite(at.test_percent):
            lines.append(f"{head}\nnot finished yet")
            continue
        spread = ["" if np.isnan(sd) else f" (s.d. {sd:.2f})" for sd in (at.val_sd, at.test_sd)]
        p = "no p" if np.isnan(at.p) else f"p = {at.p:.2g}, paired"
        n = f"n = {count(at.n, 'seed')}" if at.n else "other seeds"
        lines.append(
            f"{head}\nvalidation {at.val_percent:.2f}{spread[0]}\n"
            f"test {at.test_percent:.2f}{spread[1]}\n"
            f"gain {signed(at.gain_points)} points, {p}, {n}"
        )
    return lines


def noise(data: pd.DataFrame, column: str, spread: str) -> str:
    """How far the cells differ, beside how far chance moves one of them."""
    error, known = standard_error(data, spread), data[column].dropna()
    if np.isnan(error) or len(known) < 2:
        return ""
    return (
        f"The cells differ by up to {known.max() - known.min():.2f} points; the standard error of "
        f"one is {error:.2f}."
    )


def on_edge(data: pd.DataFrame, names: tuple[str, str]) -> str:
    """A sentence if the chosen cell lies on the edge of the grid; else nothing."""
    picked = data[data["chosen"]]
    if picked.empty:
        return ""
    at = [float(picked[axis].iloc[0]) for axis in ("x", "y")]
    claim = best_on_edge(at, [data[axis].unique().tolist() for axis in ("x", "y")])
    ends = {-1.0: "smallest", 1.0: "largest"}
    sides = [
        f"{name} = {value:g} is the {ends[side]} value tried"
        for name, value, side in zip(names, at, claim.numbers.values(), strict=True)
        if side
    ]
    if not claim.holds:
        return ""
    return f"The chosen cell lies on the edge of the grid ({' and '.join(sides)})."
