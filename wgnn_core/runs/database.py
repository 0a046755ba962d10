"""The SQLite file of a store: its schema, its versions, and what can go wrong, in plain words."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from wgnn_core.errors import WGNNError
from wgnn_core.home import make_private_file
from wgnn_core.runs import rows

APPLICATION = 0x77474E4E
"""Marks the file as ours ("wGNN" in ASCII)."""
BUSY_SECONDS = 30.0

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE run (
            id TEXT PRIMARY KEY,
            config TEXT NOT NULL,
            identity TEXT NOT NULL,
            dataset TEXT NOT NULL,
            model TEXT NOT NULL,
            dataset_hash TEXT NOT NULL,
            trainings INTEGER NOT NULL,
            state TEXT NOT NULL,
            message TEXT NOT NULL DEFAULT '',
            owner TEXT,
            created REAL NOT NULL,
            pinned INTEGER NOT NULL DEFAULT 0,
            note TEXT NOT NULL DEFAULT ''
        ) STRICT
        """,
        """
        CREATE TABLE cell (
            run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            trainings INTEGER NOT NULL,
            seconds REAL NOT NULL,
            finished REAL NOT NULL,
            PRIMARY KEY (run, number)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE score (
            run TEXT NOT NULL,
            cell INTEGER NOT NULL,
            position INTEGER NOT NULL,
            eta0 REAL NOT NULL,
            eta1 REAL NOT NULL,
            eta2 REAL NOT NULL,
            seed_position INTEGER NOT NULL,
            val REAL NOT NULL,
            test REAL NOT NULL,
            test_retrained REAL NOT NULL,
            edges_dropped INTEGER NOT NULL,
            pseudo_labels INTEGER NOT NULL,
            pseudo_right INTEGER NOT NULL,
            PRIMARY KEY (run, cell, position),
            UNIQUE (run, eta0, eta1, eta2, seed_position),
            FOREIGN KEY (run, cell) REFERENCES cell(run, number) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID
        """,
    ),
    (
        "ALTER TABLE run ADD COLUMN adopts INTEGER NOT NULL DEFAULT 1",
        "ALTER TABLE cell ADD COLUMN content TEXT",
        "CREATE INDEX cell_content ON cell(content)",
    ),
    (
        """
        CREATE TABLE result (
            run TEXT NOT NULL,
            cell INTEGER NOT NULL,
            place INTEGER NOT NULL,
            eta0 REAL NOT NULL,
            eta1 REAL NOT NULL,
            eta2 REAL NOT NULL,
            pool TEXT NOT NULL,
            position INTEGER NOT NULL,
            val REAL NOT NULL,
            test REAL NOT NULL,
            test_retrained REAL NOT NULL,
            edges_dropped INTEGER NOT NULL,
            pseudo_labels INTEGER NOT NULL,
            pseudo_right INTEGER NOT NULL,
            PRIMARY KEY (run, cell, place),
            FOREIGN KEY (run, cell) REFERENCES cell(run, number) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID
        """,
        """
        INSERT INTO result
        SELECT score.run, cell, position, eta0, eta1, eta2,
            coalesce(json_extract(run.config, '$.pool'), 'all'), seed_position, val, test,
            test_retrained, edges_dropped, pseudo_labels, pseudo_right
        FROM score JOIN run ON run.id = score.run
        """,
        "DROP TABLE score",
    ),
)
"""Statements that bring a file from version i to i + 1; never edit one that was released.

A new column of the table `result` needs none: `rows.add_missing` adds it.
"""

TORN = """
    SELECT run, number FROM cell WHERE (content IS NULL OR number = 0 OR EXISTS (
        SELECT 1 FROM result WHERE result.run = cell.run AND result.cell = cell.number
    )) AND trainings > (
        SELECT count(*) FROM result WHERE result.run = cell.run AND result.cell = cell.number
    )
"""
"""Cells with fewer rows than trainings; only the cells of edge models have none at all."""
SHORT = """
    SELECT id FROM run WHERE state = 'done' AND trainings > (
        SELECT coalesce(sum(cell.trainings), 0) FROM cell WHERE cell.run = run.id
    )
"""
"""Runs that are called done and lack cells."""


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and the operating system say into one sentence for the user."""
    try:
        yield
    except sqlite3.Error as error:
        raise WGNNError(f"{_reason(str(error), path)} ({error}).") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WGNNError(_full(path) + ".") from error
        raise WGNNError(
            f"the run store {path} cannot be used: {error.strerror or error}; check that the "
            "folder is there and may be written to, or set WGNN_HOME to another one."
        ) from error


@contextmanager
def connect(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection for one task; every thread and process opens its own."""
    with (
        plain_errors(file),
        closing(sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)) as db,
    ):
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA synchronous = FULL")  # a cell that was reported must be on the disk
        db.row_factory = sqlite3.Row
        yield db


@contextmanager
def transaction(file: Path) -> Iterator[sqlite3.Connection]:
    """All or nothing; takes the write lock at once, so two writers queue up instead of failing."""
    with connect(file) as db:
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")


def prepare(file: Path) -> None:
    """Create the file or bring it to the newest version; refuses files that are not ours.

    A cell that lost rows counts as never trained: whoever resumes its run trains it again.
    """
    with plain_errors(file):
        if not file.exists():
            _create(file)
        _check_not_emptied(file)
        make_private_file(file)  # what SQLite puts beside it gets the same rights
    with connect(file) as db:
        _check(db, file)
        if _version(db) == len(MIGRATIONS) and rows.complete(db, "result"):
            lost = db.execute(f"SELECT EXISTS ({TORN}) OR EXISTS ({SHORT})").fetchone()[0]
            if not lost and db.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                return
        db.execute("PRAGMA journal_mode = WAL")
    with transaction(file) as db:
        _migrate(db, file)
        db.execute(f"DELETE FROM cell WHERE (run, number) IN ({TORN})")
        db.execute("DELETE FROM result WHERE (run, cell) NOT IN (SELECT run, number FROM cell)")
        db.execute(f"UPDATE run SET state = 'running', owner = NULL WHERE id IN ({SHORT})")


def _create(file: Path) -> None:
    """A new store, under its name only when it is whole: an empty file is one that was damaged."""
    fresh = file.with_name(f"{file.name}.{uuid.uuid4().hex}")
    make_private_file(fresh)
    try:
        with transaction(fresh) as db:
            _migrate(db, fresh)
        with contextlib.suppress(FileExistsError):  # another process was faster
            os.link(fresh, file)  # never over another file, unlike a rename
    finally:
        fresh.unlink()


def _migrate(db: sqlite3.Connection, file: Path) -> None:
    _check(db, file)  # another process may have been faster
    for statements in MIGRATIONS[_version(db) :]:
        for statement in statements:
            db.execute(statement)
    rows.add_missing(db, "result")
    db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    db.execute(f"PRAGMA application_id = {APPLICATION}")


def _check_not_emptied(file: Path) -> None:
    if file.stat().st_size == 0 and any(file.parent.glob("arrays/*/*")):
        raise WGNNError(
            f"the run store {file} is empty, but the arrays of runs lie beside it: the file was "
            "damaged. Bring it back from a copy, or move the folder away to begin anew."
        )


def _check(db: sqlite3.Connection, file: Path) -> None:
    found = _version(db)
    if found > len(MIGRATIONS):
        raise WGNNError(
            f"the run store {file} has schema version {found}, this program knows up to "
            f"{len(MIGRATIONS)}; update the program, or set WGNN_HOME to another folder."
        )
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise WGNNError(f"{file} is a database of another program; set WGNN_HOME elsewhere.")
    verdict = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise sqlite3.DatabaseError(f"malformed: {verdict}")


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _full(path: Path) -> str:
    return (
        f"the disk that holds the run store {path} is full; free some space or delete runs, "
        "then resume (everything finished so far is kept)"
    )


def _reason(message: str, path: Path) -> str:
    if "full" in message:
        return _full(path)
    if "not a database" in message or "malformed" in message:
        return (
            f"the run store {path} is damaged and was left untouched; move it away or set "
            "WGNN_HOME to another folder"
        )
    if "readonly" in message or "unable to open" in message:
        return f"the run store {path} cannot be written to; set WGNN_HOME to a folder of yours"
    if "locked" in message:
        return f"the run store {path} has been locked by another program for {BUSY_SECONDS:.0f} s"
    return f"the run store {path} failed"
