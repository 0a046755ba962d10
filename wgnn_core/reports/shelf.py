"""Stored runs side by side: as a table, in groups, and two of them compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd

from wgnn_core import datasets
from wgnn_core.comparators import METHODS, make_method
from wgnn_core.errors import WGNNError
from wgnn_core.figures.text import label
from wgnn_core.intervention import Intervention, Percent
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.runs.summaries import RunSummary
from wgnn_core.statistics import compare, t_test


def what_is_trained(config: RunConfig) -> str:
    """One phrase: the intervention, how many, or the search."""
    if config.search == "two-stage":
        return "two-stage search"
    if not config.interventions:
        return "base model"
    if len(config.interventions) == 1:
        return config.interventions[0].text
    return f"{len(config.interventions)} interventions"


def changed_settings(config: RunConfig) -> str:
    """Hyperparameters and graph parameters that differ from their defaults."""
    try:
        usual = {p.name: p.default for p in datasets.spec(config.dataset).parameters}
        recipe = asdict(make_method(config.model, config.dataset))
    except WGNNError:  # a graph or a model that is no longer there
        usual, recipe = {}, {}
    told = [(k, v) for k, v in config.parameters if usual.get(k) != v]
    told += [(k, v) for k, v in config.hyper if recipe.get(k) != v]
    said = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in told)
    return label(said, 80) if said else ""


def shelf_table(runs: Sequence[RunSummary]) -> pd.DataFrame:
    """One row per run, as the list of runs shows it."""
    return pd.DataFrame(
        {
            "graph": [label(graph_title(run.dataset)) for run in runs],
            "model": [label(model_title(run.model)) for run in runs],
            "what": [what_is_trained(run.config) for run in runs],
            "base": [run.base_accuracy for run in runs],
            "wGNN": [run.accuracy for run in runs],
            "gain": [None if run.gain is None else round(run.gain, 6) + 0.0 for run in runs],
            "validation": [_preferred(run) for run in runs],
            "seeds": [len(run.config.seeds) for run in runs],
            "state": [_state(run) for run in runs],
            "settings": [changed_settings(run.config) for run in runs],
            "pinned": [run.pinned for run in runs],
            "note": [label(run.note) if run.note else "" for run in runs],
            "made": pd.to_datetime([run.created for run in runs], unit="s"),
            "id": [run.run_id[:8] for run in runs],
        }
    )


def grouped(runs: Sequence[RunSummary]) -> pd.DataFrame:
    """One row per graph and model: how many runs, and their mean accuracies."""
    table = shelf_table(runs)
    groups = table.groupby(["graph", "model"], sort=True)
    return groups.agg(
        runs=("id", "size"),
        base=("base", "mean"),
        wGNN=("wGNN", "mean"),
        gain=("gain", "mean"),
        prefer_base=("validation", lambda said: int((said == PREFERS_BASE).sum())),
        newest=("made", "max"),
    ).reset_index()


PREFERS_BASE = "base model"


def _preferred(run: RunSummary) -> str:
    if run.accuracy is None:
        return ""
    return PREFERS_BASE if run.prefers_base else "wGNN"


def _state(run: RunSummary) -> str:
    done = run.state == "done"
    return run.state if done else f"{run.state} {run.done / max(run.total, 1):.0%}"


def graph_title(name: str) -> str:
    """The title of a graph; its name where it was deleted."""
    return next((spec.title for spec in datasets.catalogue() if spec.name == name), name)


def model_title(name: str) -> str:
    """The title of a method; its name where this program does not know it."""
    return METHODS[name].title if name in METHODS else name


def differing_settings(first: RunResult, second: RunResult) -> pd.DataFrame:
    """Every setting in which two runs differ: its name and the two values."""
    told = [_flat(result.config.resolve()) for result in (first, second)]
    names = [name for name in {**told[0], **told[1]} if told[0].get(name) != told[1].get(name)]
    short = [f"run {result.summary.run_id[:8]}" for result in (first, second)]
    return pd.DataFrame(
        [(name.replace("_", " "), told[0].get(name, ""), told[1].get(name, "")) for name in names],
        columns=["setting", *short],
    )


def _flat(config: RunConfig) -> dict[str, str]:
    out = {"dataset": config.dataset, "model": config.model, "seeds": str(list(config.seeds))}
    out |= {f"graph: {name}": str(value) for name, value in config.parameters}
    out |= {name: str(value) for name, value in config.hyper}
    return out | {"search": config.search, "trained": what_is_trained(config)}


def paired_runs(first: RunResult, second: RunResult) -> tuple[pd.DataFrame, str]:
    """The second run against the first, seed by seed: base models, and what validation chose.

    Returns:
        A table, and why there is none (empty if there is one).
    """
    if first.graph_hash != second.graph_hash:
        return pd.DataFrame(), "the runs are on different graphs"
    if first.config.seeds != second.config.seeds:
        return pd.DataFrame(), "the runs have different seeds, so nothing is paired"
    pairs = {"base model": (first.trained.test, second.trained.test)}
    chosen = [_chosen(result) for result in (first, second)]
    if chosen[0] is not None and chosen[1] is not None:
        pairs["chosen on validation"] = (chosen[0], chosen[1])
    rows = []
    for name, (one, other) in pairs.items():
        c = compare(one, other, first.overlap)
        rows.append(
            (name, c.base_mean, c.other_mean, c.difference, c.t_pvalue, c.wilcoxon_pvalue, c.n)
        )
    columns = [
        "what",
        "first",
        "second",
        "difference",
        f"p ({t_test(first.overlap)})",
        "p (Wilcoxon)",
        "n",
    ]
    return pd.DataFrame(rows, columns=columns), ""


def _chosen(result: RunResult) -> Percent | None:
    if result.chosen is None:
        return None
    if result.chosen.canonical == Intervention():
        return result.trained.test
    return np.asarray(result.of(result.chosen)["test"])
