"""Methods side by side: mean and spread over the seeds, every seed as a dot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure
from matplotlib.lines import Line2D

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.figures.base import Figure, faded, legend_below, page
from wgnn_core.figures.methods import scores_of
from wgnn_core.figures.scene import Choices, Scene
from wgnn_core.figures.spread import LOWER, MEAN, SEED, UPPER, Accuracies, mean_and_spread
from wgnn_core.figures.style import Style, class_mark
from wgnn_core.figures.text import LABEL_LENGTH, label, labels, paper_text, plotly_text
from wgnn_core.runs.results import RunResult

Scores = dict[str, dict[str, Accuracies]]
BASE = "base model"

Y_LABEL = "Test accuracy (%)"
X_LABEL = "Dataset"
LONG_NAME = 12
GROUP = 0.8
"""Width of a group of bars; groups are one apart."""


@dataclass(frozen=True)
class ComparisonBarsChoices(Choices):
    """How several runs stand beside each other."""

    by: str = hyper(
        "run",
        "what has a group of comparison-bars: each run, or each graph",
        choices=("run", "graph"),
    )


@dataclass(frozen=True, eq=False)
class ComparisonBars(Figure):
    """A floating bar from mean - s.d. to mean + s.d. for each method in each group.

    Bars that start at zero would hide differences of a point, and bars cut off above zero would
    exaggerate them; a floating bar does neither.
    """

    kind: ClassVar[str] = "comparison-bars"
    drawn: ClassVar[tuple[str, ...]] = ("accuracy_percent",)
    choices: ClassVar[type[ComparisonBarsChoices]] = ComparisonBarsChoices
    runs: ClassVar[tuple[int, int]] = (1, 100)
    mixes_graphs: ClassVar[bool] = True

    x_name: str = X_LABEL

    @classmethod
    def missing(cls, scene: Scene) -> str:
        count = Counter(run.summary.run_id for run in scene.runs)
        if len(count) < len(scene.runs):
            return f"run {count.most_common(1)[0][0]} is given twice"
        if len(scene.runs) == 1 and len(scores_of(scene.result)) < 2:
            return "no wGNN of it is finished to compare with the base model"
        return ""

    @classmethod
    def make(cls, scene: Scene) -> ComparisonBars:
        if len(scene.runs) == 1:
            return cls.of({scene.graph.title: scores_of(scene.result)})
        if scene.choices.by == "graph":
            return cls.of(_by_graph(scene.runs))
        return cls.of(*_by_run(scene.runs))

    @classmethod
    def of(
        cls, results: Mapping[str, Mapping[str, Accuracies]], x_name: str = X_LABEL
    ) -> ComparisonBars:
        """From accuracies in percent.

        Args:
            results: ``results[group][method]`` is ``[S]``, one per seed. A group is a dataset, or
                whatever else `x_name` says.
            x_name: What the groups are.
        """
        methods = dict.fromkeys(name for by_method in results.values() for name in by_method)
        if not methods:
            raise WGNNError("no results to compare; give at least one group and method.")
        method_label = dict(zip(methods, labels(methods), strict=True))
        rows = []
        for group, by_method in zip(labels(results), results.values(), strict=True):
            for method, scores in by_method.items():
                percent = np.asarray(scores, dtype=float)
                if percent.ndim != 1 or percent.size == 0 or not np.isfinite(percent).all():
                    raise WGNNError(
                        f"{label(method)} on {group}: expected finite accuracies, one per seed; "
                        f"got shape {percent.shape}."
                    )
                entries = [(SEED, seed, value) for seed, value in enumerate(percent)]
                entries += [(key, pd.NA, v) for key, v in mean_and_spread(percent).items()]
                rows += [(group, method_label[method], *entry) for entry in entries]
        data = pd.DataFrame(
            rows, columns=["group", "method", "statistic", "seed", "accuracy_percent"]
        ).astype({"seed": "Int64", "accuracy_percent": float})
        best = data[data["statistic"] == MEAN].groupby("group", sort=False)["accuracy_percent"]
        winners = data.loc[best.idxmax(), ["group", "method", "accuracy_percent"]]
        return cls(
            data,
            title="Test accuracy by method",
            caption=(
                "Mean test accuracy (line), one sample standard deviation either side (bar) and "
                f"each of the {_seeds(_counts(data))} (dots). Bars may overlap and a paired test "
                "still find a difference, since it compares seed by seed."
            ),
            alt="Highest mean: "
            + "; ".join(f"{d}: {m}, {a:.2f} %" for d, m, a in winners.itertuples(index=False))
            + ".",
            x_name=label(x_name),
        )

    def _words(self, length: int = LABEL_LENGTH) -> tuple[str, list[str]]:
        """Title of the x axis and names of the groups, with n once if it is the same for all.

        What the axis shows is cut to `length`; its n is never lost.
        """
        name = label(self.x_name, length)
        groups, counts = self._places()[0], _counts(self.data)
        if counts.nunique() == 1:
            return f"{name} (n = {_seeds(counts)})", groups
        each = [_seeds(counts[group]).removesuffix(" seeds") for group in groups]
        return f"{name} (n: seeds)", [
            f"{group} (n = {n})" for group, n in zip(groups, each, strict=True)
        ]

    def _places(self) -> tuple[list[str], list[str], float]:
        groups = list(self.data["group"].drop_duplicates())
        methods = list(self.data["method"].drop_duplicates())
        return groups, methods, GROUP / len(methods)

    def _bars(self, method: str) -> pd.DataFrame:
        """Rows of a method with its place on the x axis."""
        groups, methods, step = self._places()
        rows = self.data[self.data["method"] == method]
        centre = rows["group"].map({name: i for i, name in enumerate(groups)})
        place = centre + (methods.index(method) - (len(methods) - 1) / 2) * step
        return rows.assign(place=place.astype(float))

    def to_plotly(self, dark: bool = False) -> go.Figure:
        groups, methods, step = self._places()
        x_title, names = self._words()
        figure = page(self.title, dark, barmode="overlay")
        for index, method in enumerate(methods):
            mark, rows = class_mark(index, dark=dark), self._bars(method)
            part = dict(iter(rows.groupby("statistic")))
            if LOWER in part:
                low, high = (part[k]["accuracy_percent"].to_numpy() for k in (LOWER, UPPER))
                figure.add_bar(
                    x=part[LOWER]["place"].to_numpy(),
                    base=low,
                    y=high - low,
                    width=0.8 * step,
                    marker={"color": faded(mark.colour, 0.25), "line": {"width": 0}},
                    legendgroup=f"m{index}",
                    showlegend=False,
                    hoverinfo="skip",
                )
            place, mean = (part[MEAN][key].to_numpy() for key in ("place", "accuracy_percent"))
            gap = np.full_like(place, np.nan)
            figure.add_scatter(
                # a line as wide as its bar at every size of the chart
                x=np.column_stack([place - 0.4 * step, place + 0.4 * step, gap]).ravel(),
                y=np.column_stack([mean, mean, gap]).ravel(),
                mode="lines",
                line={"width": 3, "color": mark.colour},
                legendgroup=f"m{index}",
                showlegend=False,
                name=plotly_text(method),
                hovertemplate="mean %{y:.2f} %",
            )
            figure.add_scatter(
                x=part[SEED]["place"].to_numpy(),
                y=part[SEED]["accuracy_percent"].to_numpy(),
                mode="markers",
                marker={"symbol": mark.plotly_marker, "size": 6, "color": mark.colour},
                legendgroup=f"m{index}",
                name=plotly_text(method),
                customdata=part[SEED]["seed"].to_numpy(dtype=int),
                hovertemplate="seed %{customdata}: %{y:.2f} %",
            )
        figure.update_xaxes(
            title_text=plotly_text(x_title),
            tickvals=np.arange(len(groups)),
            ticktext=[plotly_text(name) for name in names],
            # side by side, long names would overlap; leaning right, the last would leave the chart
            tickangle=-25 if len(names) > 1 and max(map(len, names)) > LONG_NAME else 0,
        )
        figure.update_yaxes(title_text=Y_LABEL)
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        groups, methods, step = self._places()
        x_title, names = self._words(style.label_length)
        paper = PaperFigure(figsize=style.size(0.68), layout="constrained")
        axes = paper.add_subplot()
        axes.grid(axis="y")
        handles = []
        for index, method in enumerate(methods):
            mark, rows = class_mark(index, style.palette), self._bars(method)
            part = dict(iter(rows.groupby("statistic")))
            if LOWER in part:
                low, high = (part[k]["accuracy_percent"].to_numpy() for k in (LOWER, UPPER))
                axes.bar(
                    part[LOWER]["place"].to_numpy(),
                    high - low,
                    0.8 * step,
                    low,
                    color=(mark.colour, 0.25),
                )
            mean = part[MEAN]
            axes.hlines(
                mean["accuracy_percent"].to_numpy(),
                mean["place"].to_numpy() - 0.4 * step,
                mean["place"].to_numpy() + 0.4 * step,
                color=mark.colour,
                linewidth=1.6 * style.scale,
            )
            dots: dict[str, Any] = {
                "color": mark.colour,
                "marker": mark.marker,
                "linestyle": "none",
                "markersize": 2.2 * style.scale,
                "markeredgewidth": 0,
            }
            axes.plot(
                part[SEED]["place"].to_numpy(), part[SEED]["accuracy_percent"].to_numpy(), **dots
            )
            dots["markersize"] = 4 * style.scale
            short = paper_text(method, style.label_length)
            handles.append(Line2D([], [], label=short, **dots))
        axes.set(xlabel=paper_text(x_title), ylabel=Y_LABEL)
        room = style.inches * 56 / (0.6 * style.small) / len(groups)
        crowded = max(map(len, names)) > room  # names too long to stand side by side lean
        lean: dict[str, Any] = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
        short_names = [paper_text(name, 24) for name in names]
        axes.set_xticks(range(len(groups)), short_names, **(lean if crowded else {}))
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-0.5, len(groups) - 0.5)
        axes.margins(y=0.08)
        legend_below(paper, handles)
        return paper


def _counts(data: pd.DataFrame) -> pd.Series:
    """Seeds of each (group, method)."""
    return data[data["statistic"] == SEED].groupby(["group", "method"], sort=False).size()


def _seeds(counts: pd.Series) -> str:
    """``10 seeds``, or ``3 to 10 seeds`` where they differ."""
    low, high = int(counts.min()), int(counts.max())
    return f"{low} seed{'s' * (low > 1)}" if low == high else f"{low} to {high} seeds"


def _by_run(runs: Sequence[RunResult]) -> tuple[Scores, str]:
    """A group for each run, its methods by the same name in all of them, and what the groups are.

    A group has the name of what differs between the runs: the base model, the dataset or both. The
    beginning of the run's id follows where that is the same too.
    """
    bases = [run.trained for run in runs]
    models = [type(base.model).title for base in bases]
    datasets = [base.graph.title for base in bases]
    if len(set(datasets)) == 1:
        x_name, names = f"Base model on {datasets[0]}", models
    elif len(set(models)) == 1:
        x_name, names = f"Dataset, base model {models[0]}", datasets
    else:
        x_name = "Dataset and base model"
        names = [f"{d}, {m}" for d, m in zip(datasets, models, strict=True)]
    count = Counter(names)
    groups: Scores = {}
    for name, run in zip(names, runs, strict=True):
        base, *retrained = scores_of(run).items()
        behind = f" ({run.summary.run_id[:8]})" if count[name] > 1 else ""
        groups[name + behind] = {BASE: base[1], **dict(retrained)}
    return groups, x_name


def _by_graph(runs: Sequence[RunResult]) -> Scores:
    """A group for each graph with the methods of all its runs; equal base models are one bar."""
    groups: Scores = {}
    for run in runs:
        group = groups.setdefault(run.trained.graph.title, {})
        (title, base), *retrained = scores_of(run).items()
        for name, scores in ((f"{title} (base)" if retrained else title, base), *retrained):
            same = [np.array_equal(scores, group[name])] if name in group else []
            if not any(same):
                group[f"{name} ({run.summary.run_id[:8]})" if same else name] = scores
    return groups
