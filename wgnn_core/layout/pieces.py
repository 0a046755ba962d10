"""The close-up of Algorithm 2: the pieces of V' that lose edges, each drawn by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wgnn_core.boundary import joins_classes
from wgnn_core.edgedrop import EdgeDrop
from wgnn_core.errors import WGNNError
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.layout.cut import Parts, growth, shares, surroundings
from wgnn_core.layout.packing import pack_rows
from wgnn_core.layout.stress import spread_out, stress_layout

Float64Array = npt.NDArray[np.float64]

NODES = 260
"""Nodes that a panel of 620 x 520 pixels shows well."""
MOST_PIECES = 24
LONGEST = 90.0
"""Pixels of an edge in a piece that has all the room it wants."""
HEADER = 16.0
"""Pixels at the top of a box that are left for a line of text."""
MARGIN = 12.0
EDGE_PIXELS = 20.0
NODE_PIXELS = 24.0
ROOM = 9.0
"""Nodes that the box of a piece has room for besides its own."""
SHAPE = 1.2
"""Wished width over height of a box."""
STRETCH = 1.6
"""A drawing fills its box by at most so much more stretch along one axis."""
OPENING = 0.6
AROUND_LENGTH = 0.6
LEAST_BUDGET, MOST_BUDGET = 10, 1000


@dataclass(frozen=True, eq=False)
class Piece:
    """One connected piece of the subgraph induced by V'.

    Attributes:
        corner: Lower left corner of its box, in pixels.
        size: Width and height of its box.
        nodes: Its nodes, all in V'.
        shown: How many of them are shown; a few more may stand in the surroundings.
        dropped: Its edges that go.
        crossing: How many of those join two classes.
        dropped_shown: How many of `dropped` are shown.
    """

    corner: tuple[float, float]
    size: tuple[float, float]
    nodes: int
    shown: int
    dropped: int
    crossing: int
    dropped_shown: int


@dataclass(frozen=True, eq=False)
class CloseUp:
    """What the two panels share: the same nodes at the same places, and what is left out.

    Coordinates are pixels on a canvas of `width` x `height`, y upwards. The edges among the
    nodes of a piece are all shown; so are those between a piece and its surroundings, and none
    between two nodes of the surroundings.

    Attributes:
        width: Of the canvas.
        height: Of the canvas.
        pieces: Largest loss first. If no edge is dropped, the pieces with most edges that could
            be, or the largest if V' is a forest.
        nodes: Node numbers of the shown nodes, ``[n]``.
        points: Their places, ``[n, 2]``.
        piece: Their piece, ``[n]``.
        inside: Whether a node belongs to its piece, or to the surroundings that are drawn faint.
        edges: Rows of `Graph.edges` that are shown, ``[e]``.
        pairs: The same edges as positions in `nodes`, ``[e, 2]``.
        pieces_hidden: Pieces that lose edges and are not shown.
        dropped_hidden: Dropped edges that are not shown, of shown pieces and of others.
        trimmed: Nodes of V' in shown pieces that are not shown.
        intact: Nodes of V' in pieces of two nodes or more that lose no edge and are not shown.
        lonely: Nodes of V' without an edge to another node of V', left out.
    """

    width: float
    height: float
    pieces: tuple[Piece, ...]
    nodes: IntArray
    points: Float64Array
    piece: IntArray
    inside: BoolArray
    edges: IntArray
    pairs: IntArray
    pieces_hidden: int
    dropped_hidden: int
    trimmed: int
    intact: int
    lonely: int


def close_up(
    edges: IntArray,
    drop: EdgeDrop,
    labels: IntArray,
    *,
    width: float = 620.0,
    height: float = 520.0,
    budget: int = NODES,
) -> CloseUp:
    """Lay out the pieces of V' that lose edges, like small multiples, largest loss first.

    Of each piece at least the ends of dropped edges are shown, with the paths of the spanning
    forest between them: the circles that dropping opens. What is shown of a piece is connected by
    its forest edges, so it stays connected after the drop, as the whole piece does. A piece too
    large for its share of the budget is cut around its densest losses. Free places go to
    neighbours outside.

    Args:
        edges: Edges of G, ``[E, 2]``.
        drop: Outcome of Algorithm 2.
        labels: True or predicted class of every node, ``[N]``.
        width: Width of the canvas in pixels.
        height: Height of the canvas in pixels.
        budget: Most nodes to show.
    """
    if not LEAST_BUDGET <= budget <= MOST_BUDGET:
        raise WGNNError(
            f"budget is {budget}; a close-up shows between {LEAST_BUDGET} and {MOST_BUDGET} nodes."
        )
    parts = Parts.of(edges, drop)
    listed = parts.listed[:MOST_PIECES]
    cores = shares([growth(edges, parts, p, budget) for p in listed], budget)
    fitting = [(p, core) for p, core in zip(listed, cores, strict=True) if len(core)]
    near = surroundings(parts.links, [core for _, core in fitting], budget)
    shown = [np.concatenate([core, rest]) for (_, core), rest in zip(fitting, near, strict=True)]
    boxes = pack_rows([len(nodes) + ROOM for nodes in shown], width, height, SHAPE)

    position, piece = (np.full(len(drop.least), -1) for _ in range(2))
    inside = np.zeros(len(drop.least), dtype=np.bool_)
    nodes = np.concatenate([np.empty(0, dtype=np.int64), *shown])
    position[nodes] = np.arange(len(nodes))
    piece[nodes] = np.repeat(np.arange(len(shown)), [len(members) for members in shown])
    for _, core in fitting:
        inside[core] = True
    u, v = edges.T
    drawn = np.flatnonzero((piece[u] >= 0) & (piece[u] == piece[v]) & (inside[u] | inside[v]))
    crossing = np.bincount(
        parts.of_edge[drop.dropped & joins_classes(edges, labels)], minlength=len(parts.nodes)
    )
    points = np.empty((len(nodes), 2))
    pieces = []
    for i, (p, core) in enumerate(fitting):
        mine = drawn[piece[u[drawn]] == i]
        lost = drop.dropped[mine]
        local = position[edges[mine]] - position[core[0]]
        corner, size = boxes.corner[i], boxes.size[i]
        points[piece[nodes] == i] = corner + _drawn(local, lost, len(core), size)
        pieces.append(
            Piece(
                corner=(float(corner[0]), float(corner[1])),
                size=(float(size[0]), float(size[1])),
                nodes=int(parts.nodes[p]),
                shown=len(core),
                dropped=int(parts.dropped[p]),
                crossing=int(crossing[p]),
                dropped_shown=int(lost.sum()),
            )
        )
    missing = np.ones(len(parts.nodes), dtype=np.bool_)
    missing[[p for p, _ in fitting]] = False
    losing, joined = parts.dropped > 0, parts.nodes > 1
    return CloseUp(
        width=width,
        height=height,
        pieces=tuple(pieces),
        nodes=nodes,
        points=points,
        piece=piece[nodes],
        inside=inside[nodes],
        edges=drawn,
        pairs=position[edges[drawn]],
        pieces_hidden=int((missing & losing).sum()),
        dropped_hidden=int(drop.dropped.sum()) - sum(one.dropped_shown for one in pieces),
        # a node of V' beside a piece is of that piece
        trimmed=sum(one.nodes for one in pieces) - int(drop.least[nodes].sum()),
        intact=int(parts.nodes[missing & joined & ~losing].sum()),
        lonely=int(parts.nodes[~joined].sum()),
    )


def _drawn(edges: IntArray, lost: BoolArray, own: int, size: Float64Array) -> Float64Array:
    """The places of one piece in a box of that size, below its line of text.

    Edges between nodes of many neighbours are longer, which opens what is dense, and edges to the
    surroundings, the nodes from `own` on, shorter.
    """
    num_nodes = int(edges.max()) + 1
    degree = np.bincount(edges[(edges < own).all(axis=1)].ravel(), minlength=num_nodes)
    lengths = np.maximum(1.0, OPENING * degree[edges].prod(axis=1) ** 0.25)
    lengths[(edges >= own).any(axis=1)] = AROUND_LENGTH
    inner = np.maximum(size - [2 * MARGIN, 2 * MARGIN + HEADER], 1.0)
    points = stress_layout(edges, lengths, num_nodes)
    if inner[1] > inner[0]:
        points = points[:, ::-1]
    low, high = points.min(axis=0), points.max(axis=0)
    scale = np.minimum(inner / np.maximum(high - low, 1e-6), LONGEST)
    scale = np.minimum(scale, STRETCH * scale.min())
    middle = inner / 2
    points = middle + scale * (points - (low + high) / 2)
    apart = min(NODE_PIXELS, 0.7 * float(np.sqrt(inner.prod() / num_nodes)))
    box = np.array([[0.0, 0.0], inner])
    return MARGIN + spread_out(points, box, apart, edges[lost], max(EDGE_PIXELS, apart))
