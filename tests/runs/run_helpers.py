"""What the tests of `wgnn_core.runs` share beside fixtures."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import psutil

from wgnn_core.replicas.engine import Progress
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.execution import Execution
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.store import Store

SMALL = {"nodes": 200, "classes": 3, "features": 12, "average_degree": 6.0, "seed": 0}
PAIRED = tuple((a, b, b) for a in (0.2, 0.4, 0.6, 0.8) for b in [i / 10 for i in range(1, 9)])
"""The paper's parameter study: 32 triples, with ten seeds 320 trainings beside the base."""


def train_here(store: Store, config: RunConfig, progress: Progress | None = None) -> str:
    """Train a run in this process, with neither worker nor jobs."""
    store.create(config)
    owner = owner_name("test")
    assert store.claim(config.run_id, owner)
    execution = Execution(store, config.run_id, owner)
    while ready := execution.ready():
        assert execution.put(ready[0], *execution.train(ready[0], progress))
    store.set_state(config.run_id, owner, "done")
    return config.run_id


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def kill(pid: int | None) -> None:
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
