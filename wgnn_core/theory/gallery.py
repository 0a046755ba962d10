"""Teaching graphs, and every counterexample to a careless reading of Section 3."""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx
import numpy as np
from scipy import sparse

from wgnn_core.errors import WGNNError
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.theory.sets import mask_of, matrix_of

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Specimen:
    """A small graph with everything that a statement of Section 3 speaks of.

    Attributes:
        name: Its key in `GALLERY`.
        title: Its name on a page.
        sentence: What it is.
        shows: What it shows.
        num_nodes: N.
        edges: Undirected edges.
        zeros: O_0.
        ones: O_1.
        upper: V_1, the side of O_1 (Theorem 2).
        least: V', the separating set (Theorem 3); empty if the specimen is not about it.
        dropped: Edges whose removal is the point of the specimen.
        joining: Nodes that are newly observed as 1, where that is the point.
        counterexample: Whether a statement fails on it, as the paper words it.
        xy: Where its nodes stand, for specimens whose shape is known; else it is computed.
    """

    name: str
    title: str
    sentence: str
    shows: str
    num_nodes: int
    edges: Pairs
    zeros: tuple[int, ...]
    ones: tuple[int, ...]
    upper: tuple[int, ...]
    least: tuple[int, ...] = ()
    dropped: Pairs = ()
    joining: tuple[int, ...] = ()
    counterexample: bool = True
    xy: tuple[tuple[float, float], ...] = ()

    @property
    def adjacency(self) -> sparse.csr_array:
        return matrix_of(np.array(self.edges, dtype=np.int64), self.num_nodes)

    def mask(self, nodes: tuple[int, ...]) -> BoolArray:
        """A set of its nodes as a mask, ``[N]``."""
        return mask_of(nodes, self.num_nodes)

    @property
    def dropped_edges(self) -> IntArray:
        return np.array(self.dropped, dtype=np.int64).reshape(-1, 2)


def specimen(name: str) -> Specimen:
    """The specimen of this name."""
    if name not in GALLERY:
        raise WGNNError(f"there is no specimen {name!r}; choose from {', '.join(GALLERY)}.")
    return GALLERY[name]


def _path() -> Specimen:
    return Specimen(
        "path",
        "Path",
        "Nine nodes in a row, observed as 0 at one end and as 1 at the other.",
        "The smooth interpolation rises in equal steps of 1/8.",
        9,
        tuple((i, i + 1) for i in range(8)),
        (0,),
        (8,),
        (5, 6, 7, 8),
        least=(3, 4, 5),
        counterexample=False,
    )


def _barbell() -> Specimen:
    graph = nx.barbell_graph(5, 2)
    return Specimen(
        "barbell",
        "Barbell",
        "Two groups of five nodes, all joined within a group, and a short bridge of two nodes.",
        "Nearly the whole rise happens on the bridge, the narrowest bottleneck.",
        len(graph),
        _pairs(graph),
        (0, 1),
        (10, 11),
        (6, 7, 8, 9, 10, 11),
        least=(5, 6),
        counterexample=False,
    )


def _grid() -> Specimen:
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(6, 8))
    return Specimen(
        "grid",
        "Grid",
        "Six rows of eight nodes, observed at the left and the right margin.",
        "The smooth interpolation rises in straight layers from margin to margin.",
        len(graph),
        _pairs(graph),
        tuple(8 * i for i in range(6)),
        tuple(8 * i + 7 for i in range(6)),
        tuple(v for v in range(48) if v % 8 >= 4),
        least=tuple(v for v in range(48) if v % 8 in (3, 4)),
        counterexample=False,
        xy=tuple((float(v % 8), float(-(v // 8))) for v in range(48)),
    )


def _communities() -> Specimen:
    within = [(i, (i + step) % 10) for i in range(10) for step in (1, 2, 3)]
    both = [(u, v) for u, v in within] + [(u + 10, v + 10) for u, v in within]
    graph = nx.Graph([*both, (0, 10), (1, 11), (2, 12)])
    return Specimen(
        "communities",
        "Two communities with a bridge",
        "Two rings of ten nodes, each node joined to six of its ring, and three edges between "
        "the rings.",
        "The class boundary carries the whole current over three edges: a large mean gap.",
        len(graph),
        _pairs(graph),
        (5, 6),
        (15, 16),
        tuple(range(10, 20)),
        least=(0, 1, 2, 10, 11, 12),
        counterexample=False,
    )


def _leaky_path(length: int = 18) -> Specimen:
    """A path that loses most of its current at every step."""
    row = [(i, i + 1) for i in range(length - 1)]
    leaves = [(v, length + 2 * (v - 1) + k) for v in range(1, length - 1) for k in (0, 1)]
    total = length + len(leaves)
    beside = [(float(v), y) for v in range(1, length - 1) for y in (1.0, -1.0)]
    return Specimen(
        "leaky-path",
        "Leaky path",
        f"A path of {length} nodes, observed as 1 at its end; every inner node has two leaves "
        "observed as 0.",
        "Values fall below a billionth without being 0: a rising path (Theorem 1) must still "
        "start at an observed node.",
        total,
        tuple(row + leaves),
        tuple(range(length, total)),
        (length - 1,),
        (length - 1,),
        counterexample=False,
        xy=(*((float(v), 0.0) for v in range(length)), *beside),
    )


def _pairs(graph: nx.Graph) -> Pairs:
    return tuple(sorted((min(u, v), max(u, v)) for u, v in graph.edges))


_SPECIMENS = (
    _path(),
    _barbell(),
    _grid(),
    _communities(),
    _leaky_path(),
    Specimen(
        "balanced-bridge",
        "Balanced bridge",
        "A square with one diagonal, observed at the two other corners.",
        "Both ends of the diagonal have the value 1/2: they are one level-component, and "
        "Corollary 1 holds although two nodes have the same value.",
        4,
        ((0, 1), (0, 3), (1, 2), (1, 3), (2, 3)),
        (0,),
        (2,),
        (2,),
        counterexample=False,
    ),
    Specimen(
        "two-islands",
        "Two nodes without an edge",
        "One node observed as 0, one as 1, and no edge.",
        "Theorem 1 needs a connected graph, which its wording leaves out: there is no path.",
        2,
        (),
        (0,),
        (1,),
        (1,),
    ),
    Specimen(
        "silent-island",
        "A component without observed nodes",
        "A path with both poles, and an edge beside it where nothing is observed.",
        "The smooth interpolation is not unique without an observed node in every component: on "
        "the edge 3-4 any constant will do, so no value is given.",
        5,
        ((0, 1), (1, 2), (3, 4)),
        (0,),
        (2,),
        (2,),
    ),
    Specimen(
        "wrong-label",
        "A new label that is wrong",
        "A path 1-0-2; node 0 lies on the side of the 0 and is newly observed as 1.",
        "Remark (b)(i) needs right labels: the mean gap across the true boundary falls from 1/2 "
        "to 0.",
        3,
        ((0, 1), (0, 2)),
        (1,),
        (2,),
        (2,),
        joining=(0,),
    ),
    Specimen(
        "same-side-edge",
        "An edge inside a side",
        "Five nodes; the edge 1-2 lies inside V0.",
        "Remark (b)(ii): dropping an edge inside a side lowers the mean gap, from 3/16 to 1/6. "
        "It can never raise it.",
        5,
        ((0, 1), (0, 2), (0, 4), (1, 2), (2, 3)),
        (3,),
        (4,),
        (0, 4),
        dropped=((1, 2),),
    ),
    Specimen(
        "cut-edge",
        "An edge of the boundary",
        "Six nodes; the edge 0-3 crosses the boundary between V0 and V1.",
        "Remark (b)(ii): dropping an edge of the boundary can lower the mean gap, here from 1/11 "
        "to 1/15.",
        6,
        ((0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (3, 5)),
        (4,),
        (5,),
        (2, 3, 5),
        dropped=((0, 3),),
    ),
    Specimen(
        "limit-reached",
        "The largest cut equals c0",
        "A path 4-0-1-2-3 with V' = {0, 1}.",
        "Theorem 3 asks for C < c0, and C = c0 = 1 is not enough: the bottleneck {2, 3} does not "
        "cut V'.",
        5,
        ((0, 1), (0, 4), (1, 2), (2, 3)),
        (4,),
        (3,),
        (1, 2, 3),
        least=(0, 1),
    ),
    Specimen(
        "above-limit",
        "Every bottleneck misses V'",
        "A tree of six nodes with V' = {0, 4}; C = 1 is larger than c0 = 2/3.",
        "Theorem 3 without C < c0: no narrowest bottleneck cuts V'. The bound on h(G) still holds.",
        6,
        ((0, 4), (0, 5), (1, 3), (2, 3), (3, 4)),
        (5,),
        (1, 2),
        (1, 2, 3, 4),
        least=(0, 4),
    ),
    Specimen(
        "both-parts",
        "A bottleneck that takes from both parts",
        "A triangle with two pendant nodes, V' the triangle.",
        "The proof of Theorem 3 forgets sets that meet both U0 and U1: {3, 4} is one of the "
        "narrowest bottlenecks here.",
        5,
        ((0, 1), (0, 2), (0, 4), (1, 2), (2, 3)),
        (3,),
        (4,),
        (0, 4),
        least=(0, 1, 2),
    ),
)

GALLERY: dict[str, Specimen] = {item.name: item for item in _SPECIMENS}
