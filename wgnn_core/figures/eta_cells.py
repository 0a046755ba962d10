"""The cells of an eta grid as a table: mean, spread, gain over the base model and its p-value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from wgnn_core.errors import WGNNError
from wgnn_core.figures.eta_axes import Grid, grid_of, second_stage_of
from wgnn_core.graph import BoolArray
from wgnn_core.intervention import Intervention
from wgnn_core.runs.results import RunResult
from wgnn_core.search import choose
from wgnn_core.statistics import compare

Floats = npt.NDArray[np.float64]


def cell_table(
    x: Sequence[float],
    y: Sequence[float],
    val: npt.ArrayLike,
    test: npt.ArrayLike,
    base_test: npt.ArrayLike,
    chosen: tuple[int, int] | None,
    overlap: float = 0.0,
) -> pd.DataFrame:
    """One row per cell; the columns are those of `eta_grid.EtaGrid.data` but "value".

    The arguments are those of `EtaGrid.of`.
    """
    on_val, on_test = (_by_seed(part) for part in (val, test))
    shape = (len(on_test), len(y), len(x))
    if on_val.shape != shape or on_test.shape != shape or 0 in shape:
        raise WGNNError(
            f"the grid has shapes {on_val.shape} and {on_test.shape}; expected {shape[1:]}, or "
            "that for each seed."
        )
    if chosen is not None and not (0 <= chosen[0] < shape[1] and 0 <= chosen[1] < shape[2]):
        raise WGNNError(f"the chosen cell {chosen} lies outside the grid of shape {shape[1:]}.")
    base = np.broadcast_to(np.asarray(base_test, dtype=float), shape[:1])
    row, column = (index.ravel() for index in np.indices(shape[1:]))
    by_cell = on_test.reshape(len(on_test), -1)
    finished: BoolArray = np.asarray(np.isfinite(by_cell).all(axis=0))
    found = [
        compare(base, mine, overlap) if f else None
        for f, mine in zip(finished, by_cell.T, strict=True)
    ]
    cell = np.arange(row.size)
    nan = float("nan")
    return pd.DataFrame(
        {
            "y": np.asarray(y, dtype=float)[row],
            "x": np.asarray(x, dtype=float)[column],
            "val_percent": on_val.mean(axis=0).ravel(),
            "val_sd": _deviation(on_val),
            "test_percent": on_test.mean(axis=0).ravel(),
            "test_sd": _deviation(on_test),
            "n": np.where(finished, len(on_test), 0),
            "gain_points": [nan if c is None else c.difference for c in found],
            "gain_sd": _deviation(on_test - base[:, None, None]),
            "p": [nan if c is None else c.pvalue for c in found],
            "chosen": cell == (-1 if chosen is None else chosen[0] * shape[2] + chosen[1]),
            "test_best": cell == (np.nanargmax(on_test.mean(axis=0)) if finished.any() else -1),
        }
    )


def _by_seed(values: npt.ArrayLike) -> Floats:
    """``[S, Y, X]``; a grid without a first axis is that of one seed."""
    found = np.asarray(values, dtype=float)
    return found[None] if found.ndim == 2 else found


def _deviation(values: Floats) -> Floats:
    """Sample standard deviation over the seeds; nan for one seed."""
    if len(values) < 2:
        return np.full(values[0].size, np.nan)
    return np.asarray(values.std(axis=0, ddof=1).ravel())


def standard_error(data: pd.DataFrame, column: str) -> float:
    """Of the mean of a cell, pooled over the finished ones; nan where there is one seed only."""
    done = data[data["n"] > 1]
    if done.empty:
        return float("nan")
    return float(np.sqrt((done[column] ** 2 / done["n"]).mean()))


def seeds_of(run: RunResult, grid: Grid) -> tuple[Floats, Floats]:
    """Validation and test accuracy, ``[S, Y, X]`` each; nan in a cell until it is finished."""
    shape = (len(run.config.seeds), len(grid.ys), len(grid.xs))
    both = np.full((2, shape[0], len(grid.cells)), np.nan)
    for i, one in enumerate(grid.cells):
        part = run.of(one)[["val", "test"]].to_numpy(dtype=float)
        if len(part) == shape[0]:
            both[:, :, i] = part.T
    val, test = both.reshape(2, *shape)
    return val, test


def winner_of(run: RunResult) -> Intervention | None:
    """What validation chose among the cells that are drawn; of two stages that of the first."""
    if run.config.search != "two-stage":
        return run.chosen
    count = len(run.config.first_stage) * len(run.config.seeds)
    return choose(run.rows.iloc[:count]) if len(run.rows) >= count else None


def drawn_grid(run: RunResult, stage: str) -> Grid | None:
    """The cells of a stage; None if they form no grid."""
    winner = winner_of(run)
    if stage == "second" and winner is not None:
        return second_stage_of(run.config, winner)
    return grid_of(run.config, run.chosen)
