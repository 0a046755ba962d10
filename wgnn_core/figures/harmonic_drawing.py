"""How a map of the smooth interpolation is drawn, on the page and on paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap, to_hex
from matplotlib.figure import Figure as PaperFigure
from matplotlib.lines import Line2D

from wgnn_core.figures.base import RASTER_ABOVE, Figure, grow_by_legend, ink, legend_below, page
from wgnn_core.figures.maps import (
    EDGE,
    LEGEND_ABOVE,
    MARGIN_ABOVE,
    Points,
    bar_below,
    bare,
    bare_plotly,
    edge_layer,
    map_ratio,
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
from wgnn_core.figures.node_drawing import MANY_RINGS
from wgnn_core.figures.style import MISSING, SMALLEST_TEXT, Style, lightness
from wgnn_core.figures.text import paper_text, plotly_text
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.theory.statement import symbols

SCALE_TITLE = "Smooth interpolation (0 to 1)"
POLES = {0: ("O₀: observed as 0", "s", "square"), 1: ("O₁: observed as 1", "^", "triangle-up")}
LINES: tuple[tuple[str, str, Any], ...] = (
    ("#D55E00", "solid", "-"),
    ("#CC79A7", "dash", (0, (4, 1.5))),
    ("#0072B2", "dot", ":"),
)
"""Colour and dash of the first, second and third set of edges."""
RINGS = (("circle-open", "o"), ("square-open", "s"), ("diamond-open", "D"))
NUMBERED = 64
"""Up to this many nodes each shows its number, and an edge can be clicked."""
IN_A_ROW = 4
"""Entries of a legend beside each other."""
NUDGE = 1e-6
"""A value on a step belongs to the layer below it, as f~ <= r does."""


@dataclass(frozen=True, eq=False)
class HarmonicDrawing(Figure):
    """Nodes in the colours of layers over a light layer of edges, with sets of both marked."""

    steps: tuple[float, ...]
    """Where one colour ends and the next begins."""
    sets: tuple[str, ...]
    """Names of the marked node sets, in the column `marked`."""
    lines: tuple[str, ...]
    """Names of the marked edge sets, in the column `line`."""

    def to_plotly(self, dark: bool = False) -> go.Figure:
        nodes, points = nodes_of(self.data), points_of(self.data)
        figure = page(self.title, dark, legend=LEGEND_ABOVE, dragmode="pan")
        count = len(nodes)
        # the entry of nodes without a value is as long as two
        entries = len(POLES) + len(self.lines) + len(self._rings()) + 2 * nodes["f"].isna().any()
        # below the buttons of the chart, which stand above a map
        above = MARGIN_ABOVE["t"] + 24 * -(-int(entries) // IN_A_ROW)
        figure.update_layout(margin=MARGIN_ABOVE | {"t": above})
        size = 2 * page_size(count) if count <= NUMBERED else page_size(count)
        self._plotly_lines(figure, points, dark)
        if count <= NUMBERED:
            self._plotly_handles(figure, points)
        value = nodes["f"].to_numpy(dtype=np.float32)
        missing = np.isnan(value)
        # the darkest part of viridis cannot be told from a dark page
        colours = self._colours("viridis", 0.25 if dark else 0.0)
        for part, marker in (
            (~missing, self._plotly_scale(colours) | {"color": value[~missing]}),
            (missing, {"color": MISSING}),
        ):
            if part.any():
                plotly_layer(
                    figure,
                    count,
                    x=points[part, 0],
                    y=points[part, 1],
                    mode="markers",
                    marker={"size": size, **marker},
                    customdata=np.stack([nodes["node"], nodes["f"]], axis=1)[part],
                    hovertemplate="node %{customdata[0]}<br>"
                    "smooth interpolation %{customdata[1]:.4g}<extra></extra>"
                    if part is not missing
                    else "node %{customdata[0]}<br>no observed node reached<extra></extra>",
                    showlegend=False,
                    unselected={"marker": {"opacity": 1}},
                    name="nodes" if part is not missing else "no value",
                )
        if missing.any():
            figure.add_scatter(
                x=[None], y=[None], mode="markers", marker={"color": MISSING, "size": 10},
                name=f"no observed node reached ({int(missing.sum())})",
            )  # fmt: skip
        for pole, (name, _, symbol) in POLES.items():
            look = {
                "size": size + (6 if count <= NUMBERED else 4),
                "symbol": symbol,
                "color": colours[-pole],
                "line": {"width": 1.5, "color": ink(dark).text},
            }
            _plotly_marks(figure, points, self._observed(pole), look, name)
        for (name, inside), (symbol, _) in zip(self._rings(), RINGS, strict=False):
            look = {
                "size": size + (10 if inside.sum() <= MANY_RINGS else 2),
                "symbol": symbol,
                "color": ink(dark).text,
                "line": {"width": 1.5 if inside.sum() <= MANY_RINGS else 1},
            }
            _plotly_marks(figure, points, inside, look, plotly_text(symbols(name)))
        if count <= NUMBERED:
            figure.add_scatter(
                x=points[:, 0],
                y=points[:, 1],
                mode="text",
                text=nodes["node"].astype(str).to_numpy(),
                textfont={"color": self._number_colours(colours), "size": 11},
                hoverinfo="skip",
                showlegend=False,
                name="numbers",
            )
        bare_plotly(figure)
        return figure

    def _plotly_lines(self, figure: go.Figure, points: Points, dark: bool) -> None:
        plain, strong = self._links()
        if len(plain):
            line = {"width": 0.6 if len(points) > NUMBERED else 1.2, "color": ink(dark).edge}
            plotly_edges(figure, points, plain, line, showlegend=False, name="edges")
        for (name, pairs), (colour, dash, _) in zip(strong, LINES, strict=False):
            width = float(np.clip(40 / np.sqrt(len(pairs)), 1.0, 3.5))
            line = {"color": colour, "width": width, "dash": dash}
            told = f"{plotly_text(symbols(name))} ({len(pairs):,})"
            plotly_edges(figure, points, pairs, line, name=told)

    def _plotly_handles(self, figure: go.Figure, points: Points) -> None:
        """A place in the middle of each edge that tells of it and can be clicked."""
        pairs = pairs_of(self.data)
        links, nodes = self.data[self.data["mark"] == EDGE], nodes_of(self.data)
        if not len(pairs):
            return
        middle, f = points[pairs].mean(axis=1), nodes["f"].to_numpy(dtype=float)
        names = [f"{u}-{v}" for u, v in zip(links["node"], links["to"], strict=True)]
        rise = np.abs(f[pairs[:, 0]] - f[pairs[:, 1]])
        figure.add_scatter(
            x=middle[:, 0],
            y=middle[:, 1],
            mode="markers",
            marker={"size": 16, "color": "rgba(0,0,0,0)"},
            customdata=[
                (name, "none" if np.isnan(r) else f"{r:.4g}")
                for name, r in zip(names, rise, strict=True)
            ],
            hovertemplate="edge %{customdata[0]}<br>rise %{customdata[1]}<extra></extra>",
            showlegend=False,
            name="edge",
        )

    def _plotly_scale(self, colours: Sequence[str]) -> dict[str, Any]:
        ends = [0.0, *(step + NUDGE for step in self.steps[1:-1]), 1.0]
        bands = [[ends[i + j], colour] for i, colour in enumerate(colours) for j in (0, 1)]
        ticks = np.round(self.steps, 3)
        bar = bar_below(SCALE_TITLE, tickvals=ticks)
        return {"colorscale": bands, "cmin": 0, "cmax": 1, "showscale": True, "colorbar": bar}

    def _draw(self, style: Style) -> PaperFigure:
        nodes, points = nodes_of(self.data), points_of(self.data)
        frame = _frame(points) if len(nodes) <= NUMBERED else points
        ratio = map_ratio(frame, bar=True, legend=False)
        paper = PaperFigure(figsize=style.size(ratio), layout="constrained")
        axes = paper.add_subplot()
        total = len(self.data)
        raster = total > RASTER_ABOVE
        numbered = len(nodes) <= NUMBERED
        size = paper_size(len(nodes), style) * (2 if numbered else 1)
        plain, strong = self._links()
        handles: list[Line2D] = []
        if len(plain):
            paper_edges(axes, points, plain, total, zorder=1, **edge_layer(len(plain), style))
        for (name, pairs), (colour, _, dash) in zip(strong, LINES, strict=False):
            width = float(np.clip(14 / np.sqrt(len(pairs)), 0.4, 1.4)) * style.scale
            look: dict[str, Any] = {"colors": colour, "linewidths": width, "linestyles": dash}
            paper_edges(axes, points, pairs, total, zorder=2, **look)
            told = paper_text(f"{symbols(name)} ({len(pairs):,})", style.label_length)
            handles.append(Line2D([], [], color=colour, linestyle=dash, label=told))
        value = nodes["f"].to_numpy(dtype=float)
        missing = np.isnan(value)
        if missing.any():
            paper_dots(
                axes, points[missing], s=size**2, color=MISSING, linewidths=0, rasterized=raster
            )
            grey: dict[str, Any] = {"color": MISSING, "marker": "o", "linestyle": "none"}
            name = f"no observed node reached ({int(missing.sum())})"
            handles.append(Line2D([], [], label=name, markeredgewidth=0, **grey))
        colours = self._colours(style.sequential)
        bounds = [0.0, *(step + NUDGE for step in self.steps[1:-1]), 1.0]
        drawn = paper_dots(
            axes,
            points[~missing],
            c=value[~missing],
            s=size**2,
            cmap=ListedColormap(colours),
            norm=BoundaryNorm(bounds, len(colours)),
            linewidths=0,
            rasterized=raster,
            zorder=3,
        )
        bar = paper.colorbar(
            drawn, ax=axes, fraction=0.045, pad=0.02, aspect=28, spacing="proportional"
        )
        bar.set_label(SCALE_TITLE)
        bar.set_ticks(list(self.steps), labels=[f"{step:.3g}" for step in self.steps])
        bar.outline.set_visible(False)
        handles += self._paper_poles(axes, points, size, colours, style, raster)
        handles += self._paper_rings(axes, points, size, style, raster)
        if numbered:
            self._paper_numbers(axes, points, size, colours)
        bare(axes, frame)
        legend_below(paper, handles)
        grow_by_legend(paper)
        return paper

    def _paper_poles(
        self,
        axes: Axes,
        points: Points,
        size: float,
        colours: Sequence[str],
        style: Style,
        raster: bool,
    ) -> list[Line2D]:
        handles = []
        for pole, (name, marker, _) in POLES.items():
            inside = self._observed(pole)
            look: dict[str, Any] = {"marker": marker, "color": colours[-pole]}
            paper_dots(
                axes,
                points[inside],
                s=(size + style.scale * np.clip(12 / np.sqrt(inside.sum() + 1), 1, 2.5)) ** 2,
                edgecolors="#1f2430",
                linewidths=0.6 * style.scale,
                rasterized=raster,
                zorder=5,
                **look,
            )
            outline: dict[str, Any] = {"markeredgecolor": "#1f2430", "linestyle": "none"}
            handles.append(Line2D([], [], label=paper_text(name), **look, **outline))
        return handles

    def _paper_rings(
        self, axes: Axes, points: Points, size: float, style: Style, raster: bool
    ) -> list[Line2D]:
        handles = []
        for (name, inside), (_, marker) in zip(self._rings(), RINGS, strict=False):
            paper_dots(
                axes,
                points[inside],
                s=(size + (3.4 if inside.sum() <= MANY_RINGS else 0.8) * style.scale) ** 2,
                marker=marker,
                facecolors="none",
                edgecolors="#1f2430",
                linewidths=(0.6 if inside.sum() <= MANY_RINGS else 0.3) * style.scale,
                rasterized=raster,
                zorder=6,
            )
            ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": "#1f2430"}
            told = paper_text(symbols(name), style.label_length)
            handles.append(Line2D([], [], marker=marker, linestyle="none", label=told, **ring))
        return handles

    def _paper_numbers(
        self, axes: Axes, points: Points, size: float, colours: Sequence[str]
    ) -> None:
        points_high = 0.62 * size
        if points_high < SMALLEST_TEXT:
            return
        shades = self._number_colours(colours)
        for node, (x, y), shade in zip(nodes_of(self.data)["node"], points, shades, strict=True):
            axes.text(
                x, y, str(node), color=shade, fontsize=points_high, ha="center",
                va="center_baseline", zorder=7,
            )  # fmt: skip

    def _links(self) -> tuple[IntArray, list[tuple[str, IntArray]]]:
        """The edges in no set, and those of each set that has some."""
        links = self.data[self.data["mark"] == EDGE]
        line = links["line"].to_numpy(dtype=object)
        plain = pairs_of(self.data, links[line == ""])
        strong = [(name, pairs_of(self.data, links[line == name])) for name in self.lines]
        return plain, [(name, pairs) for name, pairs in strong if len(pairs)]

    def _rings(self) -> list[tuple[str, BoolArray]]:
        """The marked node sets; rings of a large one are narrow, or they would hide the nodes."""
        marked = nodes_of(self.data)["marked"].to_numpy(dtype=object)
        held = [(name, np.array([name in m.split("; ") for m in marked])) for name in self.sets]
        return [(name, inside) for name, inside in held if inside.any()]

    def _observed(self, pole: int) -> BoolArray:
        observed = nodes_of(self.data)["observed"]
        return np.asarray((observed == pole).fillna(False), dtype=bool)

    def _colours(self, palette: str, darkest: float = 0.0) -> list[str]:
        shades = matplotlib.colormaps[palette](np.linspace(darkest, 1, len(self.steps) - 1))
        return [to_hex(shade) for shade in shades]

    def _number_colours(self, colours: Sequence[str]) -> list[str]:
        """Dark on light and light on dark."""
        layer: npt.NDArray[np.object_] = nodes_of(self.data)["layer"].to_numpy(dtype=object)
        inks = ["#ffffff" if lightness(colour) < 60 else "#111318" for colour in colours]
        return [inks[k] if isinstance(k, int | np.integer) else "#111318" for k in layer]


def _plotly_marks(
    figure: go.Figure, points: Points, inside: BoolArray, marker: dict[str, Any], name: str
) -> None:
    """Marks around some of the nodes; what a node tells is told by the node itself."""
    x, y = points[inside].T
    plotly_layer(
        figure, len(points), x=x, y=y, mode="markers", marker=marker, name=name, hoverinfo="skip"
    )


def _frame(points: Points) -> Points:
    """Two corners of a paper map of large dots: room for them and for the bar beside it."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, size = (low + high) / 2, np.maximum(high - low, 1e-6)
    half = np.maximum(0.56 * size, 0.36 * size.max())
    return np.asarray([middle - half, middle + half], dtype=np.float32)
