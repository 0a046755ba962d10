"""Fast seeded 2-D layouts: neighbours pull, random nodes of the same component push."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from wgnn_core.errors import WGNNError
from wgnn_core.graph import FloatArray, IntArray

Float64Array = npt.NDArray[np.float64]

DIFFUSION_STEPS = 40
START_EXTENT = 3.0
NEGATIVES = 5
SOFTENING = 0.01
"""Keeps the push finite between nodes that coincide."""


def layout(edges: IntArray, num_nodes: int, seed: int = 0, epochs: int = 200) -> FloatArray:
    """Coordinates of every node in the unit box, ``[N, 2]``; the same seed gives the same map.

    Each connected component is drawn on its own, by gradient ascent on a negative-sampling
    objective: a node is pulled to its neighbours and pushed from `NEGATIVES` random nodes of
    its component. The components then fill discs whose area is proportional to their size,
    the largest in the middle and the others in rings around it, so that isolated nodes stay
    near. The work is O(epochs (N + E)).

    Args:
        edges: Undirected edges without repetition, ``[E, 2]``, see `Graph.edges`.
        num_nodes: N, at least 1.
        seed: Seed of the start and of the random nodes.
        epochs: Number of gradient steps, at least 1.
    """
    for name, value in (("num_nodes", num_nodes), ("epochs", epochs)):
        if value < 1:
            raise WGNNError(f"{name} is {value}; a layout needs at least 1.")
    rng = np.random.default_rng(seed)
    both = np.concatenate([edges, edges[:, ::-1]])
    adjacency = sparse.csr_array(
        (np.ones(len(both), dtype=np.float32), (both[:, 0], both[:, 1])),
        shape=(num_nodes, num_nodes),
    )
    component = csgraph.connected_components(adjacency, directed=False)[1].astype(np.int64)
    points = _diffused_start(adjacency, component, rng)
    points = _relax(points, adjacency, component, epochs, rng)
    centres, radii = _pack(np.bincount(component))
    discs = _unit_discs(points.astype(np.float64), component)
    return _unit_box(centres[component] + radii[component, None] * discs)


def _diffused_start(
    adjacency: sparse.csr_array, component: IntArray, rng: np.random.Generator
) -> FloatArray:
    """Random points smoothed by lazy random-walk steps: a cheap low-frequency embedding."""
    degree = np.maximum(np.diff(adjacency.indptr), 1).astype(np.float32)[:, None]
    points = rng.standard_normal((len(component), 2), dtype=np.float32)
    for _ in range(DIFFUSION_STEPS):
        points = 0.5 * points + 0.5 * (adjacency @ points) / degree
    points -= _component_mean(points, component)[component]
    spread = np.sqrt(_component_mean(points**2, component))[component]
    points = np.divide(points, spread, out=np.zeros_like(points), where=spread > 1e-6)
    # Dangling trees diffuse slowly and would start far out; small components diffuse to a point.
    jitter = rng.standard_normal(points.shape, dtype=np.float32)
    return np.asarray(START_EXTENT * (points.clip(-2.5, 2.5) + 0.1 * jitter), dtype=np.float32)


def _relax(
    points: FloatArray,
    adjacency: sparse.csr_array,
    component: IntArray,
    epochs: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Ascend sum log q over edges + sum log(1 - q) over random pairs, q = 1 / (1 + d^2).

    All nodes move at once, by at most 1, in steps that fall linearly to zero. Dividing both
    forces by the root of the degree keeps hubs from overshooting.
    """
    degree = np.maximum(np.diff(adjacency.indptr), 1)
    row = np.repeat(np.arange(len(points)), np.diff(adjacency.indptr))
    root = np.sqrt(degree).astype(np.float32)
    strength = 2 / root[row]
    pull = sparse.csr_array(adjacency, copy=True)
    members = np.argsort(component, kind="stable")
    sizes = np.bincount(component)
    first, size = (np.cumsum(sizes) - sizes)[component], sizes[component]
    # one complex number a point: numpy is slow along an axis of two
    at = np.ascontiguousarray(points).view(np.complex64)[:, 0]
    for epoch in range(epochs):
        pull.data = strength / (1 + _squared(at[pull.indices] - at[row]))
        force = pull @ at - pull.sum(axis=1) * at
        for _ in range(NEGATIVES):
            away = at - at[members[first + (rng.random(len(at)) * size).astype(np.int64)]]
            squared = _squared(away)
            force += 2 * root / ((SOFTENING + squared) * (1 + squared)) * away
        at = at + np.float32(1 - epoch / epochs) * force / np.maximum(1, np.abs(force))
    return at[:, None].view(np.float32)


def _squared(gap: npt.NDArray[np.complex64]) -> npt.NDArray[np.float32]:
    return gap.real**2 + gap.imag**2


def _unit_discs(points: Float64Array, component: IntArray) -> Float64Array:
    """Each component centred and spread over the unit disc.

    The k-th nearest node to the middle of n goes to radius sqrt(k / n), its direction stays:
    every ring then holds as many nodes as its area, and a few far nodes cannot shrink the rest.
    """
    points = points - _component_mean(points, component)[component]
    radius = np.sqrt((points**2).sum(axis=1))
    sizes = np.bincount(component)
    rank = np.empty(len(points), dtype=np.int64)
    rank[np.lexsort((radius, component))] = np.arange(len(points))
    rank -= (np.cumsum(sizes) - sizes)[component]
    target = np.sqrt((rank + 0.5) / sizes[component])
    stretch = np.divide(target, radius, out=np.zeros_like(radius), where=radius > 0)
    return np.asarray(points * stretch[:, None])


def _pack(sizes: IntArray) -> tuple[Float64Array, Float64Array]:
    """Centres and radii of discs: the largest in the middle, the others in rings around it.

    A disc has radius sqrt(size), and room of 1 around it, which is the spacing of the nodes.
    """
    radii = np.sqrt(sizes.astype(np.float64))
    centres = np.zeros((len(sizes), 2))
    by_size = np.argsort(-sizes, kind="stable")
    inner = radii[by_size[0]] + 1
    start = 1
    while start < len(by_size):
        room = radii[by_size[start]] + 1  # the first disc of a ring is its largest
        ring = inner + room
        # The angle that a disc of this room covers, seen from the middle.
        angles = 2 * np.arcsin((radii[by_size[start:]] + 1) / ring)
        count = max(1, int(np.searchsorted(np.cumsum(angles), 2 * math.pi, side="right")))
        chosen, angles = by_size[start : start + count], angles[:count]
        slack = (2 * math.pi - angles.sum()) / count
        middle = np.cumsum(angles + slack) - (angles + slack) / 2
        centres[chosen] = ring * np.stack([np.cos(middle), np.sin(middle)], axis=1)
        inner = ring + room
        start += count
    # A single node sits in the middle of its disc.
    return centres, np.where(sizes > 1, radii, 0.0)


def _unit_box(points: Float64Array) -> FloatArray:
    """Scaled into [0, 1] x [0, 1] without distortion, in the middle of the box."""
    low, high = points.min(axis=0), points.max(axis=0)
    width = float((high - low).max())
    centred = points - (low + high) / 2
    box = centred / (width if width > 0 else 1.0) + 0.5
    return np.asarray(box.clip(0, 1), dtype=np.float32)


def _component_mean(values: npt.NDArray[np.floating], component: IntArray) -> Float64Array:
    sizes = np.bincount(component)
    sums = [np.bincount(component, weights=column) for column in values.T]
    return np.stack(sums, axis=1) / sizes[:, None]
