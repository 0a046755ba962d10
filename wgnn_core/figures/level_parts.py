"""Corollary 1 as curves: into how many parts the nodes at most r, and those above r, fall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure
from matplotlib.ticker import MaxNLocator

from wgnn_core.fields import hyper
from wgnn_core.figures.base import Figure, ink, legend_below, page
from wgnn_core.figures.flow import OfFlow, between, without_poles
from wgnn_core.figures.scene import Scene
from wgnn_core.figures.style import Style, class_mark
from wgnn_core.figures.text import label, paper_text, plotly_text
from wgnn_core.theory.levels import level_parts

X_LABEL = "Level r (0 to 1)"
Y_LABEL = "Parts of the nodes"
SERIES = ("f̃ at most r", "f̃ above r")
LOG_ABOVE = 40
"""More parts than this are read on a logarithmic scale: the last steps to one are what matters."""


@dataclass(frozen=True)
class LevelPartsChoices(OfFlow):
    """Which level is marked."""

    level: float = hyper(0.5, "r of corollary-1", 1e-6, 1 - 1e-6)


@dataclass(frozen=True, eq=False)
class LevelParts(Figure):
    """Two stairs over r; each stays at one once it is there, the second read from the right."""

    kind: ClassVar[str] = "level-parts"
    drawn: ClassVar[tuple[str, ...]] = ("r", "parts")
    choices: ClassVar[type[LevelPartsChoices]] = LevelPartsChoices
    runs: ClassVar[tuple[int, int]] = (0, 1)

    level: float

    @classmethod
    def missing(cls, scene: Scene) -> str:
        return without_poles(scene)

    @classmethod
    def make(cls, scene: Scene) -> LevelParts:
        poles = between(scene)
        r, below, above = level_parts(poles.adjacency, poles.flow)
        return cls.of(
            r,
            below,
            above,
            level=scene.choices.level,
            graph=scene.graph.title,
            class_name=poles.name,
        )

    @classmethod
    def of(
        cls,
        r: npt.ArrayLike,
        below: npt.ArrayLike,
        above: npt.ArrayLike,
        *,
        level: float,
        graph: str,
        class_name: str,
    ) -> LevelParts:
        """From `theory.levels.level_parts`; `level` is the r that is marked."""
        start = np.clip(np.asarray(r, dtype=float), 0.0, 1.0)
        parts = dict(zip(SERIES, (np.asarray(below), np.asarray(above)), strict=True))
        data = pd.concat(
            [pd.DataFrame({"series": n, "r": start, "parts": p}) for n, p in parts.items()],
            ignore_index=True,
        )
        at = max(int(np.searchsorted(start, level, side="right")) - 1, 0)
        low, high = (int(values[at]) for values in parts.values())
        return cls(
            data,
            title=f"Connected parts of the level sets on {label(graph)}",
            caption=(
                f"At r = {level:g} the nodes of class {label(class_name)} with a smooth "
                f"interpolation of at most r fall into {_parts(low)}, those above r into "
                f"{_parts(high)}. Once the lower set is one part, it stays so for larger r; once "
                "the upper set is one part, it stays so for smaller r."
            ),
            alt=f"Two stairs over r on {label(graph)}: at r = {level:g} the lower set has "
            f"{_parts(low)} and the upper set {_parts(high)}.",
            level=level,
        )

    def _stairs(self) -> list[tuple[str, npt.NDArray[Any], npt.NDArray[Any]]]:
        """Each series with its ends: from its value on to the next, the last to 1."""
        found = []
        for name, rows in self.data.groupby("series", sort=False):
            r, parts = rows["r"].to_numpy(dtype=float), rows["parts"].to_numpy(dtype=float)
            found.append((str(name), np.append(r, 1.0), np.append(parts, parts[-1:])))
        return found

    def _logarithmic(self) -> bool:
        return bool(self.data["parts"].max() > LOG_ABOVE)

    def to_plotly(self, dark: bool = False) -> go.Figure:
        figure = page(self.title, dark)
        for index, (name, r, parts) in enumerate(self._stairs()):
            mark = class_mark(index, dark=dark)
            figure.add_scatter(
                x=r,
                y=parts,
                mode="lines",
                line={"shape": "hv", "color": mark.colour, "dash": mark.plotly_dash, "width": 2.4},
                name=plotly_text(name),
                hovertemplate="r = %{x:.3f}: %{y}<extra></extra>",
            )
        figure.add_vline(x=self.level, line={"color": ink(dark).muted, "width": 1.5, "dash": "dot"})
        figure.update_xaxes(title_text=X_LABEL, range=[0, 1])
        scale: dict[str, Any] = {"type": "log"} if self._logarithmic() else {"rangemode": "tozero"}
        figure.update_yaxes(title_text=Y_LABEL, **scale)
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        paper = PaperFigure(figsize=style.size(0.62), layout="constrained")
        axes = paper.add_subplot()
        axes.grid(axis="y")
        for index, (name, r, parts) in enumerate(self._stairs()):
            mark = class_mark(index, style.palette)
            shown = paper_text(name, style.label_length)
            axes.step(r, parts, where="post", color=mark.colour, linestyle=mark.dash, label=shown)
        axes.axvline(self.level, color="#6b7280", linewidth=0.8 * style.scale, linestyle=":")
        if self._logarithmic():
            axes.set_yscale("log")
        else:
            axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
            axes.set_ylim(bottom=0)
        axes.set(xlabel=X_LABEL, ylabel=Y_LABEL, xlim=(0, 1))
        legend_below(paper, axes.get_legend_handles_labels()[0])
        return paper


def _parts(count: int) -> str:
    return "1 part" if count == 1 else f"{count:,} parts"
