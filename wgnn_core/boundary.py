"""Where the classes meet: boundaries, distance to them, homophily (section 2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from wgnn_core.graph import BoolArray, IntArray

Float64Array = npt.NDArray[np.float64]


def class_boundary(edges: IntArray, labels: IntArray, num_nodes: int) -> BoolArray:
    """The union over the classes s of the boundary of V_s (section 2).

    A node is in it exactly if it has a neighbour of another class.
    """
    crossing = ~_same_class(edges, labels)
    boundary = np.zeros(num_nodes, dtype=np.bool_)
    boundary[edges[crossing]] = True
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
    """Share of the edges that join nodes of one class; nan for a graph without edges."""
    return float(_same_class(edges, labels).mean()) if len(edges) else float("nan")


def node_homophily(edges: IntArray, labels: IntArray, num_nodes: int) -> Float64Array:
    """Share of each node's neighbours that have its class; nan for isolated nodes."""
    ends = edges.T.ravel()
    same = np.tile(_same_class(edges, labels), 2)
    degree = np.bincount(ends, minlength=num_nodes)
    agreeing = np.bincount(ends[same], minlength=num_nodes)
    with np.errstate(invalid="ignore"):  # 0/0 = nan for isolated nodes
        return np.asarray(agreeing / degree)


def _same_class(edges: IntArray, labels: IntArray) -> BoolArray:
    same: BoolArray = labels[edges[:, 0]] == labels[edges[:, 1]]
    return same
