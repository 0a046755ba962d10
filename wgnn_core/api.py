"""The library as a Python call: a graph in, results, figures and tables out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pandas as pd
from torch import nn

from wgnn_core import datasets
from wgnn_core.comparators import register
from wgnn_core.datasets import own
from wgnn_core.errors import WGNNError
from wgnn_core.figures import Figure, Style, figure_of, kinds_of
from wgnn_core.graph import Graph
from wgnn_core.intervention import Intervention
from wgnn_core.predictions import check_predictions, read_predictions
from wgnn_core.reports import run_bundle, table_of, tables_of
from wgnn_core.runs import diagnose as diagnosing
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import Report, run_here
from wgnn_core.runs.results import RunResult
from wgnn_core.runs.store import Store
from wgnn_core.search import STEPS
from wgnn_core.statistics import Comparison
from wgnn_core.wgnn import check_seeds

AnyGraph = Graph | str | Any
"""A graph, a name of the catalogue, or whatever `load` reads."""
AnyModel = str | type[nn.Module]
"""A name of `models`, ``FILE.py:CLASS``, or a class of torch modules."""


@dataclass(frozen=True, eq=False)
class Result:
    """What a run gave. `run` holds every number of it."""

    run: RunResult

    @property
    def chosen(self) -> Intervention | None:
        """The intervention that validation prefers; all etas 0 is the base model."""
        return self.run.chosen

    def comparison(self, intervention: Intervention | None = None) -> Comparison:
        """The chosen intervention, or another one of the run, against the base model."""
        asked = intervention or self.run.chosen
        if asked is None:
            raise WGNNError("the run has no intervention to compare with the base model.")
        return self.run.comparison(asked)

    def table(self) -> pd.DataFrame:
        """Mean, standard deviation, n, gain over the base model and p, one row per method."""
        return table_of(self.run, self.run.graph)

    def latex(self) -> str:
        """The same as a LaTeX table with a caption."""
        return tables_of(self.run, self.run.graph)["results.tex"]

    @property
    def kinds(self) -> list[str]:
        """The kinds of figure that it gives."""
        return kinds_of(self.run, self.run.graph)

    def figure(self, kind: str, **choices: Any) -> Figure:
        """A figure; ``.to_plotly()`` for a screen, ``.render("pdf")`` for paper."""
        return figure_of(kind, self.run, self.run.graph, **choices)

    def save(self, folder: Path | str, venue: str = "icml") -> Path:
        """Write every figure, its numbers and the tables to ``folder/results.zip``."""
        file = Path(folder) / "results.zip"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(run_bundle(self.run, self.run.graph, Style(venue=venue)))
        except OSError as error:
            raise WGNNError(f"{file} cannot be written: {error.strerror}.") from error
        return file


def load(*sources: Any, name: str = "graph", **choices: Any) -> Graph:
    """A graph by name, path or object.

    Args:
        sources: A name of the catalogue; or one or two paths (an edge table and a node table, or
            one file of another format), a PyG `Data`, a networkx graph, two pandas frames.
        name: What a graph that is in no catalogue is called in tables and figures.
        choices: Numbers of a generated graph (``nodes=500``), or how a file is understood, see
            `wgnn_core.datasets.own.Choices`.

    Raises:
        WGNNError: One sentence that says what is wrong with the source.
    """
    if len(sources) == 1 and isinstance(sources[0], Graph):
        return sources[0]
    if len(sources) == 1 and str(sources[0]).lower() in datasets.names():
        return datasets.load(str(sources[0]).lower(), **choices)
    return own.read(*sources).graph(own.Choices(**choices), name)


def run(
    graph: AnyGraph,
    model: AnyModel = "gcn",
    *,
    seeds: int | Sequence[int] = 10,
    eta0: float = 0.8,
    eta1: float = 0.3,
    eta2: float = 0.4,
    ablation: bool = False,
    hyper: Mapping[str, Any] | None = None,
    store: Store | None = None,
    report: Report | None = None,
    **knobs: Any,
) -> Result:
    """Train the base model and wGNN, and compare them seed by seed.

    Args:
        graph: The graph.
        model: The base model.
        seeds: How many (0, 1, ...) or which.
        eta0: Share of the test nodes that join the training set (Algorithm 1).
        eta1: Share of the nodes that form V' (Algorithm 2).
        eta2: Share of the edges of V' outside its forest that go (Algorithm 2).
        ablation: Also wGNN1 and wGNN2.
        hyper: Hyperparameters of the model that differ from its recipe.
        store: Where results are kept; by default they go with the result.
        report: Told (trainings done, trainings in all); returns False to stop.
        knobs: Other fields of `Intervention`: pool, ranker, edge_ranker, edge_model.
    """
    asked = Intervention(eta0, eta1, eta2, **knobs)
    wanted = [asked.of(v) for v in ("wgnn", "wgnn1", "wgnn2")] if ablation else [asked]
    config = _config(graph, model, seeds, hyper, interventions=tuple(wanted))
    return Result(run_here(config, store, report))


def sweep(
    graph: AnyGraph,
    model: AnyModel = "gcn",
    *,
    seeds: int | Sequence[int] = 10,
    steps: Sequence[float] = STEPS,
    interventions: Sequence[Intervention] = (),
    hyper: Mapping[str, Any] | None = None,
    store: Store | None = None,
    report: Report | None = None,
    **knobs: Any,
) -> Result:
    """Search the etas; validation accuracy chooses.

    By default in two stages, first (eta1, eta2), then eta0, with the values `steps` of each; or
    among `interventions`, see `wgnn_core.search.full_grid`. The other arguments are those of `run`.
    """
    if interventions:
        search: dict[str, Any] = {"interventions": tuple(interventions)}
    else:
        like = Intervention(**knobs)
        template = (like,) if like != Intervention() else ()
        search = {"search": "two-stage", "steps": tuple(steps), "interventions": template}
    return Result(run_here(_config(graph, model, seeds, hyper, **search), store, report))


def diagnose(
    graph: AnyGraph,
    prob: npt.ArrayLike | Path | str,
    *,
    label: str = "",
    store: Store | None = None,
) -> Result:
    """Predictions of any model, from any program, as a result: w, Problem 1, maps, plans.

    Args:
        graph: The graph.
        prob: Probabilities or logits ``[N, C]`` or ``[K, N, C]``, or a file of them.
        label: What they are called.
        store: Where the result is kept; by default it goes with it.
    """
    config = _config(graph, "gcn", 1, None)
    known = config.graph()
    read = isinstance(prob, str | Path)
    found = read_predictions(prob, known) if read else check_predictions(prob, known)  # type: ignore[arg-type]
    return Result(diagnosing.diagnose(config, found, store, label))


def _config(
    graph: AnyGraph,
    model: AnyModel,
    seeds: int | Sequence[int],
    hyper: Mapping[str, Any] | None,
    **settings: Any,
) -> RunConfig:
    name = model if isinstance(model, str) else register(model)
    if isinstance(graph, str) and graph.lower() in datasets.names():
        where: dict[str, Any] = {"dataset": graph}
    else:
        given = load(graph)
        where = {"dataset": given.name, "given": given}
    return RunConfig(
        **where,
        model=name,
        seeds=tuple(check_seeds(seeds).tolist()),
        hyper=tuple((hyper or {}).items()),
        **settings,
    )
