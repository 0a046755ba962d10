"""How a map of nodes is drawn, on the page and on paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as PaperFigure
from matplotlib.lines import Line2D

from wgnn_core.figures.base import RASTER_ABOVE, Figure, grow_by_legend, ink, legend_below, page
from wgnn_core.figures.maps import (
    LEGEND_ABOVE,
    MARGIN,
    MARGIN_ABOVE,
    bands,
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
from wgnn_core.figures.polygon import (
    CORNER,
    paper_extent,
    paper_polygon,
    plotly_arrows,
    plotly_polygon,
)
from wgnn_core.figures.style import CORRECT, MISSING, WRONG, ClassMark, Style, class_mark
from wgnn_core.figures.text import paper_text, plotly_text
from wgnn_core.graph import BoolArray

Colour = Literal["class", "prediction", "correctness", "w", "distance"]

SCALE_TITLES = {
    "w": "Label non-uniformity w(v)",
    "distance": "Hops to the class boundary",
    "class": "True class",
    "prediction": "Predicted class",
    "correctness": "Prediction",
}
LEGEND_ENTRIES = 16
"""Classes named in a legend, the largest first; the rest are counted in its last line."""
MANY_RINGS = 120
"""Rings around more nodes than this would hide them; the other nodes fade instead."""
FADED, FADED_EDGES = 0.1, 0.35
UNSELECTED = 0.25
"""Opacity on a page of the nodes beside a selection: faint, and still there."""


@dataclass(frozen=True, eq=False)
class NodeDrawing(Figure):
    """Nodes as dots over a light layer of edges; marked nodes have rings, or the others fade."""

    colour: Colour
    names: tuple[str, ...]
    """Names of the values 0, 1, ...; empty when the value is a number."""
    top: float
    """Upper end of the colour scale of a number."""

    def to_plotly(self, dark: bool = False) -> go.Figure:
        nodes, points = nodes_of(self.data), points_of(self.data)
        place = {} if self.names else LEGEND_ABOVE
        figure = page(self.title, dark, legend={"itemsizing": "constant", **place}, dragmode="pan")
        figure.update_layout(margin=MARGIN if self.names else MARGIN_ABOVE)
        picked, fades = self._picked(), self._fades()
        if self._on_polygon():
            plotly_polygon(figure, self.data, dark)
        pairs = pairs_of(self.data)
        if len(pairs):
            line = {"width": 0.6, "color": ink(dark).edge}
            faint = FADED_EDGES if fades else 1
            plotly_edges(figure, points, pairs, line, opacity=faint, showlegend=False, name="edges")
        value = nodes["value"].to_numpy(dtype=np.float32)
        size = page_size(len(nodes))
        marks = [self._mark(i, "okabe-ito", dark) for i in range(len(self.names))]
        hover = self._hover(nodes)
        missing = np.isnan(value)
        scale, grey = self._scale(marks, dark), {"color": MISSING}
        parts = [(~missing, scale, 1.0, "nodes"), (missing, grey, 1.0, "no value")]
        if fades:
            # apart, and below: when nodes are selected, plotly multiplies opacities of one trace
            hidden = scale | {"showscale": False}
            others = [
                (~missing & ~picked, hidden, FADED, "others"),
                (missing & ~picked, grey, FADED, "others"),
            ]
            parts = others + [(part & picked, *rest) for part, *rest in parts]
        for part, extra, opacity, told in parts:
            if not part.any():
                continue
            marker = {"size": size, "line": {"width": 0}, "opacity": opacity, **extra}
            if "colorscale" in extra:
                marker["color"] = value[part]
            if marks and "colorscale" in extra and not self._plain():
                symbols = np.array([mark.plotly_marker for mark in marks])
                marker["symbol"] = symbols[value[part].astype(int)]
            plotly_layer(
                figure,
                len(nodes),
                x=points[part, 0],
                y=points[part, 1],
                mode="markers",
                marker=marker,
                customdata=nodes["node"].to_numpy(dtype=np.int32)[part],
                text=None if hover is None else hover[part],
                hovertemplate=self._template(hover is not None, "colorscale" in extra),
                showlegend=False,
                selected={"marker": {"opacity": 1}},
                unselected={"marker": {"opacity": min(opacity, UNSELECTED)}},
                name=told,
            )
        if self._on_polygon():
            plotly_arrows(figure, self.data)
        for name, mark in self._legend(marks):
            figure.add_scatter(
                x=[None],
                y=[None],
                mode="markers",
                name=plotly_text(name),
                marker={"symbol": mark.plotly_marker, "color": mark.colour, "size": 10},
            )
        if missing.any():
            figure.add_scatter(
                x=[None],
                y=[None],
                mode="markers",
                name=self._grey(int(missing.sum())),
                marker={"color": MISSING, "size": 10},
            )
        if picked.any() and not fades:
            plotly_layer(
                figure,
                len(nodes),
                x=points[picked, 0],
                y=points[picked, 1],
                mode="markers",
                marker={
                    "size": size + 4,
                    "symbol": "circle-open",
                    "color": ink(dark).text,
                    "line": {"width": 1.5},
                },
                hoverinfo="skip",
                name=f"selected ({int(picked.sum())})",
            )
        bare_plotly(figure)
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        nodes, points, pairs = nodes_of(self.data), points_of(self.data), pairs_of(self.data)
        picked, fades = self._picked(), self._fades()
        value = nodes["value"].to_numpy(dtype=np.float32)
        missing = np.isnan(value)
        alpha = np.where(picked, 1, FADED) if fades else None
        polygon = self._on_polygon()
        frame, least = points, None
        if polygon:
            frame, least = paper_extent(self.data, style, 0.96 if self.names else 0.82), 0.25
        ratio = map_ratio(frame, bar=not self.names, legend=False, least=least)
        paper = PaperFigure(figsize=style.size(ratio), layout="constrained")
        axes = paper.add_subplot()
        total = len(nodes) + len(pairs)
        size = paper_size(len(nodes), style)
        if len(pairs):
            look = edge_layer(len(pairs), style) | {"alpha": FADED_EDGES if fades else None}
            paper_edges(axes, points, pairs, total, zorder=1, **look)
        dots: dict[str, Any] = {"s": size**2, "linewidths": 0, "rasterized": total > RASTER_ABOVE}
        handles = []
        if missing.any():
            grey = {"color": MISSING, "alpha": _part(alpha, missing)}
            paper_dots(axes, points[missing], zorder=2, **grey, **dots)
            handles.append(_dot(MISSING, "o", self._grey(int(missing.sum())), style))
        if self.names:
            marks = [self._mark(i, style.palette, False) for i in range(len(self.names))]
            self._paper_classes(axes, points, value, marks, alpha, dots)
            for name, mark in self._legend(marks):
                name = paper_text(name, style.label_length)
                handles.append(_dot(mark.colour, mark.marker, name, style))
        else:
            drawn = paper_dots(
                axes,
                points[~missing],
                c=value[~missing],
                cmap=style.sequential,
                vmin=0,
                vmax=self.top,
                alpha=_part(alpha, ~missing),
                zorder=3,
                **dots,
            )
            scale = ScalarMappable(drawn.norm, drawn.cmap)  # of the colours themselves, not faded
            bar = paper.colorbar(scale, ax=axes, fraction=0.045, pad=0.02, aspect=28)
            bar.set_label(SCALE_TITLES[self.colour])
            bar.outline.set_visible(False)
        if fades:
            name = f"not selected ({int((~picked).sum())})"
            handles.append(_dot("#d9dbdf", "o", name, style))
        elif picked.any():
            paper_dots(
                axes,
                points[picked],
                s=(size + 2.2 * style.scale) ** 2,
                facecolors="none",
                edgecolors="#1f2430",
                linewidths=0.6 * style.scale,
                rasterized=total > RASTER_ABOVE,
                zorder=4,
                label="selected",
            )
            ring: dict[str, Any] = {
                "markerfacecolor": "none",
                "markeredgecolor": "#1f2430",
                "linestyle": "none",
            }
            name = f"selected ({int(picked.sum())})"
            handles.append(Line2D([], [], marker="o", label=name, **ring))
        if polygon:
            handles += paper_polygon(axes, self.data, style)
        bare(axes, frame)
        legend_below(paper, handles)
        grow_by_legend(paper)
        return paper

    def _on_polygon(self) -> bool:
        """Whether the nodes stand on the class polygon."""
        return bool((self.data["mark"] == CORNER).any())

    def _plain(self) -> bool:
        """Whether all nodes are discs: in tiny dots shapes cannot be told apart."""
        return len(nodes_of(self.data)) > RASTER_ABOVE

    def _grey(self, count: int) -> str:
        """What the nodes without a value are called in a legend."""
        why = "no boundary reached" if self.colour == "distance" else "no label"
        return f"{why if self.colour != 'w' else 'no value'} ({count})"

    def _picked(self) -> BoolArray:
        return np.asarray(nodes_of(self.data)["selected"], dtype=bool)

    def _fades(self) -> bool:
        """Whether the nodes that are not marked fade; few marked ones have rings instead."""
        return bool(self._picked().sum() > MANY_RINGS)

    def _mark(self, index: int, palette: str, dark: bool) -> ClassMark:
        mark = class_mark(index, palette, dark)
        if self.colour != "correctness":
            return mark
        colour = CORRECT if self.names[index] == "correct" else WRONG
        return ClassMark(colour, mark.marker, mark.plotly_marker, mark.dash, mark.plotly_dash)

    def _legend(self, marks: Sequence[ClassMark]) -> list[tuple[str, ClassMark]]:
        """Names and marks of what is drawn; many classes have a last line for the smallest."""
        value = nodes_of(self.data)["value"].to_numpy()
        counts = [int((value == i).sum()) for i in range(len(marks))]
        order = [i for i in sorted(range(len(marks)), key=lambda i: -counts[i]) if counts[i]]
        shown = order if len(order) <= LEGEND_ENTRIES else order[: LEGEND_ENTRIES - 1]
        entries = [(self.names[i], marks[i]) for i in sorted(shown)]
        if len(shown) < len(order):
            other = ClassMark(MISSING, "o", "circle-open", "-", "solid")
            entries.append((f"and {len(order) - len(shown)} more classes", other))
        if self._plain():
            entries = [(n, replace(m, marker="o", plotly_marker="circle")) for n, m in entries]
        return entries

    def _scale(self, marks: Sequence[ClassMark], dark: bool) -> dict[str, Any]:
        """plotly's colour scale; classes are bands of it, so that colours stay a float array."""
        if not marks:
            bar = bar_below(SCALE_TITLES[self.colour])
            # the darkest third of viridis cannot be told from a dark page
            shades = matplotlib.colormaps["viridis"](np.linspace(0.3 if dark else 0.0, 1, 12))
            colours = [to_hex(shade) for shade in shades]
            scale = {"colorscale": colours, "cmin": 0, "cmax": self.top, "colorbar": bar}
            return scale | {"showscale": True}
        return bands([mark.colour for mark in marks])

    def _template(self, text: bool, value: bool) -> str:
        """What is shown on hover. A number is read from its colour: 20,000 texts are slow."""
        number = "" if self.names or not value else f"<br>{self.colour} = %{{marker.color:.3g}}"
        return "node %{customdata}" + "%{text}" * text + number + "<extra></extra>"

    def _hover(self, nodes: pd.DataFrame) -> npt.NDArray[np.object_] | None:
        """The names of nodes and classes, where there are any."""
        lines = [f"<br>{self.colour}: {plotly_text(name)}" for name in self.names]
        value = nodes["value"].fillna(len(lines)).to_numpy(dtype=float)
        kind = value.astype(int) if lines else np.zeros(len(nodes), dtype=int)
        text: npt.NDArray[np.object_] = np.array([*lines, ""], dtype=object)[kind]
        if "node_name" in nodes:
            names = [f" {plotly_text(n)}{t}" for n, t in zip(nodes["node_name"], text, strict=True)]
            return np.array(names, dtype=object)
        return text if lines else None

    def _paper_classes(
        self,
        axes: Axes,
        points: npt.NDArray[np.float32],
        value: npt.NDArray[np.float32],
        marks: Sequence[ClassMark],
        alpha: npt.NDArray[np.float64] | None,
        dots: dict[str, Any],
    ) -> None:
        # one collection keeps the draw order fair
        if self._plain():
            known = ~np.isnan(value)
            colours = np.array([mark.colour for mark in marks])[value[known].astype(int)]
            look: dict[str, Any] = {"c": list(colours), "alpha": _part(alpha, known)}
            paper_dots(axes, points[known], zorder=3, **look, **dots)
            return
        for index, mark in enumerate(marks):
            inside = value == index
            if inside.any():
                look = {"color": mark.colour, "marker": mark.marker, "alpha": _part(alpha, inside)}
                paper_dots(axes, points[inside], zorder=3, **look, **dots)


def _part(alpha: npt.NDArray[np.float64] | None, mask: BoolArray) -> Any:
    return None if alpha is None else alpha[mask]


def _dot(colour: str, shape: str, name: str, style: Style) -> Line2D:
    return Line2D(
        [],
        [],
        color=colour,
        marker=shape,
        linestyle="none",
        markersize=4 * style.scale,
        markeredgewidth=0,
        label=name,
    )
