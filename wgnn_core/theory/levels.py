"""Theorem 1 and Corollary 1: the smooth interpolation rises from O_0 to O_1 in layers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from wgnn_core.errors import WGNNError
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.theory.dirichlet import Signal
from wgnn_core.theory.harmonic import Flow
from wgnn_core.theory.sets import edges_of, parts
from wgnn_core.theory.statement import Hypothesis, Statement, Term

SAME_LEVEL = 1e-9
"""Two values are equal if they differ by less than this share of the larger one."""
NOISE = 1e-11
"""... or by less than this, where conjugate gradients have found them."""


def rise(flow: Flow, u: IntArray, v: IntArray) -> Signal:
    """f~_v - f~_u for pairs of nodes, 0 where they are equal up to rounding.

    Near 0 the values themselves are compared, near 1 their distances from 1. So steps are seen
    wherever f~ is, also where f~ or 1 - f~ is far smaller than the rounding error of 1.
    """
    low = flow.f[u] + flow.f[v] <= flow.rest[u] + flow.rest[v]
    start = np.where(low, flow.f[u], flow.rest[v])
    end = np.where(low, flow.f[v], flow.rest[u])
    noise = SAME_LEVEL * np.maximum(start, end) + (NOISE if flow.iterated else 0.0)
    return np.where(np.abs(end - start) > noise, end - start, 0.0)


def level_components(adjacency: sparse.csr_array, flow: Flow) -> IntArray:
    """Number of the level-component C_v of each node (Section 3.1), ``[N]``.

    C_v is the connected component of {v' : f~_v' = f~_v} that contains v.
    """
    edges = edges_of(adjacency)
    u, v = edges[rise(flow, edges[:, 0], edges[:, 1]) == 0].T
    same = sparse.csr_array((np.ones(len(u)), (u, v)), shape=adjacency.shape)
    return np.asarray(csgraph.connected_components(same, directed=False)[1], dtype=np.int64)


def increasing_path(adjacency: sparse.csr_array, flow: Flow, node: int) -> IntArray:
    """A path of Theorem 1: from O_0 to O_1, f~ strictly increasing, through C_v of `node`.

    Returns:
        Nodes v_0, ..., v_m in order.

    Raises:
        WGNNError: The connected component of `node` does not hold both poles, or f~ is too flat
            there for its precision.
    """
    if not _between_poles(adjacency, flow, node):
        raise WGNNError(
            f"node {node} has no rising path: its connected component needs observed nodes of "
            "both kinds, 0 and 1."
        )
    component = level_components(adjacency, flow)
    for middle in np.flatnonzero((component == component[node]) & _passed(adjacency, flow)):
        below = _walk(adjacency, flow, int(middle), direction=-1)
        above = _walk(adjacency, flow, int(middle), direction=+1)
        path = np.array([*below[::-1], middle, *above], dtype=np.int64)
        if flow.zeros[path[0]] and flow.ones[path[-1]]:
            return path
    raise WGNNError(
        f"no rising path through node {node} can be seen: near it f~ = {flow.f[node]:.3g} is "
        "flatter than its precision."
    )


def theorem_1(adjacency: sparse.csr_array, flow: Flow, node: int) -> Statement:
    """Theorem 1 for the node v: a rising path from O_0 to O_1 meets its level-component."""
    connected = _between_poles(adjacency, flow, node)
    component = level_components(adjacency, flow)
    path = increasing_path(adjacency, flow, node) if connected else np.empty(0, dtype=np.int64)
    steps = rise(flow, path[:-1], path[1:])
    smallest = float(steps.min()) if connected else float("nan")
    return Statement(
        title="Theorem 1",
        words="Through every node, or through the patch of equal value around it, runs a path "
        "from a node observed as 0 to a node observed as 1 along which the smooth interpolation "
        "rises at every step.",
        hypotheses=(
            Hypothesis(
                "the graph is connected (the main text leaves this out; enough is that the "
                "component of the node has observed nodes of both kinds)",
                connected,
            ),
        ),
        left=Term("zero", 0.0),
        relation="<",
        right=Term("smallest step of the path", smallest),
        holds=smallest > 0,
        terms=(
            Term("value at the node", float(flow.f[node])),
            Term("steps of the path", float(len(steps)) if connected else float("nan")),
            Term("nodes of equal value around it", float((component == component[node]).sum())),
        ),
        nodes={"path": path, "level-component": np.flatnonzero(component == component[node])},
        edges={"path": np.array(list(pairwise(path.tolist())), dtype=np.int64).reshape(-1, 2)},
    )


def layers(flow: Flow) -> tuple[IntArray, Signal]:
    """The layer of each node in the order of f~; equal values are one layer.

    Returns:
        The layer of each node, ``[N]``, -1 where f~ is not defined, and f~ of each layer.
    """
    high = flow.f > flow.rest
    order = np.lexsort((np.where(high, -flow.rest, flow.f), high))
    order = order[flow.reached[order]]
    new = rise(flow, order[:-1], order[1:]) > 0
    layer = np.full(len(flow.f), -1, dtype=np.int64)
    layer[order] = np.concatenate([[0], np.cumsum(new)])
    return layer, flow.f[order[np.concatenate([[True], new])]]


def level_parts(adjacency: sparse.csr_array, flow: Flow) -> tuple[Signal, IntArray, IntArray]:
    """Into how many parts {f~ <= r} and {f~ > r} fall, for r from each value to the next.

    Returns:
        The values of f~ below 1 in rising order, and the two numbers of parts from each on.
    """
    layer, value = layers(flow)
    below, above = _both_parts(adjacency, flow, layer)
    return value[:-1], below, above[::-1]


def corollary_1(adjacency: sparse.csr_array, flow: Flow, r: float) -> Statement:
    """Corollary 1 for the level r: V_r = {f~ <= r}, once in one part, stays in one part.

    The claim is checked at every level there is, not at r alone; r picks the sets to draw.

    Raises:
        WGNNError: r does not lie strictly between 0 and 1.
    """
    if not 0 < r < 1:
        raise WGNNError(f"the level r is {r}; it must lie between 0 and 1.")
    layer, value = layers(flow)
    inside = flow.reached
    below, above = _both_parts(adjacency, flow, layer)
    under = inside & (value[layer] <= r)
    over = inside & ~under
    free = layer[flow.free]
    worst = max(int(_once_joined(count).max(initial=1)) for count in (below, above))
    return Statement(
        title="Corollary 1",
        words="Let r grow. Once the nodes of value at most r hang together, they do so for every "
        "larger r. In the same way, once the nodes above r hang together, they do so for every "
        "smaller r.",
        hypotheses=(
            Hypothesis(
                "the graph is connected (where it is not, components without an observed node "
                "are left out)",
                parts(adjacency)[0] == 1,
                needed=False,
            ),
            Hypothesis(
                "all nodes that are not observed have different values",
                len(np.unique(free)) == len(free),
                needed=False,
            ),
        ),
        left=Term("most parts after having been in one part", float(worst)),
        relation="=",
        right=Term("one", 1.0),
        holds=worst == 1,
        terms=(
            Term("parts at most r", float(parts(adjacency, under)[0])),
            Term("parts above r", float(parts(adjacency, over)[0])),
            Term("r from which the lower set is one part", _first_joined(value, below)),
            Term("r below which the upper set is one part", _first_joined(value[::-1], above)),
        ),
        nodes={"at most r": np.flatnonzero(under), "above r": np.flatnonzero(over)},
    )


def _both_parts(
    adjacency: sparse.csr_array, flow: Flow, layer: IntArray
) -> tuple[IntArray, IntArray]:
    """Parts of the nodes up to each layer, and of those from each layer on, the highest first.

    0 < r < 1: the lower set holds the nodes of value 0 and none of value 1, the upper one the
    other way round.
    """
    inside = flow.reached
    return (
        _parts_by_layer(adjacency, layer, inside & (flow.rest > 0)),
        _parts_by_layer(adjacency, layer.max() - layer, inside & (flow.f > 0)),
    )


def _parts_by_layer(adjacency: sparse.csr_array, layer: IntArray, inside: BoolArray) -> IntArray:
    """How many parts the nodes of `inside` up to each layer have, ``[layers of inside]``.

    By Kruskal, a minimum spanning forest with the higher layer as the weight of an edge spans
    the nodes up to every layer at once: parts = nodes - forest edges up to it.
    """
    edges = edges_of(adjacency)
    edges = edges[inside[edges].all(axis=1)]
    weight = layer[edges].max(axis=1, initial=0) + 1.0  # 0 would be "no edge"
    matrix = sparse.csr_array((weight, (edges[:, 0], edges[:, 1])), shape=adjacency.shape)
    joined = csgraph.minimum_spanning_tree(matrix).data.astype(np.int64) - 1
    size = int(layer[inside].max(initial=-1)) + 1
    nodes = np.bincount(layer[inside], minlength=size)
    return np.cumsum(nodes - np.bincount(joined, minlength=size))


def _once_joined(counts: IntArray) -> IntArray:
    """The counts from the first 1 on; empty if there is none."""
    ones = np.flatnonzero(counts == 1)
    return counts[ones[0] :] if len(ones) else counts[:0]


def _first_joined(value: Signal, counts: IntArray) -> float:
    ones = np.flatnonzero(counts == 1)
    return float(value[ones[0]]) if len(ones) else float("nan")


def _between_poles(adjacency: sparse.csr_array, flow: Flow, node: int) -> bool:
    _, component = parts(adjacency)
    around = component == component[node]
    return bool((around & flow.zeros).any() and (around & flow.ones).any())


def _passed(adjacency: sparse.csr_array, flow: Flow) -> BoolArray:
    """Nodes that a rising path can pass: with a lower and a higher neighbour, or a pole."""
    low, high = flow.zeros.copy(), flow.ones.copy()
    edges = edges_of(adjacency)
    step = rise(flow, edges[:, 0], edges[:, 1])
    for rising in (edges[step > 0], edges[step < 0, ::-1]):
        high[rising[:, 0]] = True
        low[rising[:, 1]] = True
    return low & high


def _walk(adjacency: sparse.csr_array, flow: Flow, start: int, direction: int) -> list[int]:
    """Steepest steps from `start` until none goes further; by the averaging property at a pole."""
    steps: list[int] = []
    here = start
    while True:
        around = adjacency.indices[adjacency.indptr[here] : adjacency.indptr[here + 1]]
        if around.size == 0:
            return steps
        gain = direction * rise(flow, np.full(around.size, here), around)
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            return steps
        here = int(around[best])
        steps.append(here)
