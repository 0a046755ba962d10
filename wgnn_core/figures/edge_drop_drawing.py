"""How the two panels of Algorithm 2 are drawn, on the page and on paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.axes import Axes
from matplotlib.figure import Figure as PaperFigure
from matplotlib.lines import Line2D

from wgnn_core.figures.base import (
    RASTER_ABOVE,
    TITLE_PIXELS,
    Figure,
    Ink,
    ink,
    legend_below,
    page,
)
from wgnn_core.figures.edge_drop_words import DROPPED, FOREST, KEPT, piece_line
from wgnn_core.figures.maps import (
    EDGE,
    Points,
    bands,
    bare,
    bare_plotly,
    nodes_of,
    page_size,
    pairs_of,
    paper_dots,
    paper_edges,
    paper_size,
    plotly_edges,
    plotly_layer,
    points_of,
)
from wgnn_core.figures.style import MISSING, SMALLEST_TEXT, ClassMark, Style, class_mark
from wgnn_core.figures.text import NO_LABEL, paper_text, plotly_text
from wgnn_core.graph import BoolArray, IntArray

NAMES = {DROPPED: "edges that go", FOREST: "spanning forest", KEPT: "other edges"}
WIDTH = {KEPT: 0.6, FOREST: 1.7, DROPPED: 1.5}
COLOUR = {KEPT: "#a9afb9", FOREST: "#3d4656", DROPPED: "#E3003A"}
DARK_COLOUR = {KEPT: "#5b6372", FOREST: "#c9ced6", DROPPED: "#FF5C7A"}
FAINT = 0.3
"""Opacity of nodes around a piece."""
AFTER, DIFFERENCE = "after", "difference"
PANELS = {AFTER: "After", DIFFERENCE: "Difference"}
DRAWN = {AFTER: (KEPT, FOREST), DIFFERENCE: (DROPPED,)}
"""Which edges the second panel shows; the first shows all."""
PIECE = "piece"
DOT_PIXELS = 9.0
TOLD = 12
"""Classes named in a legend."""


_AXES = ({"xaxis": "x", "yaxis": "y"}, {"xaxis": "x2", "yaxis": "y2"})


@dataclass(frozen=True, eq=False)
class EdgeDropDrawing(Figure):
    """Two panels with the same coordinates: before, and after or the difference.

    `data` has rows of three marks: nodes, edges, and the pieces of the close-up with the lower
    left corner, size and counts of each.
    """

    names: tuple[str, ...]
    second: str

    @property
    def panels(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Title and edges of both panels."""
        first = ("Before", (KEPT, FOREST, DROPPED))
        return first, (PANELS[self.second], DRAWN[self.second])

    @property
    def lines(self) -> dict[str, str]:
        """Name of each kind of edge that is drawn, for a legend."""
        drawn = set(self.data["state"])
        return {state: name for state, name in NAMES.items() if state in drawn}

    @property
    def pieces(self) -> pd.DataFrame:
        """The rows of the pieces; none for a whole graph."""
        return self.data[self.data["mark"] == PIECE]

    @property
    def lost(self) -> BoolArray:
        """Which drawn nodes are at the end of a dropped edge."""
        found = np.zeros(len(nodes_of(self.data)), dtype=np.bool_)
        found[self.pairs(DROPPED)] = True
        return found

    def pairs(self, state: str) -> IntArray:
        """Edges in `state` as positions among the drawn nodes."""
        links = (self.data["mark"] == EDGE) & (self.data["state"] == state)
        return pairs_of(self.data, self.data[links])

    def mark(self, index: int, palette: str = "okabe-ito", dark: bool = False) -> ClassMark:
        """Of a class; of the unknown class -1 too."""
        if index < 0:
            return ClassMark(MISSING, "o", "circle", "-", "solid")
        return class_mark(index, palette, dark)

    def told(self) -> list[tuple[int, str]]:
        """Classes for a legend, the most frequent of the drawn nodes."""
        kind = nodes_of(self.data)["class"].astype(int)
        found = kind.value_counts(sort=True).index[:TOLD]
        return [(i, self.names[i] if i >= 0 else NO_LABEL) for i in sorted(found)]

    def to_plotly(self, dark: bool = False) -> go.Figure:
        nodes, points = nodes_of(self.data), points_of(self.data)
        figure = page(self.title, dark)
        figure.update_layout(
            margin={"l": 12, "r": 12, "t": TITLE_PIXELS + 36, "b": 48},
            legend={"itemsizing": "constant"},
            xaxis={"domain": [0, 0.49]},
            xaxis2={"domain": [0.51, 1], "anchor": "y2"},
            yaxis2={"anchor": "x2"},
            dragmode="pan",
        )
        colours = DARK_COLOUR if dark else COLOUR
        close = len(self.pieces) > 0
        size = DOT_PIXELS if close else page_size(len(nodes))
        inside = nodes["inside"].to_numpy(dtype=bool)
        kind = nodes["class"].to_numpy(dtype=int)
        scale = bands([self.mark(i, dark=dark).colour for i in range(-1, len(self.names))])
        hover = self._hover(nodes)
        for (name, states), place, axes in zip(self.panels, (0.245, 0.755), _AXES, strict=True):
            at = {"x": place, "y": 1, "xref": "paper", "yref": "paper", "yanchor": "bottom"}
            figure.add_annotation(text=name, showarrow=False, **at)
            self._plotly_frames(figure, axes, ink(dark))
            for state in (state for state in states if state in self.lines):
                dash = "dash" if state == DROPPED else "solid"
                line = {"width": 1.3 * WIDTH[state], "color": colours[state], "dash": dash}
                trace = {"name": NAMES[state], "legendgroup": state, "showlegend": axes is _AXES[0]}
                plotly_edges(figure, points, self.pairs(state), line, **trace, **axes)
            bright = self._bright(name)
            for part, share in ((~inside, 0.7), (inside, 1.0)):
                plotly_layer(
                    figure,
                    len(nodes),
                    x=points[part, 0],
                    y=points[part, 1],
                    mode="markers",
                    marker={
                        "size": size * share,
                        "color": kind[part].astype(np.float32) + 1,
                        **scale,
                        "opacity": np.where(bright, 1, FAINT).astype(np.float32)[part],
                        "line": {"width": 0},
                    },
                    customdata=nodes["w"].to_numpy(dtype=np.float32)[part],
                    text=hover[part],
                    hovertemplate="%{text}<br>w = %{customdata:.3f}<extra></extra>",
                    showlegend=False,
                    **axes,
                )
        for index, name in self.told():
            marker = {"color": self.mark(index, dark=dark).colour, "size": 10}
            figure.add_scatter(
                x=[None], y=[None], mode="markers", name=plotly_text(name), marker=marker
            )
        bare_plotly(figure)
        figure.update_xaxes(matches="x")
        figure.update_yaxes(matches="y")
        return figure

    def _bright(self, panel: str) -> BoolArray:
        """Which nodes are not faint: those of a piece, or in the difference those that lose."""
        inside: BoolArray = nodes_of(self.data)["inside"].to_numpy(dtype=bool)
        return inside & self.lost if panel == PANELS[DIFFERENCE] else inside

    def _hover(self, nodes: pd.DataFrame) -> npt.NDArray[np.object_]:
        """Name, class and prediction of each node, escaped."""
        named = [plotly_text(name) for name in (*self.names, NO_LABEL)]
        lines = np.array([[f"<br>class: {c}<br>prediction: {p}" for p in named] for c in named],
            dtype=object,
        )  # fmt: skip
        kind, predicted = (nodes[c].to_numpy(dtype=int) for c in ("class", "predicted"))
        first: Any = "node " + nodes["node"].astype(str)
        if "node_name" in nodes:
            first = first + " " + nodes["node_name"].map(plotly_text)
        return np.asarray(first.to_numpy(dtype=object) + lines[kind, predicted])

    def _plotly_frames(self, figure: go.Figure, axes: dict[str, str], colours: Ink) -> None:
        """The boxes of the pieces and the line of each."""
        for piece in self.pieces.to_dict("records"):
            x, y = _box(piece)
            line = {"width": 1, "color": colours.grid}
            figure.add_scatter(
                x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False, **axes
            )
            figure.add_annotation(
                x=piece["x"], y=piece["y"] + piece["height"], xref=axes["xaxis"],
                yref=axes["yaxis"], text=piece_line(piece, piece["width"] / 6.5),
                showarrow=False, xanchor="left", yanchor="top",
                font={"size": 10, "color": colours.muted},
            )  # fmt: skip

    def _draw(self, style: Style) -> PaperFigure:
        nodes, points = nodes_of(self.data), points_of(self.data)
        extent = np.maximum(np.ptp(points, axis=0), 1e-6)
        close = len(self.pieces) > 0
        if close:
            corners = self.pieces[["x", "y"]].to_numpy(dtype=float)
            sizes = self.pieces[["width", "height"]].to_numpy(dtype=float)
            points = np.concatenate([points, corners, corners + sizes]).astype(np.float32)
            extent = np.ptp(points, axis=0)
        # in a column the panels stand one above the other: side by side nothing could be read
        across = 1 if close and style.inches < 4 * style.scale else 2
        panel = style.inches / across
        high = panel * float(np.clip(extent[1] / extent[0], 0.5, 1.15))
        handles = self._handles(style)
        rows = 3 - across
        lines = np.ceil(len(handles) / 3) + 1.3 * rows + 2 * style.titled
        words = float(lines) * 1.35 * style.points / 72
        paper = PaperFigure(figsize=(style.inches, rows * high + words), layout="constrained")
        pixel = 0.94 * panel * 72 / float(extent[0])  # in points
        size = DOT_PIXELS * pixel if close else 0.8 * paper_size(len(nodes), style)
        for number, (name, states) in enumerate(self.panels, 1):
            axes = paper.add_subplot(rows, across, number)
            axes.set_title(name)
            self._paper_panel(axes, points[: len(nodes)], states, self._bright(name), size, style)
            for piece in self.pieces.to_dict("records"):
                axes.plot(*_box(piece), color="#d9dce1", linewidth=0.5 * style.scale, zorder=0)
                self._paper_line(axes, piece, pixel, style)
            bare(axes, points)
            # a box that shrinks to the map confuses the layout, and titles leave the page
            axes.set_aspect("equal", adjustable="datalim")
            axes.set_autoscale_on(True)  # else matplotlib logs that it widens the limits
        legend_below(paper, handles)
        return paper

    def _paper_panel(
        self,
        axes: Axes,
        points: Points,
        states: Sequence[str],
        bright: BoolArray,
        size: float,
        style: Style,
    ) -> None:
        total, nodes = len(self.data), nodes_of(self.data)
        thin = float(np.clip(16 / np.sqrt(total), 0.3, 1)) * style.scale
        for order, state in enumerate(states, 1):
            scale = thin if state == KEPT else max(thin, 0.55 * style.scale)
            look = _line(state, scale)
            paper_edges(axes, points, self.pairs(state), total, zorder=order, **look)
        inside = nodes["inside"].to_numpy(dtype=bool)
        kind = nodes["class"].to_numpy(dtype=int)
        for index in np.unique(kind):
            mark = self.mark(int(index), style.palette)
            for part, share in ((~inside, 0.7), (inside, 1.0)):
                mine = part & (kind == index)
                if not mine.any():
                    continue
                paper_dots(
                    axes,
                    points[mine],
                    s=(size * share) ** 2,
                    marker=mark.marker,
                    color=mark.colour,
                    alpha=np.where(bright, 1, FAINT)[mine],
                    linewidths=0,
                    rasterized=total > RASTER_ABOVE,
                    zorder=5,
                )

    def _paper_line(self, axes: Axes, piece: dict[str, Any], pixel: float, style: Style) -> None:
        points = max(SMALLEST_TEXT, 0.75 * style.points)
        text = piece_line(piece, piece["width"] * pixel / (0.55 * points))
        place = (piece["x"], piece["y"] + piece["height"])
        axes.annotate(
            text, place, xytext=(0.3 * points, -0.2 * points), textcoords="offset points",
            va="top", fontsize=points, color="#5b6270", annotation_clip=False,
        )  # fmt: skip

    def _handles(self, style: Style) -> list[Line2D]:
        lines = []
        for state, name in self.lines.items():
            look = _line(state, 1.2 * style.scale)
            dash = look["linestyles"][0]
            lines.append(
                Line2D([], [], color=look["colors"], linewidth=look["linewidths"],
                    linestyle=dash, label=name)
            )  # fmt: skip
        for index, name in self.told():
            mark = self.mark(index, style.palette)
            lines.append(
                Line2D([], [], color=mark.colour, marker=mark.marker, linestyle="none",
                    markersize=4 * style.scale, markeredgewidth=0,
                    label=paper_text(name, style.label_length))
            )  # fmt: skip
        return lines


def _box(piece: dict[str, Any]) -> tuple[list[float], list[float]]:
    """The outline of a piece as a path."""
    x, y, width, height = (float(piece[name]) for name in ("x", "y", "width", "height"))
    right, top = x + width, y + height
    return [x, right, right, x, x], [y, y, top, top, y]


def _line(state: str, scale: float) -> dict[str, Any]:
    dash = (0, (3, 1.2)) if state == DROPPED else "-"
    width = 0.75 * WIDTH[state] * scale
    return {"colors": COLOUR[state], "linewidths": width, "linestyles": [dash]}
