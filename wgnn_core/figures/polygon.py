"""The class polygon on a map: where its nodes stand, its corners, and the nodes that move.

Corners and moves are rows of the figure's table beside nodes and edges, so that both renderers
draw them from it.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from wgnn_core.errors import WGNNError
from wgnn_core.figures.base import ink
from wgnn_core.figures.maps import NODE, Points, nodes_of, plotly_layer
from wgnn_core.figures.scene import Scene
from wgnn_core.figures.style import CORRECT, WRONG, Style
from wgnn_core.figures.text import label, labels, paper_text, plotly_text
from wgnn_core.graph import FloatArray, Graph, IntArray
from wgnn_core.layout import class_polygon, corner_order, movers

CORNER, MOVE = "corner", "move"
TURNS = {"fixed": CORRECT, "broken": WRONG, "neither": "#8a8f98"}
"""What became of a node that moves, and the colour of its arrow."""
TURN_NAMES = {
    "fixed": "becomes right",
    "broken": "becomes wrong",
    "neither": "stays right or wrong",
}
LEAST_MOVE = 0.1
"""Nodes of which a smaller share changes corners have no arrow."""
BARB, BARB_ANGLE = 0.02, 0.45
"""Length of the two strokes of an arrowhead, the polygon's box being 1, and their angle."""
BEND, STEPS = 0.16, 9
"""How far arrows bend, their length being 1, and the points of the curve."""
TWO_LINES_UP_TO = 8
"""With more corners there is room for one line of text beside each, the name alone."""
OUTWARDS = 1.09
"""How far from the middle a name stands, its corner being at 1."""
LINE = 0.085
"""Names on one side are at least so far apart."""


@dataclass(frozen=True, eq=False)
class Placed:
    """Places on the polygon.

    Attributes:
        points: Of the nodes, ``[N, 2]``.
        rows: Corners and moves, for the table of the figure.
        moving: How many nodes move by `LEAST_MOVE` or more.
        shown: How many of them have arrows.
        classes: How many corners there are.
    """

    points: FloatArray
    rows: pd.DataFrame
    moving: int
    shown: int
    classes: int


def placed(scene: Scene, shown: IntArray, most: int) -> Placed:
    """Where the chosen model of a scene puts the nodes, and from where the base model does.

    Args:
        scene: Of one run.
        shown: The nodes that are drawn; only those have arrows.
        most: Arrows at most; they lead from the base model to the chosen one.

    Raises:
        WGNNError: The probabilities of the chosen model are not stored.
    """
    after = scene.result.prob(scene.at, scene.position)
    if after is None:
        raise WGNNError(f"{NOT_STORED}: {scene.source}.")
    first = scene.base.prob[scene.position]
    return place(scene.graph, first, None if scene.at.is_base else after, shown, most)


def place(
    graph: Graph, first: FloatArray, after: FloatArray | None, shown: IntArray, most: int
) -> Placed:
    """Where two models put the nodes; the corners are in the order that suits the first.

    Args:
        graph: The graph.
        first: Probabilities of the first model, ``[N, C]``.
        after: Those of the second, whose places are drawn; None to draw those of the first.
        shown: The nodes that are drawn.
        most: Arrows at most.
    """
    order = corner_order(graph.edges, first.argmax(-1), graph.num_classes)
    now = first if after is None else after
    polygon, names = class_polygon(now, order), labels(graph.class_names)
    held = np.bincount(now.argmax(-1), minlength=len(names))
    corners = pd.DataFrame(
        {
            "mark": CORNER,
            "node": order,
            "x": polygon.corners[order, 0],
            "y": polygon.corners[order, 1],
            "name": [names[k] for k in order],
            "held": held[order],
        }
    )
    if after is None:
        return Placed(polygon.points, corners, 0, 0, len(names))
    moving = movers(first, after, graph.num_nodes, LEAST_MOVE).nodes
    moving = moving[np.isin(moving, shown)]
    nodes = moving[:most]
    was = class_polygon(first, order).points[nodes]
    right, still = (p[nodes].argmax(-1) == graph.y[nodes] for p in (first, after))
    moves = pd.DataFrame(
        {
            "mark": MOVE,
            "node": nodes,
            "x": was[:, 0],
            "y": was[:, 1],
            "turn": np.select([~right & still, right & ~still], ["fixed", "broken"], "neither"),
        }
    )
    rows = pd.concat([corners, moves])
    return Placed(polygon.points, rows, len(moving), len(nodes), len(names))


NOT_STORED = (
    "the probabilities of its retrained models are not stored, as an older version trained them; "
    "delete the run and train it again"
)


def corners_of(data: pd.DataFrame) -> pd.DataFrame:
    return data[data["mark"] == CORNER]


@dataclass(frozen=True)
class Name:
    """The name of a corner and where it stands: `side` is -1 left, 0 above or below, 1 right."""

    x: float
    y: float
    side: int
    up: int
    lines: tuple[str, ...]


def corner_names(data: pd.DataFrame, length: int) -> list[Name]:
    """The names beside the corners, in lines of about `length` characters.

    Where corners are so many that two names would touch, the class with more nodes has its name.
    """
    corners = corners_of(data)
    two = len(corners) <= TWO_LINES_UP_TO
    at = 0.5 + OUTWARDS * (corners[["x", "y"]].to_numpy(dtype=float) - 0.5)
    found: list[Name] = []
    for i in np.argsort(-corners["held"].to_numpy(dtype=float), kind="stable"):
        x, y = at[i]
        side = 0 if abs(x - 0.5) < 0.02 else int(np.sign(x - 0.5))
        count = f" ({int(corners['held'].iloc[i]):,})"
        lines = _lines(str(corners["name"].iloc[i]), count, length, two)
        up = int(np.sign(y - 0.5)) if side == 0 else 0
        # a name above or below the polygon stands half a line off its corner
        room = [(LINE if n.side == side else LINE / 2) * (n.side * side >= 0) for n in found]
        if all(abs(n.y - y) >= least for n, least in zip(found, room, strict=True)):
            found.append(Name(float(x), float(y), side, up, lines))
    return found


def _lines(name: str, count: str, length: int, two: bool) -> tuple[str, ...]:
    if not two:
        return (label(name, length + 4),)
    first, *more = textwrap.wrap(name, length) or [name]
    rest = " ".join(more)
    if not rest and len(first + count) <= length:
        return (first + count,)
    rest = label(rest, length - len(count) + 4) + count if rest else count.strip()
    return label(first, length), rest


def arrows(data: pd.DataFrame) -> dict[str, npt.NDArray[np.float64]]:
    """The arrows of each turn as lines from the old place to the new and over both barbs.

    Many nodes jump from one corner to another. Each arrow bends to its right, one more than the
    next, so that they lie side by side and those of the other direction on the other side.
    """
    moves = data[data["mark"] == MOVE]
    nodes = nodes_of(data).set_index("node")
    start = moves[["x", "y"]].to_numpy(dtype=float)
    tip = nodes.loc[moves["node"], ["x", "y"]].to_numpy(dtype=float)
    right = (tip - start) @ _turn(-np.pi / 2)
    bend = BEND * (0.3 + (np.arange(len(moves)) * 0.618) % 1)
    control = (start + tip) / 2 + bend[:, None] * right
    t = np.linspace(0, 1, STEPS)[:, None, None]
    curve = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * tip
    back = control - tip
    length = np.maximum(np.hypot(*back.T), 1e-9)[:, None]
    unit = back / length * np.minimum(BARB, length / 2)
    barbs = [tip + unit @ _turn(angle) for angle in (BARB_ANGLE, -BARB_ANGLE)]
    paths = np.stack([*curve, barbs[0], tip, barbs[1]], axis=1)
    turn = moves["turn"].to_numpy(dtype=object) if len(moves) else np.zeros(0, dtype=object)
    return {name: paths[turn == name] for name in TURNS if (turn == name).any()}


def _turn(angle: float) -> npt.NDArray[np.float64]:
    """Turns rows of points counter-clockwise."""
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def outline(data: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Around the corners and back to the first, ``[C + 1, 2]``."""
    corners = corners_of(data)[["x", "y"]].to_numpy(dtype=float)
    return np.concatenate([corners, corners[:1]])


PAGE_LENGTH = 15
"""Characters in a line beside a corner on a page."""
PAGE_TEXT = 12
"""Pixels of those characters."""
PAGE_WIDTH = 480
"""Pixels of the narrowest page on which all of them can be read."""
WIDE, HIGH = 0.5, 1.25
"""Mean width of a character and height of a line, the type size being 1."""


def plotly_polygon(figure: go.Figure, data: pd.DataFrame, dark: bool) -> None:
    """The outline and the names of the corners; call it before the nodes are drawn."""
    round_, count = outline(data).astype(np.float32), len(nodes_of(data))
    plotly_layer(
        figure, count, x=round_[:, 0], y=round_[:, 1], mode="lines", hoverinfo="skip",
        line={"width": 1, "color": ink(dark).edge}, showlegend=False, name="polygon",
    )  # fmt: skip
    names = corner_names(data, PAGE_LENGTH)
    places = {(-1, 0): "middle left", (1, 0): "middle right", (0, 1): "top center"}
    figure.add_scatter(
        x=[name.x for name in names],
        y=[name.y for name in names],
        text=["<br>".join(map(plotly_text, name.lines)) for name in names],
        textposition=[places.get((n.side, n.up), "bottom center") for n in names],
        textfont={"size": 12, "color": ink(dark).text},
        mode="text",
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
        name="classes",
    )
    low, high = _extent(data, names, PAGE_WIDTH, PAGE_TEXT)
    # the ranges hold the names too; equal scales make one of them longer
    figure.update_xaxes(range=[low[0], high[0]])
    figure.update_yaxes(range=[low[1], high[1]])


def plotly_arrows(figure: go.Figure, data: pd.DataFrame) -> None:
    """The moves; call it after the nodes are drawn."""
    for turn, paths in arrows(data).items():
        gaps = np.full((len(paths), 1, 2), np.nan)
        path = np.concatenate([paths, gaps], axis=1).astype(np.float32)
        plotly_layer(
            figure,
            len(nodes_of(data)),
            x=path[..., 0].ravel(),
            y=path[..., 1].ravel(),
            mode="lines",
            line={"width": 1.4, "color": TURNS[turn]},
            hoverinfo="skip",
            connectgaps=False,
            name=f"{TURN_NAMES[turn]} ({len(paths)})",
        )


def paper_polygon(axes: Axes, data: pd.DataFrame, style: Style) -> list[Line2D]:
    """Outline, names and arrows on paper; returns the arrows' entries for the legend."""
    round_ = outline(data)
    axes.plot(round_[:, 0], round_[:, 1], color="#c4c8ce", linewidth=0.6 * style.scale, zorder=0)
    for name in corner_names(data, _paper_length(style)):
        axes.text(
            name.x,
            name.y,
            "\n".join(paper_text(line) for line in name.lines),
            ha={-1: "right", 0: "center", 1: "left"}[name.side],
            va={1: "bottom", -1: "top", 0: "center"}[name.up],
            fontsize=style.small,
            linespacing=1.0,
        )
    handles = []
    for turn, paths in arrows(data).items():
        line: dict[str, Any] = {"linewidth": 0.7 * style.scale}
        axes.add_collection(
            LineCollection(list(paths), colors=TURNS[turn], zorder=5, linewidths=0.6 * style.scale)
        )
        told = f"{TURN_NAMES[turn]} ({len(paths)})"
        handles.append(Line2D([], [], color=TURNS[turn], label=told, **line))
    return handles


def paper_extent(data: pd.DataFrame, style: Style, share: float) -> Points:
    """Two opposite corners of a box that holds the polygon and its names.

    Args:
        data: The table of the figure.
        style: Look of the figure.
        share: Part of the width that the map has.
    """
    names = corner_names(data, _paper_length(style))
    return np.stack(_extent(data, names, style.inches * 72 * share, style.small))


def _paper_length(style: Style) -> int:
    return int(np.clip(0.24 * style.inches * 72 / (0.52 * style.small), 10, 18))


def _extent(
    data: pd.DataFrame, names: list[Name], width: float, text: float
) -> tuple[Points, Points]:
    """The lowest and the highest x and y of a box `width` points wide that holds the names too."""
    both = data[data["mark"].isin([NODE, CORNER])][["x", "y"]].to_numpy(dtype=float)
    at, reach = [], []
    for name in names:
        wide, high = WIDE * text * max(map(len, name.lines)), HIGH * text * len(name.lines)
        for sign in (-1, 1):
            at.append([name.x, name.y])
            reach.append([_past(sign, name.side) * wide, _past(sign, name.up) * high])
    places, past = np.concatenate([both, at]), np.concatenate([0 * both, reach])
    scale = width  # points for the length 1: as many as leave room for all
    for _ in range(20):
        ends = scale * places[:, 0] + past[:, 0]
        scale *= width / np.ptp(ends)
    ends = places + past / scale
    return ends.min(axis=0).astype(np.float32), ends.max(axis=0).astype(np.float32)


def _past(sign: int, side: int) -> float:
    """How far a text that stands at a side reaches to the left (or down) or to the right (up)."""
    return sign * (0.5 if side == 0 else float(sign == side))


def explained(found: Placed) -> str:
    """How to read it, in a sentence or two."""
    brackets = " (in brackets: nodes predicted as it)" if found.classes <= TWO_LINES_UP_TO else ""
    text = (
        f"Each class is a corner{brackets}, and a node stands at the "
        "mean of the corners weighted by its squared probabilities: the sure ones at a corner, "
        "the undecided ones between."
    )
    if found.classes == 2:
        text += " With two classes the height of a node means nothing."
    if found.shown:
        most = f"{found.shown:,} of {found.moving:,} nodes that move most"
        if found.shown == found.moving:
            most = f"{found.shown:,} nodes that move by a tenth of their weight or more"
        text += f" Arrows lead from the base model to the retrained one, for the {most}."
    return text
