"""What every figure is: numbers once, as a tidy table, and two renderers that draw them."""

from __future__ import annotations

import io
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import pandas as pd
import plotly.graph_objects as go
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.figures.scene import Choices, Scene
from wgnn_core.figures.style import Style
from wgnn_core.figures.text import paper_text, plotly_text

Format = Literal["pdf", "svg", "png"]

_METADATA: dict[str, dict[str, str | None]] = {
    "pdf": {"CreationDate": None, "Creator": "wGNN Explorer", "Producer": None},
    "svg": {"Date": None, "Creator": "wGNN Explorer"},
    "png": {"Software": "wGNN Explorer"},
}
"""No dates and no versions: the same figure is the same file, byte for byte."""

RASTER_ABOVE = 2000
"""More marks than this are drawn as an image of 600 dpi; the text stays vector."""


@dataclass(frozen=True, eq=False)
class Figure(ABC):
    """One figure as a value. `figures.figure_of` makes it of runs, the `of` of its kind of numbers.

    Attributes:
        data: Tidy table; every number drawn comes from it.
        title: What it shows, with the graph's name.
        caption: One plain sentence: what you see and what to look for.
        alt: The same for those who cannot see it.
        scene: What `figure_of` made it of.
    """

    kind: ClassVar[str]
    drawn: ClassVar[tuple[str, ...]]
    """Columns of `data` whose numbers both renderers show."""
    choices: ClassVar[type[Choices]] = Choices
    """What can be chosen of it."""
    runs: ClassVar[tuple[int, int]] = (1, 1)
    """How many runs it takes: at least, at most."""
    mixes_graphs: ClassVar[bool] = False
    """Whether several runs may be on several graphs."""

    data: pd.DataFrame
    title: str
    caption: str
    alt: str
    scene: Scene | None = field(default=None, kw_only=True, repr=False)

    @classmethod
    @abstractmethod
    def make(cls, scene: Scene) -> Self:
        """The figure of a scene that `missing` has no objection to."""

    @classmethod
    def missing(cls, scene: Scene) -> str:
        """Why a scene gives no such figure; empty if it does."""
        return ""

    @abstractmethod
    def to_plotly(self, dark: bool = False) -> go.Figure:
        """The figure for a page."""

    @abstractmethod
    def _draw(self, style: Style) -> PaperFigure:
        """The figure for paper; called with the style's settings in force."""

    def to_matplotlib(self, style: Style | None = None) -> PaperFigure:
        """The figure for paper, exactly as wide as the venue's column or page."""
        style = style or Style()
        with style.applied():
            paper = self._draw(style)
            if style.titled:
                length = int(style.inches * 72 / (0.55 * style.points))
                title = paper_text(self.title, 2 * length - 4)
                paper.suptitle("\n".join(textwrap.wrap(title, length)))
        return paper

    def render(self, fmt: Format = "pdf", style: Style | None = None, dpi: int = 600) -> bytes:
        """The paper figure as a file. `dpi` holds for PNG and for the rasterised marks."""
        style = style or Style()
        with style.applied():
            buffer = io.BytesIO()
            self.to_matplotlib(style).savefig(
                buffer, format=fmt, dpi=dpi, metadata=_METADATA[fmt], facecolor="white"
            )
        return buffer.getvalue()


@dataclass(frozen=True)
class Ink:
    """The neutral colours of a page."""

    text: str
    muted: str
    grid: str
    background: str
    edge: str


LIGHT = Ink("#1f2430", "#6b7280", "#e6e8ec", "#ffffff", "rgba(110,118,130,0.35)")
DARK = Ink("#e6e8ec", "#9aa3af", "#2b303b", "#0e1117", "rgba(160,168,180,0.30)")


TITLE_PIXELS = 44
"""Height of a plotly title, part of the upper margin."""
LEGEND_BELOW = {"orientation": "h", "x": 0, "xanchor": "left"} | {
    "y": 0, "yref": "container", "yanchor": "bottom"
}  # fmt: skip
"""A plotly legend at the lower end of the chart, where it never covers an axis."""


def ink(dark: bool) -> Ink:
    return DARK if dark else LIGHT


def page(title: str, dark: bool, **layout: Any) -> go.Figure:
    """An empty plotly figure in the house style."""
    colours = ink(dark)
    axis = {
        "gridcolor": colours.grid,
        "linecolor": colours.muted,
        "zeroline": False,
        "showline": True,
        "ticks": "outside",
        "tickcolor": colours.muted,
        "automargin": True,
    }
    figure = go.Figure()
    figure.update_layout(
        title={"text": plotly_text(title), "font": {"size": 16}, "x": 0, "xanchor": "left"},
        font={"color": colours.text, "size": 13},
        paper_bgcolor=colours.background,
        plot_bgcolor=colours.background,
        margin={"l": 56, "r": 24, "t": TITLE_PIXELS + 12, "b": 48},
        hoverlabel={"align": "left"},
        legend={"bgcolor": "rgba(0,0,0,0)"} | LEGEND_BELOW,
        xaxis=axis,
        yaxis=axis,
    )
    figure.update_layout(**layout)
    return figure


def legend_below(paper: PaperFigure, handles: Sequence[Any]) -> None:
    """One legend under the axes, in as many columns as the width holds."""
    renderer = FigureCanvasAgg(paper).get_renderer()  # type: ignore[no-untyped-call]
    for columns in range(len(handles), 0, -1):
        legend = paper.legend(handles=handles, loc="outside lower center", ncols=columns)
        if columns == 1 or legend.get_window_extent(renderer).width < 0.97 * paper.bbox.width:
            return
        legend.remove()


def grow_by_legend(paper: PaperFigure) -> None:
    """Make a figure higher by its legend, so that what is above keeps its size."""
    renderer = FigureCanvasAgg(paper).get_renderer()  # type: ignore[no-untyped-call]
    width, height = paper.get_size_inches()
    for legend in paper.legends:
        extent = legend.get_window_extent(renderer)
        paper.set_size_inches(width, height + extent.height / paper.dpi + LEGEND_GAP)


LEGEND_GAP = 0.06
"""Inches between a legend and what is above it."""


def faded(colour: str, alpha: float) -> str:
    """`#rrggbb` as a CSS colour with opacity `alpha`."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"
