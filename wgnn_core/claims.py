"""Is a sentence true of these numbers? One function for each sentence that a caption may say.

A function returns a `Claim`: whether the sentence holds, why, the numbers to print beside it and
the p-value behind it. It returns no words: pages and figures write them. A sentence about
differences holds only if they are too large for chance (p < `LEVEL`) and large enough to be seen.

The tests treat nodes as independent of each other. Neighbours are not, so a p-value over nodes is
a guard against seeing something in noise and not a measurement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from wgnn_core.boundary import joins_classes
from wgnn_core.errors import WGNNError
from wgnn_core.graph import UNLABELLED, BoolArray, IntArray
from wgnn_core.nonuniformity import max_nonuniformity
from wgnn_core.statistics import compare

Floats = npt.NDArray[np.floating[Any]]

LEVEL = 0.05
LEAST_POINTS = 5.0
"""Two shares that differ by fewer points look the same on a map."""
LEAST_CORRELATION = 0.1
"""Below it a trend cannot be seen; Cohen (1988) calls 0.1 small."""
LEAST_SEPARATION = 0.55
"""AUROC below which two histograms look alike; 0.5 is chance."""
TWO_CLASS_DOUBT = 0.2
"""A node whose two largest probabilities differ by less cannot decide between two classes."""
LARGE_SHARE = 0.5
"""A w above this share of the largest w is called large."""
UNTRAINED_SHARE = 0.05
"""A base model whose mean w is a smaller share of the largest w has not learned."""


class Reason(StrEnum):
    """Why a claim holds or does not."""

    HOLDS = "holds"
    OPPOSITE = "opposite"
    """The numbers say the contrary, by the same test."""
    WEAK = "weak"
    """Not chance, and too small to be seen."""
    NOISE = "noise"
    """Chance gives such numbers too."""
    UNTRAINED = "untrained"
    """The base model has not learned, so nothing can be said against it."""
    EMPTY = "empty"
    """One of the two sides has nothing to count, or there is one seed only."""


@dataclass(frozen=True)
class Claim:
    """Whether a sentence is true of the numbers.

    Attributes:
        reason: Why; the sentence holds exactly if it is `Reason.HOLDS`.
        numbers: What to print beside the sentence, named in the docstring of its function.
        pvalue: Of the test; nan if there is none.
    """

    reason: Reason
    numbers: Mapping[str, float]
    pvalue: float = float("nan")

    @property
    def holds(self) -> bool:
        return self.reason is Reason.HOLDS


def wrong_nodes_gather_at(right: BoolArray, boundary: BoolArray) -> Claim:
    """Wrong nodes stand on the class boundary more often than right ones.

    Fisher's exact test, one-sided.

    Args:
        right: Whether each judged node is predicted right, ``[n]``.
        boundary: Whether it is on the boundary, see `boundary.class_boundary`, ``[n]``.

    Returns:
        Numbers "wrong" and "right": the percentage of the wrong and of the right nodes that are
        on the boundary.
    """
    return _more_often("wrong", ~right, "right", boundary)


def w_rises_from_boundary(w: Floats, distance: Floats) -> Claim:
    """w is smaller the nearer a node is to the class boundary.

    Spearman's rank correlation of w and distance, one-sided; nodes that reach no boundary are
    left out.

    Args:
        w: Label non-uniformity, ``[n]``.
        distance: Hops to the boundary, inf where there is none, ``[n]``.

    Returns:
        Numbers "correlation"; "boundary" and "inside": mean w on the boundary and off it; "nodes":
        how many nodes reach a boundary.
    """
    reached = np.isfinite(distance)
    near, hops = np.asarray(w, dtype=np.float64)[reached], distance[reached]
    numbers = {
        "correlation": float("nan"),
        "boundary": _mean(near[hops == 0]),
        "inside": _mean(near[hops > 0]),
        "nodes": float(len(near)),
    }
    if len(near) < 3 or np.ptp(near) == 0 or np.ptp(hops) == 0:
        return Claim(Reason.EMPTY, numbers)
    found = stats.spearmanr(near, hops)
    correlation = float(found.statistic)
    half = float(found.pvalue) / 2
    more, less = (half, 1 - half) if correlation > 0 else (1 - half, half)
    seen = abs(correlation) >= LEAST_CORRELATION
    return Claim(_verdict(more, less, seen), numbers | {"correlation": correlation}, more)


def wrong_nodes_have_small_w(w: Floats, right: BoolArray) -> Claim:
    """w tells right from wrong nodes: it is smaller on the wrong ones.

    The Mann-Whitney test, one-sided.

    Args:
        w: Label non-uniformity of the judged nodes, ``[n]``.
        right: Whether each is predicted right, ``[n]``.

    Returns:
        Numbers "auroc": the chance that a right node has a larger w than a wrong one (0.5 is
        chance); "wrong" and "right": mean w.
    """
    low, high = w[~right], w[right]
    numbers = {"auroc": float("nan"), "wrong": _mean(low), "right": _mean(high)}
    if len(low) == 0 or len(high) == 0 or np.ptp(w) == 0:
        return Claim(Reason.EMPTY, numbers)
    test = stats.mannwhitneyu(high, low, alternative="greater")
    less = stats.mannwhitneyu(high, low, alternative="less").pvalue
    auroc = float(test.statistic) / (len(low) * len(high))
    seen = abs(auroc - 0.5) >= LEAST_SEPARATION - 0.5
    return Claim(
        _verdict(float(test.pvalue), float(less), seen),
        numbers | {"auroc": auroc},
        float(test.pvalue),
    )


def w_misses_doubt(prob: Floats, w: Floats, right: BoolArray) -> Claim:
    """Nodes that cannot decide between two classes can have a large w, which is its blind spot.

    With mu = (1/2, 1/2, 0, ...) w is 2 (1 - 2/C), close to its largest value 2 (1 - 1/C) when there
    are many classes C; with two classes it is 0, and with three it is half of the largest. The
    claim is that such nodes are wrong more often than the other nodes of large w: Fisher's exact
    test, one-sided.

    Args:
        prob: Probabilities of the judged nodes, ``[n, C]``.
        w: Their label non-uniformity, ``[n]``.
        right: Whether each is predicted right, ``[n]``.

    Returns:
        Numbers "nodes": how many are undecided between two classes (`TWO_CLASS_DOUBT`) with a w
        above `LARGE_SHARE` of the largest; "wrong" and "others": the percentage of them and of the
        other nodes of large w that are wrong.
    """
    top = np.sort(prob, axis=1)[:, -2:]
    large = w > LARGE_SHARE * max_nonuniformity(prob.shape[1]) + 1e-6
    doubt: BoolArray = (top[:, 1] - top[:, 0] < TWO_CLASS_DOUBT)[large]
    found = _more_often("wrong", doubt, "others", ~right[large])
    return Claim(found.reason, {"nodes": float(doubt.sum()), **found.numbers}, found.pvalue)


def untrained(mean_w: float, num_classes: int) -> bool:
    """Whether a model with this mean w has not learned."""
    return mean_w / max_nonuniformity(num_classes) < UNTRAINED_SHARE


def dropped_edges_join_classes(edges: IntArray, dropped: BoolArray, labels: IntArray) -> Claim:
    """Dropped edges join two classes more often than the other edges do.

    Fisher's exact test, one-sided. Edges with an end of unknown class are left out.

    Args:
        edges: Edges of G, ``[E, 2]``.
        dropped: Edges that go, ``[E]``.
        labels: Class of every node, ``[N]``, may be `UNLABELLED`.

    Returns:
        Numbers "dropped" and "kept": the percentage of these edges that join two classes.
    """
    known: BoolArray = (labels[edges] != UNLABELLED).all(axis=1)
    return _more_often("dropped", dropped[known], "kept", joins_classes(edges, labels)[known])


def wgnn_helps(
    base: npt.ArrayLike,
    wgnn: npt.ArrayLike,
    mean_w: float,
    num_classes: int,
    overlap: float = 0.0,
) -> Claim:
    """wGNN beats its base model: the paired difference over the seeds is not chance.

    Args:
        base: Accuracy of the base model in percent, one per seed.
        wgnn: Accuracy of wGNN in percent, for the same seeds.
        mean_w: Mean w of the base model over all nodes and seeds.
        num_classes: C; the largest w is 2 (1 - 1/C).
        overlap: Of the splits of the seeds, see `statistics.compare`.

    Returns:
        Numbers "difference", "low" and "high": the mean difference in points and its 95 %
        interval; "seeds"; "trained": mean w as a share of the largest w. The p-value is
        `Comparison.pvalue`. The reason is `UNTRAINED` where that share is below
        `UNTRAINED_SHARE`, and `OPPOSITE` where wGNN loses.
    """
    c = compare(base, wgnn, overlap)
    trained = mean_w / max_nonuniformity(num_classes)
    numbers = {
        "difference": c.difference,
        "low": c.low,
        "high": c.high,
        "seeds": float(c.n),
        "trained": trained,
    }
    if not 0 <= trained <= 1 + 1e-6:
        raise WGNNError(
            f"The mean w is {mean_w}; with {num_classes} classes it lies between 0 and "
            f"{max_nonuniformity(num_classes):g}."
        )
    if untrained(mean_w, num_classes):
        reason = Reason.UNTRAINED
    elif c.n == 1:
        reason = Reason.EMPTY
    elif not c.pvalue < LEVEL:  # nan where both are equal for every seed
        reason = Reason.NOISE
    else:
        reason = Reason.HOLDS if c.difference > 0 else Reason.OPPOSITE
    return Claim(reason, numbers, c.pvalue)


def best_on_edge(
    best: Sequence[float], axes: Sequence[Sequence[float]], lowest: float = 0, highest: float = 1
) -> Claim:
    """The best cell lies on the edge of the grid, so that a better one may lie beyond it.

    The end of an axis counts only where there is something beyond: an axis of one value is held
    fixed, and no value of eta is below 0 or above 1.

    Args:
        best: The value of the best cell on each axis.
        axes: The values tried on each axis, in any order.
        lowest: No axis can go below it.
        highest: No axis can go above it.

    Returns:
        For each axis i a number "axis i": -1 if the best value is its lower end, 1 if its upper
        end, 0 otherwise. There is no test, so the p-value is nan.
    """
    numbers = {}
    for i, (value, tried) in enumerate(zip(best, axes, strict=True)):
        if value not in tried:
            raise WGNNError(f"The best cell has {value} on axis {i}; tried were {list(tried)}.")
        side = 0
        if len(set(tried)) > 1:
            side -= value == min(tried) and value > lowest
            side += value == max(tried) and value < highest
        numbers[f"axis {i}"] = float(side)
    return Claim(Reason.HOLDS if any(numbers.values()) else Reason.OPPOSITE, numbers)


def _more_often(name: str, chosen: BoolArray, other_name: str, trait: BoolArray) -> Claim:
    """The chosen have a trait more often than the others: Fisher's exact test, one-sided."""
    share, other = _percent(trait[chosen]), _percent(trait[~chosen])
    numbers = {name: share, other_name: other}
    if not all(mask.any() and not mask.all() for mask in (chosen, trait)):
        return Claim(Reason.EMPTY, numbers)
    table = stats.hypergeom(len(trait), int(trait.sum()), int(chosen.sum()))
    both = int((trait & chosen).sum())
    more, less = float(table.sf(both - 1)), float(table.cdf(both))
    return Claim(_verdict(more, less, abs(share - other) >= LEAST_POINTS), numbers, more)


def _verdict(more: float, less: float, seen: bool) -> Reason:
    """From the one-sided p-values of the claim and of its contrary."""
    if min(more, less) >= LEVEL:
        return Reason.NOISE
    if not seen:
        return Reason.WEAK
    return Reason.HOLDS if more < less else Reason.OPPOSITE


def _percent(mask: BoolArray) -> float:
    return 100 * _mean(mask)


def _mean(values: npt.NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else float("nan")
