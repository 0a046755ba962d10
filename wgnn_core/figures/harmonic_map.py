"""The smooth interpolation f~ as layers on the map (Theorem 1, the paper's Figure 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.colors import BoundaryNorm, to_hex
from matplotlib.figure import Figure as PaperFigure
from matplotlib.lines import Line2D

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.figures.base import RASTER_ABOVE, Figure, ink, legend_below, page
from wgnn_core.figures.maps import (
    LEGEND_ABOVE,
    MARGIN_ABOVE,
    bar_below,
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
from wgnn_core.figures.scene import OfSeed, Scene
from wgnn_core.figures.style import MISSING, Style
from wgnn_core.figures.text import label, paper_text
from wgnn_core.graph import BoolArray, Graph
from wgnn_core.theory.harmonic import smooth_interpolation

SCALE_TITLE = "Smooth interpolation (0 to 1)"
POLES = {0: ("O₀: observed as 0", "s", "square"), 1: ("O₁: observed as 1", "^", "triangle-up")}
PATH_COLOUR = "#D55E00"


@dataclass(frozen=True)
class HarmonicMapChoices(OfSeed):
    """Which class; the seed is whose training nodes are observed."""

    label: str | None = hyper(
        None, "class of harmonic-map, name or number; the first if none", flag="--class"
    )


@dataclass(frozen=True, eq=False)
class HarmonicMap(Figure):
    """Nodes coloured by the layer of f~ they lie in, the observed nodes as poles."""

    kind: ClassVar[str] = "harmonic-map"
    drawn: ClassVar[tuple[str, ...]] = ("x", "y", "f")
    choices: ClassVar[type[HarmonicMapChoices]] = HarmonicMapChoices
    runs: ClassVar[tuple[int, int]] = (0, 1)

    layers: int

    @classmethod
    def make(cls, scene: Scene) -> HarmonicMap:
        """O_1: training nodes of the class, O_0: those of all others (Section 3.1)."""
        graph, train = scene.graph, scene.split.train
        chosen = scene.choices.label
        number = class_number(graph, chosen) if chosen else int(graph.y[train].min())
        ones, zeros = train & (graph.y == number), train & (graph.y != number)
        return cls.of(
            scene.xy,
            scene.edges,
            smooth_interpolation(graph.adjacency, zeros, ones),
            zeros=zeros,
            ones=ones,
            graph=graph.title,
            class_name=graph.class_names[number],
        )

    @classmethod
    def of(
        cls,
        xy: npt.ArrayLike,
        edges: npt.ArrayLike,
        f: npt.ArrayLike,
        *,
        zeros: BoolArray,
        ones: BoolArray,
        graph: str,
        class_name: str,
        layers: int = 5,
        path: Sequence[int] = (),
    ) -> HarmonicMap:
        """From the result of `theory.harmonic.smooth_interpolation`.

        Args:
            xy: Layout, ``[N, 2]``.
            edges: Edges, ``[E, 2]``.
            f: f~ in [0, 1], nan where nothing is observed, ``[N]``.
            zeros: O_0, ``[N]``.
            ones: O_1, ``[N]``.
            graph: Name of the graph.
            class_name: The class whose weights are interpolated.
            layers: Number of colour steps.
            path: Nodes of a rising path to draw, in order.
        """
        value = np.asarray(f, dtype=float)
        known = np.isfinite(value)
        if not 2 <= layers <= 20:
            raise WGNNError(f"the map has {layers} layers; it must have 2 to 20.")
        if ((value[known] < 0) | (value[known] > 1)).any():
            raise WGNNError(f"f~ reaches {value[known].max():g}; it must lie in 0 to 1.")
        step = np.full(len(value), pd.NA, dtype=object)
        along = step.copy()
        observed = step.copy()
        step[known] = np.minimum((value[known] * layers).astype(int), layers - 1)
        observed[np.asarray(zeros)], observed[np.asarray(ones)] = 0, 1
        along[list(path)] = range(len(path))
        columns = {"f": value, "layer": step, "observed": observed, "path_order": along}
        data = map_table(xy, edges, columns)
        data = data.astype(dict.fromkeys(("layer", "observed", "path_order"), "Int64"))
        return cls(
            data,
            title=f"Smooth interpolation of class {label(class_name)} on {label(graph)}",
            caption=(
                f"The smooth interpolation between nodes observed as class {label(class_name)} "
                "(triangles, 1) and as another class (squares, 0); it rises in layers from one "
                "pole to the other, and the class boundary lies where it is far from both."
            ),
            alt=(
                f"Map of {label(graph)} in {layers} layers of the smooth interpolation: "
                f"{int(np.sum(zeros))} nodes observed as 0, {int(np.sum(ones))} as 1, "
                f"{int((~known).sum())} without value."
            ),
            layers=layers,
        )

    def _path(self) -> npt.NDArray[np.float32]:
        rows = nodes_of(self.data).dropna(subset="path_order").sort_values("path_order")
        return np.asarray(rows[["x", "y"]], dtype=np.float32)

    def to_plotly(self, dark: bool = False) -> go.Figure:
        nodes, points = nodes_of(self.data), points_of(self.data)
        figure = page(self.title, dark, legend=LEGEND_ABOVE)
        figure.update_layout(margin=MARGIN_ABOVE)
        pairs = pairs_of(self.data)
        if len(pairs):
            line = {"width": 0.6, "color": ink(dark).edge}
            plotly_edges(figure, points, pairs, line, showlegend=False)
        value = nodes["f"].to_numpy(dtype=np.float32)
        missing = np.isnan(value)
        steps = matplotlib.colormaps["viridis"](np.linspace(0, 1, self.layers))
        bands = [
            [(i + j) / self.layers, to_hex(steps[i])] for i in range(self.layers) for j in (0, 1)
        ]
        scale: dict[str, Any] = {"colorscale": bands, "cmin": 0, "cmax": 1, "showscale": True}
        ticks = np.linspace(0, 1, self.layers + 1).round(3)
        scale["colorbar"] = bar_below(SCALE_TITLE, tickvals=ticks)
        size = page_size(len(nodes))
        for part, marker in (
            (~missing, scale | {"color": value[~missing]}),
            (missing, {"color": MISSING}),
        ):
            if part.any():
                plotly_layer(
                    figure,
                    len(nodes),
                    x=points[part, 0],
                    y=points[part, 1],
                    mode="markers",
                    marker={"size": size, **marker},
                    customdata=np.stack([nodes["node"], nodes["f"]], axis=1)[part],
                    hovertemplate="node %{customdata[0]}<br>"
                    "smooth interpolation %{customdata[1]:.3f}<extra></extra>",
                    showlegend=False,
                )
        route = self._path()
        if len(route):
            line = {"color": PATH_COLOUR, "width": 3}
            figure.add_scatter(
                x=route[:, 0], y=route[:, 1], mode="lines", line=line, name="rising path"
            )
        for pole, (name, _, symbol) in POLES.items():
            inside = (nodes["observed"] == pole).fillna(False).to_numpy(dtype=bool)
            edge = {"width": 1.5, "color": ink(dark).text}
            plotly_layer(
                figure,
                len(nodes),
                x=points[inside, 0],
                y=points[inside, 1],
                mode="markers",
                marker={
                    "size": size + 6,
                    "symbol": symbol,
                    "color": to_hex(steps[-pole]),
                    "line": edge,
                },
                name=name,
                hoverinfo="skip",
            )
        bare_plotly(figure)
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        nodes, points, pairs = nodes_of(self.data), points_of(self.data), pairs_of(self.data)
        paper = PaperFigure(figsize=style.size(map_ratio(points, bar=True)), layout="constrained")
        axes = paper.add_subplot()
        total = len(self.data)
        raster = total > RASTER_ABOVE
        size = paper_size(len(nodes), style)
        if len(pairs):
            paper_edges(axes, points, pairs, total, zorder=1, **edge_layer(len(pairs), style))
        value = nodes["f"].to_numpy(dtype=float)
        missing = np.isnan(value)
        handles = []
        if missing.any():
            paper_dots(
                axes, points[missing], s=size**2, color=MISSING, linewidths=0, rasterized=raster
            )
            grey: dict[str, Any] = {"color": MISSING, "marker": "o", "linestyle": "none"}
            name = f"no observed node reached ({int(missing.sum())})"
            handles.append(Line2D([], [], label=name, markeredgewidth=0, **grey))
        colours = matplotlib.colormaps[style.sequential].resampled(self.layers)
        edges = np.linspace(0, 1, self.layers + 1)
        drawn = paper_dots(
            axes,
            points[~missing],
            c=value[~missing],
            s=size**2,
            cmap=colours,
            norm=BoundaryNorm(edges, self.layers),
            linewidths=0,
            rasterized=raster,
            zorder=3,
        )
        bar = paper.colorbar(drawn, ax=axes, fraction=0.045, pad=0.02, aspect=28)
        bar.set_label(SCALE_TITLE)
        bar.set_ticks(list(edges), labels=[f"{edge:.3g}" for edge in edges])
        bar.outline.set_visible(False)
        route = self._path()
        if len(route):
            line: dict[str, Any] = {"color": PATH_COLOUR, "linewidth": 1.3 * style.scale}
            axes.plot(route[:, 0], route[:, 1], zorder=4, **line)
            handles.append(Line2D([], [], label="rising path", **line))
        for pole, (name, marker, _) in POLES.items():
            inside = (nodes["observed"] == pole).fillna(False).to_numpy(dtype=bool)
            look: dict[str, Any] = {"marker": marker, "color": colours(float(pole))}
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
        bare(axes, points)
        legend_below(paper, handles)
        return paper


def class_number(graph: Graph, text: str) -> int:
    """A class by its name, else by its number."""
    if text in graph.class_names:
        return graph.class_names.index(text)
    if text.isdecimal() and int(text) < graph.num_classes:
        return int(text)
    raise WGNNError(
        f"{graph.title} has no class {text!r}; it has {', '.join(graph.class_names)}, numbered "
        f"0 to {graph.num_classes - 1}."
    )
