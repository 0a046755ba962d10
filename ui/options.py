"""What the sidebar offers: graphs and models, each by a title that no other one has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ui import load
from wgnn_core import datasets
from wgnn_core.comparators import COMPARATORS, METHODS
from wgnn_core.models.predictions import PredictionsOnly
from wgnn_core.runs.config import Pairs, RunConfig

OWN = f"{PredictionsOnly.name}:"
"""Before the id of a run, it is the option of predictions that another program made."""


def graph_titles() -> dict[str, str]:
    """The graphs by name."""
    return distinct({spec.name: spec.title for spec in datasets.catalogue()})


def model_titles(dataset: str, parameters: Pairs) -> dict[str, str]:
    """Everything that can stand as base model on a graph: models, comparators, predictions."""
    titles = {name: model_title(name) for name in METHODS}
    found = {
        option: f"{PredictionsOnly.title}: {dict(config.hyper)['label'] or option[-6:]}"
        for option, config in predictions(dataset, parameters).items()
    }
    return distinct(titles | found)


def model_title(name: str) -> str:
    return METHODS[name].title + (" (comparator)" if name in COMPARATORS else "")


def predictions(dataset: str, parameters: Pairs) -> dict[str, RunConfig]:
    """The stored predictions for a graph, by their option; none while it is not here."""
    if not load.is_ready(dataset):
        return {}
    content = load.graph(dataset, parameters).content_hash
    found = load.jobs().store.runs_of(PredictionsOnly.name, content)
    return {f"{OWN}{run.run_id}": run.config for run in found if run.state == "done"}


def option_of(config: RunConfig) -> str:
    """The option of the model of a run."""
    own = config.model == PredictionsOnly.name
    return f"{OWN}{config.run_id}" if own else config.model


def distinct(titles: Mapping[str, str]) -> dict[str, str]:
    """Titles by name; one that comes twice gets the name beside it."""
    counts = Counter(titles.values())
    return {
        name: title if counts[title] == 1 else f"{title} ({name.removeprefix(OWN)[:64]})"
        for name, title in titles.items()
    }
