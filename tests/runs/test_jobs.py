"""Runs through a real worker process: started, cancelled, resumed, asked for twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.runs.run_helpers import gone, train_here, until
from wgnn_core.errors import WGNNError
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import Executor, Jobs, Limits
from wgnn_core.runs.local import LocalExecutor
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store


@pytest.fixture(scope="module")
def heard() -> list[dict[str, Any]]:
    """Everything the worker of `warm` ever said."""
    return []


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory, heard: list[dict[str, Any]]) -> Iterator[Jobs]:
    """One worker for the whole module: it takes seconds to start."""

    def executor(store: Store, owner: str, seconds: float, listener: Any) -> Executor:
        def tee(event: dict[str, Any]) -> None:
            heard.append(event)
            listener(event)

        return LocalExecutor(store, owner, seconds, tee)

    jobs = Jobs(Store(tmp_path_factory.mktemp("store")), Limits(queue=3), executor)
    jobs.warm()
    pid = jobs._executor.pid  # type: ignore[attr-defined]
    assert pid is not None
    yield jobs
    pid = jobs._executor.pid  # type: ignore[attr-defined]
    jobs.close()
    assert gone(pid)


class Idle:
    """An executor that never does anything."""

    def __init__(self, *_: object) -> None: ...

    def warm(self) -> None: ...

    def start(self, run_id: str) -> None: ...

    def cancel(self, run_id: str) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def idle(store: Store) -> Iterator[Jobs]:
    jobs = Jobs(store, Limits(queue=2, trainings=100), Idle)
    yield jobs
    jobs.close()


def test_the_worker_gives_the_numbers_of_this_process(
    warm: Jobs, store: Store, config: RunConfig
) -> None:
    here = load_result(store, train_here(store, config))
    run = warm.submit(config)
    seen = [warm.status(run)]
    while seen[-1].active:
        time.sleep(0.02)
        seen.append(warm.status(run))
    assert seen[-1].state == "done"
    done = [status.done for status in seen]
    assert done == sorted(done)
    assert done[-1] == seen[-1].total == 12
    assert seen[-1].rate is not None and seen[-1].seconds_left is None
    result = warm.result(run)
    assert result is not None and result.base is not None and here.base is not None
    pd.testing.assert_frame_equal(result.rows, here.rows)
    assert (result.base.prob == here.base.prob).all()
    assert result.chosen == here.chosen
    assert seen[-1].base_accuracy == pytest.approx(here.base.test.mean())


def test_asking_twice_trains_once(
    warm: Jobs, heard: list[dict[str, Any]], config: RunConfig
) -> None:
    same = replace(config, seeds=(20, 21, 22))
    ids: list[str] = []
    threads = [threading.Thread(target=lambda: ids.append(warm.submit(same))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(ids) == {same.run_id}
    assert warm.wait(same.run_id, 60).state == "done"
    started = time.monotonic()
    assert warm.status(warm.submit(same)).state == "done"  # a finished one returns at once
    assert time.monotonic() - started < 1
    cells = [line["cell"] for line in heard if line["event"] == "start" and line["run"] == ids[0]]
    assert cells == sorted(set(cells))


def test_cancel_and_resume(warm: Jobs, store: Store, sweep: RunConfig) -> None:
    here = load_result(store, train_here(store, sweep))
    run = warm.submit(sweep)
    until(lambda: len(warm.store.cells(run)) >= 2)
    warm.cancel(run)
    cancelled = warm.status(run)
    assert cancelled.state == "cancelled"
    kept = warm.store.cells(run)
    assert 2 <= len(kept) < 11
    time.sleep(0.5)
    assert warm.store.cells(run) == kept, "it went on"
    partial = warm.result(run)
    assert partial is not None and partial.chosen is None and 0 < len(partial.rows) < 320
    warm.resume(run)
    assert warm.wait(run, 120).state == "done"
    result = warm.result(run)
    assert result is not None
    pd.testing.assert_frame_equal(result.rows, here.rows)


def test_cancel_answers_within_two_seconds(warm: Jobs, config: RunConfig) -> None:
    """A GAT on a graph of photo's size, whose epochs take long."""
    photo = (("nodes", 7650), ("classes", 8), ("features", 745), ("average_degree", 31.0))
    big = replace(config, parameters=photo, model="gat", hyper=(("epochs", 200),), seeds=(0, 1))
    run = warm.submit(big)
    executor = warm._executor
    assert isinstance(executor, LocalExecutor)
    until(lambda: warm._live[run].began is not None)
    time.sleep(1)
    started = time.monotonic()
    warm.cancel(run)
    assert warm.status(run).state == "cancelled"
    until(lambda: executor._current != run, 10)
    assert time.monotonic() - started < 2
    small = replace(config, seeds=(30,))
    assert warm.wait(warm.submit(small), 60).state == "done"


def test_fresh_computes_again(warm: Jobs, heard: list[dict[str, Any]], config: RunConfig) -> None:
    run = warm.submit(config)
    assert warm.wait(run, 60).state == "done"
    before = sum(line["event"] == "cell" and line["run"] == run for line in heard)
    assert warm.submit(config, fresh=True) == run
    assert warm.wait(run, 60).state == "done"
    after = sum(line["event"] == "cell" and line["run"] == run for line in heard)
    assert after - before == len(warm.store.cells(run)) > 0


def test_delete_a_run_under_way(warm: Jobs, sweep: RunConfig) -> None:
    run = warm.submit(replace(sweep, pool="test"))
    until(lambda: warm.status(run).done > 0)
    warm.delete(run)
    assert warm.result(run) is None
    time.sleep(0.3)
    assert not (warm.store.path / "arrays" / run).exists()


def test_bounds_are_named(idle: Jobs, config: RunConfig) -> None:
    with pytest.raises(WGNNError, match="120 trainings; the limit is 100"):
        idle.submit(replace(config, seeds=tuple(range(30))))
    for seed in (1, 2):
        idle.submit(replace(config, seeds=(seed,)))
    with pytest.raises(WGNNError, match="2 runs are waiting or running; the limit is 2"):
        idle.submit(config)
    idle.submit(replace(config, seeds=(1,)))  # no new one
    idle.cancel(replace(config, seeds=(1,)).run_id)
    assert idle.status(idle.submit(config)).state == "queued"


def test_list_pin_note(idle: Jobs, config: RunConfig) -> None:
    a, b = idle.submit(config), idle.submit(replace(config, model="gat"))
    idle.cancel(a)
    idle.note(a, "try more seeds")
    idle.pin(a)
    assert [run.run_id for run in idle.list()] == [a, b]
    assert [run.run_id for run in idle.list(model="gat")] == [b]
    assert [run.note for run in idle.list(state="cancelled")] == ["try more seeds"]
    assert idle.list(dataset="cora") == []
    with pytest.raises(WGNNError, match="pinned"):
        idle.delete(a)
    idle.pin(a, False)
    idle.delete(a)
    assert [run.run_id for run in idle.list()] == [b]
    assert idle.result(a) is None
    with pytest.raises(WGNNError, match="there is no run"):
        idle.status(a)


def test_closing_leaves_unfinished_runs_interrupted(store: Store, config: RunConfig) -> None:
    jobs = Jobs(store, executor=Idle)
    run = jobs.submit(config)
    assert store.get(run).state == "queued"
    jobs.close()
    assert store.get(run).state == "interrupted"


def test_a_run_of_another_program_cannot_be_cancelled_here(idle: Jobs, config: RunConfig) -> None:
    idle.store.create(config)
    idle.store.claim(config.run_id, owner_name("other"))
    with pytest.raises(WGNNError, match="another program"):
        idle.cancel(config.run_id)


def test_the_end_is_known_even_if_it_could_not_be_written(idle: Jobs, config: RunConfig) -> None:
    run = idle.submit(config)
    idle._hear({"event": "end", "run": run, "state": "failed", "message": "the disk is full."})
    status = idle.status(run)
    assert (status.state, status.message) == ("failed", "the disk is full.")


def test_wgnn_home_is_where_jobs_look(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, config: RunConfig
) -> None:
    monkeypatch.setenv("WGNN_HOME", str(tmp_path))
    jobs = Jobs(executor=Idle)
    jobs.submit(config)
    jobs.close()
    assert [run.run_id for run in Store(tmp_path).runs()] == [config.run_id]
