"""Plain bars: what the kinds that count things share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.errors import WGNNError
from wgnn_core.figures.base import Figure, faded, legend_below, page
from wgnn_core.figures.style import Style, class_mark
from wgnn_core.figures.text import label, labels, paper_text, plotly_text

LABEL_LENGTH = 24
MOST_TICKS = 12
SHORT = 4
"""Names of so many letters stand upright."""


@dataclass(frozen=True, eq=False)
class Bars(Figure):
    """One group of bars for each category, one bar in it for each series."""

    drawn: ClassVar[tuple[str, ...]] = ("value",)

    x_label: str
    y_label: str

    @classmethod
    def of(
        cls,
        categories: Sequence[object],
        series: Mapping[str, npt.ArrayLike],
        *,
        title: str,
        caption: str,
        x_label: str,
        y_label: str,
    ) -> Self:
        """From one finite number for each series and category."""
        names, values = labels(categories), {k: np.asarray(v) for k, v in series.items()}
        for name, numbers in values.items():
            if numbers.shape != (len(names),) or not len(names) or not np.isfinite(numbers).all():
                raise WGNNError(
                    f"{label(name)} has shape {numbers.shape}; expected {len(names)} finite "
                    "numbers, one for each category."
                )
        data = pd.DataFrame(
            [
                (s, c, v)
                for s, numbers in values.items()
                for c, v in zip(names, numbers, strict=True)
            ],
            columns=["series", "category", "value"],
        )
        largest = data.loc[data["value"].idxmax()]
        return cls(
            data,
            title=title,
            caption=caption,
            alt=f"Bar chart. {title}. The largest bar is {largest['category']} with "
            f"{largest['value']:,.6g} ({y_label}).",
            x_label=x_label,
            y_label=y_label,
        )

    def _groups(self) -> list[tuple[str, npt.NDArray[np.float64]]]:
        grouped = self.data.groupby("series", sort=False)["value"]
        return [(str(name), values.to_numpy(dtype=float)) for name, values in grouped]

    def _names(self) -> list[str]:
        return [str(c) for c in self.data["category"].drop_duplicates()]

    def to_plotly(self, dark: bool = False) -> go.Figure:
        groups, names = self._groups(), self._names()
        figure = page(self.title, dark, barmode="group", bargap=0.25, showlegend=len(groups) > 1)
        for index, (name, values) in enumerate(groups):
            mark = class_mark(index, dark=dark)
            figure.add_bar(
                x=np.arange(len(names)),
                y=values,
                name=plotly_text(name),
                marker={
                    "color": faded(mark.colour, 0.75),
                    "line": {"color": mark.colour, "width": 1},
                    "pattern": {"shape": ("", "/", "x")[index % 3], "size": 6},
                },
                customdata=[plotly_text(label(n, LABEL_LENGTH)) for n in names],
                hovertemplate="%{customdata}: %{y:,.4g}<extra></extra>",
            )
        # long axes name every k-th category; the others are on hover
        step = -(-len(names) // MOST_TICKS)
        short = max(map(len, names)) <= SHORT
        if not short:  # plotly leaves out a name that begins left of the chart
            figure.update_layout(margin_l=max(56, 6 * len(label(names[0], LABEL_LENGTH))))
        figure.update_xaxes(
            title_text=plotly_text(self.x_label),
            tickvals=np.arange(len(names))[::step],
            ticktext=[plotly_text(label(n, LABEL_LENGTH)) for n in names][::step],
            tickangle=0 if short else -35,  # the other way the last name leaves the chart
        )
        figure.update_yaxes(title_text=plotly_text(self.y_label), rangemode="tozero")
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        groups, names = self._groups(), self._names()
        paper = PaperFigure(figsize=style.size(0.62), layout="constrained")
        axes = paper.add_subplot()
        axes.grid(axis="y")
        width = 0.8 / len(groups)
        for index, (name, values) in enumerate(groups):
            axes.bar(
                np.arange(len(names)) + (index - (len(groups) - 1) / 2) * width,
                values,
                width,
                color=class_mark(index, style.palette).colour,
                hatch=(None, "///", "xxx")[index % 3],
                label=paper_text(name, style.label_length),
            )
        step = max(1, len(names) // MOST_TICKS)
        shown = [paper_text(n, 14) for n in names]
        lean: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
        slanted = max(map(len, shown)) > SHORT
        axes.set_xticks(np.arange(len(names))[::step], shown[::step], **(lean if slanted else {}))
        axes.set(xlabel=self.x_label, ylabel=self.y_label)
        if len(groups) > 1:
            legend_below(paper, axes.get_legend_handles_labels()[0])
        return paper
