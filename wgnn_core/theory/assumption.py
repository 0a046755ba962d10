"""Does the assumption of Section 3 hold? The smooth interpolation against a trained network.

The paper studies f~ in place of the network's probabilities mu_v(s). Here both are given as
arrays ``[N, C]`` and compared; a node without observed nodes in its component (nan) is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from wgnn_core.errors import WGNNError
from wgnn_core.graph import HIDDEN, BoolArray, FloatArray, IntArray
from wgnn_core.nonuniformity import nonuniformity
from wgnn_core.theory.dirichlet import Signal


@dataclass(frozen=True)
class Agreement:
    """How well two values of the same nodes go together.

    Attributes:
        nodes: How many nodes were compared.
        pearson: Correlation; nan if a value is the same at all nodes.
        spearman: Correlation of the ranks.
        distance: Mean absolute difference.
    """

    nodes: int
    pearson: float
    spearman: float
    distance: float


@dataclass(frozen=True, eq=False)
class ByDistance:
    """Means over the nodes at each distance from the class boundary, in rising order.

    Attributes:
        hops: The distances; inf for nodes that no boundary reaches, ``[D]``.
        nodes: How many nodes each has.
        harmonic: Mean non-uniformity of the smooth interpolation.
        network: Mean w of the network.
        spearman: Rank correlation of the two within the distance; nan where it is not defined.
    """

    hops: Signal
    nodes: IntArray
    harmonic: Signal
    network: Signal
    spearman: Signal


def harmonic_nonuniformity(weights: Signal) -> Signal:
    """w of the smooth interpolation, eq. (1) on f~: harmonic interpolation as a ranker, ``[N]``.

    0 where no observed node is reached: nothing is known there, as at the uniform distribution.
    """
    reached = _reached(weights)
    uniform = np.full(weights.shape[1], 1 / weights.shape[1])
    w: Signal = nonuniformity(np.where(reached[:, None], np.clip(weights, 0.0, 1.0), uniform))
    return np.where(reached, w, 0.0)


def harmonic_classes(weights: Signal) -> IntArray:
    """The class of largest f~: harmonic interpolation as a classifier (Zhu et al., 2003), ``[N]``.

    `HIDDEN` where no observed node is reached; ties go to the smaller class number.
    """
    reached = _reached(weights)
    best = np.argmax(np.where(reached[:, None], weights, 0.0), axis=1)
    return np.where(reached, best, HIDDEN).astype(np.int64)


def agreement(
    first: npt.ArrayLike, second: npt.ArrayLike, compared: BoolArray | None = None
) -> Agreement:
    """Correlation of two values of each node, such as f~ and mu_v(s), or two kinds of w.

    Args:
        first: ``[N]``; nodes with nan are left out.
        second: ``[N]``; likewise.
        compared: The nodes to compare, ``[N]``, by default all. Observed nodes agree by
            construction, so they are better left out.

    Raises:
        WGNNError: Fewer than two nodes are left.
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    chosen = np.isfinite(x) & np.isfinite(y)
    if compared is not None:
        chosen &= compared
    x, y = x[chosen], y[chosen]
    if len(x) < 2:
        raise WGNNError(f"{len(x)} nodes can be compared; a correlation needs at least 2.")
    return Agreement(len(x), _pearson(x, y), _spearman(x, y), float(np.abs(x - y).mean()))


def class_agreement(
    weights: Signal, prob: FloatArray, compared: BoolArray | None = None
) -> tuple[Agreement, ...]:
    """f~ against mu_v(s) for each class s, see `agreement`."""
    return tuple(agreement(weights[:, s], prob[:, s], compared) for s in range(prob.shape[1]))


def nonuniformity_agreement(
    weights: Signal, prob: FloatArray, compared: BoolArray | None = None
) -> Agreement:
    """The two kinds of w, of f~ and of mu_v, against each other, see `agreement`."""
    return agreement(_known(weights), nonuniformity(prob), compared)


def by_distance(
    weights: Signal, prob: FloatArray, hops: Signal, compared: BoolArray | None = None
) -> ByDistance:
    """Both kinds of w by distance to the class boundary.

    Args:
        weights: f~ of every class, ``[N, C]``.
        prob: mu of the network, ``[N, C]``.
        hops: Distance of each node to the class boundary, see `boundary.distance_to_boundary`.
        compared: The nodes to compare, ``[N]``, by default all.
    """
    harmonic, network = _known(weights), nonuniformity(prob).astype(np.float64)
    chosen = np.isfinite(harmonic)
    if compared is not None:
        chosen &= compared
    levels, level = np.unique(hops[chosen], return_inverse=True)
    x, y = harmonic[chosen], network[chosen]
    count = np.bincount(level, minlength=len(levels))
    return ByDistance(
        hops=levels,
        nodes=count.astype(np.int64),
        harmonic=np.bincount(level, x, minlength=len(levels)) / count,
        network=np.bincount(level, y, minlength=len(levels)) / count,
        spearman=np.array([_spearman(x[level == i], y[level == i]) for i in range(len(levels))]),
    )


def _reached(weights: Signal) -> BoolArray:
    return np.asarray(np.isfinite(weights).all(axis=1))


def _known(weights: Signal) -> Signal:
    """w of f~, nan where no observed node is reached."""
    reached = _reached(weights)
    return np.where(reached, harmonic_nonuniformity(weights), np.nan)


def _pearson(x: Signal, y: Signal) -> float:
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def _spearman(x: Signal, y: Signal) -> float:
    return _pearson(stats.rankdata(x), stats.rankdata(y))
