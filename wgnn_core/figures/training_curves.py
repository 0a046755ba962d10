"""How the trainings went: accuracy and loss over the epochs, mean and spread over the seeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.errors import WGNNError
from wgnn_core.figures.base import Figure, faded, legend_below
from wgnn_core.figures.panels import panelled
from wgnn_core.figures.scene import BeforeAfter, Scene
from wgnn_core.figures.spread import LOWER, MEAN, UPPER
from wgnn_core.figures.style import Style, class_mark
from wgnn_core.figures.text import label, labels, paper_text, plotly_text
from wgnn_core.graph import FloatArray, IntArray
from wgnn_core.replicas.history import History

PANELS = {
    "validation": ("Validation (%)", "val_accuracy"),
    "training": ("Training (%)", "train_accuracy"),
    "loss": ("Loss", "loss"),
}
"""Title of the axis and field of `History`, for each panel from the top."""
X_LABEL = "Epoch"
KEPT = "kept epoch"
RULES = {"best": "the first with its highest validation accuracy", "last": "its last one"}
"""Which epoch that is, by the model's `keep`."""


@dataclass(frozen=True, eq=False)
class TrainingCurves(Figure):
    """A panel for each of `PANELS`, a line and a band in it for each model."""

    kind: ClassVar[str] = "training-curves"
    drawn: ClassVar[tuple[str, ...]] = ("epoch", "value")
    choices: ClassVar[type[BeforeAfter]] = BeforeAfter

    @classmethod
    def missing(cls, scene: Scene) -> str:
        if scene.unfinished:
            return scene.unfinished
        for name, one in scene.models.items():
            if scene.result.history(one) is None:
                return f"the training curves of {name} were not stored when it was trained"
        return ""

    @classmethod
    def make(cls, scene: Scene) -> TrainingCurves:
        found = {}
        for name, one in scene.models.items():
            history = scene.result.history(one)
            assert history is not None, "`missing` says so where there is none"
            found[name] = history
        keep = scene.result.config.base_model.keep
        figure = cls.of(found, graph=scene.graph.title, keep=keep)
        pseudo = " Pseudo-labels count as right in the training accuracy of wGNN."
        note = pseudo * (scene.after is not None and scene.after.eta0 > 0)
        return replace(figure, caption=f"{figure.caption}{note} {scene.whole}")

    @classmethod
    def of(
        cls, histories: Mapping[str, History], *, graph: str, keep: str = "best"
    ) -> TrainingCurves:
        """From the curves of each model, ``[seeds, epochs]``, nan after a training has stopped."""
        if not histories:
            raise WGNNError("no curves to draw; give at least one.")
        names = labels(histories)
        frames = [
            _curve(name, panel, getattr(history, field))
            for name, history in zip(names, histories.values(), strict=True)
            for panel, (_, field) in PANELS.items()
        ]
        kept = [kept_epochs(history, keep) for history in histories.values()]
        frames += [
            pd.DataFrame(
                {
                    "series": name,
                    "panel": "validation",
                    "statistic": KEPT,
                    "epoch": epochs,
                    "value": history.val_accuracy[np.arange(len(epochs)), epochs - 1].astype(float),
                    "seeds": 1,
                }
            )
            for name, epochs, history in zip(names, kept, histories.values(), strict=True)
        ]
        told = "; ".join(
            f"{name}: {epochs.min()} to {epochs.max()}"
            if len(epochs) > 1
            else f"{name}: {epochs[0]}"
            for name, epochs in zip(names, kept, strict=True)
        )
        return cls(
            pd.concat(frames, ignore_index=True),
            title=f"Training on {label(graph)}",
            caption=(
                "Validation accuracy, training accuracy and loss over the epochs: mean over the "
                "seeds that still train (line), one sample standard deviation either side (band). "
                f"Dots mark the epoch that is kept for each seed, {RULES[keep]} ({told}). "
                "Training accuracy and loss are those of the training pass, with dropout."
            ),
            alt=f"Curves of accuracy and loss over the epochs on {label(graph)}; kept: {told}.",
        )

    def _parts(self, panel: str) -> list[tuple[int, str, dict[str, pd.DataFrame]]]:
        """Number, name and statistics of each series in a panel."""
        series = list(self.data["series"].drop_duplicates())
        mine = self.data[self.data["panel"] == panel]
        return [
            (i, name, dict(iter(mine[mine["series"] == name].groupby("statistic", sort=False))))
            for i, name in enumerate(series)
        ]

    def to_plotly(self, dark: bool = False) -> go.Figure:
        figure = panelled(
            self.title, dark, len(PANELS), 1, shared_xaxes=True, vertical_spacing=0.05
        )
        for row, (panel, (title, _)) in enumerate(PANELS.items(), 1):
            for index, name, part in self._parts(panel):
                mark = class_mark(index, dark=dark)
                group = {"legendgroup": f"series{index}", "row": row, "col": 1}
                for key, fill in ((LOWER, None), (UPPER, "tonexty")) if LOWER in part else ():
                    figure.add_scatter(
                        x=part[key]["epoch"].to_numpy(), y=part[key]["value"].to_numpy(),
                        mode="lines", line={"width": 0}, fill=fill,
                        fillcolor=faded(mark.colour, 0.18), hoverinfo="skip", showlegend=False,
                        **group,
                    )  # fmt: skip
                figure.add_scatter(
                    x=part[MEAN]["epoch"].to_numpy(), y=part[MEAN]["value"].to_numpy(),
                    mode="lines", line={"width": 2, "color": mark.colour, "dash": mark.plotly_dash},
                    name=plotly_text(name), showlegend=row == 1,
                    hovertemplate="epoch %{x}: %{y:.4g}", **group,
                )  # fmt: skip
                if KEPT in part:
                    figure.add_scatter(
                        x=part[KEPT]["epoch"].to_numpy(), y=part[KEPT]["value"].to_numpy(),
                        mode="markers", name=f"{plotly_text(name)}, kept epoch of a seed",
                        marker={"size": 8, "symbol": mark.plotly_marker, "color": mark.colour,
                                "line": {"width": 1, "color": "#ffffff"}},
                        hovertemplate="kept: epoch %{x}, %{y:.2f} %<extra></extra>", **group,
                    )  # fmt: skip
            figure.update_yaxes(title_text=title, row=row, col=1)
        figure.update_xaxes(title_text=X_LABEL, row=len(PANELS), col=1)
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        paper = PaperFigure(figsize=style.size(1.15), layout="constrained")
        every = paper.subplots(len(PANELS), 1, sharex=True)
        for axes, (panel, (title, _)) in zip(every, PANELS.items(), strict=True):
            axes.grid(axis="y")
            for index, name, part in self._parts(panel):
                mark = class_mark(index, style.palette)
                if LOWER in part:
                    axes.fill_between(
                        part[LOWER]["epoch"].to_numpy(dtype=float),
                        part[LOWER]["value"].to_numpy(), part[UPPER]["value"].to_numpy(),
                        color=mark.colour, alpha=0.16, linewidth=0,
                    )  # fmt: skip
                axes.plot(
                    part[MEAN]["epoch"].to_numpy(), part[MEAN]["value"].to_numpy(),
                    color=mark.colour, linestyle=mark.dash, linewidth=0.9 * style.scale,
                    label=paper_text(name, style.label_length),
                )  # fmt: skip
                if KEPT in part:
                    axes.plot(
                        part[KEPT]["epoch"].to_numpy(), part[KEPT]["value"].to_numpy(),
                        linestyle="", marker=mark.marker, color=mark.colour,
                        markeredgecolor="white", markeredgewidth=0.4 * style.scale,
                        label=f"{paper_text(name, style.label_length)}, kept",
                    )  # fmt: skip
            axes.set(ylabel=title)
        every[-1].set(xlabel=X_LABEL)
        legend_below(paper, every[0].get_legend_handles_labels()[0])
        return paper


def kept_epochs(history: History, keep: str = "best") -> IntArray:
    """The epoch that is kept for each seed, from 1."""
    ran = np.isfinite(history.val_accuracy)
    epochs: IntArray = np.where(ran, history.val_accuracy, -1).argmax(axis=1).astype(np.int64)
    if keep == "last":
        epochs = ran.sum(axis=1) - 1  # a training that has stopped does not begin again
    return epochs + 1


def _curve(series: str, panel: str, curves: FloatArray) -> pd.DataFrame:
    """Mean and band over the seeds that still train, epoch by epoch from 1."""
    counts = np.isfinite(curves).sum(axis=0)
    epochs = np.flatnonzero(counts)
    values, seeds = curves[:, epochs].astype(np.float64), counts[epochs]
    mean = np.nansum(values, axis=0) / seeds
    part = {MEAN: mean}
    if len(values) > 1:
        square = np.nansum((values - mean) ** 2, axis=0)
        deviation = np.where(seeds > 1, np.sqrt(square / np.maximum(seeds - 1, 1)), 0.0)
        low, high = (0.0, np.inf) if panel == "loss" else (0.0, 100.0)
        part |= {
            LOWER: np.clip(mean - deviation, low, high),
            UPPER: np.clip(mean + deviation, low, high),
        }
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "series": series, "panel": panel, "statistic": statistic,
                    "epoch": epochs + 1, "value": numbers, "seeds": seeds,
                }
            )
            for statistic, numbers in part.items()
        ],
        ignore_index=True,
    )  # fmt: skip
