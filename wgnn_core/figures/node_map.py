"""The nodes on the map, coloured by class, prediction, correctness, w or distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as PaperFigure
from matplotlib.lines import Line2D

from wgnn_core.errors import WGNNError
from wgnn_core.figures.base import RASTER_ABOVE, Figure, ink, legend_below, page
from wgnn_core.figures.maps import (
    bands,
    bare,
    bare_plotly,
    edge_layer,
    map_ratio,
    map_table,
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
from wgnn_core.figures.style import CORRECT, MISSING, WRONG, ClassMark, Style, class_mark
from wgnn_core.figures.text import label, labels, paper_text, plotly_text
from wgnn_core.graph import BoolArray

Colour = Literal["class", "prediction", "correctness", "w", "distance"]

SCALE_TITLES = {
    "w": "Label non-uniformity w(v)",
    "distance": "Hops to the class boundary",
    "class": "True class",
    "prediction": "Predicted class",
    "correctness": "Prediction",
}
LOOK_FOR = {
    "w": "dark bands of low w mark where the model sees the class boundaries",
    "distance": "compare with the map of w: low w should lie where the distance is small",
    "class": "edges between colours are the class boundaries",
    "prediction": "compare with the map of true classes",
    "correctness": "wrong nodes gather where classes meet",
}
LEGEND_ENTRIES = 16
"""Classes named in a legend, the largest first; the rest are counted in its last line."""


@dataclass(frozen=True, eq=False)
class NodeMap(Figure):
    """Nodes as dots over a light layer of edges."""

    kind: ClassVar[str] = "node-map"
    drawn: ClassVar[tuple[str, ...]] = ("x", "y", "value")

    colour: Colour
    names: tuple[str, ...]
    """Names of the values 0, 1, ...; empty when the value is a number."""
    top: float
    """Upper end of the colour scale of a number."""

    @classmethod
    def of(
        cls,
        xy: npt.ArrayLike,
        edges: npt.ArrayLike,
        values: npt.ArrayLike,
        *,
        colour: Colour,
        graph: str,
        class_names: Sequence[str] = (),
        selected: BoolArray | None = None,
        node_names: Sequence[str] | None = None,
        top: float | None = None,
    ) -> NodeMap:
        """From coordinates and one value a node.

        Args:
            xy: Layout, ``[N, 2]``.
            edges: Pairs of nodes, ``[E, 2]``; leave it empty to draw none.
            values: Class numbers (class, prediction), booleans (correctness) or numbers
                (w, distance), where nan or inf means no value and is drawn grey.
            colour: What the values are.
            graph: Name of the graph.
            class_names: For class and prediction.
            selected: Nodes to ring.
            node_names: Shown on hover.
            top: Upper end of the colour scale, by default the largest value; for w pass
                2 (1 - 1/|S|) to compare maps.
        """
        if colour not in get_args(Colour):
            raise WGNNError(
                f"map colour is {colour!r}; choose one of {', '.join(get_args(Colour))}."
            )
        names = ("wrong", "correct") if colour == "correctness" else tuple(labels(class_names))
        number = np.asarray(values, dtype=np.float32)
        number = np.where(np.isfinite(number), number, np.float32(np.nan))
        if colour in ("w", "distance"):
            names = ()
        elif not np.isin(number, np.arange(len(names))).all():
            raise WGNNError(f"{colour} values must be 0 to {len(names) - 1}, one for each name.")
        columns: dict[str, Any] = {"value": number}
        if names:
            columns["name"] = np.array(names, dtype=object)[number.astype(int)]
        if node_names is not None:
            columns["node_name"] = [label(name) for name in node_names]
        picked = np.zeros(len(number), bool) if selected is None else np.asarray(selected, bool)
        data = map_table(xy, edges, columns | {"selected": picked})
        known = number[~np.isnan(number)]
        highest = float(known.max()) if known.size else 1.0
        chosen = f", {int(picked.sum())} of them selected (rings)" if picked.any() else ""
        what = SCALE_TITLES[colour]
        return cls(
            data,
            title=f"{what} on {label(graph)}",
            caption=(
                f"The {len(number)} nodes of {label(graph)} coloured by "
                f"{what[0].lower()}{what[1:]}{chosen}; {LOOK_FOR[colour]}."
            ),
            alt=f"Map of {label(graph)}: " + _summary(number, names, picked),
            colour=colour,
            names=names,
            top=max(top if top is not None else highest, 1e-6),
        )

    def to_plotly(self, dark: bool = False) -> go.Figure:
        nodes, points = nodes_of(self.data), points_of(self.data)
        beside = {} if self.names else {"orientation": "h", "y": 0}  # the colour bar is there
        legend = {"itemsizing": "constant", **beside}
        figure = page(self.title, dark, legend=legend, dragmode="pan")
        figure.update_layout(margin={"l": 12, "r": 12, "t": 56, "b": 12})
        pairs = pairs_of(self.data)
        if len(pairs):
            line = {"width": 0.6, "color": ink(dark).edge}
            plotly_edges(figure, points, pairs, line, showlegend=False, name="edges")
        value = nodes["value"].to_numpy(dtype=np.float32)
        size = page_size(len(nodes))
        marks = [self._mark(i, "okabe-ito", dark) for i in range(len(self.names))]
        hover = self._hover(nodes)
        missing = np.isnan(value)
        for part, extra in ((~missing, self._scale(marks, dark)), (missing, {"color": MISSING})):
            if not part.any():
                continue
            marker = {"size": size, "line": {"width": 0}, **extra}
            if "colorscale" in extra:
                marker["color"] = value[part]
            if marks and len(nodes) <= RASTER_ABOVE:
                marker["symbol"] = np.array([m.plotly_marker for m in marks])[value.astype(int)]
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
                name="nodes" if extra.get("color") != MISSING else "no value",
            )
        for name, mark in self._legend(marks):
            figure.add_scatter(
                x=[None],
                y=[None],
                mode="markers",
                name=plotly_text(name),
                marker={"symbol": mark.plotly_marker, "color": mark.colour, "size": 10},
            )
        picked = nodes["selected"].to_numpy(dtype=bool)
        if picked.any():
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
        picked = nodes["selected"].to_numpy(dtype=bool)
        value = nodes["value"].to_numpy(dtype=np.float32)
        missing = np.isnan(value)
        below = bool(self.names or picked.any() or missing.any())
        paper = PaperFigure(
            figsize=style.size(map_ratio(points, bar=not self.names, legend=below)),
            layout="constrained",
        )
        axes = paper.add_subplot()
        total = len(nodes) + len(pairs)
        size = paper_size(len(nodes), style)
        if len(pairs):
            paper_edges(axes, points, pairs, total, zorder=1, **edge_layer(len(pairs), style))
        dots: dict[str, Any] = {"s": size**2, "linewidths": 0, "rasterized": total > RASTER_ABOVE}
        handles = []
        if missing.any():
            paper_dots(axes, points[missing], color=MISSING, zorder=2, **dots)
            why = "no boundary reached" if self.colour == "distance" else "no value"
            name = f"{why} ({int(missing.sum())})"
            handles.append(_dot(MISSING, "o", name, style))
        if self.names:
            marks = [self._mark(i, style.palette, False) for i in range(len(self.names))]
            self._paper_classes(axes, points, value, marks, dots)
            for name, mark in self._legend(marks):
                shape = "o" if len(nodes) > RASTER_ABOVE else mark.marker
                name = paper_text(name, style.label_length)
                handles.append(_dot(mark.colour, shape, name, style))
        else:
            drawn = paper_dots(
                axes,
                points[~missing],
                c=value[~missing],
                cmap=style.sequential,
                vmin=0,
                vmax=self.top,
                zorder=3,
                **dots,
            )
            bar = paper.colorbar(drawn, ax=axes, fraction=0.045, pad=0.02, aspect=28)
            bar.set_label(SCALE_TITLES[self.colour])
            bar.outline.set_visible(False)
        if picked.any():
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
        bare(axes, points)
        legend_below(paper, handles)
        return paper

    def _mark(self, index: int, palette: str, dark: bool) -> ClassMark:
        mark = class_mark(index, palette, dark)
        if self.colour != "correctness":
            return mark
        colour = CORRECT if self.names[index] == "correct" else WRONG
        return ClassMark(colour, mark.marker, mark.plotly_marker, mark.dash, mark.plotly_dash)

    def _legend(self, marks: Sequence[ClassMark]) -> list[tuple[str, ClassMark]]:
        """Names with their marks, largest class first, and a last line for those left out."""
        value = nodes_of(self.data)["value"].to_numpy()
        counts = [int((value == i).sum()) for i in range(len(marks))]
        order = sorted(range(len(marks)), key=lambda i: -counts[i])
        shown = order if len(order) <= LEGEND_ENTRIES else order[: LEGEND_ENTRIES - 1]
        entries = [(self.names[i], marks[i]) for i in sorted(shown)]
        if len(shown) < len(order):
            other = ClassMark(MISSING, "o", "circle-open", "-", "solid")
            entries.append((f"and {len(order) - len(shown)} more classes", other))
        return entries

    def _scale(self, marks: Sequence[ClassMark], dark: bool) -> dict[str, Any]:
        """plotly's colour scale; classes are bands of it, so that colours stay a float array."""
        if not marks:
            bar = {"title": {"text": SCALE_TITLES[self.colour], "side": "right"}, "thickness": 14}
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
        kind = nodes["value"].to_numpy().astype(int) if lines else np.zeros(len(nodes), dtype=int)
        text: npt.NDArray[np.object_] = np.array(lines or [""], dtype=object)[kind]
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
        dots: dict[str, Any],
    ) -> None:
        # in tiny dots shapes cannot be told apart, and one collection keeps the draw order fair
        if len(points) > RASTER_ABOVE:
            colours = np.array([mark.colour for mark in marks], dtype=object)[value.astype(int)]
            paper_dots(axes, points, c=list(colours), zorder=3, **dots)
            return
        for index, mark in enumerate(marks):
            inside = value == index
            if inside.any():
                paper_dots(
                    axes, points[inside], color=mark.colour, marker=mark.marker, zorder=3, **dots
                )


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


def _summary(
    value: npt.NDArray[np.float32], names: Sequence[str], selected: npt.NDArray[np.bool_]
) -> str:
    if names:
        counts = [(int((value == i).sum()), name) for i, name in enumerate(names)]
        text = ", ".join(f"{count} {name}" for count, name in sorted(counts, reverse=True)[:8])
    else:
        known = value[~np.isnan(value)]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
        text = f"{len(known)} nodes with values from {low:.2f} to {high:.2f}"
    return text + (f", {int(selected.sum())} selected." if selected.any() else ".")
