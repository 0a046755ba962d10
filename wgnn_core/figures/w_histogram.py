"""Histogram of w for correctly and wrongly predicted nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.errors import WGNNError
from wgnn_core.figures.base import Figure, faded, legend_below, page
from wgnn_core.figures.scene import OfModel, Scene
from wgnn_core.figures.sentences import hardly_learned, w_tells_wrong
from wgnn_core.figures.style import CORRECT, WRONG, Style
from wgnn_core.figures.text import label
from wgnn_core.graph import BoolArray

X_LABEL = "Label non-uniformity w(v)"
Y_LABEL = "Share of group (%)"
COLOURS = {"correct": CORRECT, "wrong": WRONG}


class WHistogram(Figure):
    """Share of the correct and of the wrong nodes in each bin of w."""

    kind: ClassVar[str] = "w-histogram"
    drawn: ClassVar[tuple[str, ...]] = ("share_percent",)
    choices: ClassVar[type[OfModel]] = OfModel

    @classmethod
    def make(cls, scene: Scene) -> WHistogram:
        graph, test = scene.graph, scene.split.test
        predicted, w = scene.outcome
        right = predicted == graph.y
        figure = cls.of(w[test], right[test], graph=scene.name, num_classes=graph.num_classes)
        told = hardly_learned(w, graph.num_classes) or w_tells_wrong(w[test], right[test])
        return replace(figure, caption=f"{figure.caption} {told} {scene.whose}")

    @classmethod
    def of(
        cls,
        w: npt.ArrayLike,
        correct: BoolArray,
        *,
        graph: str,
        num_classes: int,
        bins: int = 24,
        nodes: str = "test nodes",
    ) -> WHistogram:
        """From w and the outcome of each node.

        Args:
            w: Label non-uniformity, ``[n]``.
            correct: Whether the prediction is right, ``[n]``.
            graph: Name of the graph.
            num_classes: |S|; w reaches from 0 to 2 (1 - 1/|S|).
            bins: Number of bins over that range.
            nodes: Which nodes these are.
        """
        values, right = np.asarray(w, dtype=float), np.asarray(correct, dtype=bool)
        if values.shape != right.shape or values.size == 0 or not np.isfinite(values).all():
            raise WGNNError(
                f"w has shape {values.shape} and outcomes {right.shape}; both need the same "
                "non-zero number of nodes and w must be finite."
            )
        edges = np.linspace(0, 2 * (1 - 1 / num_classes), bins + 1)
        inside = np.clip(values, edges[0], edges[-1])  # w of a one-hot row may round upwards
        frames = []
        for outcome, group in (("correct", inside[right]), ("wrong", inside[~right])):
            count = np.histogram(group, edges)[0]
            frames.append(
                pd.DataFrame(
                    {
                        "outcome": outcome,
                        "w_from": edges[:-1],
                        "w_to": edges[1:],
                        "count": count,
                        "share_percent": 100 * count / max(len(group), 1),
                    }
                )
            )
        return cls(
            pd.concat(frames, ignore_index=True),
            title=f"Non-uniformity of correct and wrong nodes on {label(graph)}",
            caption=(
                f"Distribution of w over the {label(nodes)}, for the {int(right.sum()):,} predicted"
                f" correctly and the {int((~right).sum()):,} predicted wrongly."
            ),
            alt=(
                f"Two histograms of w on {label(graph)}: {int(right.sum())} correct nodes with "
                f"median w {_median(values[right])} and {int((~right).sum())} wrong nodes with "
                f"median {_median(values[~right])}."
            ),
        )

    def to_plotly(self, dark: bool = False) -> go.Figure:
        figure = page(self.title, dark, barmode="overlay", bargap=0)
        for outcome, rows in self.data.groupby("outcome", sort=False):
            figure.add_bar(
                x=((rows["w_from"] + rows["w_to"]) / 2).to_numpy(),
                y=rows["share_percent"].to_numpy(),
                width=(rows["w_to"] - rows["w_from"]).to_numpy(),
                name=f"{outcome} (n = {rows['count'].sum()})",
                customdata=rows["count"].to_numpy(),
                marker={
                    "color": faded(COLOURS[str(outcome)], 0.55),
                    "line": {"color": COLOURS[str(outcome)], "width": 1},
                    "pattern": {"shape": "/" if outcome == "wrong" else "", "size": 6},
                },
                hovertemplate="w ≈ %{x:.2f}: %{y:.1f} % (%{customdata} nodes)",
            )
        figure.update_xaxes(title_text=X_LABEL)
        figure.update_yaxes(title_text=Y_LABEL)
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        paper = PaperFigure(figsize=style.size(0.62), layout="constrained")
        axes = paper.add_subplot()
        axes.grid(axis="y")
        for outcome, rows in self.data.groupby("outcome", sort=False):
            edges = np.append(rows["w_from"].to_numpy(), rows["w_to"].to_numpy()[-1])
            colour = COLOURS[str(outcome)]
            axes.stairs(
                rows["share_percent"].to_numpy(),
                edges,
                fill=True,
                facecolor=(colour, 0.4),
                edgecolor=colour,
                hatch="////" if outcome == "wrong" else None,
                linewidth=0.8 * style.scale,
                label=f"{outcome} (n = {rows['count'].sum()})",
            )
        axes.set(xlabel=X_LABEL, ylabel=Y_LABEL, xlim=(0, float(self.data["w_to"].max())))
        legend_below(paper, axes.get_legend_handles_labels()[0])
        return paper


def _median(values: npt.NDArray[np.float64]) -> str:
    return f"{np.median(values):.2f}" if values.size else "none"
