"""Accuracies of several seeds as a tidy table with mean and spread, and curves drawn from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.axes import Axes

from wgnn_core.errors import WGNNError
from wgnn_core.figures.base import faded
from wgnn_core.figures.style import Style, class_mark
from wgnn_core.figures.text import labels, paper_text, plotly_text

Accuracies = npt.NDArray[np.floating[Any]]
SEED, MEAN, LOWER, UPPER = "seed", "mean", "lower", "upper"


def spread_table(x_name: str, x: npt.ArrayLike, groups: Mapping[str, Accuracies]) -> pd.DataFrame:
    """Rows (series, statistic, seed, x, accuracy_percent) for accuracies ``[S, P]`` of each series.

    Accuracies are in percent. `lower` and `upper` are the mean minus and plus one sample standard
    deviation, within 0 and 100; one seed alone has neither.
    """
    points = np.asarray(x)
    if not groups:
        raise WGNNError("no series to draw; give at least one.")
    frames = []
    for name, seeds in zip(labels(groups), groups.values(), strict=True):
        percent = np.atleast_2d(np.asarray(seeds, dtype=float))
        if percent.shape[1] != len(points) or not np.isfinite(percent).all():
            raise WGNNError(
                f"series {name!r} has shape {percent.shape}; expected finite accuracies of shape "
                f"(seeds, {len(points)})."
            )
        rows = {(SEED, seed): values for seed, values in enumerate(percent)}
        rows |= {(key, pd.NA): value for key, value in mean_and_spread(percent).items()}
        frames += [
            pd.DataFrame(
                {
                    "series": name,
                    "statistic": statistic,
                    "seed": pd.array([seed] * len(points), dtype="Int64"),
                    x_name: points,
                    "accuracy_percent": values,
                }
            )
            for (statistic, seed), values in rows.items()
        ]
    return pd.concat(frames, ignore_index=True)


def mean_and_spread(percent: Accuracies) -> dict[str, Accuracies]:
    """Mean over the first axis, and mean -+ sample standard deviation when there is one.

    The band ends where an accuracy does, at 0 and 100.
    """
    mean = percent.mean(axis=0)
    if len(percent) < 2:
        return {MEAN: mean}
    deviation = percent.std(axis=0, ddof=1)
    low, high = np.clip([mean - deviation, mean + deviation], 0, 100)
    return {MEAN: mean, LOWER: low, UPPER: high}


def plotly_curves(
    figure: go.Figure, data: pd.DataFrame, x_name: str, dark: bool, markers: bool = False
) -> None:
    """Each series as thin lines for its seeds, a band and a mean line."""
    for index, (series, rows) in enumerate(data.groupby("series", sort=False)):
        mark = class_mark(index, dark=dark)
        name = plotly_text(str(series))
        part = dict(iter(rows.groupby("statistic", sort=False)))
        if LOWER in part:
            for key, fill in ((LOWER, None), (UPPER, "tonexty")):
                figure.add_scatter(
                    x=part[key][x_name].to_numpy(),
                    y=part[key]["accuracy_percent"].to_numpy(),
                    mode="lines",
                    line={"width": 0},
                    fill=fill,
                    fillcolor=faded(mark.colour, 0.18),
                    hoverinfo="skip",
                    showlegend=False,
                    legendgroup=f"series{index}",
                )
        for _, one in part[SEED].groupby("seed"):
            figure.add_scatter(
                x=one[x_name].to_numpy(),
                y=one["accuracy_percent"].to_numpy(),
                mode="lines",
                line={"width": 0.8, "color": faded(mark.colour, 0.35)},
                hoverinfo="skip",
                showlegend=False,
                legendgroup=f"series{index}",
            )
        figure.add_scatter(
            x=part[MEAN][x_name].to_numpy(),
            y=part[MEAN]["accuracy_percent"].to_numpy(),
            mode="lines+markers" if markers else "lines",
            line={"width": 2.6, "color": mark.colour, "dash": mark.plotly_dash},
            marker={"symbol": mark.plotly_marker, "size": 8},
            name=name,
            legendgroup=f"series{index}",
            hovertemplate="%{x:.3g}: %{y:.2f} %",
        )


def paper_curves(
    axes: Axes, data: pd.DataFrame, x_name: str, style: Style, markers: bool = False
) -> None:
    """The same in matplotlib."""
    for index, (series, rows) in enumerate(data.groupby("series", sort=False)):
        mark = class_mark(index, style.palette)
        part = dict(iter(rows.groupby("statistic", sort=False)))
        for _, one in part[SEED].groupby("seed"):
            axes.plot(
                one[x_name].to_numpy(),
                one["accuracy_percent"].to_numpy(),
                color=mark.colour,
                alpha=0.3,
                linewidth=0.4 * style.scale,
            )
        if LOWER in part:
            axes.fill_between(
                part[LOWER][x_name].to_numpy(dtype=float),
                part[LOWER]["accuracy_percent"].to_numpy(),
                part[UPPER]["accuracy_percent"].to_numpy(),
                color=mark.colour,
                alpha=0.16,
                linewidth=0,
            )
        axes.plot(
            part[MEAN][x_name].to_numpy(),
            part[MEAN]["accuracy_percent"].to_numpy(),
            color=mark.colour,
            linestyle=mark.dash,
            marker=mark.marker if markers else None,
            label=paper_text(str(series), style.label_length),
        )
