"""The methods of a run by name, and their accuracies."""

from __future__ import annotations

from collections import Counter

import numpy as np

from wgnn_core.figures.spread import Accuracies
from wgnn_core.intervention import Intervention
from wgnn_core.runs.results import RunResult

MAX_METHODS = 8
"""A run with more interventions is a grid: only what validation chose is a method of it."""


def methods_of(result: RunResult) -> dict[str, Intervention]:
    """The retrained methods of a run by name: wGNN, wGNN1 (no edges dropped), wGNN2 (no nodes
    added).

    All interventions of a small run; of a grid what validation chose and, if they are cells of it,
    the two halves of that. Where two would have the same name, it is followed by their settings.
    """
    found = [one for one in result.finished if not one.is_base]
    if len(found) > MAX_METHODS:
        best = result.chosen
        wanted = [] if best is None else [best, best.of("wgnn1"), best.of("wgnn2")]
        found = [one for one in dict.fromkeys(wanted) if one in found]
    count = Counter(one.name for one in found)
    return {one.name if count[one.name] == 1 else f"{one.name}, {one.text}": one for one in found}


def tally_of(result: RunResult, intervention: Intervention) -> Accuracies:
    """Test accuracy in percent by the paper's tally, one for each seed of the run."""
    return np.asarray(result.of(intervention)["test"], dtype=np.float64)


def scores_of(result: RunResult) -> dict[str, Accuracies]:
    """Test accuracies in percent, one per seed: the base model, then `methods_of` the run."""
    base = result.trained
    retrained = {name: tally_of(result, one) for name, one in methods_of(result).items()}
    return {type(base.model).title: np.asarray(base.test), **retrained}
