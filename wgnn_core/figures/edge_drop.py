"""Algorithm 2 before and after: the same nodes, with forest, dropped and kept edges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure
from matplotlib.lines import Line2D

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.figures.base import RASTER_ABOVE, TITLE_PIXELS, Figure, ink, legend_below, page
from wgnn_core.figures.maps import (
    EDGE,
    NODE,
    bands,
    bare,
    bare_plotly,
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
from wgnn_core.figures.scene import OfModel, Scene
from wgnn_core.figures.style import Style, class_mark
from wgnn_core.figures.text import label, labels, plotly_text
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.intervention import Intervention

KEPT, FOREST, DROPPED = "kept", "forest", "dropped"
NAMES = {KEPT: "kept edges", FOREST: "spanning forest", DROPPED: "dropped edges"}
WIDTH = {KEPT: 0.5, FOREST: 1.3, DROPPED: 1.3}
COLOUR = {KEPT: "#b4b9c2", FOREST: "#3d4656", DROPPED: "#E3003A"}
DARK_COLOUR = {KEPT: "#4b5260", FOREST: "#c9ced6", DROPPED: "#FF5C7A"}
PANELS = ("Before", "After")
PANEL_PIXELS = 430
"""Height of a panel as a page of its own."""
PANEL_CSS = (
    "h1 { display: none } body { margin: 0 } #mynetwork { box-sizing: border-box; "
    "border: 1px solid rgba(128, 128, 128, 0.35) !important; border-radius: 8px }"
)


@dataclass(frozen=True)
class EdgeDropChoices(OfModel):
    """`at` may be any wGNN, trained or not: Algorithm 2 needs the base model alone.

    By default it is what validation chose, else the first of the run that drops edges.
    """

    max_nodes: int = hyper(600, "nodes of edge-drop, those around V' first", 1, 1_000_000)


@dataclass(frozen=True, eq=False)
class EdgeDropMap(Figure):
    """Two panels with the same coordinates; dropped edges are drawn in the first only."""

    kind: ClassVar[str] = "edge-drop"
    drawn: ClassVar[tuple[str, ...]] = ("x", "y")
    choices: ClassVar[type[EdgeDropChoices]] = EdgeDropChoices

    names: tuple[str, ...]

    @classmethod
    def missing(cls, scene: Scene) -> str:
        return "" if _shown(scene) else "none of its etas drops edges (eta1 and eta2 above 0)"

    @classmethod
    def make(cls, scene: Scene) -> EdgeDropMap:
        graph, at = scene.graph, _shown(scene)[0]
        drop = scene.result.plan(at, scene.position).edge_drop
        figure = cls.of(
            scene.xy,
            graph.edges,
            forest=drop.forest,
            dropped=drop.dropped,
            least=drop.least,
            classes=graph.y,
            class_names=graph.class_names,
            graph=f"{graph.name}, {replace(at, eta0=0.0).text}",
        ).around_dropped(scene.choices.max_nodes)
        return replace(figure, caption=f"{figure.caption} {scene.whose}")

    @classmethod
    def of(
        cls,
        xy: npt.ArrayLike,
        edges: IntArray,
        *,
        forest: BoolArray,
        dropped: BoolArray,
        least: BoolArray,
        classes: IntArray,
        class_names: Sequence[str],
        graph: str,
    ) -> EdgeDropMap:
        """From the outcome of Algorithm 2.

        Args:
            xy: Layout, ``[N, 2]``.
            edges: Edges of G, ``[E, 2]``.
            forest: Edges of the spanning forest, ``[E]``.
            dropped: Edges that go, ``[E]``; disjoint from `forest`.
            least: V', the nodes of smallest w, ``[N]``.
            classes: True or predicted class of each node, ``[N]``.
            class_names: Their names.
            graph: Name of the graph.
        """
        if (forest & dropped).any():
            edge = int(np.argmax(forest & dropped))
            raise WGNNError(f"edge {edge} is in the forest and dropped; it can only be one.")
        state = np.where(dropped, DROPPED, np.where(forest, FOREST, KEPT))
        names = labels(class_names)
        columns = {
            "class": np.asarray(classes),
            "class_name": np.array(names, dtype=object)[classes],
            "least": np.asarray(least, dtype=bool),
        }
        counts = f"{int(dropped.sum())} of {len(edges)} edges"
        return cls(
            map_table(xy, edges, columns, {"state": state}),
            title=f"Edges dropped by Algorithm 2 on {label(graph)}",
            caption=(
                f"The graph before and after {counts} among the {int(least.sum())} nodes of least "
                "w are dropped (large dots: those nodes, colours: classes); the forest keeps every "
                "component in one piece, and look how many dropped edges join two classes."
            ),
            alt=(
                f"Two maps of {label(graph)} side by side: {counts} are dropped, "
                f"{int(forest.sum())} are kept as a spanning forest of {int(least.sum())} nodes."
            ),
            names=tuple(names),
        )

    def around_dropped(self, max_nodes: int = 600) -> EdgeDropMap:
        """The induced subgraph of at most `max_nodes` nodes nearest to what Algorithm 2 did.

        First the ends of dropped edges, then the rest of V', then their neighbours, then others,
        each in order of node number.
        """
        nodes, links = nodes_of(self.data), self.data[self.data["mark"] == EDGE]
        if len(nodes) <= max_nodes:
            return self
        pairs = links[["node", "to"]].to_numpy(dtype=np.int64)
        number = nodes["node"].to_numpy()
        near = np.isin(number, pairs[(links["state"] == DROPPED).to_numpy()])
        least = nodes["least"].to_numpy(dtype=bool)
        touches = np.isin(pairs, number[least]).any(axis=1)
        priority = np.where(
            near, 0, np.where(least, 1, np.where(np.isin(number, pairs[touches]), 2, 3))
        )
        chosen = np.sort(number[np.argsort(priority, kind="stable")[:max_nodes]])
        inside = self.data["node"].isin(chosen) & (
            (self.data["mark"] == NODE) | self.data["to"].isin(chosen)
        )
        note = f" Shown: {max_nodes} of {len(nodes)} nodes, those around V'."
        return replace(
            self,
            data=self.data[inside].reset_index(drop=True),
            caption=self.caption + note,
            alt=self.alt + note,
        )

    def _pairs(self, state: str) -> IntArray:
        """Edges in `state` as positions among the drawn nodes."""
        links = (self.data["mark"] == EDGE) & (self.data["state"] == state)
        return pairs_of(self.data, self.data[links])

    def to_plotly(self, dark: bool = False) -> go.Figure:
        nodes, points = nodes_of(self.data), points_of(self.data)
        figure = page(self.title, dark)
        figure.update_layout(
            margin={"l": 12, "r": 12, "t": TITLE_PIXELS + 36, "b": 12},
            xaxis={"domain": [0, 0.49]},
            xaxis2={"domain": [0.51, 1], "anchor": "y2"},
            yaxis2={"anchor": "x2"},
        )
        for place, name in zip((0.245, 0.755), PANELS, strict=True):
            at = {"x": place, "y": 1, "xref": "paper", "yref": "paper", "yanchor": "bottom"}
            figure.add_annotation(text=name, showarrow=False, **at)
        colours = DARK_COLOUR if dark else COLOUR
        size = page_size(len(nodes))
        least = nodes["least"].to_numpy(dtype=bool)
        scale_of = bands([class_mark(i, dark=dark).colour for i in range(len(self.names))])
        hover = np.array([f"<br>{plotly_text(name)}" for name in self.names], dtype=object)
        kind = nodes["class"].to_numpy(dtype=int)
        for column in (1, 2):
            for state in (KEPT, FOREST, DROPPED):
                if state == DROPPED and column == 2:
                    continue
                line = {
                    "width": 2 * WIDTH[state],
                    "color": colours[state],
                    "dash": "dash" if state == DROPPED else "solid",
                }
                trace = {"name": NAMES[state], "legendgroup": state, "showlegend": column == 1}
                plotly_edges(figure, points, self._pairs(state), line, **trace, **_axes(column))
            for part, scale in ((~least, 0.7), (least, 1.2)):
                plotly_layer(
                    figure,
                    len(nodes),
                    x=points[part, 0],
                    y=points[part, 1],
                    mode="markers",
                    marker={
                        "size": size * scale,
                        "color": kind[part].astype(np.float32),
                        **scale_of,
                        "line": {"width": 0.8 if scale > 1 else 0, "color": ink(dark).text},
                    },
                    customdata=nodes["node"].to_numpy(dtype=np.int32)[part],
                    text=hover[kind[part]],
                    hovertemplate="node %{customdata}%{text}<extra></extra>",
                    showlegend=False,
                    **_axes(column),
                )
        bare_plotly(figure)
        figure.update_xaxes(matches="x")
        figure.update_yaxes(matches="y")
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        nodes, points = nodes_of(self.data), points_of(self.data)
        width, height = np.maximum(np.ptp(points, axis=0), 1e-6)
        panel = 0.5 * style.inches * float(np.clip(height / width, 0.5, 1.15))
        words = (4 + 2 * style.titled) * 1.2 * style.points / 72
        paper = PaperFigure(figsize=(style.inches, panel + words), layout="constrained")
        total = len(self.data)
        size = 0.8 * paper_size(len(nodes), style)
        thin = float(np.clip(9 / np.sqrt(total), 0.3, 1)) * style.scale
        least = nodes["least"].to_numpy(dtype=bool)
        kind = nodes["class"].to_numpy(dtype=int)
        for column, name in enumerate(PANELS):
            axes = paper.add_subplot(1, 2, column + 1)
            axes.set_title(name)
            for order, state in enumerate((KEPT, FOREST, DROPPED)):
                if state == DROPPED and column == 1:
                    continue
                look = _line(state, thin if state == KEPT else max(thin, 0.55 * style.scale))
                paper_edges(axes, points, self._pairs(state), total, zorder=order, **look)
            for index in np.unique(kind):
                mark = class_mark(int(index), style.palette)
                for part, scale in ((~least, 0.7), (least, 1.15)):
                    inside = part & (kind == index)
                    paper_dots(
                        axes,
                        points[inside],
                        s=(size * scale) ** 2,
                        marker=mark.marker,
                        color=mark.colour,
                        linewidths=0.4 * thin * (scale > 1),
                        edgecolors="#1f2430",
                        rasterized=total > RASTER_ABOVE,
                        zorder=4,
                    )
            bare(axes, points)
            # a box that shrinks to the map confuses the layout, and titles leave the page
            axes.set_aspect("equal", adjustable="datalim")
            axes.set_autoscale_on(True)  # else matplotlib logs that it widens the limits
        legend_below(
            paper,
            [
                Line2D([], [], label=NAMES[state], **_legend_line(state, style))
                for state in (FOREST, DROPPED, KEPT)
            ],
        )
        return paper

    def to_pyvis_html(self, after: bool, max_nodes: int = 600, dark: bool = False) -> str:
        """One panel as a page of its own that loads nothing from outside.

        Args:
            after: The second panel, without the dropped edges.
            max_nodes: See `around_dropped`.
            dark: Dark background.
        """
        part = self.around_dropped(max_nodes)
        nodes, points = nodes_of(part.data), points_of(part.data)
        spread = np.ptp(points, axis=0).max() or 1.0
        place = (points - points.mean(axis=0)) / spread * 700 * [1, -1]  # screens count downwards
        colours = DARK_COLOUR if dark else COLOUR
        from pyvis.network import Network  # slow to import, and few processes need it

        net = Network(
            height=f"{PANEL_PIXELS}px",
            width="100%",
            bgcolor=ink(dark).background,
            cdn_resources="in_line",
        )
        net.templateEnv = _templates()
        net.toggle_physics(False)
        # filled directly: add_edge looks through all edges for each one
        for i, (number, kind, least) in enumerate(
            zip(nodes["node"], nodes["class"].astype(int), nodes["least"], strict=True)
        ):
            net.nodes.append(
                {
                    "id": i,
                    "shape": "dot",
                    "title": _vis_title(f"node {int(number)}\n{part.names[kind]}"),
                    "x": float(place[i, 0]),
                    "y": float(place[i, 1]),
                    "size": 9 if least else 5,
                    "color": class_mark(kind, dark=dark).colour,
                    "physics": False,
                }
            )
            net.node_ids.append(i)
        for state in (KEPT, FOREST) if after else (KEPT, FOREST, DROPPED):
            width = {KEPT: 1.0, FOREST: 1.6, DROPPED: 4.0}[state]
            style = {"color": colours[state], "width": width}
            style |= {"dashes": state == DROPPED, "title": NAMES[state], "physics": False}
            net.edges += [{"from": int(u), "to": int(v), **style} for u, v in part._pairs(state)]
        return _offline(net.generate_html(notebook=False))


def _shown(scene: Scene) -> list[Intervention]:
    """What is asked for, else the finished interventions that drop edges, the chosen one first."""
    if scene.choices.at is not None:
        return [scene.choices.at]
    best = scene.result.chosen
    every = [*([best] if best is not None else []), *scene.result.finished]
    return [one for one in every if one.drops_edges]


@cache
def _templates() -> Any:
    """Compiled once: pyvis compiles its templates for every network, most of a panel's time."""
    from pyvis.network import Network

    return Network().templateEnv


def _axes(column: int) -> dict[str, str]:
    return {"xaxis": "x", "yaxis": "y"} if column == 1 else {"xaxis": "x2", "yaxis": "y2"}


def _line(state: str, scale: float) -> dict[str, Any]:
    dash = (0, (3, 1.2)) if state == DROPPED else "-"
    width = 0.75 * WIDTH[state] * scale
    return {"colors": COLOUR[state], "linewidths": width, "linestyles": [dash]}


def _legend_line(state: str, style: Style) -> dict[str, Any]:
    line = _line(state, style.scale)
    return {
        "color": line["colors"],
        "linewidth": 1.4 * line["linewidths"],
        "linestyle": line["linestyles"][0],
    }


def _vis_title(text: str) -> str:
    """pyvis sets a title as HTML as soon as one of them holds ``href``: none may."""
    return re.sub(
        "href", lambda m: m[0][:2] + "\N{ZERO WIDTH NON-JOINER}" + m[0][2:], text, flags=re.I
    )


def _offline(page_source: str) -> str:
    """Without the tags by which pyvis loads Bootstrap and others from outside, and its headings."""
    outside = r"<(link|script)\b[^>]*\b(?:href|src)\s*=[^>]*>(?:\s*</script>)?"
    return re.sub(outside, "", page_source).replace("</head>", f"<style>{PANEL_CSS}</style></head>")
