"""Accuracy on the chosen share alpha of the test nodes (Problem 1, the paper's Figure 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.coverage import random_quality
from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.figures.base import Figure, ink, legend_below, page
from wgnn_core.figures.scene import Choices, Scene
from wgnn_core.figures.spread import MEAN, Accuracies, paper_curves, plotly_curves, spread_table
from wgnn_core.figures.style import Style
from wgnn_core.figures.text import label, paper_text, plotly_text
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.intervention import Base
from wgnn_core.ranking import RANKERS, accuracy_coverage, rank
from wgnn_core.runs.results import RunResult

ALPHAS = np.round(np.arange(0.05, 1.0001, 0.05), 2)
BOUNDS = ("oracle", "random")
RANKED = tuple(name for name in RANKERS if name not in BOUNDS)
"""What a curve can be drawn for."""
BOUND = "bound"
EXPECTED = "Random order (mean)"
X_LABEL = "Coverage α (share of test nodes, %)"
Y_LABEL = "Accuracy on chosen nodes (%)"


@dataclass(frozen=True)
class AccuracyCoverageChoices(Choices):
    """Whose curves, and which coverage is marked on them."""

    rankers: tuple[str, ...] = hyper(
        ("m1", "m2", "max-softmax", "margin"), "curves of accuracy-coverage", choices=RANKED
    )
    marked_alpha: float = hyper(0.0, "coverage that is marked on the curves; 0: none", 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.rankers:
            raise WGNNError(f"the rankers are none; choose from {', '.join(RANKED)}.")


@dataclass(frozen=True, eq=False)
class AccuracyCoverage(Figure):
    """One curve for each ranker: thin lines for the seeds, their mean, a band of one s.d."""

    kind: ClassVar[str] = "accuracy-coverage"
    drawn: ClassVar[tuple[str, ...]] = ("alpha_percent", "accuracy_percent")
    choices: ClassVar[type[AccuracyCoverageChoices]] = AccuracyCoverageChoices
    runs: ClassVar[tuple[int, int]] = (1, 20)
    mixes_graphs: ClassVar[bool] = True

    alpha: float = 0.0
    """The coverage that is marked; 0: none."""

    @classmethod
    def make(cls, scene: Scene) -> AccuracyCoverage:
        """Of one run the curves of its rankers between two bounds; of several runs their curves."""
        chosen = scene.choices.rankers
        titles = "; ".join(RANKERS[name].title for name in chosen)
        if len(scene.runs) == 1:
            base = scene.base
            bounds = {
                RANKERS["oracle"].short: curves(base, "oracle").mean(axis=0),
                EXPECTED: np.mean(
                    [random_quality(h, ALPHAS).accuracy for h in hits(base, "m2")], 0
                ),
            }
            named = {RANKERS[name].short: curves(base, name) for name in chosen}
            figure = cls.of(ALPHAS, named, graph=scene.graph.title, bounds=bounds)
            titles += f"; {RANKERS['oracle'].title}; a random order, on average over all orders"
        else:
            named = {
                _name(run) + (f", {RANKERS[name].short}" if len(chosen) > 1 else ""): curves(
                    run.trained, name
                )
                for run in scene.runs
                for name in chosen
            }
            figure = cls.of(ALPHAS, named, graph=f"{len(scene.runs)} runs")
        alpha = scene.choices.marked_alpha
        at = f" The line marks the coverage {100 * alpha:g} %." if alpha else ""
        return replace(figure, caption=f"{figure.caption} {titles}.{at}", alpha=alpha)

    @classmethod
    def of(
        cls,
        alpha: npt.ArrayLike,
        curves: Mapping[str, Accuracies],
        *,
        graph: str,
        bounds: Mapping[str, npt.ArrayLike] | None = None,
    ) -> AccuracyCoverage:
        """From accuracies in percent.

        Args:
            alpha: Coverages in (0, 1], ``[P]``.
            curves: For each ranker ``[S, P]``, one row per seed.
            graph: Name of the graph.
            bounds: Curves without spread, ``[P]``, such as oracle and random; drawn in grey.
        """
        coverage = 100 * np.asarray(alpha, dtype=float)
        if coverage.ndim != 1 or not ((coverage > 0) & (coverage <= 100)).all():
            raise WGNNError(f"coverage must be a list of numbers in (0, 1]; got {alpha!r:.80}.")
        data = spread_table("alpha_percent", coverage, curves)
        for name, values in (bounds or {}).items():
            bound = spread_table("alpha_percent", coverage, {name: np.asarray(values)})
            bound = bound[bound["statistic"] == MEAN].assign(statistic=BOUND)
            data = pd.concat([data, bound], ignore_index=True)
        seeds = max(len(np.atleast_2d(curve)) for curve in curves.values())
        return cls(
            data,
            title=f"Accuracy against coverage on {label(graph)}",
            caption=(
                "Test accuracy on the share of nodes each ranker trusts most, over "
                f"{seeds} seed{'s' * (seeds > 1)}; the higher a curve stays as coverage grows, "
                "the better its ranker knows which nodes are right."
            ),
            alt=(
                f"Line chart of accuracy against coverage on {label(graph)} for "
                f"{', '.join(data['series'].drop_duplicates())}."
            ),
        )

    def to_plotly(self, dark: bool = False) -> go.Figure:
        figure = page(self.title, dark)
        bounds = self.data["statistic"] == BOUND
        for index, (series, rows) in enumerate(self.data[bounds].groupby("series", sort=False)):
            figure.add_scatter(
                x=rows["alpha_percent"].to_numpy(),
                y=rows["accuracy_percent"].to_numpy(),
                mode="lines",
                line={"width": 1.4, "color": ink(dark).muted, "dash": ("dot", "dash")[index % 2]},
                name=plotly_text(str(series)),
            )
        plotly_curves(figure, self.data[~bounds], "alpha_percent", dark)
        if self.alpha:
            figure.add_vline(100 * self.alpha, line={"color": ink(dark).text, "width": 1})
        figure.update_xaxes(title_text=X_LABEL, range=[0, 101])
        figure.update_yaxes(title_text=Y_LABEL)
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        paper = PaperFigure(figsize=style.size(0.68), layout="constrained")
        axes = paper.add_subplot()
        axes.grid(axis="y")
        bounds = self.data["statistic"] == BOUND
        for index, (series, rows) in enumerate(self.data[bounds].groupby("series", sort=False)):
            axes.plot(
                rows["alpha_percent"].to_numpy(),
                rows["accuracy_percent"].to_numpy(),
                color="#8a9099",
                linewidth=0.9 * style.scale,
                linestyle=(":", "--")[index % 2],
                label=paper_text(str(series), style.label_length),
            )
        paper_curves(axes, self.data[~bounds], "alpha_percent", style)
        if self.alpha:
            axes.axvline(100 * self.alpha, color="#1f2430", linewidth=0.6 * style.scale)
        low, high = axes.get_ylim()  # a deviation may reach beyond what an accuracy can be
        axes.set(xlabel=X_LABEL, ylabel=Y_LABEL, xlim=(0, 101))
        axes.set_ylim(max(low, -1), min(high, 101))
        legend_below(paper, axes.get_legend_handles_labels()[0])
        return paper


def orders(base: Base, ranker: str) -> list[IntArray]:
    """The test nodes of each seed in the order of `ranker`, best first."""
    right, graph = base.predicted == base.graph.y, base.graph
    return [
        rank(ranker, graph, graph.split(int(seed)), base.prob[k], int(seed), right[k])
        for k, seed in enumerate(base.seeds)
    ]


def hits(base: Base, ranker: str) -> list[BoolArray]:
    """Whether each of `orders` is predicted right."""
    right = base.predicted == base.graph.y
    return [right[k][nodes] for k, nodes in enumerate(orders(base, ranker))]


def curves(base: Base, ranker: str) -> Accuracies:
    """Accuracy in percent at each of `ALPHAS`, one row per seed."""
    return np.stack([accuracy_coverage(one, ALPHAS) for one in hits(base, ranker)])


def _name(run: RunResult) -> str:
    return f"{run.summary.model} on {run.summary.dataset} ({run.summary.run_id[:6]})"
