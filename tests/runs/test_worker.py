"""The worker's loop in this process; the process itself is tested with `Jobs`."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.runs.run_helpers import gone, train_here, until
from wgnn_core.runs import cells, execution
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.store import Store
from wgnn_core.runs.worker import Worker


class Bench:
    """A worker in a thread, with what it said."""

    def __init__(self, store: Store, max_seconds: float = 60.0) -> None:
        self.said: list[dict[str, Any]] = []
        self.owner = owner_name("bench")
        self.worker = Worker(store, self.owner, max_seconds, self.said.append)
        self.orders: queue.Queue[str] = queue.Queue()
        for target, args in (
            (self.worker.read, (iter(self.orders.get, ""),)),
            (self.worker.work, ()),
        ):
            threading.Thread(target=target, args=args, daemon=True).start()

    def order(self, do: str, run: str) -> None:
        self.orders.put(json.dumps({"do": do, "run": run}))

    def of(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.said if line["event"] == event]

    def end(self, run: str) -> dict[str, Any]:
        until(lambda: any(line["run"] == run for line in self.of("end")))
        return next(line for line in self.of("end") if line["run"] == run)


@pytest.fixture
def bench(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(cells, "MAX_BATCH", 3)
    bench = Bench(store)
    yield bench
    bench.orders.put("")


def test_two_runs_take_turns(bench: Bench, store: Store, config: RunConfig) -> None:
    two = [config, replace(config, seeds=(7, 8, 9))]
    for c in two:
        store.create(c)
    with bench.worker._changed:  # so that it sees both at once
        bench.worker.read([json.dumps({"do": "run", "run": c.run_id}) for c in two])
    for c in two:
        assert bench.end(c.run_id)["state"] == "done"
        assert store.get(c.run_id).state == "done"
    order = [line["run"] for line in bench.of("cell")]
    assert order == [two[0].run_id, two[1].run_id] * 4


def test_a_run_that_fails_does_not_harm_the_next(
    bench: Bench, store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = replace(config, seeds=(9,)), config
    original = execution.train_base_cell

    def train(config: RunConfig, *rest: Any) -> Any:
        if config.seeds == (9,):
            raise MemoryError("no room")
        return original(config, *rest)

    monkeypatch.setattr(execution, "train_base_cell", train)
    for c in (bad, good):
        store.create(c)
        bench.order("run", c.run_id)
    assert bench.end(bad.run_id)["message"] == "MemoryError: no room"
    assert store.get(bad.run_id).state == "failed"
    assert bench.end(good.run_id)["state"] == "done"


def test_cancel_stops_within_the_cell_and_a_later_order_resumes(
    bench: Bench, store: Store, config: RunConfig
) -> None:
    long = replace(config, hyper=(("epochs", 5000),))
    store.create(long)
    bench.order("run", long.run_id)
    until(lambda: bench.of("progress"))
    bench.order("cancel", long.run_id)
    assert bench.end(long.run_id)["state"] == "cancelled"
    assert store.get(long.run_id).state == "cancelled"
    assert 0 < bench.of("progress")[0]["done"] < 3
    seen = len(bench.of("start"))
    bench.order("run", long.run_id)
    until(lambda: len(bench.of("start")) > seen)
    bench.order("cancel", long.run_id)
    until(lambda: len(bench.of("end")) == 2)


def test_the_longest_time_is_named_and_a_new_order_gets_it_anew(
    store: Store, config: RunConfig
) -> None:
    bench = Bench(store, max_seconds=0.0)
    store.create(config)
    bench.order("run", config.run_id)
    end = bench.end(config.run_id)
    assert end["state"] == "failed"
    assert "stopped after 0 seconds" in end["message"]
    assert store.get(config.run_id).message == end["message"]
    patient = Bench(store)
    patient.order("run", config.run_id)
    assert patient.end(config.run_id)["state"] == "done"


def test_it_waits_for_a_run_that_another_program_trains(
    bench: Bench, store: Store, config: RunConfig
) -> None:
    other = owner_name("other")
    store.create(config)
    assert store.claim(config.run_id, other)
    bench.order("run", config.run_id)
    until(lambda: len(bench.of("take")) >= 2)
    assert bench.of("start") == []
    store.release(other)  # the other one has gone away without finishing
    assert bench.end(config.run_id)["state"] == "done"


def test_it_trains_nothing_of_a_run_that_another_program_finished(
    bench: Bench, store: Store, config: RunConfig
) -> None:
    train_here(store, config)
    bench.order("run", config.run_id)
    assert bench.end(config.run_id)["state"] == "done"
    assert bench.of("start") == []


def test_a_run_that_is_gone_is_reported(bench: Bench) -> None:
    bench.order("run", "0" * 32)
    assert "there is no run" in bench.end("0" * 32)["message"]


def test_the_process_ends_with_its_input(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "wgnn_core.runs.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert process.stdin is not None and process.stdout is not None
    hello = {"do": "hello", "store": str(tmp_path), "owner": owner_name("x"), "seconds": 9}
    process.stdin.write(json.dumps(hello) + "\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline()) == {"event": "ready", "pid": process.pid}
    process.stdin.close()
    assert process.wait(60) == 0
    assert gone(process.pid)
    assert process.stdout.read() == ""
    process.stdout.close()
