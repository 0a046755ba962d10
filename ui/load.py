"""Cached loaders. Every key is a name, a number or a run id: arrays are never hashed.

Graphs and results are immutable and shared by all sessions (`cache_resource`).
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import streamlit as st

from ui.choice import Pairs
from wgnn_core import datasets, ranking
from wgnn_core.boundary import distance_to_boundary
from wgnn_core.figures import EdgeDropMap
from wgnn_core.graph import Graph
from wgnn_core.layout import layout
from wgnn_core.reports import figure_of
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import Jobs
from wgnn_core.runs.results import RunResult
from wgnn_core.wgnn import Base, Etas


def _close(held: Jobs) -> None:
    held.close()


@st.cache_resource(show_spinner=False, on_release=_close)
def jobs() -> Jobs:
    """The one job system of this server; its worker gets ready while the first page is drawn."""
    held = Jobs()
    held.warm()
    return held


@st.cache_data(ttl=20, max_entries=64, show_spinner=False)
def _status(name: str, folder: str) -> str:
    return datasets.status(name)


def status_of(name: str) -> str:
    """As `datasets.status`, which reads and hashes every file, but at most every 20 s."""
    return _status(name, str(datasets.data_folder()))


def forget_status() -> None:
    _status.clear()


def is_ready(name: str) -> bool:
    return status_of(name) in ("built in", "on disk")


@st.cache_resource(max_entries=12, show_spinner="Reading the graph ...")
def graph(dataset: str, parameters: Pairs = ()) -> Graph:
    return RunConfig(dataset, parameters).graph()  # the very one that results refer to


@st.cache_resource(max_entries=12, show_spinner="Laying out the graph ...")
def points(dataset: str, parameters: Pairs = ()) -> npt.NDArray[np.float32]:
    """The one layout of a graph: a node is at the same place on every page."""
    drawn = graph(dataset, parameters)
    return layout(drawn.edges, drawn.num_nodes)


@st.cache_resource(max_entries=12, show_spinner=False)
def boundary_distance(dataset: str, parameters: Pairs = ()) -> npt.NDArray[np.float64]:
    drawn = graph(dataset, parameters)
    return distance_to_boundary(drawn.edges, drawn.y, drawn.num_nodes)


@st.cache_resource(max_entries=32, show_spinner=False)
def finished(run_id: str) -> RunResult:
    """The result of a run that is done; it will not change any more."""
    result = jobs().result(run_id)
    assert result is not None
    return result


@st.cache_resource(max_entries=64, show_spinner=False)
def orders(run_id: str, ranker: str) -> list[npt.NDArray[np.int64]]:
    """Test nodes of each seed in the order of `ranker`, best first."""
    base = base_of(run_id)
    right = base.predicted == base.graph.y
    return [
        ranking.rank(
            ranker, base.graph, base.graph.split(int(seed)), base.prob[k], int(seed), right[k]
        )
        for k, seed in enumerate(base.seeds)
    ]


@st.cache_resource(max_entries=64, show_spinner=False)
def hits(run_id: str, ranker: str) -> list[npt.NDArray[np.bool_]]:
    """Whether each of `orders` is predicted right."""
    base = base_of(run_id)
    right = base.predicted == base.graph.y
    return [right[k][nodes] for k, nodes in enumerate(orders(run_id, ranker))]


@st.cache_resource(max_entries=24, show_spinner=False)
def edge_drop(run_id: str, run: int, eta1: float, eta2: float, most: int) -> EdgeDropMap:
    """Algorithm 2 for the run-th seed of a base run, on at most `most` nodes."""
    result, base = finished(run_id), base_of(run_id)
    config = result.config
    figure = figure_of(
        "edge-drop",
        result,
        base.graph,
        xy=points(config.dataset, config.parameters),
        seed=int(base.seeds[run]),
        etas=Etas(0.0, eta1, eta2),
        max_nodes=most,
    )
    assert isinstance(figure, EdgeDropMap)
    return figure


@st.cache_resource(max_entries=24, show_spinner=False)
def panel_html(
    run_id: str, run: int, eta1: float, eta2: float, most: int, after: bool, dark: bool
) -> str:
    """One panel of the close-up as a page of its own; η₀ changes nothing in it."""
    return edge_drop(run_id, run, eta1, eta2, most).to_pyvis_html(after, most, dark)


def base_of(run_id: str) -> Base:
    base = finished(run_id).base
    assert base is not None
    return base


@dataclass
class Fetches:
    """Downloads run one after another in a thread, so that no page waits for one."""

    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    futures: dict[str, Future[Path]] = field(default_factory=dict)

    def start(self, name: str) -> None:
        if name not in self.futures or self.futures[name].done():
            self.futures[name] = self.pool.submit(datasets.fetch, name)


@st.cache_resource(show_spinner=False)
def fetches() -> Fetches:
    return Fetches()
