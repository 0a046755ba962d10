"""How figures look: the widths and type sizes of venues, palettes, and a grayscale check."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

import matplotlib
import numpy as np
from matplotlib.colors import to_hex, to_rgb

from wgnn_core.fields import check_fields, hyper
from wgnn_core.figures.text import PAPER_FONTS

MILLIMETRE = 1 / 25.4
SMALLEST_TEXT = 5.0
"""Points; Nature's lower limit, the strictest of the venues."""


@dataclass(frozen=True)
class Venue:
    """Widths in inches, base type size in points, and whether figures carry a title."""

    name: str
    column: float
    full: float
    base_size: float
    titled: bool = False


VENUES: dict[str, Venue] = {
    "icml": Venue("ICML", 3.25, 6.75, 8),
    "neurips": Venue("NeurIPS", 5.5, 5.5, 8),
    "iclr": Venue("ICLR", 5.5, 5.5, 8),
    "ieee": Venue("IEEE Transactions", 3.5, 7.16, 8),
    "aaai": Venue("AAAI", 3.3, 6.975, 8),
    "nature": Venue("Nature", 89 * MILLIMETRE, 183 * MILLIMETRE, 7),
    "thesis": Venue("Thesis (A4)", 150 * MILLIMETRE, 150 * MILLIMETRE, 9),
    "slides": Venue("Slides (16:9)", 6.0, 12.0, 16, titled=True),
}
"""Sources: the column and text widths of the ICML, NeurIPS, ICLR and AAAI style files; the IEEE
author guide (21 and 43 picas); Nature's guide to figures (89 and 183 mm, 5 to 7 pt). NeurIPS,
ICLR and a thesis have one column, so both widths are the same. Base sizes are one point below
the caption size of the style file. Thesis and slides are ours: A4 with 30 mm margins, and half
or nearly the whole of a 13.3 in slide."""

OKABE_ITO = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#E69F00",
    "#56B4E9",
    "#CC79A7",
    "#F0E442",
    "#000000",
)
"""Okabe and Ito's colour-blind-safe set, strongest first."""
TOL_BRIGHT = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377", "#BBBBBB")
"""Paul Tol's bright set."""
PALETTES = {"okabe-ito": OKABE_ITO, "tol-bright": TOL_BRIGHT}

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
PLOTLY_MARKERS = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "cross",
    "x",
    "pentagon",
)
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1.2)),
    (0, (6, 1.5, 1, 1.5)),
    (0, (9, 2)),
    (0, (1, 3)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (9, 2, 1, 2)),
)
PLOTLY_DASHES = (
    "solid",
    "dash",
    "dot",
    "dashdot",
    "longdash",
    "2px,6px",
    "6px,2px,2px,2px,2px,2px",
    "longdashdot",
)

CORRECT, WRONG = "#0072B2", "#E69F00"
DIVERGING = "RdBu"
MISSING = "#9aa0a6"
"""Nodes without a value."""


@dataclass(frozen=True)
class ClassMark:
    """Colour and shape of one class; the pair is what identifies it, never colour alone."""

    colour: str
    marker: str
    plotly_marker: str
    dash: Any
    plotly_dash: str


def class_mark(index: int, palette: str = "okabe-ito", dark: bool = False) -> ClassMark:
    """The mark of class or series `index`.

    After the palette's last colour it starts over, a shade darker, then lighter; the markers
    shift by one each time. Colours first repeat after three rounds of the palette and
    (colour, marker) pairs after eight.
    """
    colours = PALETTES[palette]
    colour = colours[index % len(colours)]
    if dark and colour == "#000000":
        colour = "#E8E8E8"
    towards, share = ((0.0, 0.0), (0.35, 0.5), (1.0, 0.55))[index // len(colours) % 3]
    mixed = (1 - share) * np.asarray(to_rgb(colour)) + share * towards
    colour = to_hex(tuple(mixed)).upper()
    shape = (index + index // len(colours)) % len(MARKERS)
    dash = (index + index // len(colours)) % len(DASHES)
    return ClassMark(
        colour, MARKERS[shape], PLOTLY_MARKERS[shape], DASHES[dash], PLOTLY_DASHES[dash]
    )


_RENDERING = threading.RLock()


@dataclass(frozen=True)
class Style:
    """How a paper figure is drawn."""

    venue: str = hyper("icml", "where it is printed", choices=tuple(VENUES))
    width: str = hyper("column", "how much of the page it fills", choices=("column", "full"))
    font: str = hyper("serif", "type face", choices=tuple(PAPER_FONTS))
    base_size: float | None = hyper(
        None, "points of the axis labels; the venue's own if none", 6, 40
    )
    palette: str = hyper("okabe-ito", "colours of classes and curves", choices=tuple(PALETTES))
    sequential: str = hyper(
        "viridis", "colours of w, f~ and distances", choices=("viridis", "cividis")
    )
    title: bool | None = hyper(
        None, "a title in the figure; the venue's habit if none (slides only)"
    )

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def points(self) -> float:
        """Base type size."""
        return self.base_size if self.base_size is not None else VENUES[self.venue].base_size

    @property
    def small(self) -> float:
        """Type size of ticks, legends and notes."""
        return max(self.points - max(1.0, 0.12 * self.points), SMALLEST_TEXT)

    @property
    def scale(self) -> float:
        """Thickness of lines and size of marks, 1 at a base size of 8 pt."""
        return self.points / 8

    @property
    def inches(self) -> float:
        venue = VENUES[self.venue]
        return venue.column if self.width == "column" else venue.full

    @property
    def titled(self) -> bool:
        return VENUES[self.venue].titled if self.title is None else self.title

    @property
    def label_length(self) -> int:
        """Longest name in a legend, in characters: about two fifths of the width."""
        return int(np.clip(0.42 * self.inches * 72 / (0.55 * self.small), 12, 48))

    def size(self, ratio: float) -> tuple[float, float]:
        """(width, height) in inches; wide figures grow less in height than in width."""
        square = 3.6 * self.scale
        width = self.inches
        effective = width if width <= square else square + 0.35 * (width - square)
        return width, ratio * effective

    @contextmanager
    def applied(self) -> Iterator[None]:
        """matplotlib's settings for this style; they are global, so one thread at a time."""
        with _RENDERING, matplotlib.rc_context(cast(Any, self._rc())):
            yield

    def _rc(self) -> dict[str, Any]:
        thin = 0.6 * self.scale
        return {
            "text.usetex": False,
            "text.parse_math": False,  # names with dollars are names
            "pdf.fonttype": 42,
            "pdf.compression": 6,
            "svg.fonttype": "none",
            "svg.hashsalt": "wgnn",
            "font.family": list(PAPER_FONTS[self.font]),
            "font.size": self.points,
            "axes.titlesize": self.points,
            "figure.titlesize": self.points + 1,
            "axes.labelsize": self.points,
            "xtick.labelsize": self.small,
            "ytick.labelsize": self.small,
            "legend.fontsize": self.small,
            "legend.title_fontsize": self.small,
            "legend.frameon": False,
            "legend.handlelength": 1.6,
            "legend.columnspacing": 1.2,
            "legend.handletextpad": 0.5,
            "legend.borderaxespad": 0.3,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.linewidth": thin,
            "axes.edgecolor": "#444444",
            "axes.grid": False,
            "axes.axisbelow": True,
            "axes.unicode_minus": True,
            "grid.color": "#e4e6ea",
            "grid.linewidth": thin,
            "xtick.color": "#444444",
            "ytick.color": "#444444",
            "xtick.labelcolor": "#222222",
            "ytick.labelcolor": "#222222",
            "axes.labelcolor": "#222222",
            "text.color": "#222222",
            "xtick.major.width": thin,
            "ytick.major.width": thin,
            "xtick.major.size": 2.5 * self.scale,
            "ytick.major.size": 2.5 * self.scale,
            "lines.linewidth": 1.2 * self.scale,
            "lines.markersize": 3.5 * self.scale,
            "patch.linewidth": thin,
            "hatch.linewidth": thin,
            "figure.constrained_layout.h_pad": 0.03,
            "figure.constrained_layout.w_pad": 0.03,
            "savefig.dpi": 600,
            "figure.dpi": 100,
        }


def lightness(colour: str) -> float:
    """CIELAB L* (0 black, 100 white): what remains of a colour in a grayscale print."""
    rgb = np.asarray(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ np.array([0.2126, 0.7152, 0.0722]))
    root = luminance ** (1 / 3) if luminance > 216 / 24389 else (24389 / 27 * luminance + 16) / 116
    return 116 * root - 16


def grayscale_clashes(colours: Sequence[str], least: float = 10.0) -> list[tuple[int, int]]:
    """Pairs of colours that a grayscale print cannot tell apart: L* closer than `least`.

    Such a pair needs a second channel (marker, dash, hatch); ten steps of L* are what the eye
    separates safely in small marks.
    """
    return [
        (i, j)
        for i, j in combinations(range(len(colours)), 2)
        if abs(lightness(colours[i]) - lightness(colours[j])) < least
    ]
