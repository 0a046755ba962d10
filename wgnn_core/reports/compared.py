"""Several runs side by side: the base model, wGNN1, wGNN2 and wGNN in each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wgnn_core.figures.comparison_bars import ComparisonBars
from wgnn_core.reports.tables import Accuracies, scores_of, trained_base
from wgnn_core.runs.results import RunResult

BASE = "base model"


def not_comparable(results: Sequence[RunResult]) -> str:
    """Why the runs make no bars; empty if they do."""
    ids = [result.summary.run_id for result in results]
    twice = [run for run, count in Counter(ids).items() if count > 1]
    return f"run {twice[0]} is given twice" if twice else ""


def compared_runs(results: Sequence[RunResult]) -> ComparisonBars:
    """A group of bars for each run, its methods by the same name in all of them.

    A group has the name of what differs between the runs: the base model, the dataset or both; the
    beginning of the run's id stands behind it where that is the same too.
    """
    bases = [trained_base(result) for result in results]
    models = [type(base.model).title for base in bases]
    datasets = [base.graph.name for base in bases]
    if len(set(datasets)) == 1:
        x_name, names = f"Base model on {datasets[0]}", models
    elif len(set(models)) == 1:
        x_name, names = f"Dataset, base model {models[0]}", datasets
    else:
        x_name = "Dataset and base model"
        names = [f"{d}, {m}" for d, m in zip(datasets, models, strict=True)]
    count = Counter(names)
    groups: dict[str, dict[str, Accuracies]] = {}
    for name, result in zip(names, results, strict=True):
        base, *retrained = scores_of(result).items()
        behind = f" ({result.summary.run_id[:8]})" if count[name] > 1 else ""
        groups[name + behind] = {BASE: base[1], **dict(retrained)}
    return ComparisonBars.of(groups, x_name=x_name)
