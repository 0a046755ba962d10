"""The class polygon: classes are corners, and a node stands where its probabilities pull it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import numpy.typing as npt

from wgnn_core.graph import FloatArray, IntArray
from wgnn_core.nonuniformity import check_distributions

Float64Array = npt.NDArray[np.float64]

SHARPNESS = 2.0
"""Probabilities are raised to this power: plain means crowd in the middle."""
EXACT_UP_TO = 8
"""For so many classes all orders of the corners are tried."""
JITTER = 0.04
"""Radius of the disc over which nodes of equal probabilities are spread, the polygon's being 1."""
PLASTIC = 1.32471795724474602596
"""The real root of x^3 = x + 1; its powers give the plane what the golden ratio gives the line."""


@dataclass(frozen=True, eq=False)
class ClassPolygon:
    """Places of the nodes by their probabilities, in the box [0, 1] x [0, 1].

    Attributes:
        corners: Corner of each class, ``[C, 2]``, by class number.
        order: The classes around the polygon, from the top clockwise.
        points: Place of each node, ``[N, 2]``.
    """

    corners: Float64Array
    order: IntArray
    points: FloatArray


def class_polygon(prob: FloatArray, order: IntArray) -> ClassPolygon:
    """Each node at the mean of the corners, weighted by its sharpened probabilities.

    The weights of node v are mu_v(s)^2, normalised. A sure node is at the corner of its class, an
    undecided one in the middle, one that wavers between two neighbouring classes on the side
    between them, where w can still be large. Each node is moved by at most `JITTER` in a direction
    of its own, the same for any probabilities: equal nodes do not hide each other, and a node
    that keeps its probabilities keeps its place.

    With two classes the polygon is a line from the left to the right, which needs a second
    dimension: the height of a node is a fixed number of its own, so that the picture is a band
    in which height means nothing, and a node that changes its mind moves along it.

    Args:
        prob: Softmax probabilities, ``[N, C]``.
        order: The classes around the polygon, see `corner_order`.
    """
    check_distributions(prob)
    classes = prob.shape[1]
    corners = _corners(classes)[np.argsort(order)]
    number = np.arange(len(prob))
    # a low-discrepancy sequence: any run of node numbers fills the disc (or the band) evenly
    turn, far = (number / PLASTIC) % 1, (number / PLASTIC**2) % 1
    if classes == 2:
        own = np.stack([JITTER * (2 * far - 1), turn - 0.5], axis=1)
    else:
        spin = np.stack([np.cos(2 * np.pi * turn), np.sin(2 * np.pi * turn)], axis=1)
        own = JITTER * np.sqrt(far)[:, None] * spin
    points = sharpened(prob) @ corners + own
    scale = 0.5 / (1 + JITTER)
    return ClassPolygon(
        corners=0.5 + scale * corners,
        order=np.asarray(order, dtype=np.int64),
        points=np.asarray(0.5 + scale * points, dtype=np.float32),
    )


def sharpened(prob: FloatArray) -> Float64Array:
    """mu^2, normalised, ``[N, C]``."""
    power = np.asarray(prob, dtype=np.float64).clip(min=0) ** SHARPNESS
    return np.asarray(power / power.sum(axis=1, keepdims=True))


def corner_order(edges: IntArray, labels: IntArray, num_classes: int) -> IntArray:
    """The classes around the polygon such that classes with many edges between them are close.

    It makes the sum over the edges of the number of corners from one class to the other, the
    shorter way round, smallest. Up to `EXACT_UP_TO` classes all orders are tried; above, an order
    is improved by moving one class or turning a stretch round until neither helps. Class 0 is at
    the top, and of the two directions round the one with the smaller class first is taken.

    Args:
        edges: Edges of the graph, ``[E, 2]``.
        labels: True or predicted class of every node, ``[N]``.
        num_classes: C, at least 2.
    """
    a, b = labels[edges[:, 0]], labels[edges[:, 1]]
    counts = np.bincount(num_classes * a + b, minlength=num_classes**2)
    between = counts.reshape(num_classes, num_classes)
    between = between + between.T
    if num_classes <= EXACT_UP_TO:
        rest = np.array(list(permutations(range(1, num_classes))), dtype=np.int64)
        orders = np.pad(rest, ((0, 0), (1, 0)))
        best = orders[np.argmin(_lengths(orders, between))]
    else:
        best = _improved(between)
    return best if best[1] <= best[-1] else np.roll(best[::-1], 1)


@dataclass(frozen=True, eq=False)
class Movers:
    """The nodes whose probabilities change most.

    Attributes:
        nodes: Node numbers, the largest change first.
        change: Share of the node's weights that moved to other corners, in [0, 1].
    """

    nodes: IntArray
    change: Float64Array


def movers(before: FloatArray, after: FloatArray, most: int = 100, least: float = 0.1) -> Movers:
    """Which nodes move most on the polygon between two models, for arrows from there to here.

    The change is the total variation distance of the sharpened probabilities; a node moves at
    most that share of the polygon's diameter.

    Args:
        before: Probabilities of the first model, ``[N, C]``.
        after: Probabilities of the second, ``[N, C]``.
        most: At most so many nodes.
        least: Nodes that change by less are left out.
    """
    change = np.abs(sharpened(after) - sharpened(before)).sum(axis=1) / 2
    nodes = np.argsort(-change, kind="stable")[:most]
    nodes = nodes[change[nodes] >= least]
    return Movers(nodes, change[nodes])


def _corners(classes: int) -> Float64Array:
    """From the top clockwise; two corners are left and right."""
    if classes == 2:
        return np.array([[-1.0, 0.0], [1.0, 0.0]])
    angle = np.pi / 2 - 2 * np.pi * np.arange(classes) / classes
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _lengths(orders: IntArray, between: IntArray) -> IntArray:
    """Sum of steps over the edges for each row of `orders`, ``[k]``."""
    classes = len(between)
    gap = np.abs(np.arange(classes)[:, None] - np.arange(classes))
    steps = np.minimum(gap, classes - gap)
    return np.asarray((between[orders[:, :, None], orders[:, None, :]] * steps).sum(axis=(1, 2)))


def _improved(between: IntArray) -> IntArray:
    """Local search from the order of classes by number, class 0 in its place."""
    classes = len(between)
    order = np.arange(classes)
    length = _lengths(order[None], between)[0]
    while True:
        tried = np.array(_neighbours(order.tolist()), dtype=np.int64)
        lengths = _lengths(tried, between)
        if lengths.min() >= length:
            return order
        order, length = tried[np.argmin(lengths)], lengths.min()


def _neighbours(order: list[int]) -> list[list[int]]:
    """Every order by one stretch turned round or one class moved; class 0 stays first."""
    n = len(order)
    turned = [
        order[:i] + order[i:j][::-1] + order[j:] for i in range(1, n) for j in range(i + 2, n + 1)
    ]
    moved = []
    for i in range(1, n):
        rest = order[:i] + order[i + 1 :]
        moved += [[*rest[:j], order[i], *rest[j:]] for j in range(1, n) if j != i]
    return turned + moved
