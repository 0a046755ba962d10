"""Cut sizes and the Cheeger constant (Section 3.3): exact where possible, else named bounds.

A cut is the set of edges between a set of nodes and its complement, both not empty. All graphs
here are given by their edges, ``[E, 2]``, over nodes 0..n-1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx
import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import eigsh

from wgnn_core.errors import WGNNError
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.theory.dirichlet import Signal
from wgnn_core.theory.sets import crossings, matrix_of, parts

BRUTE_FORCE = 18
"""Up to this many nodes all sets are tried: 2^17 of them, a fraction of a second."""
STOER_WAGNER = 400
"""Up to this many nodes the algorithm of Stoer and Wagner finds the smallest cut in seconds."""
DENSE = 400
"""Up to this many nodes all eigenvalues are computed."""
MAX_SPECTRAL = 30_000


@dataclass(frozen=True, eq=False)
class Bounds:
    """A number between two bounds.

    Attributes:
        lower: It is at least this.
        upper: It is at most this.
        lower_by: What gives the lower bound.
        upper_by: What gives the upper bound.
        side: A set whose cut attains the bound that a set can give (the upper one of a minimum,
            the lower one of a maximum), ``[n]``.
    """

    lower: float
    upper: float
    lower_by: str
    upper_by: str
    side: BoolArray

    @property
    def exact(self) -> bool:
        return self.lower == self.upper


def all_cuts(edges: IntArray, num_nodes: int) -> tuple[IntArray, IntArray]:
    """Every cut once, by brute force: the size of the set without node n-1, and of its cut.

    Entry i is the set whose members are the binary digits of i + 1; node n-1 is never in it.

    Raises:
        WGNNError: There are more than `BRUTE_FORCE` nodes.
    """
    if num_nodes > BRUTE_FORCE:
        raise WGNNError(
            f"all cuts of {num_nodes} nodes are too many; at most {BRUTE_FORCE} are allowed."
        )
    sets = np.arange(1, 2 ** max(num_nodes - 1, 0), dtype=np.int64)
    size = np.bitwise_count(sets).astype(np.int64)
    cut = np.zeros(len(sets), dtype=np.int64)
    for u, v in edges:
        cut += ((sets >> u) ^ (sets >> v)) & 1
    return size, cut


def members(index: int, num_nodes: int) -> BoolArray:
    """The set at `index` of `all_cuts` as a mask."""
    return np.asarray(((index + 1) >> np.arange(num_nodes)) % 2 == 1)


def min_cut(edges: IntArray, num_nodes: int) -> Bounds:
    """c(G): the size of the smallest cut.

    Exact by a leaf or bridge, or by Stoer and Wagner on small graphs; else between 2 and the
    smallest degree.

    Raises:
        WGNNError: There is no cut, because there are fewer than two nodes.
    """
    if num_nodes < 2:
        raise WGNNError(f"a graph of {num_nodes} nodes has no cut; at least 2 are needed.")
    adjacency = matrix_of(edges, num_nodes)
    count, component = parts(adjacency)
    if count > 1:
        return _exactly(0, "not connected", component == 0)
    degree = np.diff(adjacency.indptr)
    around = np.arange(num_nodes) == int(np.argmin(degree))
    if degree.min() == 1:
        return _exactly(1, "a leaf", around)
    bridge = next(nx.bridges(_networkx(edges, num_nodes)), None)
    if bridge is not None:
        kept = edges[~(np.sort(edges, axis=1) == sorted(bridge)).all(axis=1)]
        _, component = parts(matrix_of(kept, num_nodes))
        return _exactly(1, "a bridge", component == component[bridge[0]])
    if num_nodes <= STOER_WAGNER:
        size, (one, _) = nx.stoer_wagner(_networkx(edges, num_nodes))
        return _exactly(size, "Stoer-Wagner", np.isin(np.arange(num_nodes), one))
    if degree.min() == 2:
        return _exactly(2, "a node of degree 2, no bridge", around)
    return Bounds(2, int(degree.min()), "no bridge", "the smallest degree", around)


def max_cut(edges: IntArray, num_nodes: int) -> Bounds:
    """C(G): the size of the largest cut; 0 where there is none.

    The components are looked at one by one. A bipartite one (a tree, for example) is cut at every
    edge; a small one is solved by brute force; for the others the lower bound is a greedy cut, at
    least a spanning tree, and the upper bound the smaller of n lambda_max / 4 and all edges but
    one.
    """
    lower = upper = 0
    side = np.zeros(num_nodes, dtype=np.bool_)
    lower_by = upper_by = "two-colouring and brute force"
    for nodes, inside in _components(edges, num_nodes):
        colour = _two_colouring(inside, len(nodes))
        size = crossings(inside, colour)
        above = size
        if size < len(inside) and len(nodes) <= BRUTE_FORCE:
            _, cut = all_cuts(inside, len(nodes))
            best = int(np.argmax(cut))
            colour, size = members(best, len(nodes)), int(cut[best])
            above = size
        elif size < len(inside):
            colour = _improved(inside, len(nodes), colour)
            size = crossings(inside, colour)
            spectral = len(nodes) * _largest_eigenvalue(inside, len(nodes)) / 4
            above = min(len(inside) - 1, int(np.floor(spectral + 1e-9)))
            lower_by, upper_by = "greedy cut", "largest eigenvalue, odd cycles"
        side[nodes] = colour
        lower, upper = lower + size, upper + above
    return Bounds(lower, upper, lower_by, upper_by, side)


def cheeger(edges: IntArray, num_nodes: int) -> Bounds:
    """h(G), the smallest |Gamma(U)| / min(|U|, |U^c|): the Cheeger constant or edge expansion.

    Exact by brute force on small graphs. Else the upper bound is the best cut along the second
    eigenvector of the Laplacian (spectral sweep), the lower bound the larger of lambda_2 / 2 and
    c(G) / floor(n / 2).

    Raises:
        WGNNError: There are fewer than two nodes or more than `MAX_SPECTRAL`.
    """
    if not 2 <= num_nodes <= MAX_SPECTRAL:
        raise WGNNError(
            f"the graph has {num_nodes} nodes; the Cheeger constant needs 2 to {MAX_SPECTRAL}."
        )
    count, component = parts(matrix_of(edges, num_nodes))
    if count > 1:
        return _exactly(0, "not connected", component == 0)
    if num_nodes <= BRUTE_FORCE:
        ratio, realisers = cheeger_realisers(edges, num_nodes)
        return _exactly(ratio, "brute force", realisers[0])
    second, vector = _second_eigenpair(edges, num_nodes)
    upper, side = sweep(edges, vector)
    smallest = min_cut(edges, num_nodes)
    by_cut = smallest.lower / (num_nodes // 2)
    if by_cut > second / 2:
        return Bounds(by_cut, upper, f"smallest cut ({smallest.lower_by})", "spectral sweep", side)
    return Bounds(second / 2, upper, "lambda_2 / 2", "spectral sweep", side)


def cheeger_realisers(edges: IntArray, num_nodes: int) -> tuple[float, list[BoolArray]]:
    """h(G) and every set that realises it, each as the side without node n-1 (brute force)."""
    size, cut = all_cuts(edges, num_nodes)
    smaller = np.minimum(size, num_nodes - size)
    best = int(np.argmin(cut / smaller))
    ties = np.flatnonzero(cut * smaller[best] == cut[best] * smaller)  # exact, in whole numbers
    return float(cut[best] / smaller[best]), [members(int(i), num_nodes) for i in ties]


def sweep(edges: IntArray, order_by: npt.NDArray[np.floating]) -> tuple[float, BoolArray]:
    """The best expansion among the sets {v : order_by_v <= t}, and the set."""
    num_nodes = len(order_by)
    order = np.argsort(order_by, kind="stable")
    place = np.empty(num_nodes, dtype=np.int64)
    place[order] = np.arange(num_nodes)
    ends = np.sort(place[edges], axis=1)
    # an edge is cut by the first k nodes for k = lower place + 1 to higher place
    change = np.bincount(ends[:, 0] + 1, minlength=num_nodes + 1)
    change = change - np.bincount(ends[:, 1] + 1, minlength=num_nodes + 1)
    k = np.arange(1, num_nodes)
    ratio = np.cumsum(change)[1:num_nodes] / np.minimum(k, num_nodes - k)
    best = int(np.argmin(ratio))
    return float(ratio[best]), place <= best


def _exactly(value: float, by: str, side: BoolArray) -> Bounds:
    return Bounds(value, value, by, by, side)


def _networkx(edges: IntArray, num_nodes: int) -> nx.Graph:
    graph = nx.empty_graph(num_nodes)
    graph.add_edges_from(edges.tolist())
    return graph


def _components(edges: IntArray, num_nodes: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Nodes and edges, renumbered, of each component with an edge."""
    _, component = parts(matrix_of(edges, num_nodes))
    number = np.empty(num_nodes, dtype=np.int64)
    nodes = np.argsort(component, kind="stable")
    bounds = np.flatnonzero(np.diff(component[nodes])) + 1
    pairs = edges[np.argsort(component[edges[:, 0]], kind="stable")] if len(edges) else edges
    owner = component[pairs[:, 0]]
    for members_ in np.split(nodes, bounds):
        if len(members_) > 1:
            number[members_] = np.arange(len(members_))
            which = component[members_[0]]
            start, stop = np.searchsorted(owner, [which, which + 1])
            yield members_, number[pairs[start:stop]]


def _two_colouring(edges: IntArray, num_nodes: int) -> BoolArray:
    """Colours that differ along every edge of a breadth-first tree; a cut of n - 1 or more."""
    hops = csgraph.dijkstra(matrix_of(edges, num_nodes), indices=0, unweighted=True)
    return np.asarray(hops % 2 == 1)


def _improved(edges: IntArray, num_nodes: int, side: BoolArray) -> BoolArray:
    """Greedy: move the node that gains most to the other side, until none gains."""
    adjacency = matrix_of(edges, num_nodes)
    sign = np.where(side, 1.0, -1.0)
    gain = sign * (adjacency @ sign)  # neighbours on the own side minus those on the other
    while gain.max() > 0:
        v = int(np.argmax(gain))
        around = adjacency.indices[adjacency.indptr[v] : adjacency.indptr[v + 1]]
        gain[around] -= 2 * sign[v] * sign[around]
        gain[v] = -gain[v]
        sign[v] = -sign[v]
    return sign > 0


def _laplacian(edges: IntArray, num_nodes: int) -> sparse.csr_array:
    return sparse.csr_array(csgraph.laplacian(matrix_of(edges, num_nodes)))


def _largest_eigenvalue(edges: IntArray, num_nodes: int) -> float:
    laplacian = _laplacian(edges, num_nodes)
    if num_nodes <= DENSE:
        return float(np.linalg.eigvalsh(laplacian.toarray())[-1])
    start = np.random.default_rng(0).standard_normal(num_nodes)
    return float(eigsh(laplacian, k=1, which="LA", v0=start, return_eigenvectors=False)[0])


def _second_eigenpair(edges: IntArray, num_nodes: int) -> tuple[float, Signal]:
    laplacian = _laplacian(edges, num_nodes)
    if num_nodes <= DENSE:
        values, vectors = np.linalg.eigh(laplacian.toarray())
    else:
        # near 0 from below, where the matrix can be factorised
        start = np.random.default_rng(0).standard_normal(num_nodes)
        values, vectors = eigsh(sparse.csc_array(laplacian), k=2, sigma=-0.01, v0=start)
        order = np.argsort(values)
        values, vectors = values[order], vectors[:, order]
    return float(max(values[1], 0.0)), vectors[:, 1]
