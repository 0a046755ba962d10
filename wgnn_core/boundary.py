"""Where the classes meet: boundaries, distance to them, homophily (section 2).

Labels may be `UNLABELLED`. An edge with such an end says neither that classes meet nor that they
agree, so it is left out of everything that is counted here; paths still lead through it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from wgnn_core.graph import UNLABELLED, BoolArray, IntArray

Float64Array = npt.NDArray[np.float64]


def joins_classes(edges: IntArray, labels: IntArray) -> BoolArray:
    """Whether each edge joins two nodes of known and different classes, ``[E]``."""
    return _known(edges, labels) & ~_same_class(edges, labels)


def class_boundary(edges: IntArray, labels: IntArray, num_nodes: int) -> BoolArray:
    """The union over the classes s of the boundary of V_s (section 2).

    A node is in it exactly if it has a label and a neighbour with another one.
    """
    boundary = np.zeros(num_nodes, dtype=np.bool_)
    boundary[edges[joins_classes(edges, labels)]] = True
    return boundary


def distance_to_boundary(edges: IntArray, labels: IntArray, num_nodes: int) -> Float64Array:
    """Hops from each node to the nearest node of the class boundary.

    0 on the boundary; inf in a connected component without boundary nodes.
    """
    sources = np.flatnonzero(class_boundary(edges, labels, num_nodes))
    if len(sources) == 0:
        return np.full(num_nodes, np.inf)
    ones = np.ones(len(edges))
    matrix = sparse.csr_array((ones, (edges[:, 0], edges[:, 1])), shape=(num_nodes, num_nodes))
    distance: Float64Array = csgraph.dijkstra(
        matrix, directed=False, indices=sources, unweighted=True, min_only=True
    )
    return distance


def edge_homophily(edges: IntArray, labels: IntArray) -> float:
    """Share of the edges that join nodes of one class, among those with two labelled ends.

    nan where there are none.
    """
    known = _known(edges, labels)
    return float(_same_class(edges, labels)[known].mean()) if known.any() else float("nan")


def node_homophily(edges: IntArray, labels: IntArray, num_nodes: int) -> Float64Array:
    """Share of each node's labelled neighbours that have its class.

    nan for nodes without label or without labelled neighbours.
    """
    edges = edges[_known(edges, labels)]
    ends = edges.T.ravel()
    same = np.tile(_same_class(edges, labels), 2)
    degree = np.bincount(ends, minlength=num_nodes)
    agreeing = np.bincount(ends[same], minlength=num_nodes)
    with np.errstate(invalid="ignore"):  # 0/0 = nan without such neighbours
        return np.asarray(agreeing / degree)


def _known(edges: IntArray, labels: IntArray) -> BoolArray:
    """Edges with two labelled ends."""
    known: BoolArray = (labels[edges] != UNLABELLED).all(axis=1)
    return known


def _same_class(edges: IntArray, labels: IntArray) -> BoolArray:
    same: BoolArray = labels[edges[:, 0]] == labels[edges[:, 1]]
    return same
