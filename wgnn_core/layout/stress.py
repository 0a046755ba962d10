"""Small connected graphs drawn for reading: distances as in the graph, no dot over another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from wgnn_core.graph import IntArray

Float64Array = npt.NDArray[np.float64]

SWEEPS = 50
PUSHES = 100
START_STREAM = 0x50494543


def stress_layout(edges: IntArray, lengths: Float64Array, num_nodes: int) -> Float64Array:
    """Coordinates ``[n, 2]`` whose distances are near those along the graph; the mean is 0.

    Classical scaling of the shortest paths d, then majorisation of the stress
    sum (|x_u - x_v| - d_uv)^2 / d_uv^2 (Gansner, Koren and North, "Graph Drawing by Stress
    Majorization", 2004). The longest extent lies along x. The work is O(n^2) for each of `SWEEPS`
    sweeps, meant for a few hundred nodes.

    Args:
        edges: Edges of a connected graph, ``[e, 2]``.
        lengths: Wished length of each edge, ``[e]``.
        num_nodes: n, at least 1.
    """
    if num_nodes == 1:
        return np.zeros((1, 2))
    links = sparse.csr_array((lengths, (edges[:, 0], edges[:, 1])), shape=(num_nodes, num_nodes))
    far = csgraph.shortest_path(links, directed=False)
    weight = 1 / (far + np.eye(num_nodes)) ** 2
    np.fill_diagonal(weight, 0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    # the stress leaves the mean open; a constant puts it at 0 and makes the matrix regular
    solve = np.linalg.inv(laplacian + 1 / num_nodes)
    points = _classical(far)
    for _ in range(SWEEPS):
        pull = weight * far / np.maximum(_gaps(points), 1e-6)
        points = solve @ (pull.sum(axis=1)[:, None] * points - pull @ points)
    return points @ _main_axes(points)


def spread_out(
    points: Float64Array,
    box: Float64Array,
    apart: float,
    long_edges: IntArray,
    length: float,
) -> Float64Array:
    """Push nodes apart inside a box, as little as it takes.

    Args:
        points: Coordinates, ``[n, 2]``.
        box: Lower left and upper right corner, ``[2, 2]``.
        apart: Wished least distance of two nodes.
        long_edges: Edges that must be seen, ``[e, 2]``.
        length: Wished least length of those.
    """
    wished = np.full((len(points), len(points)), apart)
    u, v = long_edges.T
    wished[u, v] = wished[v, u] = max(apart, length)
    np.fill_diagonal(wished, 0)
    for _ in range(PUSHES):
        gap = _gaps(points)
        short = np.maximum(wished - gap, 0)
        if short.max() < 0.02 * apart:
            break
        # half of what is missing for each end of a pair, shared by the pairs that push a node
        push = short / np.maximum(gap, 1e-6)
        moved = push.sum(axis=1)[:, None] * points - push @ points
        crowd = np.maximum((short > 0).sum(axis=1), 1)[:, None]
        points = (points + 0.5 * moved / np.sqrt(crowd)).clip(*box)
    return points


def _gaps(points: Float64Array) -> Float64Array:
    """Distances between all pairs, ``[n, n]``."""
    at = points[:, 0] + 1j * points[:, 1]
    return np.asarray(np.abs(at[:, None] - at))


def _classical(far: Float64Array) -> Float64Array:
    """Classical scaling: the two leading axes of the doubly centred squared distances.

    Nodes with the same distances to all others, such as the leaves of a star, would coincide; a
    seeded trembling parts them.
    """
    squared = far**2
    mean = squared.mean(axis=0)
    centred = -0.5 * (squared - mean - mean[:, None] + mean.mean())
    value, vector = np.linalg.eigh(centred)
    axes = vector[:, -2:] * np.sqrt(np.maximum(value[-2:], 0))
    sign = np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
    rng = np.random.default_rng(START_STREAM)
    return np.asarray(axes * sign + 0.1 * rng.standard_normal(axes.shape))


def _main_axes(points: Float64Array) -> Float64Array:
    """The rotation that lays the longest extent along x."""
    x, y = (points - points.mean(axis=0)).T
    angle = np.arctan2(2 * (x * y).sum(), (x * x - y * y).sum()) / 2
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin], [sin, cos]])
