"""What retraining gave, in words that are true of the numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping

from wgnn_core.claims import Claim, Reason
from wgnn_core.intervention import Intervention
from wgnn_core.statistics import Comparison

_WORDS = {
    Reason.HOLDS: "wGNN helps here with this η",
    Reason.OPPOSITE: "wGNN hurts here with this η",
    Reason.NOISE: "No difference beyond noise here with this η",
    Reason.EMPTY: "One seed cannot tell a difference from noise",
}


def verdict(claim: Claim) -> str:
    """One sentence about test accuracy, from `claims.wgnn_helps`.

    Empty where the base model has not learned: against such a model nothing can be said.
    """
    if claim.reason is Reason.UNTRAINED:
        return ""
    numbers = claim.numbers
    text = f"{_WORDS[claim.reason]}: {points(numbers['difference'])} of test accuracy"
    if math.isfinite(numbers["low"]):
        text += f" (95 % interval {numbers['low']:+.2f} to {numbers['high']:+.2f})"
    return f"{text}."


def gain(c: Comparison) -> str:
    """The gain over the base model with its p-value, short enough to stand under a number."""
    p = f", {pvalue(c.t_pvalue)}" if math.isfinite(c.t_pvalue) else ""
    return f"{points(c.difference)}{p}"


def points(difference: float) -> str:
    """A difference of accuracies; without a minus where it is zero."""
    return f"{round(difference, 2) + 0.0:+.2f} points"


def pvalue(p: float) -> str:
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
