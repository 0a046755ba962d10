"""A small study on the karate club and one on a graph with one split, run once for all tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.results import RunResult
from wgnn_core.runs.store import Store
from wgnn_core.studies.measures import tuned
from wgnn_core.studies.plan import Cell, Size, Study
from wgnn_core.studies.published import Published
from wgnn_core.studies.records import Record

KARATE = RunConfig(
    "karate", hyper=(("epochs", 8),), seeds=(0, 1, 2), search="two-stage", steps=(0.4, 0.8)
)
ONE_SPLIT = RunConfig(
    "csbm",
    (("nodes", 120), ("features", 8)),
    hyper=(("epochs", 8),),
    seeds=(0, 1, 2),
    search="two-stage",
    steps=(0.4, 0.8),
)
FOLLOWS = RunConfig(
    "karate",
    model="dropedge",
    hyper=(("epochs", 8),),
    seeds=(0, 1),
    interventions=(Intervention(), Intervention(0.4, edge_model="gcn")),
)
PRINTED = Published((50.0, 1.0), (60.0, 1.0))


def measure(results: Sequence[RunResult]) -> list[Record]:
    return [tuned(results[0], "GCN", "Karate", PRINTED)]


def measure_other(results: Sequence[RunResult]) -> list[Record]:
    return [tuned(results[0], "DropEdge", "Karate", Published())]


def cells(size: Size) -> list[Cell]:
    return [
        Cell("GCN", "Karate", (KARATE,), measure),
        Cell("DropEdge", "Karate", (FOLLOWS,), measure_other, leader=KARATE),
        Cell("GCN", "Disease", (replace(KARATE, dataset="disease"),), measure),
    ]


TINY = Study("tiny", "A tiny study", "It says little.", cells)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("studies"))


@pytest.fixture(scope="session")
def karate(store: Store) -> RunResult:
    return run_here(KARATE, store)


@pytest.fixture(scope="session")
def one_split(store: Store) -> RunResult:
    return run_here(ONE_SPLIT, store)
