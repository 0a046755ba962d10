"""Algorithm 2: drop edges among the nodes of smallest w, sparing a spanning forest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from wgnn_core.fraction import check_fraction, floor_fraction
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.ranking import order

RANDOM_STREAM = 0x44524F50


@dataclass(frozen=True, eq=False)
class EdgeDrop:
    """Outcome of Algorithm 2.

    Attributes:
        kept: Edges of G', ``[E]``; the complement of `dropped`.
        forest: Edges of the spanning forest of the induced subgraph of V', ``[E]``.
        dropped: Removed edges, ``[E]``.
        least: V', the nodes of smallest w, ``[N]``.
    """

    kept: BoolArray
    forest: BoolArray
    dropped: BoolArray
    least: BoolArray


def drop_edges(
    edges: IntArray,
    num_nodes: int,
    w: npt.NDArray[np.floating[Any]],
    eta1: float,
    eta2: float,
    seed: int,
    pool: BoolArray | None = None,
) -> EdgeDrop:
    """Algorithm 2, steps (b) to (e): G becomes G'.

    V' holds the floor(eta1 |pool|) nodes of the pool with the smallest w, ties by node number.
    A random spanning forest of the subgraph induced by V' is kept (one tree for each of its
    components); floor(eta2 m) of its m other edges go, uniformly without replacement. So the
    number of connected components of G never changes, and eta1 = 0 or eta2 = 0 drops nothing.

    The forest is the minimum one under random weights, and the edges leave in the order of a
    second random priority. Both are drawn for all edges of G before either eta is looked at.
    For one seed, therefore, the dropped edges are nested as eta2 grows with eta1 fixed, and the
    edges outside the forest are nested as eta1 grows: a slider moves the picture smoothly.

    Args:
        edges: Undirected edges without repetition or self-loops, ``[E, 2]``, see `Graph.edges`.
        num_nodes: N.
        w: Label non-uniformity of every node, ``[N]``.
        eta1: Fraction of the pool that forms V', in [0, 1].
        eta2: Fraction of the edges outside the forest to drop, in [0, 1].
        seed: Seed of the forest and of the choice of edges.
        pool: Nodes to choose V' from: None for all (as the authors' code does), or the test
            set (as the paper words it).
    """
    candidates = np.ones(num_nodes, dtype=np.bool_) if pool is None else pool
    count = floor_fraction("eta1", eta1, int(candidates.sum()))
    check_fraction("eta2", eta2)
    least = np.zeros(num_nodes, dtype=np.bool_)
    least[order(-w, candidates)[:count]] = True

    rng = np.random.default_rng([seed, RANDOM_STREAM])
    weight, priority = rng.permutation(len(edges)), rng.permutation(len(edges))
    induced = least[edges[:, 0]] & least[edges[:, 1]]
    forest = _minimum_forest(edges, num_nodes, weight, induced)
    others = np.flatnonzero(induced & ~forest)
    leaving = others[np.argsort(priority[others])]
    dropped = np.zeros(len(edges), dtype=np.bool_)
    dropped[leaving[: floor_fraction("eta2", eta2, len(others))]] = True
    return EdgeDrop(kept=~dropped, forest=forest, dropped=dropped, least=least)


def _minimum_forest(
    edges: IntArray, num_nodes: int, weight: IntArray, induced: BoolArray
) -> BoolArray:
    """The minimum spanning forest of the induced edges; `weight` is a permutation of 0..E-1."""
    u, v = edges[induced].T
    # SciPy reads a zero weight as "no edge", hence the 1; distinct weights name their edges.
    matrix = sparse.csr_array((weight[induced] + 1.0, (u, v)), shape=(num_nodes, num_nodes))
    chosen = csgraph.minimum_spanning_tree(matrix).data.astype(np.int64) - 1
    edge_of_weight = np.argsort(weight)
    forest = np.zeros(len(edges), dtype=np.bool_)
    forest[edge_of_weight[chosen]] = True
    return forest
