"""The rising path of Theorem 1 as a curve: f~ from O_0 to O_1, node by node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.figures.base import Figure, page
from wgnn_core.figures.flow import OfFlow, between, without_poles
from wgnn_core.figures.harmonic_drawing import LINES, SCALE_TITLE
from wgnn_core.figures.scene import OfNode, Scene
from wgnn_core.figures.statements import Workbench
from wgnn_core.figures.style import Style
from wgnn_core.figures.text import label, paper_text, plotly_text
from wgnn_core.graph import IntArray
from wgnn_core.theory.levels import theorem_1
from wgnn_core.theory.statement import sides

X_LABEL = "The nodes of the path in order"
MOST_TICKS = 16


@dataclass(frozen=True)
class RisingPathChoices(OfFlow, OfNode):
    """Whose interpolation, and through which node."""


@dataclass(frozen=True, eq=False)
class RisingPath(Figure):
    """One point for each node of the path, which begins at a 0 and ends at a 1."""

    kind: ClassVar[str] = "rising-path"
    drawn: ClassVar[tuple[str, ...]] = ("position", "f")
    choices: ClassVar[type[RisingPathChoices]] = RisingPathChoices
    runs: ClassVar[tuple[int, int]] = (0, 1)

    @classmethod
    def missing(cls, scene: Scene) -> str:
        if reason := without_poles(scene):
            return reason
        bench = Workbench(scene, between(scene))
        found = theorem_1(bench.adjacency, bench.flow, bench.node)
        if found.applies:
            return ""
        return f"node {bench.node} has no observed nodes of both kinds in its component"

    @classmethod
    def make(cls, scene: Scene) -> RisingPath:
        bench = Workbench(scene, between(scene))
        found = theorem_1(bench.adjacency, bench.flow, bench.node)
        path = found.nodes["path"]
        return cls.of(
            path,
            np.clip(bench.flow.f[path], 0.0, 1.0),
            through=bench.node,
            graph=scene.graph.title,
            class_name=bench.poles.name,
            told=f"{sides(found)}.",
        )

    @classmethod
    def of(
        cls,
        path: IntArray | Sequence[int],
        f: npt.ArrayLike,
        *,
        through: int,
        graph: str,
        class_name: str,
        told: str = "",
    ) -> RisingPath:
        """From the nodes of a path and their f~, ``[m + 1]`` each."""
        value = np.asarray(f, dtype=float)
        data = pd.DataFrame({"position": range(len(value)), "node": list(path), "f": value})
        data["rise"] = np.diff(value, prepend=np.nan)
        return cls(
            data,
            title=f"Rising path through node {through} on {label(graph)}",
            caption=(
                f"The smooth interpolation of class {label(class_name)} along a path from a node "
                f"observed as 0 to a node observed as 1: it rises at every step. {told}"
            ).strip(),
            alt=f"Line that rises from {value[0]:.2f} to {value[-1]:.2f} in {len(value) - 1} "
            f"steps on {label(graph)}.",
        )

    def _ticks(self) -> tuple[npt.NDArray[Any], list[str]]:
        place, names = self.data["position"].to_numpy(), self.data["node"].astype(str).tolist()
        step = -(-len(place) // MOST_TICKS)
        return place[::step], names[::step]

    def to_plotly(self, dark: bool = False) -> go.Figure:
        figure = page(self.title, dark, showlegend=False)
        ticks, names = self._ticks()
        figure.add_scatter(
            x=self.data["position"].to_numpy(),
            y=self.data["f"].to_numpy(dtype=float),
            mode="lines+markers",
            line={"color": LINES[0][0], "width": 2.4},
            marker={"size": 8},
            customdata=self.data[["node", "rise"]].to_numpy(dtype=float),
            hovertemplate="node %{customdata[0]:.0f}: %{y:.4g}"
            "<br>rise %{customdata[1]:.4g}<extra></extra>",
        )
        texts = [plotly_text(name) for name in names]
        figure.update_xaxes(title_text=X_LABEL, tickvals=ticks, ticktext=texts, tickangle=0)
        figure.update_yaxes(title_text=SCALE_TITLE, range=[-0.03, 1.03])
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        paper = PaperFigure(figsize=style.size(0.55), layout="constrained")
        axes = paper.add_subplot()
        axes.grid(axis="y")
        place, value = self.data["position"].to_numpy(), self.data["f"].to_numpy(dtype=float)
        axes.plot(place, value, marker="o", color=LINES[0][0])
        ticks, names = self._ticks()
        # so many figures fit side by side
        fit = max(1, -(-len(ticks) * max(map(len, names)) // int(style.label_length)))
        axes.set_xticks(ticks[::fit], [paper_text(name) for name in names[::fit]])
        axes.set(xlabel=X_LABEL, ylabel=SCALE_TITLE, ylim=(-0.05, 1.05))
        return paper
