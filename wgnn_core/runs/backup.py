"""All runs of a store in one file, and back into another store, merged without doubles.

The file is a zip: ``runs.json`` (what is in the tables) and ``arrays/RUN/CELL.npz``. It may come
from anywhere, so nothing in it is believed: names are made here, an id must be the fingerprint of
what it stands for, sizes are looked at before anything is unpacked, and there are no pickles.
"""

from __future__ import annotations

import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wgnn_core.errors import WGNNError
from wgnn_core.runs.arrays import loaded, write_arrays
from wgnn_core.runs.config import RunConfig, fingerprint
from wgnn_core.runs.database import plain_errors
from wgnn_core.runs.rows import COLUMNS
from wgnn_core.runs.store import Store

VERSION = 1
RUN = ("id", "config", "identity", "dataset", "model", "dataset_hash", "trainings", "state",
       "message", "created", "pinned", "note", "adopts")  # fmt: skip
CELL = ("number", "trainings", "seconds", "finished", "content")
RESULT = ("cell", "place", *COLUMNS)
ID = re.compile(r"[0-9a-f]{32}")
MAX_TABLES, MAX_ARRAYS = 2**28, 2**31
"""Bytes of ``runs.json``, and of the arrays of a cell when they are unpacked."""


@dataclass(frozen=True)
class Merged:
    """What came into a store: runs that it did not have, and cells of all."""

    runs: int
    cells: int


def write_backup(store: Store, file: Path) -> int:
    """Write every run with its finished cells; returns how many runs.

    Raises:
        WGNNError: The file cannot be written, or an array of the store cannot be read.
    """
    with store.connect() as db:
        runs = [_run_of(db, row) for row in db.execute(f"SELECT {', '.join(RUN)} FROM run")]
    if not file.name:
        raise WGNNError(f"{file} is a folder; name a file in it.")
    temporary = file.with_name(f"{file.name}.part")
    try:
        with zipfile.ZipFile(temporary, "w") as archive:  # arrays are compressed already
            said = json.dumps({"version": VERSION, "runs": runs})
            archive.writestr("runs.json", said, zipfile.ZIP_DEFLATED)
            for run in runs:
                for cell in run["cells"]:
                    path = store.array_file(run["id"], cell["number"])
                    archive.write(path, f"arrays/{run['id']}/{cell['number']}.npz")
        temporary.replace(file)
    except OSError as error:
        raise WGNNError(f"{file} cannot be written: {error.strerror or error}.") from error
    except ValueError as error:  # a name that no file can have
        raise WGNNError(f"{str(file)!r} cannot be written: {error}.") from error
    finally:
        with suppress(OSError, ValueError):
            temporary.unlink()
    return len(runs)


def read_backup(store: Store, file: Path) -> Merged:
    """Take the runs of a backup in; what the store has already stays as it is.

    Raises:
        WGNNError: It is no backup, of a newer version, or damaged; runs before the damage are in.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            runs = _tables(archive)
            added = [_take_in(store, archive, run) for run in runs]
    except OSError as error:
        raise WGNNError(f"{file} cannot be read: {error.strerror or error}.") from error
    except WGNNError:
        raise
    except (ValueError, TypeError, KeyError, RecursionError, zipfile.BadZipFile) as error:
        raise WGNNError(f"{file} is no backup of runs, or damaged ({error}).") from error
    return Merged(sum(new for new, _ in added), sum(cells for _, cells in added))


def _run_of(db: sqlite3.Connection, row: sqlite3.Row) -> dict[str, Any]:
    cells = db.execute(f"SELECT {', '.join(CELL)} FROM cell WHERE run = ?", (row["id"],))
    results = db.execute(f"SELECT {', '.join(RESULT)} FROM result WHERE run = ?", (row["id"],))
    return {
        **dict(row),
        "cells": [dict(one) for one in cells],
        "results": [list(one) for one in results],
        "columns": list(RESULT),
    }


def _tables(archive: zipfile.ZipFile) -> list[dict[str, Any]]:
    said = json.loads(_member(archive, "runs.json", MAX_TABLES))
    if said["version"] > VERSION:
        raise WGNNError(
            f"the backup has version {said['version']}, this program knows up to {VERSION}; "
            "update the program."
        )
    runs: list[dict[str, Any]] = said["runs"]
    return runs


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    size = archive.getinfo(name).file_size
    if size > most:
        raise WGNNError(f"{name} of the backup has {size} bytes; at most {most} are taken.")
    return archive.read(name)


def _take_in(store: Store, archive: zipfile.ZipFile, run: dict[str, Any]) -> tuple[bool, int]:
    """Whether the run is new, and how many of its cells are."""
    run_id = str(run["id"])
    if not ID.fullmatch(run_id) or fingerprint(json.loads(run["identity"])) != run_id:
        raise WGNNError(f"the run {run_id[:40]!r} of the backup is not what its id says.")
    RunConfig.from_json(json.loads(run["config"]))
    here = store.cells(run_id)
    wanted = [cell for cell in run["cells"] if int(cell["number"]) not in here]
    with plain_errors(store.path):
        for cell in wanted:
            number = int(cell["number"])
            content = _member(archive, f"arrays/{run_id}/{number}.npz", MAX_ARRAYS)
            with zipfile.ZipFile(io.BytesIO(content)) as inner:
                if sum(item.file_size for item in inner.infolist()) > MAX_ARRAYS:
                    raise WGNNError(f"cell {number} of run {run_id} unpacks to too much.")
            write_arrays(store.array_file(run_id, number), loaded(io.BytesIO(content)))
    with store.transaction() as db:
        return _insert(db, run, [int(cell["number"]) for cell in wanted])


def _insert(db: sqlite3.Connection, run: dict[str, Any], wanted: Sequence[int]) -> tuple[bool, int]:
    run_id = run["id"]
    state = run["state"] if run["state"] in ("failed", "cancelled") else "running"
    values = [{**run, "state": state}[name] for name in RUN]
    marks = ", ".join("?" * len(RUN))
    insert = f"INSERT OR IGNORE INTO run ({', '.join(RUN)}) VALUES ({marks})"
    new = db.execute(insert, values).rowcount == 1
    cells = 0
    for cell in run["cells"]:
        if cell["number"] not in wanted:
            continue
        added = db.execute(
            f"INSERT OR IGNORE INTO cell (run, {', '.join(CELL)}) VALUES (?, ?, ?, ?, ?, ?)",
            (run_id, *(cell[name] for name in CELL)),
        )
        if added.rowcount:
            cells += 1
            _insert_rows(db, run, cell["number"])
    db.execute(
        "UPDATE run SET state = 'done', message = '' WHERE id = ? AND owner IS NULL AND"
        " trainings = (SELECT sum(trainings) FROM cell WHERE run = run.id)",
        (run_id,),
    )
    return new, cells


def _insert_rows(db: sqlite3.Connection, run: dict[str, Any], number: int) -> None:
    """Rows by the columns that the writer knew; a column that only this program knows keeps its
    default."""
    known = [name for name in run["columns"] if name in RESULT]
    if len(known) != len(run["columns"]):
        raise WGNNError("the backup has results of a newer version; update the program.")
    db.executemany(
        f"INSERT INTO result (run, {', '.join(known)}) VALUES (?{', ?' * len(known)})",
        [
            (run["id"], *row)
            for row in run["results"]
            if row[run["columns"].index("cell")] == number
        ],
    )
