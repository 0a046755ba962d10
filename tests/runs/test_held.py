"""Faults that once broke a run, its store or the list of runs, and are held now."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.runs.run_helpers import Idle, ends, train_here, until, worker_of_a_killed_owner
from wgnn_core.errors import WGNNError
from wgnn_core.runs import local
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import Jobs, Limits
from wgnn_core.runs.owners import alive, owner_name
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store


def test_a_clock_that_is_set_makes_no_owner_look_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = owner_name("x")
    before = psutil.Process.create_time
    monkeypatch.setattr(psutil.Process, "create_time", lambda self: before(self) + 1.0)
    assert alive(mine)
    pid, started, token = mine.split(":")
    assert not alive(f"{pid}:{int(float(started)) + 1}:{token}")
    assert not alive(f"{2**22 + os.getpid()}:{started}:{token}")


@pytest.mark.parametrize("cell", [0, 1])
def test_flipped_bits_cost_one_cell_and_no_other_run(
    store: Store, config: RunConfig, cell: int
) -> None:
    run = train_here(store, config)
    expected = load_result(store, run)
    predicted = expected.outcome(config.interventions[0], 0)[0]
    file = store.path / "arrays" / run / f"{cell}.npz"
    content = bytearray(file.read_bytes())
    for place in range(60, 100):
        content[place] ^= 0xFF  # inside the compressed data
    file.write_bytes(content)
    other = replace(config, interventions=config.interventions[:1])
    train_here(store, other)  # would have adopted the base cell
    damaged = load_result(store, run)  # the other run has noticed it, if it is the base cell
    assert (damaged.base is None) == (cell == 0)
    if cell == 1:
        with pytest.raises(WGNNError, match="resume the run"):
            damaged.outcome(config.interventions[0], 0)
    assert store.get(run).state == "interrupted"
    assert store.get(run).done < store.get(run).total
    train_here(store, config)
    again = load_result(store, run)
    assert again.rows.equals(expected.rows)
    assert (again.outcome(config.interventions[0], 0)[0] == predicted).all()


def test_what_the_queue_refuses_leaves_no_row(store: Store, config: RunConfig) -> None:
    jobs = Jobs(store, Limits(queue=1), Idle)
    jobs.submit(config)
    with pytest.raises(WGNNError, match="the limit is 1"):
        jobs.submit(replace(config, seeds=(9,)))
    assert [run.run_id for run in store.runs()] == [config.run_id]
    jobs.close()


def test_who_waits_for_a_run_whose_owner_dies_goes_on_waiting(
    store: Store, config: RunConfig
) -> None:
    store.create(config)
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    started = owner_name("x").split(":")[1]
    stat = Path(f"/proc/{other.pid}/stat")
    started = stat.read_text().rpartition(")")[2].split()[19] if stat.exists() else started
    store.claim(config.run_id, f"{other.pid}:{started}:x")
    jobs = Jobs(store, executor=Idle)
    run = jobs.submit(config)
    other.kill()
    other.wait()
    assert store.get(run).state == "interrupted"
    assert jobs.wait(run, 0.2).state == "queued"  # the executor has not looked yet
    jobs.close()
    assert Jobs(store, executor=Idle).status(run).state == "interrupted"


def test_a_stopped_worker_is_replaced(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "SILENCE_SECONDS", 8)
    jobs = Jobs(store)
    executor = jobs._executor
    assert isinstance(executor, local.LocalExecutor)
    jobs.warm()
    until(lambda: executor._ready, 150)
    assert executor.pid is not None
    os.kill(executor.pid, signal.SIGSTOP)
    run = jobs.submit(config)
    assert jobs.wait(run, 120).state == "done"
    jobs.close()


def test_a_stopped_worker_does_not_outlive_its_owner(tmp_path: Path) -> None:
    def stop(worker: int) -> None:
        os.kill(worker, signal.SIGSTOP)
        until(lambda: psutil.Process(worker).status() == psutil.STATUS_STOPPED)

    ends(worker_of_a_killed_owner(tmp_path, stop), 10)


@pytest.mark.parametrize(
    "damage",
    ["{", "[" * 100_000, "[]", "7", '{"seeds": "x"}', '{"seeds": [1e400]}'],
)
def test_an_unreadable_row_hides_no_other(store: Store, config: RunConfig, damage: str) -> None:
    other = replace(config, seeds=(7,))
    store.create(config)
    store.create(other)
    with sqlite3.connect(store.path / "runs.sqlite") as db:
        db.execute("UPDATE run SET config = ? WHERE id = ?", (damage, config.run_id))
    db.close()
    assert [run.run_id for run in store.runs()] == [other.run_id]
    assert set(store.unreadable()) == {config.run_id}
    with pytest.raises(WGNNError, match="cannot be read"):
        store.get(config.run_id)
    store.delete(config.run_id)
    assert store.unreadable() == {}


def test_an_emptied_database_is_no_new_store(store: Store, config: RunConfig) -> None:
    train_here(store, config)
    store.close()
    for file in store.path.glob("runs.sqlite*"):
        file.write_bytes(b"")
    with pytest.raises(WGNNError, match="is empty, but the arrays"):
        Store(store.path)
    assert (store.path / "runs.sqlite").stat().st_size == 0


@pytest.mark.parametrize("lost", ["rowid_of_one", "a_cell", "the_base"])
def test_a_done_run_that_lost_rows_is_not_done(store: Store, config: RunConfig, lost: str) -> None:
    run = train_here(store, config)
    expected = load_result(store, run)
    statement = {
        "rowid_of_one": "DELETE FROM result WHERE cell = 1 AND place = 2",
        "a_cell": "DELETE FROM cell WHERE number = 1",
        "the_base": "DELETE FROM result WHERE cell = 0",
    }[lost]
    with sqlite3.connect(store.path / "runs.sqlite") as db:
        db.execute(statement)
    db.close()
    again = Store(store.path)
    assert again.get(run).state == "interrupted"
    assert again.get(run).done < again.get(run).total
    train_here(again, config)
    assert again.get(run).state == "done"
    assert load_result(again, run).rows.equals(expected.rows)


def test_nobody_else_can_look_into_the_store(tmp_path: Path, config: RunConfig) -> None:
    old = os.umask(0o000)
    try:
        folder = tmp_path / "shown"
        folder.mkdir(mode=0o777)
        store = Store(folder)
        train_here(store, config)
    finally:
        os.umask(old)
    assert folder.stat().st_mode & 0o777 == 0o700
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_a_folder_with_other_things_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "thesis.tex").touch()
    Store(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "runs.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_store_that_is_deleted_is_begun_anew(store: Store, config: RunConfig) -> None:
    train_here(store, config)
    for path in sorted(store.path.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    store.path.rmdir()
    jobs = Jobs(store, executor=Idle)
    assert jobs.list() == [] and jobs.result(config.run_id) is None
    train_here(store, config)
    assert [run.state for run in jobs.list()] == ["done"]
    jobs.close()
