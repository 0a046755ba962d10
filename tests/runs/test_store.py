from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest

from tests.runs.run_helpers import train_here
from wgnn_core.errors import WGNNError
from wgnn_core.home import home
from wgnn_core.intervention import Intervention
from wgnn_core.runs import arrays
from wgnn_core.runs.cells import Cell, CellResult
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.database import MIGRATIONS, transaction
from wgnn_core.runs.owners import alive, owner_name
from wgnn_core.runs.store import Store
from wgnn_core.wgnn import Row

CELL = Cell(0, positions=(0, 1))
RESULT = CellResult(
    [Row(Intervention(), 0, 60.0, 50.0, 50.0), Row(Intervention(), 1, 62.0, 53.5, 53.5)],
    {"prob": np.arange(6, dtype=np.float32).reshape(2, 3) / 7},
    1.5,
)
DEAD = "1:0.5:somebody"  # process 1 did not start half a second after 1970


@pytest.fixture
def owned(store: Store, config: RunConfig) -> tuple[Store, str, str]:
    owner = owner_name("me")
    store.create(config)
    assert store.claim(config.run_id, owner)
    return store, config.run_id, owner


def test_a_cell_comes_back_as_it_went_in(owned: tuple[Store, str, str]) -> None:
    store, run, owner = owned
    assert store.put_cell(run, owner, CELL, RESULT)
    again = Store(store.path)
    assert again.cells(run) == {0}
    assert again.rows(run) == [(0, 0, RESULT.rows[0]), (0, 1, RESULT.rows[1])]
    np.testing.assert_array_equal(again.arrays(run, 0)["prob"], RESULT.arrays["prob"])
    summary = again.get(run)
    assert (summary.done, summary.total, summary.seconds) == (2, 12, 1.5)
    assert summary.accuracy is None  # one of three seeds is missing


def test_accuracy_is_that_of_the_best_etas_on_validation(
    owned: tuple[Store, str, str], config: RunConfig
) -> None:
    store, run, owner = owned
    good, bad = Intervention(0.5, ranker="margin"), Intervention(0.5)
    rows = [Row(Intervention(), i, 60.0, 50.0 + i, 50.0) for i in range(3)]
    rows += [Row(good, i, 70.0, 55.0 + i, 0.0) for i in range(3)]
    rows += [Row(bad, i, 65.0, 90.0, 0.0) for i in range(3)]
    store.put_cell(run, owner, Cell(0, positions=tuple(range(9))), CellResult(rows, {}))
    summary = store.get(run)
    assert (summary.accuracy, summary.base_accuracy, summary.prefers_base) == (56.0, 51.0, False)
    worse = [replace(row, val=row.val - 11) for row in rows[3:]]
    other = replace(config, model="gat")
    store.create(other)
    assert store.claim(other.run_id, owner)
    result = CellResult([*rows[:3], *worse], {})
    store.put_cell(other.run_id, owner, Cell(0, positions=tuple(range(9))), result)
    summary = store.get(other.run_id)
    assert summary.prefers_base and summary.base_accuracy == 51.0
    assert summary.accuracy == 56.0, "wGNN's own number all the same"


def test_a_cell_is_stored_once_and_only_for_the_owner(owned: tuple[Store, str, str]) -> None:
    store, run, owner = owned
    assert not store.put_cell(run, owner_name("other"), CELL, RESULT)
    assert store.cells(run) == set()
    assert store.put_cell(run, owner, CELL, RESULT)
    assert store.put_cell(run, owner, CELL, replace(RESULT, seconds=9.0))
    assert store.get(run).seconds == 1.5
    assert len(store.rows(run)) == 2


def test_one_live_owner_at_a_time(owned: tuple[Store, str, str]) -> None:
    store, run, owner = owned
    other = owner_name("other")
    assert store.claim(run, owner)
    assert not store.claim(run, other)
    assert not store.set_state(run, other, "done")
    assert store.get(run).state == "queued"
    store.release(owner)
    assert store.get(run).state == "interrupted"
    assert store.claim(run, other)
    assert store.set_state(run, other, "done")
    assert not store.claim(run, owner), "nothing is left to do"


def test_a_run_of_a_dead_owner_is_interrupted_and_free(store: Store, config: RunConfig) -> None:
    store.create(config)
    assert store.claim(config.run_id, DEAD)
    assert store.get(config.run_id).state == "interrupted"
    assert store.claim(config.run_id, owner_name("me"))
    assert store.get(config.run_id).state == "queued"


def test_alive_means_the_same_process_and_not_its_number() -> None:
    mine = owner_name("x:y")
    assert alive(mine)
    assert not alive(f"{os.getpid()}:1.0:x")
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    name = f"{child.pid}:{psutil.Process(child.pid).create_time()!r}:x"
    child.wait()
    assert not alive(name)


def test_create_twice_keeps_the_first(store: Store, config: RunConfig) -> None:
    assert store.create(config)
    store.note(config.run_id, "mine")
    assert not store.create(replace(config, device="cpu"))
    assert len(store.runs()) == 1
    assert store.get(config.run_id).note == "mine"
    assert store.get(config.run_id).config.run_id == config.run_id
    assert store.identity(config.run_id)["versions"] == config.identity["versions"]


def test_pin_note_find_delete(store: Store, config: RunConfig) -> None:
    first, second = config, replace(config, seeds=(5,))
    for c in (first, second):
        store.create(c)
    assert [r.run_id for r in store.runs()] == [second.run_id, first.run_id]
    store.pin(first.run_id)
    assert [r.run_id for r in store.runs()] == [first.run_id, second.run_id]
    assert store.find(second.run_id[:8]) == second.run_id
    with pytest.raises(WGNNError, match="no runs"):
        store.find("xyz")
    with pytest.raises(WGNNError, match="no runs"):
        store.find("")
    with pytest.raises(WGNNError, match="pinned"):
        store.delete(first.run_id)
    store.pin(first.run_id, False)
    train_here(store, first)
    store.delete(first.run_id)
    assert [r.run_id for r in store.runs()] == [second.run_id]
    assert list((store.path / "arrays").iterdir()) == []
    for action in (store.get, store.delete, store.pin, store.identity):
        with pytest.raises(WGNNError, match="there is no run"):
            action(first.run_id)
    with pytest.raises(WGNNError, match="10001 characters"):
        store.note(second.run_id, "x" * 10_001)


def test_deleting_takes_the_rows_along(owned: tuple[Store, str, str]) -> None:
    store, run, owner = owned
    store.put_cell(run, owner, CELL, RESULT)
    with pytest.raises(WGNNError, match="another program"):
        store.delete(run)
    store.delete(run, owner)
    with sqlite3.connect(store.path / "runs.sqlite") as db:
        assert db.execute("SELECT count(*) FROM result").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM cell").fetchone() == (0,)
    assert not store.put_cell(run, owner, CELL, RESULT)
    assert list((store.path / "arrays").iterdir()) == []


def test_a_run_is_deleted_while_its_cells_are_stored(owned: tuple[Store, str, str]) -> None:
    """Both sides remove the folder, and one writes to it: nobody stumbles, nothing stays."""
    store, run, owner = owned
    config = store.get(run).config
    with ThreadPoolExecutor(1) as pool:
        for _ in range(30):
            store.create(config)
            assert store.claim(run, owner)
            assert store.put_cell(run, owner, CELL, RESULT)
            late = [pool.submit(store.put_cell, run, owner, CELL, RESULT) for _ in range(3)]
            store.delete(run, owner)
            assert all(one.exception() is None for one in late)
            assert not store.put_cell(run, owner, CELL, RESULT)
            assert list((store.path / "arrays").iterdir()) == []


def test_home_is_the_users_folder_unless_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WGNN_HOME", str(tmp_path / "elsewhere"))
    assert home() == tmp_path / "elsewhere"
    assert Store().path == tmp_path / "elsewhere"
    monkeypatch.delenv("WGNN_HOME")
    assert "wgnn-explorer" in home().parts


def test_a_newer_schema_is_refused_and_left_alone(store: Store, config: RunConfig) -> None:
    store.create(config)
    file = store.path / "runs.sqlite"
    with sqlite3.connect(file) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    store.close()
    before = file.read_bytes()
    with pytest.raises(WGNNError, match=f"schema version {len(MIGRATIONS) + 1}.*update"):
        Store(store.path)
    assert file.read_bytes() == before


@pytest.mark.parametrize("where", [0, 4096])
def test_a_damaged_file_is_refused_and_left_alone(store: Store, where: int) -> None:
    store.close()
    file = store.path / "runs.sqlite"
    content = bytearray(file.read_bytes())
    content[where : where + 200] = b"\xa5" * 200
    file.write_bytes(content)
    with pytest.raises(WGNNError, match="damaged"):
        Store(store.path)
    assert file.read_bytes() == content


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        db.execute("CREATE TABLE song (title TEXT)")
    with pytest.raises(WGNNError, match="another program"):
        Store(tmp_path)


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(WGNNError, match=r"cannot be used.*WGNN_HOME"):
        Store(tmp_path / "file" / "store")
    if os.geteuid() == 0:
        with pytest.raises(WGNNError, match="cannot be used"):
            Store("/proc/wgnn")  # not even root writes there
    else:
        tmp_path.chmod(0o500)
        with pytest.raises(WGNNError, match="cannot be used"):
            Store(tmp_path)


def test_damaged_arrays_are_named(owned: tuple[Store, str, str]) -> None:
    store, run, owner = owned
    store.put_cell(run, owner, CELL, RESULT)
    file = store.path / "arrays" / run / "0.npz"
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(WGNNError, match=r"run .* cannot be read"):
        store.arrays(run, 0)
    file.unlink()
    with pytest.raises(WGNNError, match=r"run .* cannot be read"):
        store.arrays(run, 0)


def test_arrays_never_hold_pickles(owned: tuple[Store, str, str]) -> None:
    store, run, owner = owned
    bad = CellResult(RESULT.rows, {"prob": np.array([object()])})
    with pytest.raises(ValueError, match="allow_pickle"):
        store.put_cell(run, owner, CELL, bad)
    file = store.path / "arrays" / run / "0.npz"
    assert list(file.parent.iterdir()) == []
    np.savez(file, prob=np.array([object()]))
    with pytest.raises(WGNNError, match="cannot be read"):
        store.arrays(run, 0)


def test_no_space_for_arrays_leaves_nothing_behind(
    owned: tuple[Store, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, run, owner = owned

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(arrays.os, "fsync", full)
        with pytest.raises(WGNNError, match=r"disk .* is full"):
            store.put_cell(run, owner, CELL, RESULT)
    assert store.cells(run) == set()
    assert list((store.path / "arrays" / run).iterdir()) == []
    assert store.put_cell(run, owner, CELL, RESULT)


def test_a_transaction_is_all_or_nothing(owned: tuple[Store, str, str]) -> None:
    store, run, owner = owned
    no_number = replace(RESULT.rows[1], val=None)  # type: ignore[arg-type]
    broken = CellResult([RESULT.rows[0], no_number], {})
    with pytest.raises(WGNNError, match="NOT NULL"):
        store.put_cell(run, owner, CELL, broken)
    assert store.cells(run) == set()
    assert store.rows(run) == []
    with pytest.raises(KeyError), transaction(store.path / "runs.sqlite") as db:
        db.execute("DELETE FROM run")
        raise KeyError
    assert store.has(run)


WRITER = """
import sys
from wgnn_core.runs.cells import Cell, CellResult
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.store import Store
from wgnn_core.intervention import Intervention
from wgnn_core.wgnn import Row
import numpy as np

me, store = owner_name(sys.argv[2]), Store(sys.argv[1])
RunConfig("karate").graph()
print("ready", flush=True)
sys.stdin.readline()
mine = 0
for seed in range(200):
    config = RunConfig("karate", seeds=(seed,))
    store.create(config)
    if store.claim(config.run_id, me):
        row = Row(Intervention(), 0, 1.0, 2.0, 2.0)
        result = CellResult([row], {"prob": np.full(50, seed)})
        mine += store.put_cell(config.run_id, me, Cell(0, positions=(0,)), result)
        store.set_state(config.run_id, me, "done")
print(mine)
"""


def test_two_processes_write_200_runs_at_once(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(root)},
        )
        for name in ("a", "b")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    shares = [int(writer.communicate(timeout=120)[0]) for writer in writers]
    store = Store(tmp_path)
    runs = store.runs()
    assert sum(shares) == 200
    assert min(shares) > 0, "they did not take turns at all"
    assert sorted(run.config.seeds[0] for run in runs) == list(range(200))
    assert {(run.state, run.done) for run in runs} == {("done", 1)}
    for run in runs:
        assert store.arrays(run.run_id, 0)["prob"][0] == run.config.seeds[0]
