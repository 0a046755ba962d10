"""Backups: another store gets every number, nothing twice, and nothing from a file that lies."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.runs.run_helpers import train_here
from wgnn_core.cli import app
from wgnn_core.errors import WGNNError
from wgnn_core.runs.backup import Merged, read_backup, write_backup
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store


@pytest.fixture
def backup(store: Store, config: RunConfig, tmp_path: Path) -> Path:
    train_here(store, config)
    store.note(config.run_id, "kept")
    store.create(replace(config, seeds=(8,)))  # never trained
    assert write_backup(store, tmp_path / "all.zip") == 2
    return tmp_path / "all.zip"


def test_another_store_gets_every_number(
    backup: Path, store: Store, config: RunConfig, tmp_path: Path
) -> None:
    other = Store(tmp_path / "other")
    assert read_backup(other, backup) == Merged(runs=2, cells=2)
    run = config.run_id
    mine, theirs = load_result(store, run), load_result(other, run)
    assert (theirs.summary.state, theirs.summary.note) == ("done", "kept")
    assert theirs.rows.equals(mine.rows) and theirs.versions == mine.versions
    asked = config.interventions[0]
    assert (theirs.outcome(asked, 0)[1] == mine.outcome(asked, 0)[1]).all()
    assert {one.state for one in other.runs()} == {"done", "interrupted"}


def test_merged_without_doubles(backup: Path, config: RunConfig, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    own = replace(config, seeds=(0, 1))
    train_here(other, own)
    read_backup(other, backup)
    before = load_result(other, config.run_id).rows
    assert read_backup(other, backup) == Merged(0, 0)
    assert len(other.runs()) == 3
    assert load_result(other, config.run_id).rows.equals(before)


def test_missing_cells_are_filled_in(backup: Path, config: RunConfig, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    read_backup(other, backup)
    with sqlite3.connect(other.path / "runs.sqlite") as db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("DELETE FROM cell WHERE number = 1")
        db.execute("UPDATE run SET state = 'running'")
    db.close()
    assert read_backup(other, backup) == Merged(0, 1)
    assert other.get(config.run_id).state == "done"


def changed(backup: Path, change: Callable[[dict[str, Any]], None]) -> None:
    with zipfile.ZipFile(backup) as old:
        members = {name: old.read(name) for name in old.namelist()}
    said = json.loads(members["runs.json"])
    change(said)
    members["runs.json"] = json.dumps(said).encode()
    with zipfile.ZipFile(backup, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)


LIES: dict[str, Callable[[dict[str, Any]], object]] = {
    "version": lambda said: said.update(version=99),
    "path": lambda said: said["runs"][0].update(id="../../../../tmp/owned"),
    "identity": lambda said: said["runs"][0].update(identity='{"a": 1}'),
    "config": lambda said: said["runs"][0].update(config="[]"),
    "column": lambda said: said["runs"][0].update(columns=["cell", "x; DROP TABLE run"]),
    "types": lambda said: said["runs"][0].update(trainings="many"),
    "cells": lambda said: said["runs"][0]["cells"].append({"number": "../x"}),
    "missing": lambda said: said["runs"][0]["cells"].append({"number": 77}),
    "no runs": lambda said: said.pop("runs"),
    "a list": lambda said: said.update(runs=7),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_file_that_lies_is_refused(backup: Path, tmp_path: Path, lie: str) -> None:
    changed(backup, lambda said: LIES[lie](said) and None)
    other = Store(tmp_path / "other")
    with pytest.raises(WGNNError):
        read_backup(other, backup)
    assert not list(tmp_path.rglob("owned*"))
    assert all(run.done in (0, run.total) for run in other.runs())


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04junk", b"x" * 1000])
def test_what_is_no_backup_is_refused(content: bytes, store: Store, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(WGNNError, match="is no backup"):
        read_backup(store, tmp_path / "x")
    with pytest.raises(WGNNError, match="cannot be read"):
        read_backup(store, tmp_path / "none")


def test_the_commands(
    backup: Path, config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WGNN_HOME", str(tmp_path / "third"))
    done = CliRunner().invoke(app, ["runs", "import", str(backup)])
    assert (done.exit_code, done.stdout) == (0, "2 new runs, 2 new cells.\n")
    again = tmp_path / "again.zip"
    done = CliRunner().invoke(app, ["runs", "export", "--all", str(again)])
    assert done.exit_code == 0 and "wrote 2 runs" in done.stdout
    assert read_backup(Store(tmp_path / "fourth"), again) == Merged(2, 2)
