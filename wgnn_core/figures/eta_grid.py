"""The eta grid as a heatmap: validation accuracy, test accuracy or gain over the base model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as PaperFigure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.figures.base import Figure, ink, legend_below, page
from wgnn_core.figures.eta_axes import Grid, grid_of
from wgnn_core.figures.scene import Choices, Scene
from wgnn_core.figures.style import DIVERGING, Style, lightness
from wgnn_core.figures.text import label, paper_text, plotly_text
from wgnn_core.runs.results import RunResult

Metric = Literal["val", "test", "gain"]

COLUMNS = {"val": "val_percent", "test": "test_percent", "gain": "gain_points"}
SCALE_TITLES = {
    "val": "Validation accuracy (%)",
    "test": "Test accuracy (%)",
    "gain": "Gain over base (points)",
}
LOOK_FOR = {
    "val": "this is what η is chosen by",
    "test": "a wide even area means that the choice matters little",
    "gain": "blue cells beat the base model, red ones fall behind it",
}
CHOSEN, NOT_ALLOWED = "chosen on validation", "best on test (not allowed)"


@dataclass(frozen=True)
class EtaGridChoices(Choices):
    """What the colours show."""

    metric: str = hyper("test", "what the colours of eta-grid show", choices=get_args(Metric))


@dataclass(frozen=True, eq=False)
class EtaGrid(Figure):
    """One cell for each pair of values, blank until it is finished for every seed."""

    kind: ClassVar[str] = "eta-grid"
    drawn: ClassVar[tuple[str, ...]] = ("value",)
    choices: ClassVar[type[EtaGridChoices]] = EtaGridChoices
    runs: ClassVar[tuple[int, int]] = (1, 2)
    mixes_graphs: ClassVar[bool] = True

    metric: Metric
    x_name: str
    y_name: str

    @classmethod
    def missing(cls, scene: Scene) -> str:
        grids = [grid_of(run.config, run.chosen) for run in scene.runs]
        axes = {(g.x_name, g.y_name, g.xs, g.ys) for g in grids if g is not None}
        if None in grids:
            return "its etas form no grid of two values or more"
        return "the two grids have other axes" if len(axes) > 1 else ""

    @classmethod
    def make(cls, scene: Scene) -> EtaGrid:
        """The grid of a run; of two runs the test accuracy of the second minus the first."""
        first, *others = scene.runs
        grid = _grid(first)
        fixed, axes = f", {grid.fixed}" * bool(grid.fixed), (grid.x_name, grid.y_name)
        means = _means(first, grid)
        if others:
            means = _means(others[0], _grid(others[0])) - means
            ids = [run.summary.run_id[:6] for run in (*others, first)]
            return cls.of(
                grid.xs,
                grid.ys,
                *means,
                base_test=0.0,
                graph=f"{ids[0]} minus {ids[1]}, test accuracy{fixed}",
                metric="gain",
                names=axes,
            )
        winner = first.chosen
        if winner is not None and first.config.search == "two-stage":
            winner = replace(winner, eta0=0.0)  # what validation chose in the stage that is drawn
        return cls.of(
            grid.xs,
            grid.ys,
            *means,
            base_test=float(np.mean(first.trained.test)),
            graph=scene.graph.name + fixed,
            metric=scene.choices.metric,
            chosen=grid.place(winner),
            names=axes,
        )

    @classmethod
    def of(
        cls,
        x: Sequence[float],
        y: Sequence[float],
        val: npt.ArrayLike,
        test: npt.ArrayLike,
        *,
        base_test: float,
        graph: str,
        metric: Metric = "test",
        chosen: tuple[int, int] | None = None,
        names: tuple[str, str] = ("η₁ = η₂", "η₀"),
    ) -> EtaGrid:
        """From mean accuracies in percent, nan where a cell is not finished.

        Args:
            x: Values along the x axis, ``[X]``.
            y: Values along the y axis, ``[Y]``.
            val: Validation accuracy, ``[Y, X]``.
            test: Test accuracy, ``[Y, X]``.
            base_test: Test accuracy of the base model, what the gain is measured from.
            graph: Name of the graph.
            metric: What the colours show.
            chosen: (row, column) of the cell chosen on validation accuracy, if one is chosen.
            names: Of the x axis and of the y axis.
        """
        if metric not in get_args(Metric):
            raise WGNNError(f"metric is {metric!r}; choose one of {', '.join(get_args(Metric))}.")
        shape = (len(y), len(x))
        on_val, on_test = (np.asarray(a, dtype=float) for a in (val, test))
        if on_val.shape != shape or on_test.shape != shape or 0 in shape:
            raise WGNNError(
                f"the grid has shapes {on_val.shape} and {on_test.shape}; expected {shape}."
            )
        if chosen is not None and not (0 <= chosen[0] < shape[0] and 0 <= chosen[1] < shape[1]):
            raise WGNNError(f"the chosen cell {chosen} lies outside the grid of shape {shape}.")
        row, column = (index.ravel() for index in np.indices(shape))
        cell = np.arange(row.size)
        picked = -1 if chosen is None else chosen[0] * shape[1] + chosen[1]
        finished = np.isfinite(on_test)
        best = int(np.nanargmax(on_test)) if finished.any() else -1
        data = pd.DataFrame(
            {
                "y": np.asarray(y, dtype=float)[row],
                "x": np.asarray(x, dtype=float)[column],
                "val_percent": on_val.ravel(),
                "test_percent": on_test.ravel(),
                "gain_points": on_test.ravel() - base_test,
                "chosen": cell == picked,
                "test_best": cell == best,
            }
        )
        data["value"] = data[COLUMNS[metric]]
        x_name, y_name = map(label, names)
        state = f"{int(finished.sum())} of {finished.size} cells"
        text = f"no cell is chosen yet ({state} finished)"
        if picked >= 0:
            at = data.iloc[picked]
            text = (
                f"validation chooses {x_name} = {at['x']:g}, {y_name} = {at['y']:g} "
                f"with {at['test_percent']:.2f} % on test ({at['gain_points']:+.2f} points)"
            )
        return cls(
            data,
            title=f"{SCALE_TITLES[metric]} by η on {label(graph)}",
            caption=(
                f"{SCALE_TITLES[metric]} for each choice of η; the outlined cell is the one "
                "validation accuracy chooses, the dashed cell the best on test, which no honest "
                f"choice may use; {LOOK_FOR[metric]}."
            ),
            alt=f"Heatmap of {state} on {label(graph)}: {text}.",
            metric=metric,
            x_name=x_name,
            y_name=y_name,
        )

    def _matrix(self, column: str) -> npt.NDArray[Any]:
        return np.asarray(self.data.pivot(index="y", columns="x", values=column))

    def _axis(self, column: str) -> list[float]:
        return sorted(self.data[column].unique())

    def _limits(self) -> tuple[float, float]:
        """Colour range: symmetric about 0 for a gain, so that white is no change."""
        known = self.data["value"].dropna()
        if known.empty:
            return -1.0, 1.0
        if self.metric == "gain":
            reach = max(float(known.abs().max()), 0.1)
            return -reach, reach
        low, high = float(known.min()), float(known.max())
        return (low, high) if high > low else (low - 0.5, high + 0.5)

    def _marked(self) -> dict[str, tuple[int, int]]:
        """(column, row) of the marked cells."""
        xs, ys = self._axis("x"), self._axis("y")
        found = {}
        for name, flag in ((CHOSEN, "chosen"), (NOT_ALLOWED, "test_best")):
            rows = self.data[self.data[flag]]
            if len(rows):
                found[name] = (xs.index(rows["x"].iloc[0]), ys.index(rows["y"].iloc[0]))
        return found

    def _text(self, value: float) -> str:
        """A cell as it is printed: a true minus, and no sign before a zero."""
        text = f"{value:{'+.1f' if self.metric == 'gain' else '.1f'}}"
        return text.lstrip("+-") if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")

    def to_plotly(self, dark: bool = False) -> go.Figure:
        colours = ink(dark)
        low, high = self._limits()
        xs, ys = self._axis("x"), self._axis("y")
        figure = page(self.title, dark)
        figure.add_heatmap(
            x=np.arange(len(xs)),
            y=np.arange(len(ys)),
            z=self._matrix("value"),
            zmin=low,
            zmax=high,
            colorscale="RdBu" if self.metric == "gain" else "Viridis",
            xgap=2,
            ygap=2,
            hoverinfo="skip",
            colorbar={"thickness": 10, "outlinewidth": 0},
        )
        for name, (column, row) in self._marked().items():
            allowed = name == CHOSEN
            inset = 0.46 if allowed else 0.38
            x = [column + side * inset for side in (-1, 1, 1, -1, -1)]
            y = [row + side * inset for side in (-1, -1, 1, 1, -1)]
            figure.add_scatter(
                x=x,
                y=y,
                mode="lines",
                line={
                    "color": colours.text if allowed else "#D55E00",
                    "width": 3.5 if allowed else 2.5,
                    "dash": "solid" if allowed else "dot",
                },
                name=name,
                hoverinfo="skip",
            )
        self._number_cells(figure)
        ticks = {"showgrid": False, "showline": False, "ticks": ""}
        figure.update_xaxes(
            title_text=plotly_text(self.x_name),
            tickvals=np.arange(len(xs)),
            ticktext=[f"{v:g}" for v in xs],
            **ticks,
        )
        figure.update_yaxes(
            title_text=plotly_text(self.y_name),
            tickvals=np.arange(len(ys)),
            ticktext=[f"{v:g}" for v in ys],
            **ticks,
        )
        return figure

    def _is_dark(self, value: float, colours: Any) -> bool:
        """Whether a cell needs white numbers."""
        low, high = self._limits()
        return lightness(to_hex(colours((value - low) / (high - low)))) < 55

    def _number_cells(self, figure: go.Figure) -> None:
        """Numbers that can be read on every colour, and cells that can be clicked.

        plotly prints grey on yellow, and its heatmaps report no clicks: a text mark in each cell
        does both. The marks come last, in the order of the cells, row by row.
        """
        cells = self._matrix("value")
        column, row = np.meshgrid(np.arange(cells.shape[1]), np.arange(cells.shape[0]))
        scale = matplotlib.colormaps[DIVERGING if self.metric == "gain" else "viridis"]
        known = np.isfinite(cells.ravel())
        dark = [k and self._is_dark(v, scale) for v, k in zip(cells.ravel(), known, strict=True)]
        figure.add_scatter(
            x=column.ravel(),
            y=row.ravel(),
            mode="markers+text",
            marker={"size": 30, "opacity": 0, "symbol": "square"},
            text=[self._text(v) if k else "" for v, k in zip(cells.ravel(), known, strict=True)],
            textfont={"color": ["#ffffff" if d else "#111318" for d in dark], "size": 13},
            hovertemplate="%{text}<extra></extra>",  # without hover there is no click
            showlegend=False,
        )
        figure.update_layout(hovermode="closest", hoverdistance=-1)

    def _draw(self, style: Style) -> PaperFigure:
        xs, ys = self._axis("x"), self._axis("y")
        low, high = self._limits()
        cells = self._matrix("value")
        ratio = float(np.clip(0.32 + 0.75 * len(ys) / len(xs), 0.55, 1.0))
        paper = PaperFigure(figsize=style.size(ratio), layout="constrained")
        axes = paper.add_subplot()
        name = DIVERGING if self.metric == "gain" else style.sequential
        colours = matplotlib.colormaps[name]
        mesh = axes.pcolormesh(
            cells, cmap=colours, vmin=low, vmax=high, edgecolors="white", linewidth=style.scale
        )
        width = 0.68 * style.inches * 72 / len(xs)
        height = 0.6 * paper.get_figheight() * 72 / len(ys)
        text = [self._text(v) for v in cells[np.isfinite(cells)]]
        longest = max(map(len, text), default=0)
        size = min(
            style.small, 0.7 * width / (0.55 * max(longest, 1)), 0.6 * height
        )  # a frame fits
        if size >= 5:  # smaller would be unreadable: then the colours speak alone
            for (row, column), value in np.ndenumerate(cells):
                if np.isfinite(value):
                    axes.text(
                        column + 0.5,
                        row + 0.5,
                        self._text(value),
                        ha="center",
                        va="center_baseline",
                        fontsize=size,
                        color="white" if self._is_dark(value, colours) else "#1f2430",
                    )
        handles = []
        for name, (column, row) in self._marked().items():
            allowed = name == CHOSEN
            inset = 0.04 if allowed else 0.11
            frame: dict[str, Any] = {
                "fill": False,
                "edgecolor": "#111111" if allowed else "#D55E00",
                "linestyle": "-" if allowed else (0, (2, 1)),
                "linewidth": (1.5 if allowed else 1.2) * style.scale,
                "label": name,
            }
            corner = (column + inset, row + inset)
            halo = withStroke(linewidth=frame["linewidth"] + 0.8 * style.scale, foreground="white")
            axes.add_patch(
                Rectangle(
                    corner, 1 - 2 * inset, 1 - 2 * inset, zorder=3, path_effects=[halo], **frame
                )
            )  # the halo shows a dark frame in a dark cell
            handles.append(Rectangle((0, 0), 1, 1, **frame))
        axes.set_xticks(np.arange(len(xs)) + 0.5, [f"{v:g}" for v in xs])
        axes.set_yticks(np.arange(len(ys)) + 0.5, [f"{v:g}" for v in ys])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set(
            xlabel=paper_text(self.x_name, style.label_length),
            ylabel=paper_text(self.y_name, style.label_length),
        )
        bar = paper.colorbar(mesh, ax=axes, fraction=0.05, pad=0.02, aspect=24)
        bar.set_label(SCALE_TITLES[self.metric])
        bar.outline.set_visible(False)
        legend_below(paper, handles)
        return paper


def _grid(run: RunResult) -> Grid:
    grid = grid_of(run.config, run.chosen)
    assert grid is not None, "`missing` lets no run without a grid through"
    return grid


def _means(run: RunResult, grid: Grid) -> npt.NDArray[np.float64]:
    """Mean validation and test accuracy of each cell, ``[2, Y, X]``; nan until it is finished."""
    parts = [run.of(one)[["val", "test"]].to_numpy(dtype=float) for one in grid.cells]
    seeds = len(run.config.seeds)
    means = [part.mean(axis=0) if len(part) == seeds else [np.nan, np.nan] for part in parts]
    return np.reshape(np.transpose(means), (2, len(grid.ys), len(grid.xs)))
