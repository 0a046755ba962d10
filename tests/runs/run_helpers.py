"""What the tests of `wgnn_core.runs` share beside fixtures."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

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


ROOT = Path(__file__).resolve().parents[2]
STARTS_A_WORKER = """
import sys
from pathlib import Path
from wgnn_core.runs.process import spawn
print(spawn(Path(sys.argv[1])).pid, flush=True)
input()
"""


def worker_of_a_killed_owner(folder: Path, before: Callable[[int], None], *path: Path) -> int:
    """Start a program that starts a worker, do something with the worker, kill the program.

    Args:
        folder: The worker's.
        before: Given the worker's process number while its owner lives.
        *path: Where the worker looks for modules beside the project.
    """
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_A_WORKER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, *path)))},
    ) as owner:
        assert owner.stdout is not None
        worker = int(owner.stdout.readline())
        before(worker)
        kill(owner.pid)
    return worker


def ends(pid: int, seconds: float) -> None:
    """See that a process ends by itself; one that does not is killed."""
    try:
        until(lambda: gone(pid), seconds)
    finally:
        if not gone(pid):
            kill(pid)
