"""One store with a few small finished runs, trained once for all tests of this folder."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wgnn_core.graph import Graph
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.results import RunResult
from wgnn_core.runs.store import Store

SMALL = {"nodes": 150, "classes": 3, "features": 12, "average_degree": 6.0, "seed": 0}


def etas(*triples: tuple[float, float, float]) -> tuple[Intervention, ...]:
    return tuple(Intervention(*triple) for triple in triples)


PLAIN = RunConfig(
    "csbm",
    tuple(SMALL.items()),
    hyper=(("epochs", 12),),
    seeds=(3, 0, 5),
    interventions=etas((0.5, 0.3, 0.4), (0.5, 0.0, 0.0), (0.0, 0.3, 0.4)),
)
CONFIGS = {
    "ablation": PLAIN,
    "base": replace(PLAIN, interventions=()),
    "grid": replace(
        PLAIN, interventions=etas(*((a, b, b) for a in (0.2, 0.6) for b in (0.2, 0.4, 0.6)))
    ),
    "full": replace(
        PLAIN,
        interventions=etas(
            *((a, b, c) for a in (0.2, 0.6) for b in (0.2, 0.5) for c in (0.3, 0.6, 0.9))
        ),
    ),
    "two-stage": replace(PLAIN, interventions=(), search="two-stage", steps=(0.3, 0.6)),
} | {
    f"{layers} layers": replace(
        PLAIN,
        model="gat",
        hyper=(("epochs", 4), ("layers", layers), ("hidden", 2), ("heads", 2)),
        interventions=etas((0.4, 0.0, 0.0), (0.8, 0.0, 0.0)),
    )
    for layers in (3, 2)
}


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="session")
def runs(store: Store) -> dict[str, RunResult]:
    """Results by name: ablation, base, grid, full, two-stage, 2 layers, 3 layers."""
    return {name: run_here(c, store) for name, c in CONFIGS.items()}


@pytest.fixture(scope="session")
def graph() -> Graph:
    return PLAIN.graph()
