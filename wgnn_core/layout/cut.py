"""Which nodes a close-up of Algorithm 2 shows: the circles that dropping opens, cut to a budget."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from wgnn_core.edgedrop import EdgeDrop
from wgnn_core.graph import BoolArray, IntArray

Float64Array = npt.NDArray[np.float64]

LOSSES_PER_NODE = 0.4
"""More dropped edges than this for each node of the budget make a tangle."""
AROUND = 0.4
"""Nodes of the surroundings for each node of a piece."""
LOOK_AT = 8
"""Of a piece the LOOK_AT x budget nodes nearest to its densest loss are candidates."""
LOST = 1e6
"""Larger than any number of neighbours."""


@dataclass(frozen=True, eq=False)
class Parts:
    """The connected pieces of the subgraph induced by V'; nodes outside are pieces of one node.

    Attributes:
        links: Adjacency of G, with the entry `LOST` for dropped edges.
        forest: Adjacency of the spanning forest.
        of_edge: Piece of each edge inside V', -1 for other edges.
        focus: The edges that a close-up is about: those that are dropped; if there are none those
            that could be, and if there are none either the forest.
        nodes: Nodes of V' in each piece.
        dropped: Dropped edges of each piece.
        listed: Pieces to show, those with most edges of `focus` first.
    """

    links: sparse.csr_array
    forest: sparse.csr_array
    of_edge: IntArray
    focus: BoolArray
    nodes: IntArray
    dropped: IntArray
    listed: list[int]

    @classmethod
    def of(cls, edges: IntArray, drop: EdgeDrop) -> Parts:
        n = len(drop.least)
        forest = _adjacency(edges[drop.forest], n, np.ones(int(drop.forest.sum())))
        # the forest spans each piece, so its components are the pieces
        count, piece = csgraph.connected_components(forest, directed=False)
        induced = drop.least[edges].all(axis=1)
        of_edge = np.where(induced, piece[edges[:, 0]], -1)
        choices = (drop.dropped, induced & ~drop.forest, drop.forest)
        focus = next((mask for mask in choices if mask.any()), drop.forest)
        weight, inner, dropped = (
            np.bincount(of_edge[mask], minlength=count) for mask in (focus, induced, drop.dropped)
        )
        order = np.lexsort((np.arange(count), -inner, -weight))
        return cls(
            links=_adjacency(edges, n, np.where(drop.dropped, LOST, 1.0)),
            forest=forest,
            of_edge=of_edge,
            focus=focus,
            nodes=np.bincount(piece[drop.least], minlength=count),
            dropped=dropped,
            listed=order[: int((weight > 0).sum())].tolist(),
        )


@dataclass(frozen=True, eq=False)
class Growth:
    """Nodes of a piece in the order in which a cut takes them in.

    Attributes:
        order: Node numbers.
        ends: Numbers of nodes at which a cut may end, never falling.
        losses: Dropped edges (see `Parts.focus`) inside each of those cuts.
    """

    order: IntArray
    ends: IntArray
    losses: IntArray


def growth(edges: IntArray, parts: Parts, piece: int, budget: int) -> Growth:
    """From the densest loss outwards: always the dropped edges that need the fewest new nodes.

    A dropped edge needs its two ends and the forest paths that join them to what is there. Of a
    large piece only the nodes nearest to the start are looked at.
    """
    num_nodes = parts.forest.shape[0]
    ends = edges[parts.focus & (parts.of_edge == piece)]
    degree = np.bincount(ends.ravel(), minlength=num_nodes)
    near = degree.copy()
    np.add.at(near, ends, degree[ends[:, ::-1]])
    order, parent = csgraph.breadth_first_order(parts.forest, int(near.argmax()), directed=False)
    order = order[: LOOK_AT * budget].astype(np.int64)
    position = np.full(num_nodes, -1)
    position[order] = np.arange(len(order))
    up = np.append(0, position[parent[order[1:]]])  # the root is its own parent
    pairs = position[ends]
    return _grown(order, up, pairs[(pairs >= 0).all(axis=1)], budget)


def _grown(order: IntArray, up: IntArray, pairs: IntArray, budget: int) -> Growth:
    """`growth` on positions in a breadth-first order, where a parent stands before its child."""
    depth = np.zeros(len(order), dtype=np.int64)
    for i in range(1, len(order)):
        depth[i] = depth[up[i]] + 1
    levels = np.searchsorted(depth, np.arange(depth[-1] + 2))
    taken, ends = [0], list[int]()
    inside = np.arange(len(order)) == 0
    while len(taken) < budget:
        hops = np.zeros(len(order), dtype=np.int64)
        for first, last in pairwise(levels.tolist()):
            hops[first:last] = np.where(inside[first:last], 0, hops[up[first:last]] + 1)
        cost = hops[pairs].sum(axis=1)
        if not (cost > 0).any():
            break
        for pair in pairs[cost == cost[cost > 0].min()].tolist():
            for node in pair:
                while not inside[node]:
                    inside[node] = True
                    taken.append(node)
                    node = int(up[node])
            ends.append(len(taken))
    rank = np.full(len(order), len(order))
    rank[taken] = np.arange(len(taken))
    if not ends:  # every loss is far away; no cut can show one
        return Growth(order, np.array([len(order) + budget]), np.array([0]))
    losses = np.searchsorted(np.sort(rank[pairs].max(axis=1)), ends)
    return Growth(order[taken], np.array(ends), losses)


def shares(growths: list[Growth], budget: int) -> list[IntArray]:
    """The nodes of each piece, such that small pieces are whole and large ones share the rest.

    A piece whose smallest cut is larger than its share is left out.
    """
    nodes = _level([int(g.ends[-1]) for g in growths], budget)
    losses = _level([int(g.losses[-1]) for g in growths], int(LOSSES_PER_NODE * budget))
    cores = []
    for grown in growths:
        few = grown.losses <= losses
        few[0] = True  # the smallest cut closes more than one circle only where all are small
        fits = grown.ends[few & (grown.ends <= nodes)]
        cores.append(grown.order[: fits[-1] if len(fits) else 0])
    return cores


def _level(wants: list[int], total: int) -> int:
    """The largest share such that all together take at most `total`."""
    left = total
    for i, want in enumerate(sorted(wants)):
        share = left // (len(wants) - i)
        if want > share:
            return share
        left -= want
    return max(wants, default=0)


def surroundings(links: sparse.csr_array, cores: list[IntArray], budget: int) -> list[IntArray]:
    """Neighbours of each piece, those with the fewest edges to it: they hide least.

    None loses an edge to the piece, which would have to be drawn as a loss and not faintly.
    """
    free = budget - sum(len(core) for core in cores)
    total = max(sum(len(core) for core in cores), 1)
    used = np.zeros(links.shape[0], dtype=np.bool_)
    for core in cores:
        used[core] = True
    around = []
    for core in cores:
        inside = np.zeros(links.shape[0])
        inside[core] = 1
        count = links @ inside
        near = np.flatnonzero((count > 0) & (count < LOST) & ~used)
        wanted = min(int(np.ceil(AROUND * len(core))), free * len(core) // total)
        chosen = near[np.argsort(count[near], kind="stable")[:wanted]]
        used[chosen] = True
        around.append(chosen)
    return around


def _adjacency(edges: IntArray, num_nodes: int, values: Float64Array) -> sparse.csr_array:
    (u, v), shape = edges.T, (num_nodes, num_nodes)
    both = np.concatenate([u, v]), np.concatenate([v, u])
    return sparse.csr_array((np.tile(values, 2), both), shape=shape)
