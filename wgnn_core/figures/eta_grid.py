"""The eta grid as a heatmap: validation accuracy, test accuracy or gain over the base model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import matplotlib
import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as PaperFigure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.figures.base import Figure, ink, legend_below, page
from wgnn_core.figures.eta_axes import Grid
from wgnn_core.figures.eta_cells import cell_table, drawn_grid, seeds_of, standard_error, winner_of
from wgnn_core.figures.eta_words import SPAN, noise, on_edge, told
from wgnn_core.figures.scene import Choices, Scene
from wgnn_core.figures.style import DIVERGING, Style, lightness
from wgnn_core.figures.text import label, paper_text, plotly_text, signed
from wgnn_core.runs.results import RunResult

Metric = Literal["val", "test", "gain"]

COLUMNS = {"val": "val_percent", "test": "test_percent", "gain": "gain_points"}
SPREADS = {"val": "val_sd", "test": "test_sd", "gain": "gain_sd"}
SCALE_TITLES = {
    "val": "Validation accuracy (%)",
    "test": "Test accuracy (%)",
    "gain": "Gain over base (points)",
}
WHAT = {
    "val": "Mean validation accuracy in percent, by which η is chosen",
    "test": "Mean test accuracy in percent",
    "gain": "Mean test accuracy minus that of the base model in points (blue: above, red: below)",
}
TALLY = "Test accuracy is the paper's tally: nodes that joined keep their first prediction."
CHOSEN, NOT_ALLOWED = "chosen on validation", "best on test (not allowed)"


@dataclass(frozen=True)
class EtaGridChoices(Choices):
    """What the colours show, and of which stage."""

    metric: str = hyper("test", "what the colours of eta-grid show", choices=get_args(Metric))
    stage: str = hyper(
        "first",
        "stage of a two-stage search: eta1 and eta2 with eta0 = 0, or eta0 on the graph that won",
        choices=("first", "second"),
    )


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
        second = scene.choices.stage == "second"
        if second and any(run.config.search != "two-stage" for run in scene.runs):
            return "it is no two-stage search, so it has no second stage"
        if second and any(winner_of(run) is None for run in scene.runs):
            return "its first stage is not finished"
        grids = [drawn_grid(run, scene.choices.stage) for run in scene.runs]
        axes = {(g.x_name, g.y_name, g.xs, g.ys) for g in grids if g is not None}
        if None in grids:
            return "its etas form no grid of two values or more"
        return "the two grids have other axes" if len(axes) > 1 else ""

    @classmethod
    def make(cls, scene: Scene) -> EtaGrid:
        """The grid of a run; of two runs the test accuracy of the second minus the first."""
        first, *others = scene.runs
        grid = _grid(first, scene.choices.stage)
        fixed, axes = f", {grid.fixed}" * bool(grid.fixed), (grid.x_name, grid.y_name)
        if others:
            return _difference(first, others[0], scene.choices.stage)
        winner = first.chosen if scene.choices.stage == "second" else winner_of(first)
        place = grid.place(winner)
        note = ""
        if winner is not None and place is None and winner.is_base:
            note = " Validation prefers the base model, which is no cell here, to all of them."
        figure = cls.of(
            grid.xs,
            grid.ys,
            *seeds_of(first, grid),
            base_test=first.trained.test,
            graph=scene.graph.title + fixed,
            metric=scene.choices.metric,
            chosen=place,
            names=axes, model=type(first.trained.model).title, overlap=first.overlap,
        )  # fmt: skip
        return replace(figure, caption=figure.caption + note)

    @classmethod
    def of(
        cls,
        x: Sequence[float],
        y: Sequence[float],
        val: npt.ArrayLike,
        test: npt.ArrayLike,
        *,
        base_test: npt.ArrayLike,
        graph: str,
        metric: Metric = "test",
        chosen: tuple[int, int] | None = None,
        names: tuple[str, str] = ("η₁ = η₂", "η₀"),
        model: str = "",
        overlap: float = 0.0,
    ) -> EtaGrid:
        """From accuracies in percent, nan where a cell is not finished.

        Args:
            x: Values along the x axis, ``[X]``.
            y: Values along the y axis, ``[Y]``.
            val: Validation accuracy for each seed, ``[S, Y, X]``, or ``[Y, X]`` for one seed.
            test: Test accuracy, of the same shape.
            base_test: Test accuracy of the base model, what the gain is measured from, for the
                same seeds, ``[S]``.
            graph: Name of the graph.
            metric: What the colours show.
            chosen: (row, column) of the cell chosen on validation accuracy, if one is chosen.
            names: Of the x axis and of the y axis.
            model: Name of the base model.
            overlap: Of the splits of the seeds, see `statistics.compare`.
        """
        if metric not in get_args(Metric):
            raise WGNNError(f"metric is {metric!r}; choose one of {', '.join(get_args(Metric))}.")
        data = cell_table(x, y, val, test, base_test, chosen, overlap)
        data["value"] = data[COLUMNS[metric]]
        x_name, y_name = map(label, names)
        seeds = np.shape(test)[0] if np.ndim(test) == 3 else 1
        state = f"{int((data['n'] > 0).sum())} of {len(data)} cells"
        text = f"no cell is chosen ({state} finished)"
        if data["chosen"].any():
            at = data[data["chosen"]].iloc[0]
            text = (
                f"validation chooses {x_name} = {at['x']:g}, {y_name} = {at['y']:g} "
                f"with {at['test_percent']:.2f} % on test ({at['gain_points']:+.2f} points)"
            )
        whose = f"wGNN on {label(model)}" if model else "wGNN"
        sentences = [
            f"{WHAT[metric]}, for each choice of η: {whose}, {label(graph)}, "
            f"{seeds} seed{'s' * (seeds > 1)}.",
            TALLY * (metric != "val"),
            on_edge(data, (x_name, y_name)),
            noise(data, COLUMNS[metric], SPREADS[metric]),
        ]
        return cls(
            data,
            title=f"{SCALE_TITLES[metric]} by η on {label(graph)}",
            caption=" ".join(filter(None, sentences)),
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
        """Colour range: symmetric about 0 for a gain, so that white is no change.

        It spans at least `SPAN` standard errors of a cell to either side of its middle.
        """
        known = self.data["value"].dropna()
        if known.empty:
            return -1.0, 1.0
        least = np.nan_to_num(SPAN * standard_error(self.data, SPREADS[self.metric]))
        if self.metric == "gain":
            reach = max(float(known.abs().max()), least, 0.1)
            return -reach, reach
        low, high = float(known.min()), float(known.max())
        half = max((high - low) / 2, least) or 0.5
        # no colour for 104 %
        middle = float(np.clip((low + high) / 2, min(half, 50), max(100 - half, 50)))
        return middle - half, middle + half

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
        return signed(value, 1) if self.metric == "gain" else f"{value:.1f}"

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

        plotly prints grey on yellow, its heatmaps report no clicks, and it fades the texts of marks
        that a click leaves out. So the numbers are annotations, and an invisible mark in each cell
        takes the clicks. The marks come last, in the order of the cells, row by row.
        """
        cells = self._matrix("value")
        column, row = np.meshgrid(np.arange(cells.shape[1]), np.arange(cells.shape[0]))
        scale = matplotlib.colormaps[DIVERGING if self.metric == "gain" else "viridis"]
        texts = [self._text(v) if np.isfinite(v) else "" for v in cells.ravel()]
        figure.add_scatter(
            x=column.ravel(),
            y=row.ravel(),
            mode="markers",
            marker={"size": 30, "opacity": 0, "symbol": "square"},
            text=texts,
            hovertext=[
                plotly_text(line).replace("\n", "<br>")
                for line in told(self.data, (self.x_name, self.y_name))
            ],
            hovertemplate="%{hovertext}<extra></extra>",  # without hover there is no click
            showlegend=False,
        )
        for x, y, value, text in zip(
            column.ravel(), row.ravel(), cells.ravel(), texts, strict=True
        ):
            colour = "#ffffff" if text and self._is_dark(value, scale) else "#111318"
            figure.add_annotation(
                x=x, y=y, text=text, showarrow=False, font={"color": colour, "size": 13}
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


def _grid(run: RunResult, stage: str) -> Grid:
    grid = drawn_grid(run, stage)
    assert grid is not None, "`missing` lets no run without a grid through"
    return grid


def _difference(first: RunResult, second: RunResult, stage: str) -> EtaGrid:
    """Test accuracy of the second run minus the first, seed by seed where the seeds are equal."""
    grids = [_grid(run, stage) for run in (first, second)]
    parts = [
        np.stack(seeds_of(run, grid)) for run, grid in zip((first, second), grids, strict=True)
    ]
    paired = first.config.seeds == second.config.seeds
    if not paired:
        parts = [part.mean(axis=1, keepdims=True) for part in parts]
    names = [run.summary.run_id[:6] for run in (second, first)]
    fixed = f", {grids[0].fixed}" * bool(grids[0].fixed)
    figure = EtaGrid.of(
        grids[0].xs, grids[0].ys, *(parts[1] - parts[0]), base_test=0.0, metric="gain",
        graph=f"{names[0]} minus {names[1]}, test accuracy{fixed}",
        names=(grids[0].x_name, grids[0].y_name), overlap=first.overlap,
    )  # fmt: skip
    caption = (
        f"Mean test accuracy of run {names[0]} minus that of run {names[1]} in points, for each "
        "choice of η (blue: the first is above, red: below). "
    )
    # no cell of a difference is the best on test
    figure = replace(figure, data=figure.data.assign(test_best=False))
    if not paired:  # n = 0: there are no pairs to count
        caption += "The runs have other seeds, so no test pairs them. "
        figure = replace(figure, data=figure.data.assign(n=0))
    return replace(figure, caption=caption + TALLY)
