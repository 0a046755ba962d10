"""The life of a run, led step by step: by this process, and by a trainer of several slots."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from tests.runs.life_bench import Bench, ByOrder
from tests.runs.run_helpers import FULL, train_here
from wgnn_core.errors import WGNNError
from wgnn_core.intervention import Intervention
from wgnn_core.runs import cells, life
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.events import Ended, Event, Progressed, Started, Stored, Taken
from wgnn_core.runs.life import Here, Landed
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MAX_BATCH", 3)
    monkeypatch.setattr(life, "PROGRESS_SECONDS", 0.0)
    monkeypatch.setattr(life, "WAIT_SECONDS", 0.001)


@pytest.fixture
def bench(store: Store) -> Bench:
    return Bench(store)


def test_two_runs_take_turns(bench: Bench, store: Store, config: RunConfig) -> None:
    two = [config, replace(config, seeds=(7, 8, 9))]
    for c in two:
        store.create(c)
    bench.train(*two)
    assert bench.ends() == [(c.run_id, "done") for c in two]
    assert [store.get(c.run_id).state for c in two] == ["done", "done"]
    assert [e.run_id for e in bench.of(Stored)] == [two[0].run_id, two[1].run_id] * 4


def test_a_run_that_comes_later_need_not_wait_for_the_first(
    bench: Bench, store: Store, config: RunConfig
) -> None:
    late = replace(config, seeds=(7,), interventions=())
    for c in (config, late):
        store.create(c)

    def hear(event: Event) -> None:
        if event == Stored(config.run_id, 0):
            bench.driver.add(late.run_id)

    bench.hear = hear
    bench.train(config)
    order = [(e.run_id == late.run_id, e.cell) for e in bench.of(Stored)]
    assert order.index((True, 0)) <= 2


@pytest.mark.parametrize("slots", [2, 8])
def test_slots_are_shared_and_the_numbers_stay(store: Store, config: RunConfig, slots: int) -> None:
    two = [config, replace(config, seeds=(7, 8, 9))]
    apart = Store(store.path / "apart")
    expected = [load_result(apart, train_here(apart, c)).rows for c in two]
    for c in two:
        store.create(c)
    bench = Bench(store, ByOrder(slots))
    bench.train(*two)
    assert sorted(bench.ends()) == sorted((c.run_id, "done") for c in two)
    for c, rows in zip(two, expected, strict=True):
        pd.testing.assert_frame_equal(load_result(store, c.run_id).rows, rows)
    assert {e.cell for e in bench.of(Started)} == {None}
    trained = [(e.run_id, e.cell) for e in bench.of(Stored)]
    assert len(trained) == len(set(trained)) == 8


def test_a_failing_cell_ends_its_run_once_and_no_other(store: Store, config: RunConfig) -> None:
    trainer = ByOrder(6)
    bad, good = config, replace(config, seeds=(7, 8, 9), interventions=())
    for c in (bad, good):
        store.create(c)
    trainer.faults = {2: MemoryError("no room")}  # cells 1 and 3 land beside it
    bench = Bench(store, trainer)
    bench.train(bad, good)
    assert sorted(bench.ends()) == sorted([(bad.run_id, "failed"), (good.run_id, "done")])
    assert store.get(bad.run_id).message == "MemoryError: no room"
    assert store.get(bad.run_id).state == "failed"
    trainer.faults = {}
    again = Bench(store, trainer)
    again.train(bad)
    assert load_result(store, bad.run_id).complete
    assert 0 not in [e.cell for e in again.of(Stored)], "a finished cell was trained again"


def test_what_the_user_did_wrong_is_said_as_it_is(
    bench: Bench, store: Store, config: RunConfig
) -> None:
    bad = replace(config, device="abacus")
    store.create(bad)
    bench.train(bad)
    (end,) = bench.of(Ended)
    assert end.state == "failed"
    assert end.message.startswith("there is no device 'abacus'")
    assert store.get(bad.run_id).message == end.message


def test_cancel_stops_within_the_cell_and_a_later_order_resumes(
    bench: Bench, store: Store, config: RunConfig
) -> None:
    long = replace(config, hyper=(("epochs", 100),))
    store.create(long)

    def hear(event: Event) -> None:
        if isinstance(event, Progressed):
            bench.driver.cancel(long.run_id)

    bench.hear = hear
    bench.train(long)
    assert bench.ends() == [(long.run_id, "cancelled")]
    assert 0 <= bench.of(Progressed)[0].done < 3
    assert bench.of(Stored) == []
    bench.hear = lambda event: None
    bench.train(long)
    assert bench.ends()[-1] == (long.run_id, "done")


def test_a_cell_that_lands_after_the_cancel_is_not_stored(store: Store, config: RunConfig) -> None:
    """And whoever watches the worker learns that it is free again."""
    store.create(config)

    class Finishes(Here):
        def landed(self, handles: list[Any], seconds: float) -> list[tuple[Any, Landed]]:
            bench.driver.cancel(config.run_id)
            return [(handles[0], handles[0][0].train())]

    bench = Bench(store, Finishes())
    bench.train(config)
    assert bench.of(Stored) == []
    assert bench.ends() == [(config.run_id, "cancelled")]
    assert store.cells(config.run_id) == set()


def test_the_end_of_a_cancelled_turn_is_not_that_of_the_next(
    store: Store, config: RunConfig
) -> None:
    store.create(config)

    class Resumed(Here):
        def landed(self, handles: list[Any], seconds: float) -> list[tuple[Any, Landed]]:
            if not bench.of(Stored) and len(bench.of(Started)) == 1:
                bench.driver.cancel(config.run_id)
                bench.driver.add(config.run_id)
            return super().landed(handles, seconds)

    bench = Bench(store, Resumed())
    bench.train(config)
    assert bench.ends() == [(config.run_id, "done")]


def test_cancelled_while_several_cells_fly(store: Store, config: RunConfig) -> None:
    trainer = ByOrder(4)
    store.create(config)
    bench = Bench(store, trainer)
    bench.driver.add(config.run_id)
    bench.driver.step()  # the base lands
    trainer.hold = True
    bench.driver.step()
    flying = [task for task, _ in trainer.flying[1:]]
    assert len(flying) == 3
    bench.driver.cancel(config.run_id)
    assert trainer.stopped == flying
    assert not bench.driver.busy
    assert store.cells(config.run_id) == {0}
    trainer.hold = False
    bench.train(config)
    assert bench.ends()[-1] == (config.run_id, "done")
    assert load_result(store, config.run_id).complete


@pytest.mark.parametrize("call", ["cancel", "add"])
def test_who_waits_for_the_listener_is_not_waited_for(
    store: Store, config: RunConfig, call: str
) -> None:
    """`Jobs` holds its lock when it gives orders, and takes it when it hears an event."""
    store.create(config)
    lock, held, telling = threading.RLock(), threading.Event(), threading.Event()
    bench = Bench(store)

    def hear(event: Event) -> None:
        telling.set()
        with lock:
            pass

    def order() -> None:
        with lock:
            held.set()
            telling.wait(30)
            getattr(bench.driver, call)(config.run_id)

    bench.hear = hear
    bench.driver.add(config.run_id)
    threads = [threading.Thread(target=t, daemon=True) for t in (order, bench.driver.step)]
    for thread in threads:
        thread.start()
        held.wait(30)
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive(), "each waits for the lock that the other holds"


def test_the_longest_time_is_named_and_a_new_order_gets_it_anew(
    store: Store, config: RunConfig
) -> None:
    hurried = Bench(store, max_seconds=0.0)
    store.create(config)
    hurried.train(config)
    (end,) = hurried.of(Ended)
    assert end.state == "failed"
    assert "stopped after 0 seconds" in end.message
    assert store.get(config.run_id).message == end.message
    patient = Bench(store)
    patient.train(config)
    assert patient.ends() == [(config.run_id, "done")]


def test_the_time_is_that_of_training_and_of_all_cells(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(life.time, "monotonic", lambda: now)
    store.create(config)
    trainer = ByOrder(1)
    bench = Bench(store, trainer, max_seconds=10.0)
    bench.driver.add(config.run_id)

    def hear(event: Event) -> None:
        nonlocal now
        now += 6.0 if isinstance(event, Started) else 0.0  # of training, for each cell

    bench.hear = hear
    bench.driver.step()
    now += 1e6  # nothing of it was under way meanwhile
    bench.driver.step()
    assert [e.cell for e in bench.of(Stored)] == [0, 1]
    bench.driver.step()
    assert bench.ends() == [(config.run_id, "failed")]
    assert "stopped after 10 seconds" in bench.of(Ended)[0].message


def test_a_task_that_hangs_is_stopped_when_the_time_is_up(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(life.time, "monotonic", lambda: now)
    trainer = ByOrder(1)
    trainer.hold = True
    store.create(config)
    bench = Bench(store, trainer, max_seconds=10.0)
    bench.driver.add(config.run_id)
    bench.driver.step()
    assert bench.ends() == []
    now += 11.0
    bench.driver.step()
    assert bench.ends() == [(config.run_id, "failed")]
    assert [task.cell.number for task in trainer.stopped] == [0]


def test_it_waits_for_a_run_that_another_program_trains(
    bench: Bench, store: Store, config: RunConfig
) -> None:
    other = owner_name("other")
    store.create(config)
    assert store.claim(config.run_id, other)
    bench.driver.add(config.run_id)
    for _ in range(3):
        bench.driver.step()
    assert len(bench.of(Taken)) == 3
    assert bench.of(Started) == []
    store.release(other)  # the other one has gone away without finishing
    bench.train()
    assert bench.ends() == [(config.run_id, "done")]


def test_a_run_that_waits_for_another_program_can_be_cancelled(
    bench: Bench, store: Store, config: RunConfig
) -> None:
    store.create(config)
    assert store.claim(config.run_id, owner_name("other"))
    bench.driver.add(config.run_id)
    bench.driver.step()
    bench.driver.cancel(config.run_id)
    assert not bench.driver.busy
    assert bench.ends() == [(config.run_id, "cancelled")], "the worker would be killed for it"


def test_it_trains_nothing_of_a_run_that_another_program_finished(
    bench: Bench, store: Store, config: RunConfig
) -> None:
    train_here(store, config)
    bench.train(config)
    assert bench.ends() == [(config.run_id, "done")]
    assert bench.of(Started) == []


def test_a_run_that_is_gone_is_reported(bench: Bench, store: Store, config: RunConfig) -> None:
    bench.driver.add("0" * 32)
    bench.driver.step()
    assert "there is no run" in bench.of(Ended)[0].message

    def hear(event: Event) -> None:
        if isinstance(event, Started):
            store.delete(config.run_id, bench.owner)

    store.create(config)
    bench.hear = hear
    bench.train(config)
    assert bench.ends()[-1] == (config.run_id, "cancelled")
    assert not (store.path / "arrays" / config.run_id).exists()


def test_asked_for_twice_it_is_trained_once(bench: Bench, store: Store, config: RunConfig) -> None:
    store.create(config)
    bench.train(config, config)
    assert [e.cell for e in bench.of(Stored)] == [0, 1, 2, 3]


def test_closing_stops_everything(store: Store, config: RunConfig) -> None:
    trainer = ByOrder(2)
    trainer.hold = True
    bench = Bench(store, trainer)
    for c in (config, replace(config, seeds=(5,))):
        store.create(c)
        bench.driver.add(c.run_id)
    bench.driver.step()
    bench.driver.close()
    assert len(trainer.stopped) == 2
    assert not bench.driver.busy


def test_waiting_ends_with_an_order(bench: Bench, store: Store, config: RunConfig) -> None:
    store.create(config)
    threading.Timer(0.05, bench.driver.add, (config.run_id,)).start()
    started = time.monotonic()
    bench.driver.wait(60.0)
    assert bench.driver.busy
    assert time.monotonic() - started < 30


def test_the_edge_model_is_trained_before_what_needs_it(
    bench: Bench, store: Store, config: RunConfig
) -> None:
    asked = replace(FULL, edge_model="gcn")
    mixed = replace(config, model="dropedge", interventions=(Intervention(0.5), asked))
    store.create(mixed)
    bench.train(mixed)
    assert [e.cell for e in bench.of(Stored)] == [0, 1, 2, 3]
    base = load_result(store, mixed.run_id).trained
    assert list(base.edge_models) == ["gcn"]
    with pytest.raises(WGNNError, match="the edge model gat is not trained"):
        base.edge_prob("gat")
