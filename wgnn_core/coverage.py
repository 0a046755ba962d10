"""How good a ranking of Problem 1 is, and how many nodes it can be trusted on.

Accuracies are in percent; coverages are shares of the test nodes in [0, 1], as alpha is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wgnn_core.errors import WGNNError
from wgnn_core.fraction import ROUNDING_SLACK
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.ranking import accuracy_coverage, augrc, aurc

Float64Array = npt.NDArray[np.float64]

CONFIDENCE = 0.95
RESAMPLES = 400
BOOTSTRAP_STREAM = 0x424F4F54


@dataclass(frozen=True, eq=False)
class Quality:
    """How well one order of the test nodes separates right from wrong.

    Attributes:
        accuracy: Accuracy in percent on the first ceil(alpha |T|) nodes, one for each alpha.
        aurc: See `ranking.aurc`.
        augrc: See `ranking.augrc`.
    """

    accuracy: Float64Array
    aurc: float
    augrc: float


def quality(correct: BoolArray, alphas: npt.ArrayLike) -> Quality:
    """Of one order.

    Args:
        correct: Whether each test node is predicted right, in rank order.
        alphas: Coverages in (0, 1].
    """
    return Quality(accuracy_coverage(correct, alphas), aurc(correct), augrc(correct))


def random_quality(correct: BoolArray, alphas: npt.ArrayLike) -> Quality:
    """The mean over all orders, in closed form: what the random ranker gets on average.

    Its accuracy is that of the whole test set at every alpha, a flat line. The AURC is the error
    rate, and the AUGRC half of it.

    Args:
        correct: Whether each test node is predicted right, in any order.
        alphas: Coverages in (0, 1].
    """
    level = float(accuracy_coverage(correct, [1.0])[0])
    flat = np.full_like(accuracy_coverage(correct, alphas), level)
    return Quality(flat, aurc=1 - level / 100, augrc=(1 - level / 100) / 2)


@dataclass(frozen=True, eq=False)
class CoverageAt:
    """The largest coverage at which a ranker keeps a target accuracy.

    Attributes:
        target: The accuracy that is asked for, in percent.
        coverage: Mean over the seeds of the largest coverage, in [0, 1].
        low: Lower end of its 95 % bootstrap interval.
        high: Upper end of it.
        seeds: The largest coverage of each seed; 0 where even the first node is wrong.
    """

    target: float
    coverage: float
    low: float
    high: float
    seeds: Float64Array


def coverage_at(
    target: float,
    orders: Sequence[IntArray],
    correct: Sequence[BoolArray],
    resamples: int = RESAMPLES,
) -> CoverageAt:
    """The largest k / |T| such that at least `target` percent of the first k nodes are right.

    The curve may fall below the target before k and rise again. The interval is a percentile
    bootstrap that draws nodes and seeds with replacement, independently of each other (Owen, "The
    pigeonhole bootstrap", 2007). A drawn node counts for every seed that tests it, since a node
    that is hard for one seed is hard for others; with one seed only nodes are drawn. The draws
    are seeded, so the same input gives the same interval.

    Args:
        target: Accuracy in percent, greater than 0 and at most 100.
        orders: For each seed its test nodes, best first.
        correct: For each seed whether each of them is predicted right, in the same order.
        resamples: How often to draw.
    """
    if not 0 < target <= 100:
        raise WGNNError(f"target is {target}; an accuracy is greater than 0 and at most 100.")
    sizes = [(len(nodes), len(hits)) for nodes, hits in zip(orders, correct, strict=True)]
    if not sizes or any(n != m or n == 0 for n, m in sizes):
        raise WGNNError(
            f"The orders and outcomes have lengths {sizes}; each seed needs one outcome for each "
            "node, and there must be at least 1 of each."
        )
    tested = np.unique(np.concatenate(orders))
    rng = np.random.default_rng(BOOTSTRAP_STREAM)
    drawn = _counts(rng, resamples, len(tested))
    observed, resampled = np.empty(len(orders)), np.empty((len(orders), resamples))
    for k, (nodes, hits) in enumerate(zip(orders, correct, strict=True)):
        observed[k] = _largest(target, hits, np.ones((1, len(hits)), dtype=np.int64))[0]
        resampled[k] = _largest(target, hits, drawn[:, np.searchsorted(tested, nodes)])
    chosen = _counts(rng, resamples, len(orders))
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile((chosen * resampled.T).mean(axis=1), [tail, 100 - tail])
    return CoverageAt(target, float(observed.mean()), float(low), float(high), observed)


def _counts(rng: np.random.Generator, resamples: int, n: int) -> IntArray:
    """How often each of n things is drawn in n draws with replacement, ``[resamples, n]``."""
    drawn = rng.integers(0, n, (resamples, n)) + n * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * n).reshape(resamples, n)


def _largest(target: float, correct: BoolArray, weight: IntArray) -> Float64Array:
    """The largest coverage for each row of node weights, ``[resamples, n]``."""
    size = np.cumsum(weight, axis=1)
    hits = np.cumsum(weight * correct, axis=1)
    enough = (100 * hits >= (target - ROUNDING_SLACK) * size) & (size > 0)
    best = np.where(enough, size, 0).max(axis=1)
    return np.asarray(best / np.maximum(size[:, -1], 1))
