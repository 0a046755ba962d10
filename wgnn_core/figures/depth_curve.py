"""Accuracy against the number of layers of the base model (bad base models, Section 5.4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.figures.base import Figure, legend_below, page
from wgnn_core.figures.spread import Runs, paper_curves, plotly_curves, spread_table
from wgnn_core.figures.style import Style
from wgnn_core.figures.text import label

X_LABEL = "Number of layers L"
Y_LABEL = "Test accuracy (%)"


class DepthCurve(Figure):
    """One curve for each eta0, with the base model as eta0 = 0."""

    kind: ClassVar[str] = "depth-curve"
    drawn: ClassVar[tuple[str, ...]] = ("layers", "accuracy_percent")

    @classmethod
    def of(
        cls, layers: Sequence[int], curves: Mapping[float, Runs], *, graph: str, model: str = "GAT"
    ) -> DepthCurve:
        """From accuracies as fractions.

        Args:
            layers: Numbers of layers, ``[P]``.
            curves: For each eta0 ``[S, P]``; eta0 = 0 is the base model itself.
            graph: Name of the graph.
            model: Name of the base model.
        """
        named = {
            f"base {label(model)}" if eta0 == 0 else f"wGNN, η₀ = {eta0:g}": runs
            for eta0, runs in curves.items()
        }
        data = spread_table("layers", layers, named)
        return cls(
            data,
            title=f"Accuracy against depth of {label(model)} on {label(graph)}",
            caption=(
                f"Test accuracy of {label(model)} with more and more layers, and of wGNN built on "
                "it; look for how long the supplemented models hold where the base model falls."
            ),
            alt=(
                f"Line chart of accuracy against number of layers on {label(graph)} for "
                f"{', '.join(data['series'].drop_duplicates())}."
            ),
        )

    def to_plotly(self, dark: bool = False) -> go.Figure:
        figure = page(self.title, dark, legend={"orientation": "h", "y": -0.22})
        plotly_curves(figure, self.data, "layers", dark, markers=True)
        figure.update_xaxes(title_text=X_LABEL, tickvals=self._layers())
        figure.update_yaxes(title_text=Y_LABEL)
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        paper = PaperFigure(figsize=style.size(0.68), layout="constrained")
        axes = paper.add_subplot()
        axes.grid(axis="y")
        paper_curves(axes, self.data, "layers", style, markers=True)
        axes.set(xlabel=X_LABEL, ylabel=Y_LABEL, xticks=self._layers())
        legend_below(paper, axes.get_legend_handles_labels()[0])
        return paper

    def _layers(self) -> list[int]:
        return sorted(int(count) for count in self.data["layers"].unique())
