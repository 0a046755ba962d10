"""Fast seeded 2-D layouts: neighbours pull, random nodes of the same component push."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from wgnn_core.errors import WGNNError
from wgnn_core.graph import FloatArray, IntArray
from wgnn_core.layout.packing import canvas, pack_columns, pack_rows

Float64Array = npt.NDArray[np.float64]

ASPECT = 1.9
"""Width over height of a map unless a caller knows better: what a page has beside its sidebar."""
MARGIN = 0.5
"""Room around a component, in distances between nodes."""
SHRINK = 0.1
"""Small components stand closer, so that the largest is large: a pair has half the room."""
DIFFUSION_STEPS = 40
START_EXTENT = 3.0
NEGATIVES = 5
SOFTENING = 0.01
"""Keeps the push finite between nodes that coincide."""


def layout(
    edges: IntArray, num_nodes: int, seed: int = 0, epochs: int = 200, aspect: float = ASPECT
) -> FloatArray:
    """Coordinates of every node, ``[N, 2]``; the same seed gives the same map.

    They fill a canvas of width 1 and height 1 / aspect (of height 1 and width `aspect` if that is
    below 1). Each connected component is drawn on its own, by gradient ascent on a
    negative-sampling objective: a node is pulled to its neighbours and pushed from `NEGATIVES`
    random nodes of its component. The components then fill boxes whose area grows with their
    size, from the largest at the left (at the top of a high canvas) to the nodes without an edge.
    The work is O(epochs (N + E)).

    Args:
        edges: Undirected edges without repetition, ``[E, 2]``, see `Graph.edges`.
        num_nodes: N, at least 1.
        seed: Seed of the start and of the random nodes.
        epochs: Number of gradient steps, at least 1.
        aspect: Width over height of the canvas.
    """
    for name, value in (("num_nodes", num_nodes), ("epochs", epochs)):
        if value < 1:
            raise WGNNError(f"{name} is {value}; a layout needs at least 1.")
    width, height = canvas(aspect)
    rng = np.random.default_rng(seed)
    both = np.concatenate([edges, edges[:, ::-1]])
    adjacency = sparse.csr_array(
        (np.ones(len(both), dtype=np.float32), (both[:, 0], both[:, 1])),
        shape=(num_nodes, num_nodes),
    )
    component = csgraph.connected_components(adjacency, directed=False)[1].astype(np.int64)
    points = _diffused_start(adjacency, component, rng)
    points = _relax(points, adjacency, component, epochs, rng)
    turned = _turned(points.astype(np.float64), component, wide=aspect >= 1)
    discs = _unit_discs(turned, component)
    return _place(_evened(_squircle(discs), component), component, width, height)


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


def _turned(points: Float64Array, component: IntArray, wide: bool) -> Float64Array:
    """Each component centred, its longest extent along the longer side of the canvas."""
    x, y = (points - _component_mean(points, component)[component]).T
    moments = _component_mean(np.stack([x * x - y * y, 2 * x * y], axis=1), component)[component]
    angle = np.arctan2(moments[:, 1], moments[:, 0]) / 2 + (0 if wide else np.pi / 2)
    cos, sin = np.cos(angle), np.sin(angle)
    return np.stack([cos * x + sin * y, cos * y - sin * x], axis=1)


def _unit_discs(points: Float64Array, component: IntArray) -> Float64Array:
    """Each component, its mean at 0, spread over the unit disc.

    The k-th nearest node to the middle of n goes to radius sqrt(k / n), its direction stays:
    every ring then holds as many nodes as its area, and a few far nodes cannot shrink the rest.
    """
    radius = np.sqrt((points**2).sum(axis=1))
    sizes = np.bincount(component)
    rank = np.empty(len(points), dtype=np.int64)
    rank[np.lexsort((radius, component))] = np.arange(len(points))
    rank -= (np.cumsum(sizes) - sizes)[component]
    target = np.sqrt((rank + 0.5) / sizes[component])
    stretch = np.divide(target, radius, out=np.zeros_like(radius), where=radius > 0)
    return np.asarray(points * stretch[:, None])


def _place(discs: Float64Array, component: IntArray, width: float, height: float) -> FloatArray:
    """The unit disc of each component in a box of its own.

    Discs become squircles, which leave less of the corners empty, as wide and high as the box.
    Nodes without an edge share the last box, in rows.
    """
    sizes = np.bincount(component)
    joined = np.flatnonzero(sizes > 1)
    joined = joined[np.argsort(-sizes[joined], kind="stable")]
    single = np.flatnonzero(sizes[component] == 1)
    areas = (np.sqrt(sizes[joined]) + 2 * MARGIN) ** 2 * (sizes[joined] / sizes.max()) ** SHRINK
    if len(single):
        areas = np.append(areas, (len(single) + 2 * MARGIN) * sizes.max() ** -SHRINK)
    boxes = (
        pack_columns(areas, width, height) if width > height else pack_rows(areas, width, height)
    )
    spacing = np.sqrt(width * height / areas.sum())  # about the distance of two nodes
    points = np.empty_like(discs)
    box = np.empty(len(sizes), dtype=np.int64)
    box[joined] = np.arange(len(joined))
    inside = np.flatnonzero(sizes[component] > 1)
    at = box[component[inside]]
    half = boxes.size[at] / 2
    room = np.maximum(half - MARGIN * spacing, 0.6 * half)
    points[inside] = boxes.centre[at] + room * discs[inside]
    if len(single):
        grid = pack_rows(np.ones(len(single)), *boxes.size[-1])
        points[single] = boxes.corner[-1] + grid.centre
    return np.asarray(points.clip(0, [width, height]), dtype=np.float32)


def _evened(discs: Float64Array, component: IntArray) -> Float64Array:
    """Half way from each coordinate to its rank within the component, then from -1 to 1.

    The ranks open what is crowded; halfway they leave clusters as clusters.
    """
    sizes = np.bincount(component)
    first = np.cumsum(sizes) - sizes
    even = np.empty_like(discs)
    for axis in (0, 1):
        order = np.lexsort((discs[:, axis], component))
        rank = np.empty(len(discs))
        rank[order] = np.arange(len(discs)) - first[component[order]]
        place = discs[:, axis] + (2 * rank + 1) / sizes[component] - 1
        # rank and coordinate rise together, so the ends of a component are its first and last
        low, high = place[order[first]], place[order[first + sizes - 1]]
        middle, half = (low + high) / 2, (high - low) / 2
        half[sizes == 1] = 1
        even[:, axis] = (place - middle[component]) / half[component]
    return even


def _squircle(disc: Float64Array) -> Float64Array:
    """The unit disc stretched along its diagonals to the unit ball of the 4-norm."""
    radius = np.sqrt((disc**2).sum(axis=1))
    bound = ((disc**4).sum(axis=1)) ** 0.25
    stretch = np.divide(radius, bound, out=np.ones_like(radius), where=bound > 0)
    return np.asarray(disc * stretch[:, None])


def _component_mean(values: npt.NDArray[np.floating], component: IntArray) -> Float64Array:
    sizes = np.bincount(component)
    sums = [np.bincount(component, weights=column) for column in values.T]
    return np.stack(sums, axis=1) / sizes[:, None]
