"""Sets of nodes and edges of a graph given by its adjacency matrix."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from wgnn_core.graph import BoolArray, IntArray


def edges_of(adjacency: sparse.csr_array) -> IntArray:
    """Each undirected edge once, as (u, v) with u < v, ``[E, 2]``, in order."""
    entries = sparse.coo_array(adjacency)
    once = entries.row < entries.col
    pairs = np.stack([entries.row[once], entries.col[once]], axis=1).astype(np.int64)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def matrix_of(edges: IntArray, num_nodes: int) -> sparse.csr_array:
    """The symmetric 0/1 matrix of undirected edges, ``[E, 2]`` without repetition."""
    u, v = np.asarray(edges, dtype=np.int64).reshape(-1, 2).T
    ones = np.ones(2 * len(u))
    both = (np.concatenate([u, v]), np.concatenate([v, u]))
    return sparse.csr_array((ones, both), shape=(num_nodes, num_nodes))


def mask_of(nodes: Iterable[int], num_nodes: int) -> BoolArray:
    """The mask of some node numbers."""
    mask = np.zeros(num_nodes, dtype=np.bool_)
    mask[np.fromiter(nodes, dtype=np.int64)] = True
    return mask


def parts(adjacency: sparse.csr_array, inside: BoolArray | None = None) -> tuple[int, IntArray]:
    """Connected components of the subgraph induced by `inside`, by default of the whole graph.

    Returns:
        Their number, and the component of each node, ``[N]``, -1 outside.
    """
    if inside is None:
        count, component = csgraph.connected_components(adjacency, directed=False)
        return int(count), np.asarray(component, dtype=np.int64)
    members = np.flatnonzero(inside)
    count, component = csgraph.connected_components(adjacency[members][:, members], directed=False)
    everywhere = np.full(len(inside), -1, dtype=np.int64)
    everywhere[members] = component
    return int(count), everywhere


def neighbours(adjacency: sparse.csr_array, inside: BoolArray) -> BoolArray:
    """The nodes outside `inside` with a neighbour in it."""
    touched: BoolArray = (adjacency @ inside.astype(np.float64)) > 0
    return touched & ~inside


def crossing(edges: IntArray, side: BoolArray) -> IntArray:
    """Gamma: the edges between `side` and its complement, the end outside `side` first."""
    cut = edges[side[edges[:, 0]] != side[edges[:, 1]]]
    return np.asarray(np.where(side[cut[:, :1]], cut[:, ::-1], cut))


def crossings(edges: IntArray, side: BoolArray) -> int:
    """|Gamma|: the number of edges between `side` and its complement."""
    return int((side[edges[:, 0]] != side[edges[:, 1]]).sum())
