"""The neighbourhood of one node in rings: however many neighbours, no dot covers another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from wgnn_core.errors import WGNNError
from wgnn_core.graph import FloatArray, IntArray
from wgnn_core.layout.packing import canvas

Float64Array = npt.NDArray[np.float64]

ONE_CIRCLE = 30
INNERMOST = 3
"""Many nodes leave the circles next to the middle free, where their edges would hide them."""


def ego_layout(edges: IntArray, num_nodes: int, aspect: float = 1.0) -> FloatArray:
    """Coordinates of node 0 and of what is around it, ``[n, 2]``, on the canvas of `layout`.

    Node 0 is in the middle. The nodes at one hop stand on circles around it, those at two hops on
    circles further out, and so on, with a free circle between two hops. Circles are at least one
    spacing apart and hold no more nodes than keep that distance, so no two nodes are closer (before
    the canvas stretches its longer side). Around the circles connected nodes follow each other,
    and a node stands near the direction of its neighbours further in.

    Args:
        edges: Edges among the n nodes, ``[e, 2]``; every node must be reachable from node 0.
        num_nodes: n.
        aspect: Width over height of the canvas.
    """
    middle = np.array(canvas(aspect)) / 2
    around = _rings(edges, num_nodes)
    far = max(float(np.abs(around).max()), 1.0)
    spread = 0.98 / far * np.stack([around.real, around.imag], axis=1)
    return np.asarray(middle * (1 + spread), dtype=np.float32)


def _rings(edges: IntArray, num_nodes: int) -> npt.NDArray[np.complex128]:
    """Places in the complex plane with spacing 1, node 0 at 0."""
    ones = np.ones(len(edges))
    links = sparse.csr_array((ones, (edges[:, 0], edges[:, 1])), shape=(num_nodes, num_nodes))
    hops = csgraph.dijkstra(links, directed=False, indices=0, unweighted=True)
    if np.isinf(hops).any():
        raise WGNNError(
            f"Node {int(np.argmax(np.isinf(hops)))} cannot be reached from node 0; "
            "a neighbourhood is connected."
        )
    links = sparse.csr_array(links + links.T)
    angle, circle = np.zeros(num_nodes), np.zeros(num_nodes)
    free = 1
    for hop in range(1, int(hops.max()) + 1):
        ring = np.flatnonzero(hops == hop)
        if hop == 1:
            ring = ring[_together(links[1:][:, 1:], ring - 1)]
            wished = 2 * np.pi * np.arange(len(ring)) / len(ring)
        else:
            wished = _direction(links, angle, hops, ring)
            turn = np.argsort(wished, kind="stable")
            ring, wished = ring[turn], wished[turn]
        first, counts = _circles(len(ring), free)
        on = _dealt(counts)
        for k, count in enumerate(counts.tolist()):
            even = 2 * np.pi * np.arange(count) / count
            # turned as a whole to where its nodes would like to be
            shift = np.angle(np.exp(1j * (wished[on == k] - even)).sum())
            angle[ring[on == k]], circle[ring[on == k]] = even + shift, first + k
        free = first + len(counts) + 1
    return np.asarray(circle * np.exp(1j * angle))


def _circles(nodes: int, free: int) -> tuple[int, IntArray]:
    """The first circle of a hop, and how many nodes stand on each from there on, evenly filled.

    Few nodes stand on one circle, as large as it takes; many on several.
    """
    if nodes <= ONE_CIRCLE:
        first = free
        while _room(first) < nodes:
            first += 1
        return first, np.array([nodes])
    first, room = max(free, INNERMOST), list[int]()
    while sum(room) < nodes:
        room.append(_room(first + len(room)))
    ends = np.floor(np.cumsum(room) * nodes / sum(room) + 1e-9)
    return first, np.diff(ends, prepend=0).astype(np.int64)


def _room(radius: int) -> int:
    """How many nodes on a circle keep distance 1: pi / arcsin(1 / 2 radius)."""
    return int(np.pi / np.arcsin(1 / (2 * radius)) + 1e-9)


def _dealt(counts: IntArray) -> IntArray:
    """The circle of each node in turn, every circle dealt evenly over the whole turn."""
    turns = np.concatenate([(np.arange(c) + 0.5) / c for c in counts])
    circle = np.repeat(np.arange(len(counts)), counts)
    return np.asarray(circle[np.argsort(turns, kind="stable")])


def _together(links: sparse.csr_array, ring: IntArray) -> IntArray:
    """An order of `ring` in which connected nodes follow each other: depth first."""
    count, piece = csgraph.connected_components(links, directed=False)
    starts = [int(np.argmax(piece == p)) for p in range(count)]
    visit = [
        csgraph.depth_first_order(links, s, directed=False, return_predecessors=False)
        for s in starts
    ]
    place = np.empty(links.shape[0], dtype=np.int64)
    place[np.concatenate(visit)] = np.arange(links.shape[0])
    return np.argsort(place[ring], kind="stable")


def _direction(
    links: sparse.csr_array, angle: Float64Array, hops: Float64Array, ring: IntArray
) -> Float64Array:
    """The mean direction of each node's neighbours one hop further in, in [0, 2 pi)."""
    inner = np.where(hops == hops[ring[0]] - 1, np.exp(1j * angle), 0)
    return np.asarray(np.angle(links[ring] @ inner) % (2 * np.pi))
