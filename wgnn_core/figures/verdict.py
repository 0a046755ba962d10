"""What retraining gave, in words that are true of the numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy.typing as npt

from wgnn_core.claims import Reason, wgnn_helps
from wgnn_core.figures.text import count, signed
from wgnn_core.intervention import Intervention
from wgnn_core.nonuniformity import max_nonuniformity
from wgnn_core.statistics import Comparison, compare

_WORDS = {
    Reason.HOLDS: "wGNN helps here with this η",
    Reason.OPPOSITE: "wGNN hurts here with this η",
    Reason.NOISE: "No difference beyond noise here with this η",
    Reason.EMPTY: "One seed cannot tell a difference from noise",
    Reason.UNTRAINED: "The base model has hardly learned, so a difference says nothing",
}


@dataclass(frozen=True)
class Verdict:
    """Whether wGNN helps.

    Attributes:
        reason: Why it may be said.
        word: What is said.
        numbers: Test accuracy before and after, and what the sentence rests on.
    """

    reason: Reason
    word: str
    numbers: str


def verdict(
    base: npt.ArrayLike,
    wgnn: npt.ArrayLike,
    mean_w: float,
    num_classes: int,
    overlap: float = 0.0,
) -> Verdict:
    """One sentence about test accuracy in percent; arguments as those of `claims.wgnn_helps`."""
    claim = wgnn_helps(base, wgnn, mean_w, num_classes, overlap)
    c = compare(base, wgnn, overlap)
    parts = [f"{signed(c.difference)} points"]
    if math.isfinite(c.low) and c.low < c.high:
        parts.append(f"95 % interval {signed(c.low)} to {signed(c.high)}")
    parts.append(count(c.n, "seed"))
    if claim.reason is Reason.UNTRAINED:
        parts.append(f"mean w {mean_w:.2f} of at most {max_nonuniformity(num_classes):.2f}")
    elif c.n > 1:
        parts.append(f"{c.test}, {pvalue(c.pvalue)}")
    return Verdict(
        claim.reason,
        _WORDS[claim.reason],
        f"{c.base_mean:.2f} % → {c.other_mean:.2f} % ({', '.join(parts)}).",
    )


def gain(c: Comparison) -> str:
    """The gain over the base model with its p-value, short enough to stand under a number."""
    p = f", {pvalue(c.pvalue)}" if math.isfinite(c.pvalue) else ""
    return f"{signed(c.difference)} points{p}"


def pvalue(p: float) -> str:
    if math.isnan(p):
        return "no p"
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def tried(seen: Mapping[Intervention, tuple[float, float]]) -> str:
    """What to say to someone who has looked at the test accuracy of several η; empty if at one.

    Args:
        seen: Mean validation and test accuracy in percent of each intervention looked at.
    """
    if len(seen) < 2:
        return ""
    best = max(seen, key=lambda at: seen[at][0])
    val, test = seen[best]
    return (
        f"You have tried {len(seen)} η on this graph with this model. To keep the one of best test "
        "accuracy would be to tune on the test set: choose by validation. Best validation so far: "
        f"{best.text}, with {val:.2f} % (its test accuracy is {test:.2f} %)."
    )
