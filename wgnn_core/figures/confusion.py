"""Which classes are taken for which, by the base model and by wGNN."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.confusion import confusion_matrix
from wgnn_core.errors import WGNNError
from wgnn_core.figures.bars import SHORT
from wgnn_core.figures.base import Figure
from wgnn_core.figures.panels import panelled
from wgnn_core.figures.scene import BeforeAfter, Scene
from wgnn_core.figures.style import SMALLEST_TEXT, Style, lightness
from wgnn_core.figures.text import label, labels, paper_text, plotly_text, share
from wgnn_core.graph import IntArray
from wgnn_core.intervention import Intervention
from wgnn_core.wgnn import carried

COLOURS = "Blues"
X_LABEL, Y_LABEL = "Predicted class", "True class"
SCALE = "Share of the true class (%)"
NAME_LENGTH, PAPER_NAME_LENGTH = 18, 14
BESIDE = 4.5
"""Inches that two matrices need to stand beside each other, with type of 8 pt."""


@dataclass(frozen=True, eq=False)
class Confusion(Figure):
    """A matrix for each model: percent of the test nodes of a true class predicted as a class."""

    kind: ClassVar[str] = "confusion"
    drawn: ClassVar[tuple[str, ...]] = ("percent",)
    choices: ClassVar[type[BeforeAfter]] = BeforeAfter

    classes: tuple[str, ...]

    @classmethod
    def missing(cls, scene: Scene) -> str:
        return scene.unfinished

    @classmethod
    def make(cls, scene: Scene) -> Confusion:
        """Test nodes of all seeds together; predictions of wGNN by the paper's tally."""
        found = {name: _pooled(scene, one) for name, one in scene.models.items()}
        figure = cls.of(scene.graph.class_names, found, graph=scene.graph.title)
        tally = " By the paper's tally: nodes that joined keep their first prediction."
        whose = f" {scene.whole}{tally * (scene.after is not None)}"
        return replace(figure, caption=figure.caption + whose)

    @classmethod
    def of(
        cls, class_names: Sequence[object], matrices: Mapping[str, IntArray], *, graph: str
    ) -> Confusion:
        """From counts.

        Args:
            class_names: Names of the classes, ``[C]``.
            matrices: For each model the number of nodes of true class i predicted as j, ``[C, C]``.
            graph: Name of the graph.
        """
        names = labels(class_names)
        shape = (len(names), len(names))
        for name, counts in matrices.items():
            if np.shape(counts) != shape:
                raise WGNNError(f"the matrix of {name} has shape {np.shape(counts)}, not {shape}.")
        true, predicted = (index.ravel() for index in np.indices(shape))
        frames = [
            pd.DataFrame(
                {
                    "model": model,
                    "true": [names[i] for i in true],
                    "predicted": [names[i] for i in predicted],
                    "count": np.ravel(counts),
                    "percent": _shares(counts).ravel(),
                }
            )
            for model, counts in zip(labels(matrices), matrices.values(), strict=True)
        ]
        if not frames:
            raise WGNNError("no matrix to draw; give at least one.")
        data = pd.concat(frames, ignore_index=True)
        worst = " ".join(_largest(frame) for frame in frames)
        return cls(
            data,
            title=f"Which classes are taken for which on {label(graph)}",
            caption=(
                "Of the test nodes of a true class (row) the percentage predicted as each class "
                f"(column); the diagonal is the accuracy on each class. {worst}"
            ),
            alt=f"Confusion matrix of {len(names)} classes on {label(graph)}. {worst}",
            classes=tuple(names),
        )

    def by_class(self) -> pd.DataFrame:
        """Accuracy in percent on each class: a row per class, a column per model, the change."""
        own = self.data[self.data["true"] == self.data["predicted"]]
        table = own.pivot(index="true", columns="model", values="percent")
        table = table.loc[list(self.classes), list(self.data["model"].drop_duplicates())]
        first = self.data[self.data["model"] == table.columns[0]]
        table.insert(0, "nodes", first.groupby("true")["count"].sum())
        if len(table.columns) == 3:
            table["change"] = table.iloc[:, 2] - table.iloc[:, 1]
        return table.rename_axis(index="class", columns=None).reset_index()

    def _panels(self) -> list[tuple[str, npt.NDArray[np.float64], npt.NDArray[np.int64]]]:
        """Name, percentages and counts of each model."""
        shape = (len(self.classes), len(self.classes))
        return [
            (
                str(model),
                part["percent"].to_numpy(dtype=float).reshape(shape),
                part["count"].to_numpy().reshape(shape),
            )
            for model, part in self.data.groupby("model", sort=False)
        ]

    def to_plotly(self, dark: bool = False) -> go.Figure:
        panels, places = self._panels(), np.arange(len(self.classes))
        figure = panelled(
            self.title, dark, 1, len(panels), shared_yaxes=True, horizontal_spacing=0.04,
            subplot_titles=[plotly_text(name) for name, _, _ in panels],
        )  # fmt: skip
        short = [plotly_text(label(name, NAME_LENGTH)) for name in self.classes]
        for column, (_, percent, count) in enumerate(panels, 1):
            told = [
                [
                    f"{short[i]} as {short[j]}: {percent[i, j]:.1f} %, {count[i, j]:,} nodes"
                    for j in places
                ]
                for i in places
            ]
            figure.add_heatmap(
                x=places,
                y=places,
                z=percent,
                zmin=0,
                zmax=100,
                colorscale=COLOURS,
                xgap=1,
                ygap=1,
                showscale=column == len(panels),
                colorbar={"thickness": 10, "outlinewidth": 0, "ticksuffix": " %"},
                text=told,
                hovertemplate="%{text}<extra></extra>",
                row=1,
                col=column,
            )
            for i, j in np.argwhere(np.isfinite(percent)):
                dim = _is_dark(percent[i, j])
                figure.add_annotation(
                    x=j, y=i, text=f"{percent[i, j]:.0f}", showarrow=False, row=1, col=column,
                    font={"color": "#ffffff" if dim else "#111318", "size": 12},
                )  # fmt: skip
        ticks: dict[str, Any] = {"tickvals": places, "ticktext": short, "ticks": ""}
        bare = {"showgrid": False, "showline": False}
        lean = 0 if max(map(len, self.classes)) <= SHORT else -35
        figure.update_xaxes(title_text=X_LABEL, tickangle=lean, **ticks, **bare)
        figure.update_yaxes(autorange="reversed", **ticks, **bare)
        figure.update_yaxes(title_text=Y_LABEL, row=1, col=1)
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        panels, n = self._panels(), len(self.classes)
        stacked = style.inches < BESIDE * style.scale  # a column holds one matrix
        rows, columns = (len(panels), 1) if stacked else (1, len(panels))
        ratio = (1.0 if columns == 1 else 0.72) * rows
        paper = PaperFigure(figsize=style.size(ratio), layout="constrained")
        colours = matplotlib.colormaps[COLOURS]
        cell = 0.62 * style.inches * 72 / columns / n
        size = min(style.small, 0.42 * cell)
        names = [paper_text(name, PAPER_NAME_LENGTH) for name in self.classes]
        for number, (name, percent, _) in enumerate(panels):
            axes = paper.add_subplot(rows, columns, number + 1)
            mesh = axes.pcolormesh(
                percent, cmap=colours, vmin=0, vmax=100, edgecolors="white",
                linewidth=0.5 * style.scale,
            )  # fmt: skip
            axes.invert_yaxis()
            if size >= SMALLEST_TEXT:  # smaller would be unreadable: then the colours speak alone
                for i, j in np.argwhere(np.isfinite(percent)):
                    dim = _is_dark(percent[i, j])
                    axes.text(
                        j + 0.5, i + 0.5, f"{percent[i, j]:.0f}", ha="center",
                        va="center_baseline", fontsize=size,
                        color="white" if dim else "#1f2430",
                    )  # fmt: skip
            axes.set_title(paper_text(name, style.label_length))
            lowest, leftmost = number // columns == rows - 1, number % columns == 0
            step = max(1, int(np.ceil(n * (style.small + 1.5) / (cell * n))))
            ticks = np.arange(0, n, step) + 0.5
            axes.set_yticks(ticks, names[::step] if leftmost else [""] * len(ticks))
            axes.set_xticks(ticks)
            axes.set_xticklabels(
                names[::step] if lowest else [""] * len(ticks),
                rotation=45, ha="right", rotation_mode="anchor",
            )  # fmt: skip
            axes.tick_params(length=0)
            axes.spines[:].set_visible(False)
            axes.set(xlabel=X_LABEL if lowest else "", ylabel=Y_LABEL if leftmost else "")
        bar = paper.colorbar(mesh, ax=paper.axes, fraction=0.05, pad=0.02, aspect=24)
        bar.set_label(SCALE)
        bar.outline.set_visible(False)
        return paper


def _is_dark(percent: float) -> bool:
    return lightness(to_hex(matplotlib.colormaps[COLOURS](percent / 100))) < 55


def _shares(counts: IntArray) -> npt.NDArray[np.float64]:
    """Percent of each row; nan in the row of a class that no judged node has."""
    with np.errstate(invalid="ignore"):  # 0/0 = nan
        return np.asarray(100 * counts / np.sum(counts, axis=1, keepdims=True))


def _largest(frame: pd.DataFrame) -> str:
    """The most common mistake of a model."""
    model = frame["model"].iloc[0]
    wrong = frame[(frame["true"] != frame["predicted"]) & (frame["count"] > 0)]
    if wrong.empty:
        return f"{model}: no mistake."
    at = wrong.loc[wrong["percent"].idxmax()]
    return (
        f"Largest mistake of {model}: {share(at['percent'])} of class {at['true']} are taken for "
        f"class {at['predicted']}."
    )


def predictions_of(scene: Scene, one: Intervention, position: int) -> IntArray:
    """Predicted classes ``[N]`` for the seed at `position`, by the paper's tally."""
    first = scene.base.predicted[position]
    second = scene.result.outcome(one, position)[0]
    return carried(first, second, scene.result.plan(one, position))


def _pooled(scene: Scene, one: Intervention) -> IntArray:
    """Counts over the test nodes of all seeds."""
    graph, total = scene.graph, np.zeros((scene.graph.num_classes,) * 2, dtype=np.int64)
    for position, seed in enumerate(scene.base.seeds):
        test = graph.split(int(seed)).test
        predicted = predictions_of(scene, one, position)[test]
        total += confusion_matrix(graph.y[test], predicted, graph.num_classes)
    return total
