"""Runs through a real worker process: started, cancelled, resumed, asked for twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.runs.run_helpers import Idle, gone, train_here, until
from wgnn_core.errors import WGNNError
from wgnn_core.runs import local
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.events import Ended, Event, Ready, Started, Stored
from wgnn_core.runs.jobs import Executor, Jobs, Limits
from wgnn_core.runs.life import Tell
from wgnn_core.runs.local import LocalExecutor
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store


@pytest.fixture(scope="module")
def heard() -> list[Event]:
    """Everything the worker of `warm` ever said."""
    return []


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory, heard: list[Event]) -> Iterator[Jobs]:
    """One worker for the whole module: it takes seconds to start."""

    def executor(store: Store, owner: str, seconds: float, tell: Tell) -> Executor:
        def tee(event: Event) -> None:
            heard.append(event)
            tell(event)

        return LocalExecutor(store, owner, seconds, tee)

    jobs = Jobs(Store(tmp_path_factory.mktemp("store")), Limits(queue=3), executor)
    jobs.warm()
    pid = jobs._executor.pid  # type: ignore[attr-defined]
    assert pid is not None
    yield jobs
    pid = jobs._executor.pid  # type: ignore[attr-defined]
    jobs.close()
    assert gone(pid)


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
        seen.append(warm.wait(run, 0.02))
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


def test_asking_twice_trains_once(warm: Jobs, heard: list[Event], config: RunConfig) -> None:
    same = replace(config, seeds=(20, 21, 22))
    ids: list[str] = []
    threads = [threading.Thread(target=lambda: ids.append(warm.submit(same))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(ids) == {same.run_id}
    assert warm.wait(same.run_id, 60).state == "done"
    until(lambda: any(isinstance(e, Ended) and e.run_id == same.run_id for e in heard))
    before = len(heard)
    assert warm.status(warm.submit(same)).state == "done"  # a finished one is asked of nobody
    other = replace(config, seeds=(23,), interventions=())
    assert warm.wait(warm.submit(other), 60).state == "done"
    later = [e for e in heard[before:] if not isinstance(e, Ready)]
    assert {e.run_id for e in later} == {other.run_id}
    cells = [e.cell for e in heard if isinstance(e, Stored) and e.run_id == same.run_id]
    assert cells == sorted(set(cells)) == sorted(warm.store.cells(same.run_id))


def test_cancel_and_resume(
    warm: Jobs, heard: list[Event], store: Store, config: RunConfig, sweep: RunConfig
) -> None:
    here = load_result(store, train_here(store, sweep))
    run = warm.submit(sweep)
    until(lambda: len(warm.store.cells(run)) >= 2)
    warm.cancel(run)
    assert warm.status(run).state == "cancelled"
    kept = warm.store.cells(run)
    assert 2 <= len(kept) < 11
    # the worker obeys in order: when it has done something else, it has left this run
    next_one = replace(config, seeds=(40,), interventions=())
    assert warm.wait(warm.submit(next_one), 60).state == "done"
    assert warm.store.cells(run) == kept, "it went on"
    assert sum(isinstance(e, Stored) and e.run_id == run for e in heard) == len(kept)
    partial = warm.result(run)
    assert partial is not None and partial.chosen is None and 0 < len(partial.rows) < 320
    warm.resume(run)
    assert warm.wait(run, 120).state == "done"
    result = warm.result(run)
    assert result is not None
    pd.testing.assert_frame_equal(result.rows, here.rows)


def test_a_cell_that_does_not_stop_is_stopped_with_its_worker(
    warm: Jobs, heard: list[Event], config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A GAT on a graph of photo's size, whose epochs take long."""
    photo = (("nodes", 7650), ("classes", 8), ("features", 745), ("average_degree", 31.0))
    big = replace(config, parameters=photo, model="gat", hyper=(("epochs", 200),), seeds=(0, 1))
    executor = warm._executor
    assert isinstance(executor, LocalExecutor)
    run = warm.submit(big)
    until(lambda: any(isinstance(e, Started) and e.run_id == run for e in heard))
    limits: list[float] = []

    class Timer(threading.Timer):
        def __init__(self, seconds: float, *rest: Any) -> None:
            limits.append(seconds)
            super().__init__(0.0, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(local.threading, "Timer", Timer)
        warm.cancel(run)
    assert warm.status(run).state == "cancelled"
    assert limits == [local.CANCEL_SECONDS]
    assert local.CANCEL_SECONDS < 2, "what `Jobs.cancel` promises"
    until(lambda: executor._current != run)
    small = replace(config, seeds=(30,))
    assert warm.wait(warm.submit(small), 60).state == "done"
    assert warm.store.cells(run) == set()


def test_fresh_computes_again(warm: Jobs, heard: list[Event], config: RunConfig) -> None:
    run = warm.submit(config)
    assert warm.wait(run, 60).state == "done"
    before = sum(isinstance(e, Stored) and e.run_id == run for e in heard)
    assert warm.submit(config, fresh=True) == run
    assert warm.wait(run, 60).state == "done"
    until(lambda: isinstance(heard[-1], Ended))
    after = sum(isinstance(e, Stored) and e.run_id == run for e in heard)
    assert after - before == len(warm.store.cells(run)) > 0


def test_delete_a_run_under_way(warm: Jobs, config: RunConfig, sweep: RunConfig) -> None:
    run = warm.submit(replace(sweep, seeds=tuple(range(50, 60))))
    until(lambda: warm.status(run).done > 0)
    warm.delete(run)
    assert warm.result(run) is None
    next_one = replace(config, seeds=(41,), interventions=())  # then the worker has left the other
    assert warm.wait(warm.submit(next_one), 60).state == "done"
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
    idle._hear(Ended(run, "failed", "the disk is full."))
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
