"""Cached loaders. Graphs and results are immutable and shared by all sessions of a user.

What they take together is bounded by bytes, see `ui.kept`.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from ui.kept import kept, mine
from ui.users import is_shared
from wgnn_core import datasets
from wgnn_core.boundary import distance_to_boundary
from wgnn_core.datasets.loading import generated_bytes
from wgnn_core.errors import WGNNError
from wgnn_core.figures import Figure, accuracy_coverage, figure_of
from wgnn_core.graph import BoolArray, Graph, IntArray
from wgnn_core.home import at_home
from wgnn_core.intervention import Base
from wgnn_core.layout import layout
from wgnn_core.reports import assumption as assumption_report
from wgnn_core.reports import rankers as rankers_report
from wgnn_core.reports.assumption import Assumption
from wgnn_core.runs.config import Pairs, RunConfig
from wgnn_core.runs.jobs import Jobs
from wgnn_core.runs.local import LocalExecutor
from wgnn_core.runs.results import RunResult
from wgnn_core.runs.turns import Turns
from wgnn_core.theory.specimens import is_specimen, places, specimen_graph, specimen_of

PAGE_BYTES = 128 * 2**20
TURNS = Turns()
IDLE_SECONDS = 120


def _close(held: Jobs) -> None:
    held.close()


@kept(on_release=_close, ledger=None)
def jobs() -> Jobs:
    """The one job system of a user; its worker gets ready while the first page is drawn.

    On a server for several people their workers train in turn, and one that is not needed goes.
    """
    if is_shared():
        return Jobs(executor=partial(LocalExecutor, turns=TURNS, idle_seconds=IDLE_SECONDS))
    held = Jobs()
    held.warm()
    return held


@st.cache_data(ttl=20, max_entries=64, show_spinner=False)
def _status(name: str, folder: str, owner: str) -> str:
    return datasets.status(name)


def status_of(name: str) -> str:
    """As `datasets.status`, which reads and hashes every file, but at most every 20 s."""
    return _status(name, str(datasets.data_folder()), mine())


def forget_status() -> None:
    _status.clear()


def is_ready(name: str) -> bool:
    return status_of(name) in ("built in", "on disk")


def pinned(dataset: str) -> str:
    """The name by which things of a graph are kept: another may be imported under its own."""
    return dataset if is_specimen(dataset) else datasets.spec(dataset).pinned


def graph(dataset: str, parameters: Pairs = ()) -> Graph:
    """The graph.

    Raises:
        WGNNError: One that is to be made would be too big for a page.
    """
    asked = 0 if is_specimen(dataset) else generated_bytes(dataset, dict(parameters))
    if asked > PAGE_BYTES:
        raise WGNNError(
            f"this graph would take {asked / 2**20:.0f} MB, and pages show graphs of at most "
            f"{PAGE_BYTES / 2**20:.0f} MB: ask for fewer nodes, features or neighbours, or use "
            "the command line."
        )
    return _graph(pinned(dataset), parameters)


def _owner(dataset: str, parameters: Pairs) -> str:
    """For whom a graph is kept: an imported one, which is pinned, for its user alone."""
    return mine() if "@" in dataset else ""


@kept("Reading the graph ...", whose=_owner)
def _graph(dataset: str, parameters: Pairs) -> Graph:
    if is_specimen(dataset):
        return specimen_graph(dataset)
    return RunConfig(dataset, parameters).graph()  # the very one that results refer to


def points(dataset: str, parameters: Pairs = ()) -> npt.NDArray[np.float32]:
    """The one layout of a graph: a node is at the same place on every page."""
    return _points(pinned(dataset), parameters)


@kept("Laying out the graph ...", whose=_owner)
def _points(dataset: str, parameters: Pairs) -> npt.NDArray[np.float32]:
    if is_specimen(dataset):
        return places(specimen_of(dataset))
    drawn = graph(dataset, parameters)
    return layout(drawn.edges, drawn.num_nodes)


def boundary_distance(dataset: str, parameters: Pairs = ()) -> npt.NDArray[np.float64]:
    return _boundary_distance(pinned(dataset), parameters)


@kept(whose=_owner)
def _boundary_distance(dataset: str, parameters: Pairs) -> npt.NDArray[np.float64]:
    drawn = graph(dataset, parameters)
    return distance_to_boundary(drawn.edges, drawn.y, drawn.num_nodes)


def finished(run_id: str) -> RunResult:
    """The result of a run that is done; it will not change any more, but for the name of its graph,
    if that was imported."""
    content = _content(run_id)
    names = tuple(
        spec.pinned
        for spec in datasets.catalogue()
        if spec.imported is not None and spec.imported.content_hash == content
    )
    return _finished(run_id, names)


@kept()
def _content(run_id: str) -> str:
    """The hash of its graph."""
    return jobs().store.get(run_id).dataset_hash


@kept()
def _finished(run_id: str, names: tuple[str, ...]) -> RunResult:
    result = jobs().result(run_id)
    assert result is not None
    return result


@kept()
def figure(kind: str, runs: tuple[str, ...], source: tuple[str, Pairs], **choices: Any) -> Figure:
    """A figure of finished runs, or of a graph alone; `source` is the graph it is drawn on."""
    found = [finished(run_id) for run_id in runs]
    return figure_of(kind, found, graph(*source), xy=lambda: points(*source), **choices)


@kept()
def orders(run_id: str, ranker: str) -> list[IntArray]:
    """Test nodes of each seed in the order of `ranker`, best first."""
    return accuracy_coverage.orders(base_of(run_id), ranker)


@kept()
def ranker_table(
    run_id: str, rankers: tuple[str, ...], alpha: float, target: float
) -> pd.DataFrame:
    """See `wgnn_core.reports.rankers`."""
    return rankers_report.ranker_table(base_of(run_id), rankers, alpha, target)


@kept()
def hits(run_id: str, ranker: str) -> list[BoolArray]:
    """Whether each of `orders` is predicted right."""
    return accuracy_coverage.hits(base_of(run_id), ranker)


@kept("Interpolating the labels ...")
def assumption(run_id: str, position: int) -> Assumption:
    """See `wgnn_core.reports.assumption`."""
    return assumption_report.assumption(base_of(run_id), position)


def base_of(run_id: str) -> Base:
    return finished(run_id).trained


@dataclass
class Fetches:
    """Downloads run one after another in a thread, so that no page waits for one."""

    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    futures: dict[str, Future[Path]] = field(default_factory=dict)

    def start(self, name: str) -> None:
        if name not in self.futures or self.futures[name].done():
            self.futures[name] = self.pool.submit(at_home(datasets.fetch), name)


@st.cache_resource(show_spinner=False)
def fetches() -> Fetches:
    """The same for everybody, as the raw files are."""
    return Fetches()
