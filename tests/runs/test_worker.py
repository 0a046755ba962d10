"""The worker as a process: orders in, events out; what it does with them is in `test_life`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.runs.run_helpers import gone, until
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.events import (
    Asks,
    Cancel,
    Ended,
    Event,
    Go,
    Hello,
    Order,
    Progressed,
    Ready,
    Train,
    from_line,
    to_line,
)
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.store import Store


class Process:
    """A worker with its two ends."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wgnn_core.runs.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    def order(self, order: Order) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(to_line(order))
        self.process.stdin.flush()

    def hears(self, kind: type) -> Event:
        """The next event of a kind; meanwhile the worker may train whatever it asks for."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            event = from_line(line)
            if isinstance(event, Asks):
                self.order(Go())
            if isinstance(event, kind):
                assert isinstance(event, Event)
                return event
        raise AssertionError("the worker has ended")


@pytest.fixture
def worker() -> Iterator[Process]:
    worker = Process()
    yield worker
    worker.process.kill()
    worker.process.wait()


def test_it_trains_cancels_and_ends_with_its_input(
    worker: Process, store: Store, config: RunConfig
) -> None:
    long = replace(config, hyper=(("epochs", 5000),), seeds=(0,))
    owner = owner_name("x")
    worker.order(Hello(str(store.path), str(store.path), owner, 600.0))
    assert worker.hears(Ready) == Ready(worker.process.pid)
    for c in (long, config):
        store.create(c)
    worker.order(Train(long.run_id))
    worker.hears(Progressed)
    assert store.get(long.run_id).state == "running"
    worker.order(Cancel(long.run_id))
    assert worker.hears(Ended) == Ended(long.run_id, "cancelled")
    until(lambda: store.get(long.run_id).state == "cancelled")
    worker.order(Train(config.run_id))
    assert worker.hears(Ended) == Ended(config.run_id, "done")
    assert store.get(config.run_id).state == "done"
    worker.order(Train(long.run_id))
    worker.hears(Progressed)
    stdin, stdout = worker.process.stdin, worker.process.stdout
    assert stdin is not None and stdout is not None
    stdin.close()
    assert worker.process.wait(60) == 0, "it went on training for nobody"
    assert gone(worker.process.pid)
    assert Ended not in {type(from_line(line)) for line in stdout}
    stdout.close()
