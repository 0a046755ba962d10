"""What the tests of `wgnn_core.runs` share beside fixtures."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import psutil

from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.life import Tell
from wgnn_core.runs.store import Store
from wgnn_core.search import paired_grid

SMALL = {"nodes": 200, "classes": 3, "features": 12, "average_degree": 6.0, "seed": 0}
FULL = Intervention(0.5, 0.3, 0.4)
PAIRED = tuple(paired_grid((0.2, 0.4, 0.6, 0.8), [i / 10 for i in range(1, 9)]))
"""The paper's parameter study: 32 interventions, with ten seeds 320 trainings beside the base."""


class Idle:
    """An executor that never comes round to a run."""

    def __init__(self, store: Store, owner: str, seconds: float, tell: Tell) -> None:
        self.store, self.owner, self.seconds, self.tell = store, owner, seconds, tell

    def warm(self) -> None: ...

    def start(self, run_id: str) -> None: ...

    def cancel(self, run_id: str) -> None: ...

    def close(self) -> None: ...


def train_here(store: Store, config: RunConfig) -> str:
    """Train a run in this process, with neither worker nor jobs."""
    return run_here(config, store).summary.run_id


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
