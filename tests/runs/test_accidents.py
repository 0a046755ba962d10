"""Processes killed, disks filled: nothing finished is lost, nothing is trained twice."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import psutil
import pytest

from tests.runs.run_helpers import PAIRED, SMALL, gone, kill, train_here, until
from wgnn_core.errors import WGNNError
from wgnn_core.runs import local
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.events import Ended, Event, Ready, Stored, Taken, to_line
from wgnn_core.runs.jobs import Executor, Jobs
from wgnn_core.runs.life import Tell
from wgnn_core.runs.local import LocalExecutor
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store

ROOT = Path(__file__).parents[2]
SWEEP = RunConfig(
    "csbm",
    tuple(SMALL.items()),
    hyper=(("epochs", 30),),
    seeds=tuple(range(10)),
    interventions=PAIRED,
)


class Heard:
    """Makes executors whose events are counted."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.made: list[LocalExecutor] = []

    def executor(self, store: Store, owner: str, seconds: float, tell: Tell) -> Executor:
        def tee(event: Event) -> None:
            self.events.append(event)
            tell(event)

        self.made.append(LocalExecutor(store, owner, seconds, tee))
        return self.made[-1]

    def trained(self) -> Counter[int]:
        return Counter(event.cell for event in self.events if isinstance(event, Stored))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The table of `SWEEP`, trained in one go in this process."""
    store = Store(tmp_path_factory.mktemp("undisturbed"))
    return load_result(store, train_here(store, SWEEP)).rows


def test_worker_killed_in_the_middle(store: Store, undisturbed: pd.DataFrame) -> None:
    heard = Heard()
    jobs = Jobs(store, executor=heard.executor)
    run = jobs.submit(SWEEP)
    until(lambda: len(store.cells(run)) >= 3)
    victim = heard.made[0].pid
    kill(victim)
    assert jobs.status(run).state == "running"
    assert jobs.wait(run, 120).state == "done"
    last = heard.made[0].pid
    assert last != victim
    rows = load_result(store, run).rows
    jobs.close()
    assert len(rows) == 320
    pd.testing.assert_frame_equal(rows, undisturbed)
    assert set(heard.trained().values()) == {1}, "a finished cell was trained again"
    assert sorted(heard.trained()) == sorted(store.cells(run)) == list(range(11))
    assert all(gone(pid) for pid in (victim, last) if pid)


OWNER = """
import sys, time
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import Jobs
import json
jobs = Jobs()
config = RunConfig.from_json(json.loads(sys.argv[1]))
jobs.submit(config)
print(jobs._executor.pid, flush=True)
time.sleep(600)
"""


def test_owner_killed_in_the_middle(store: Store, undisturbed: pd.DataFrame) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, json.dumps(SWEEP.to_json())],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "WGNN_HOME": str(store.path)},
    )
    assert owner.stdout is not None
    worker = int(owner.stdout.readline())
    run = SWEEP.run_id
    until(lambda: len(store.cells(run)) >= 3)
    assert store.get(run).state == "running"
    kill(owner.pid)
    owner.wait()
    owner.stdout.close()
    until(lambda: gone(worker), 5)
    kept = store.cells(run)
    assert 3 <= len(kept) < 11

    heard = Heard()
    jobs = Jobs(store, executor=heard.executor)
    (listed,) = jobs.list(state="interrupted")
    assert listed.run_id == run
    assert listed.done == 10 + 32 * (len(kept) - 1)
    jobs.resume(run)
    assert jobs.wait(run, 120).state == "done"
    jobs.close()
    pd.testing.assert_frame_equal(load_result(store, run).rows, undisturbed)
    assert sorted(heard.trained().elements()) == sorted(store.cells(run) - kept)
    assert [p for p in psutil.Process().children(recursive=True) if not gone(p.pid)] == []


def test_two_programs_want_the_same_run(store: Store) -> None:
    small = replace(SWEEP, interventions=PAIRED[:8])
    heard = Heard()
    both = [Jobs(store, executor=heard.executor), Jobs(store, executor=heard.executor)]
    for jobs in both:
        jobs.submit(small)
    for jobs in both:
        assert jobs.wait(small.run_id, 120).state == "done"
    until(lambda: sum(isinstance(e, Ended) for e in heard.events) == 2)
    for jobs in both:
        jobs.close()
    assert set(heard.trained().values()) == {1}
    assert sorted(heard.trained()) == sorted(store.cells(small.run_id))


DIES_AT_ONCE = "import sys; sys.exit(3)"
DIES_TRAINING = "import sys; print(sys.argv[1], end='', flush=True); sys.exit(3)"


@pytest.mark.parametrize("script", [DIES_AT_ONCE, DIES_TRAINING])
def test_a_run_that_kills_every_worker_is_given_up(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    spawned = []

    def spawn(folder: Path) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", script, to_line(Ready(1)) + to_line(Taken(config.run_id))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        spawned.append(process)
        return process

    monkeypatch.setattr(local, "spawn", spawn)
    jobs = Jobs(store)
    run = jobs.submit(config)
    status = jobs.wait(run, 30)
    assert status.state == "failed"
    assert f"died {local.STRIKES} times" in status.message
    assert "exit code 3" in status.message
    assert len(spawned) == local.STRIKES
    assert jobs.store.get(run).state == "failed"
    jobs.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one and a half megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1536k", "tmpfs", str(folder)]
    try:
        made = subprocess.run(mount, capture_output=True).returncode == 0
    except FileNotFoundError:
        made = False
    if not made:
        pytest.skip("needs the right to mount a small tmpfs; ENOSPC is simulated in test_store")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_says_so_and_loses_nothing(small_disk: Path, config: RunConfig) -> None:
    store = Store(small_disk)
    first = train_here(store, config)
    before = load_result(store, first).rows
    large = replace(
        config, parameters=(("nodes", 3000),), seeds=tuple(range(10)), interventions=PAIRED
    )
    with pytest.raises(WGNNError, match=r"the disk that holds .* is full"):
        train_here(store, large)
    kept = store.cells(large.run_id)
    assert 0 < len(kept) < 11
    with (small_disk / "filler").open("wb", buffering=0) as filler:
        while _written(filler):
            pass
    with pytest.raises(WGNNError, match=r"the disk that holds .* is full"):
        for seed in range(100):  # a page or two of the log may still be free
            store.create(replace(config, seeds=(100 + seed,)))
    again = Store(small_disk) if _can_open(small_disk) else store
    assert {run.run_id for run in again.runs()} >= {first, large.run_id}
    pd.testing.assert_frame_equal(load_result(again, first).rows, before)
    (small_disk / "filler").unlink()
    reopened = Store(small_disk)
    assert reopened.cells(large.run_id) == kept
    assert not list(small_disk.rglob("*.tmp"))
    reopened.delete(large.run_id, reopened.get(large.run_id).owner)
    assert reopened.create(replace(config, seeds=(999,)))


def _written(filler: io.FileIO) -> bool:
    try:
        return filler.write(bytes(4096)) == 4096
    except OSError:
        return False


def _can_open(folder: Path) -> bool:
    try:
        Store(folder)
    except WGNNError as error:
        assert "full" in str(error)
        return False
    return True
