"""A fair share of the machine for each of several users."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runs.run_helpers import PAIRED, gone, kill, until
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import Jobs
from wgnn_core.runs.local import LocalExecutor
from wgnn_core.runs.store import Store
from wgnn_core.runs.turns import Turns


class Machine:
    """Users who always want more, with a clock of its own: a cell takes what its user says."""

    def __init__(self, **seconds: float) -> None:
        self.now, self.seconds = 0.0, seconds
        self.turns = Turns(lambda: self.now)
        self.running: list[str] = []
        self.had = dict.fromkeys(seconds, 0.0)
        self.order: list[str] = []

    def ask(self, who: str) -> None:
        self.turns.ask(who, lambda: self.running.append(who))

    def step(self, again: bool = True) -> str:
        """The cell under way ends; its user asks for the next one."""
        assert len(self.running) == 1, "one at a time"
        who = self.running.pop()
        self.order.append(who)
        self.now += self.seconds[who]
        self.had[who] += self.seconds[who]
        if again:
            self.ask(who)
        else:
            self.turns.leave(who)
        return who


def test_equal_users_take_turns() -> None:
    machine = Machine(a=1, b=1, c=1)
    for who in "abc":
        machine.ask(who)
    assert "".join(machine.step() for _ in range(9)) == "abcabcabc"


@given(
    st.dictionaries(st.sampled_from("abcde"), st.floats(0.01, 10), min_size=2),
    st.integers(50, 200),
)
@settings(deadline=None, max_examples=50)
def test_everybody_has_the_same_time_but_for_one_cell(
    seconds: dict[str, float], steps: int
) -> None:
    machine = Machine(**seconds)
    for who in seconds:
        machine.ask(who)
    for _ in range(steps):
        machine.step()
    assert max(machine.had.values()) - min(machine.had.values()) <= 2 * max(seconds.values())


def test_nobody_saves_up_time() -> None:
    machine = Machine(a=1, b=1)
    machine.ask("a")
    for _ in range(100):
        machine.step()
    machine.ask("b")  # it is level with a, and not a hundred turns ahead
    assert [machine.step() for _ in range(7)].count("b") in (3, 4)


def test_who_leaves_is_not_waited_for() -> None:
    machine = Machine(a=1, b=1, c=1)
    for who in "abc":
        machine.ask(who)
    machine.turns.leave("b")  # while waiting
    machine.turns.leave("b")
    assert machine.step(again=False) == "a"
    assert machine.running == ["c"]
    machine.turns.leave("c")  # it died
    machine.running.clear()
    machine.ask("b")
    assert machine.running == ["b"]


@pytest.fixture
def shared() -> partial[LocalExecutor]:
    return partial(LocalExecutor, turns=Turns())


def test_one_cell_need_not_wait_for_fifty(
    tmp_path: Path, config: RunConfig, shared: partial[LocalExecutor]
) -> None:
    """User a has queued many cells before user b, in another store, asks for one."""
    many = [
        replace(config, hyper=(("epochs", 40),), seeds=tuple(range(10 * i, 10 * i + 10)),
                interventions=PAIRED)
        for i in range(4)
    ]  # fmt: skip
    one = replace(config, interventions=())
    a, b = (Jobs(Store(tmp_path / name), executor=shared) for name in "ab")
    try:
        b.warm()
        worker = b._executor
        assert isinstance(worker, LocalExecutor)
        until(lambda: worker._ready, 150)  # b shall not come late for another reason
        runs = [a.submit(each) for each in many]
        cells = lambda: sum(len(a.store.cells(run)) for run in runs)  # noqa: E731
        until(cells)
        before = cells()
        asked = b.submit(one)
        assert b.wait(asked, 60).state == "done"
        assert cells() - before <= 3, "it waited for more than the cells under way"
        assert sum(a.status(run).active for run in runs) == len(runs)
        assert a.store.runs() != [] and not a.store.has(asked) and not b.store.has(runs[0])
    finally:
        a.close()
        b.close()


def test_a_worker_that_dies_with_the_turn_gives_it_back(
    tmp_path: Path, sweep: RunConfig, config: RunConfig, shared: partial[LocalExecutor]
) -> None:
    a, b = (Jobs(Store(tmp_path / name), executor=shared) for name in "ab")
    try:
        long = a.submit(replace(sweep, hyper=(("epochs", 5000),)))
        until(lambda: a.status(long).done > 0)
        executor = a._executor
        assert isinstance(executor, LocalExecutor)
        waiting = b.submit(config)
        kill(executor.pid)
        a.cancel(long)
        assert b.wait(waiting, 60).state == "done"
    finally:
        a.close()
        b.close()


def test_a_worker_with_nothing_to_do_is_let_go(store: Store, config: RunConfig) -> None:
    jobs = Jobs(store, executor=partial(LocalExecutor, idle_seconds=1))
    try:
        executor = jobs._executor
        assert isinstance(executor, LocalExecutor)
        run = jobs.submit(config)
        pid = executor.pid
        assert jobs.wait(run, 60).state == "done"
        until(lambda: executor.pid is None, 20)
        assert pid is not None
        until(lambda: gone(pid), 20)
        again = jobs.submit(replace(config, seeds=(7,)))  # another comes when it is needed
        assert jobs.wait(again, 60).state == "done"
    finally:
        jobs.close()
