"""Small runs and stores for the tests of `wgnn_core.runs`, which also share `run_helpers`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.runs.run_helpers import FULL, PAIRED, SMALL
from wgnn_core.intervention import VARIANTS
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import Jobs
from wgnn_core.runs.store import Store


@pytest.fixture
def config() -> RunConfig:
    """3 seeds x (base, wGNN, wGNN1, wGNN2), five epochs each."""
    return RunConfig(
        "csbm",
        tuple(SMALL.items()),
        hyper=(("epochs", 5),),
        seeds=(0, 1, 2),
        interventions=tuple(FULL.of(variant) for variant in VARIANTS),
    )


@pytest.fixture
def sweep(config: RunConfig) -> RunConfig:
    """The paper's parameter study on a small graph, slow enough to be killed in the middle."""
    return replace(config, hyper=(("epochs", 30),), seeds=tuple(range(10)), interventions=PAIRED)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def jobs(store: Store) -> Iterator[Jobs]:
    jobs = Jobs(store)
    yield jobs
    jobs.close()
