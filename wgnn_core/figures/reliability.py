"""Is the softmax as sure as it is right? The reliability diagram with its ECE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.calibration import Reliability, reliability
from wgnn_core.errors import WGNNError
from wgnn_core.figures.base import Figure, faded, ink, legend_below
from wgnn_core.figures.panels import panelled
from wgnn_core.figures.scene import BeforeAfter, Scene
from wgnn_core.figures.style import Style, class_mark
from wgnn_core.figures.text import label, labels, paper_text, plotly_text
from wgnn_core.intervention import Intervention

X_LABEL = "Confidence: largest probability (%)"
Y_LABEL = "Accuracy (%)"
SHARE_LABEL = "Test nodes (%)"
PERFECT = "as sure as right"


@dataclass(frozen=True, eq=False)
class ReliabilityDiagram(Figure):
    """Accuracy against confidence, bin by bin, above the share of test nodes in each bin."""

    kind: ClassVar[str] = "reliability"
    drawn: ClassVar[tuple[str, ...]] = (
        "confidence_percent",
        "accuracy_percent",
        "share_percent",
    )
    choices: ClassVar[type[BeforeAfter]] = BeforeAfter

    @classmethod
    def missing(cls, scene: Scene) -> str:
        if scene.unfinished:
            return scene.unfinished
        after = scene.after
        if after is not None and scene.choices.at is not None and not _stored(scene, after):
            return "the probabilities of wGNN were not stored when it was trained"
        return ""

    @classmethod
    def make(cls, scene: Scene) -> ReliabilityDiagram:
        """Test nodes of all seeds together; of wGNN the retrained model's own probabilities.

        Where a run was stored without those, and nobody asked for them, the base model is alone.
        """
        models = {n: one for n, one in scene.models.items() if _stored(scene, one)}
        figure = cls.of(
            {name: _pooled(scene, one) for name, one in models.items()}, graph=scene.graph.title
        )
        own = " Of wGNN these are the retrained model's own predictions, without the tally."
        left = " The probabilities of wGNN were not stored when it was trained."
        note = own if len(models) > 1 else left * (scene.after is not None)
        return replace(figure, caption=f"{figure.caption} {scene.whole}{note}")

    @classmethod
    def of(cls, found: Mapping[str, Reliability], *, graph: str) -> ReliabilityDiagram:
        """From the bins of each model."""
        if not found:
            raise WGNNError("no reliability to draw; give at least one.")
        names = labels(found)
        data = pd.concat(
            [
                pd.DataFrame(
                    {
                        "series": name,
                        "bin_from": one.edges[:-1],
                        "bin_to": one.edges[1:],
                        "count": one.count,
                        "share_percent": 100 * one.count / one.count.sum(),
                        "confidence_percent": one.confidence,
                        "accuracy_percent": one.accuracy,
                    }
                )[one.count > 0]
                for name, one in zip(names, found.values(), strict=True)
            ],
            ignore_index=True,
        )
        told = " ".join(
            f"{name}: ECE {one.ece:.1f} %, mean confidence {abs(one.gap):.1f} points "
            f"{'above' if one.gap > 0 else 'below'} accuracy."
            for name, one in zip(names, found.values(), strict=True)
        )
        bins = len(next(iter(found.values())).count)
        return cls(
            data,
            title=f"Is the network as sure as it is right on {label(graph)}?",
            caption=(
                f"Test nodes in {bins} bins by confidence: accuracy in each bin, and how many "
                "nodes are in it. Below the dotted line the network is surer than it is right. "
                f"ECE is the mean distance to that line over the nodes. {told}"
            ),
            alt=f"Reliability diagram on {label(graph)}. {told}",
        )

    def _series(self) -> list[tuple[str, pd.DataFrame]]:
        return [(str(name), rows) for name, rows in self.data.groupby("series", sort=False)]

    def _bar(self, rows: pd.DataFrame, index: int, count: int) -> tuple[pd.Series[float], float]:
        """Middle and width of the bars of a series within their bins."""
        width = float((rows["bin_to"] - rows["bin_from"]).iloc[0]) / count
        return rows["bin_from"] + (index + 0.5) * width, 0.86 * width

    def to_plotly(self, dark: bool = False) -> go.Figure:
        figure = panelled(
            self.title, dark, 2, 1,
            shared_xaxes=True, vertical_spacing=0.06, row_heights=[0.7, 0.3],
        )  # fmt: skip
        series = self._series()
        figure.add_scatter(
            x=[0, 100], y=[0, 100], mode="lines", name=PERFECT, hoverinfo="skip",
            line={"color": ink(dark).muted, "width": 1.4, "dash": "dot"}, row=1, col=1,
        )  # fmt: skip
        for index, (name, rows) in enumerate(series):
            mark = class_mark(index, dark=dark)
            figure.add_scatter(
                x=rows["confidence_percent"].to_numpy(), y=rows["accuracy_percent"].to_numpy(),
                mode="lines+markers", name=plotly_text(name),
                line={"color": mark.colour, "width": 2, "dash": mark.plotly_dash},
                marker={"symbol": mark.plotly_marker, "size": 8},
                customdata=rows["count"].to_numpy(),
                hovertemplate="sure %{x:.1f} %, right %{y:.1f} %, %{customdata:,} nodes",
                legendgroup=f"series{index}", row=1, col=1,
            )  # fmt: skip
            middle, width = self._bar(rows, index, len(series))
            figure.add_bar(
                x=middle.to_numpy(), y=rows["share_percent"].to_numpy(), width=width,
                name=plotly_text(name), showlegend=False, legendgroup=f"series{index}",
                marker={"color": faded(mark.colour, 0.75),
                        "line": {"color": mark.colour, "width": 1}},
                hovertemplate="%{y:.1f} % of the test nodes", row=2, col=1,
            )  # fmt: skip
        figure.update_xaxes(range=[0, 101])
        figure.update_xaxes(title_text=X_LABEL, row=2, col=1)
        figure.update_yaxes(title_text=Y_LABEL, range=[0, 103], row=1, col=1)
        figure.update_yaxes(title_text=SHARE_LABEL, rangemode="tozero", row=2, col=1)
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        paper = PaperFigure(figsize=style.size(1.0), layout="constrained")
        upper, lower = paper.subplots(2, 1, sharex=True, height_ratios=[7, 3])
        upper.grid(axis="y")
        upper.plot(
            [0, 100], [0, 100], color="#8a9099", linestyle=":", linewidth=0.9 * style.scale,
            label=PERFECT,
        )  # fmt: skip
        series = self._series()
        for index, (name, rows) in enumerate(series):
            mark = class_mark(index, style.palette)
            upper.plot(
                rows["confidence_percent"].to_numpy(), rows["accuracy_percent"].to_numpy(),
                color=mark.colour, linestyle=mark.dash, marker=mark.marker,
                label=paper_text(name, style.label_length),
            )  # fmt: skip
            middle, width = self._bar(rows, index, len(series))
            lower.bar(
                middle.to_numpy(), rows["share_percent"].to_numpy(), width, color=mark.colour,
                hatch=(None, "////")[index % 2],
            )  # fmt: skip
        upper.set(ylabel=Y_LABEL, xlim=(0, 101), ylim=(0, 103))
        lower.set(xlabel=X_LABEL, ylabel=SHARE_LABEL)
        legend_below(paper, upper.get_legend_handles_labels()[0])
        return paper


def _stored(scene: Scene, one: Intervention) -> bool:
    positions = range(len(scene.base.seeds))
    return all(scene.result.prob(one, position) is not None for position in positions)


def _pooled(scene: Scene, one: Intervention) -> Reliability:
    """Over the test nodes of all seeds."""
    prob, true = [], []
    for position, seed in enumerate(scene.base.seeds):
        test = scene.graph.split(int(seed)).test
        mine = scene.result.prob(one, position)
        assert mine is not None, "`_stored` was asked before"
        prob.append(mine[test])
        true.append(scene.graph.y[test])
    return reliability(np.concatenate(prob), np.concatenate(true))
