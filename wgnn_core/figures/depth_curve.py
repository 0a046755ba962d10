"""Accuracy against the number of layers of the base model (bad base models, Section 5.4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.figures.base import Figure, legend_below, page
from wgnn_core.figures.methods import tally_of
from wgnn_core.figures.scene import Scene
from wgnn_core.figures.spread import Accuracies, paper_curves, plotly_curves, spread_table
from wgnn_core.figures.style import Style
from wgnn_core.figures.text import label
from wgnn_core.runs.config import RunConfig

LAYERS = "layers"
X_LABEL = "Number of layers L"
Y_LABEL = "Test accuracy (%)"


class DepthCurve(Figure):
    """One curve for each eta0, with the base model as eta0 = 0."""

    kind: ClassVar[str] = "depth-curve"
    drawn: ClassVar[tuple[str, ...]] = ("layers", "accuracy_percent")
    runs: ClassVar[tuple[int, int]] = (2, 100)

    @classmethod
    def missing(cls, scene: Scene) -> str:
        configs = [run.config for run in scene.runs]
        if any(LAYERS not in dict(config.resolve().hyper) for config in configs):
            return f"the model {configs[0].model} has no hyperparameter {LAYERS}"
        if len({_without_layers(config) for config in configs}) > 1:
            return f"the runs differ in more than {LAYERS}"
        if len({_layers(config) for config in configs}) < len(configs):
            return f"two of the runs have the same number of {LAYERS}"
        planned = configs[0].interventions
        if configs[0].search != "list" or len({replace(one, eta0=0.0) for one in planned}) > 1:
            return "its interventions must differ in eta0 alone"
        if any(one.eta0 == 0 for one in planned):
            return "an eta0 of 0 stands for the base model, which is there anyway"
        if any(len(run.finished) < len(planned) for run in scene.runs):
            return "not all of the runs are finished"
        return ""

    @classmethod
    def make(cls, scene: Scene) -> DepthCurve:
        """Accuracy against L: the base model (eta0 = 0) and a curve for each eta0."""
        ordered = sorted(scene.runs, key=lambda run: _layers(run.config))
        curves = {0.0: np.stack([run.trained.test for run in ordered], axis=1)}
        retrained = ordered[0].finished
        for one in retrained:
            curves[one.eta0] = np.stack([tally_of(run, one) for run in ordered], axis=1)
        graph = scene.graph.title
        if any(one.eta1 * one.eta2 > 0 for one in retrained):
            graph += f", η₁ = {retrained[0].eta1:g}, η₂ = {retrained[0].eta2:g}"
        layers = [_layers(run.config) for run in ordered]
        model = type(ordered[0].trained.model).title
        return cls.of(layers, curves, graph=graph, model=model)

    @classmethod
    def of(
        cls,
        layers: Sequence[int],
        curves: Mapping[float, Accuracies],
        *,
        graph: str,
        model: str = "GAT",
    ) -> DepthCurve:
        """From accuracies in percent.

        Args:
            layers: Numbers of layers, ``[P]``.
            curves: For each eta0 ``[S, P]``; eta0 = 0 is the base model itself.
            graph: Name of the graph.
            model: Name of the base model.
        """
        named = {
            f"base {label(model)}" if eta0 == 0 else f"wGNN, η₀ = {eta0:g}": curve
            for eta0, curve in curves.items()
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
        figure = page(self.title, dark)
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


def _layers(config: RunConfig) -> int:
    return int(dict(config.resolve().hyper)[LAYERS])


def _without_layers(config: RunConfig) -> RunConfig:
    """The run with every hyperparameter written out but the number of layers."""
    full = config.resolve()
    rest = tuple(pair for pair in full.hyper if pair[0] != LAYERS)
    return replace(full, hyper=rest, device="auto")
