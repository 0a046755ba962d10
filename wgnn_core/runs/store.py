"""The run store: every config, every finished cell, in the user's data folder.

A folder with ``runs.sqlite`` (what the runs are and their scores) and ``arrays/<run>/<cell>.npz``.
SQLite's write-ahead log needs a disk of this machine: no network folders.

Who writes: `Jobs` writes what a run is and its state, the executor (the worker process, or the
driver of a cluster) its cells. Any number of processes may do so at once. A run belongs to one
*owner* at a time (`claim`); the cells of anybody else are refused, so none is stored twice.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
import time
import weakref
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal

from wgnn_core.errors import WGNNError
from wgnn_core.home import home, make_private
from wgnn_core.runs.arrays import (
    Arrays,
    read_arrays,
    remove_arrays,
    remove_unfinished,
    write_arrays,
)
from wgnn_core.runs.cells import Cell, CellResult
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.database import connect, plain_errors, prepare, transaction
from wgnn_core.runs.owners import alive
from wgnn_core.runs.rows import COLUMNS, from_values, to_values
from wgnn_core.runs.summaries import ACTIVE, RunSummary, State, summaries
from wgnn_core.wgnn import Row

MAX_NOTE = 10_000


class Store:
    """Opens the store in `path` (by default `home`), making it if there is none.

    Raises:
        WGNNError: The folder cannot be written to, the file is damaged, newer or not ours.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = Path(path) if path is not None else home()
        self._file = self.path / "runs.sqlite"
        self._stay: sqlite3.Connection | None = None
        self._open()

    def _open(self) -> None:
        with plain_errors(self.path):
            make_private(self.path)
            with tempfile.TemporaryFile(dir=self.path):
                pass  # SQLite would find out late that it cannot write
            remove_unfinished(self.path / "arrays")
        prepare(self._file)
        self.close()
        # The last connection to go would fold the log into the file, which costs three times what
        # the write itself does; as long as this one stays, nobody is the last.
        self._stay = sqlite3.connect(self._file, check_same_thread=False)
        self._stay.execute("SELECT count(*) FROM run")

    def connect(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection for one task that only reads."""
        return connect(self._there())

    def transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection for one task that writes, all of it or nothing."""
        return transaction(self._there())

    def _there(self) -> Path:
        """The file; begun anew if somebody has deleted it while this program runs."""
        if not self._file.exists():
            self._open()
        return self._file

    @classmethod
    def temporary(cls) -> Store:
        """A store that goes when nobody uses it any more."""
        folder = tempfile.mkdtemp(prefix="wgnn-")
        store = cls(folder)
        weakref.finalize(store, shutil.rmtree, folder, ignore_errors=True)
        return store

    def close(self) -> None:
        """Fold the log into the file; a store that is simply dropped does so too."""
        if self._stay is not None:
            self._stay.close()

    # -- runs ---------------------------------------------------------------------------------

    def create(self, config: RunConfig, *, adopts: bool = True) -> bool:
        """Add a run in state ``queued``; False if it is there already.

        A run that `adopts` takes over base cells that another run has trained (`same_cell`).
        """
        if self.has(config.run_id):
            return False  # without the write lock, which others may need
        full = config.resolve()
        with self.transaction() as db:
            added = db.execute(
                "INSERT OR IGNORE INTO run (id, config, identity, dataset, model, dataset_hash,"
                " trainings, state, created, adopts)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?)",
                (
                    config.run_id,
                    json.dumps(full.to_json()),
                    json.dumps(config.identity),
                    full.dataset,
                    full.model,
                    config.identity["dataset_hash"],
                    config.trainings,
                    time.time(),
                    int(adopts),
                ),
            )
            return added.rowcount == 1

    def find(self, prefix: str) -> str:
        """The id that begins with `prefix`.

        Raises:
            WGNNError: None or several do.
        """
        with self.connect() as db:
            ids = [str(row["id"]) for row in db.execute("SELECT id FROM run")]
        hits = [run_id for run_id in ids if run_id.startswith(prefix)] if prefix else []
        if len(hits) != 1:
            raise WGNNError(
                f"{len(hits) or 'no'} runs have an id that begins with {prefix!r}; "
                "`runs list` shows the ids."
            )
        return hits[0]

    def get(self, run_id: str) -> RunSummary:
        """One run.

        Raises:
            WGNNError: There is none of that id.
        """
        with self.connect() as db:
            found, faults = summaries(db, "WHERE run.id = ?", run_id)
        if faults:
            raise WGNNError(
                f"run {run_id} cannot be read from the store ({faults[run_id]}); delete it with "
                "`runs delete` and train it again."
            )
        if not found:
            raise WGNNError(f"there is no run {run_id!r} in the store {self.path}.")
        return found[0]

    def has(self, run_id: str) -> bool:
        with self.connect() as db:
            return db.execute("SELECT 1 FROM run WHERE id = ?", (run_id,)).fetchone() is not None

    def runs(self) -> list[RunSummary]:
        """Every run, pinned ones first, then the newest first; but for `unreadable` ones."""
        with self.connect() as db:
            return summaries(db)[0]

    def runs_of(self, model: str, dataset_hash: str) -> list[RunSummary]:
        """The runs of a model on a graph with that content."""
        with self.connect() as db:
            where = "WHERE run.model = ? AND run.dataset_hash = ?"
            return summaries(db, where, model, dataset_hash)[0]

    def identity(self, run_id: str) -> dict[str, object]:
        """Everything the id was made of, package versions included."""
        with self.connect() as db:
            row = db.execute("SELECT identity FROM run WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise WGNNError(f"there is no run {run_id!r} in the store {self.path}.")
        out: dict[str, object] = json.loads(row["identity"])
        return out

    def unreadable(self) -> dict[str, str]:
        """Ids of the runs that no list shows, since their rows are damaged, and what is wrong."""
        with self.connect() as db:
            return summaries(db)[1]

    def pin(self, run_id: str, pinned: bool = True) -> None:
        """A pinned run is listed first and cannot be deleted."""
        self._update(run_id, "pinned", int(pinned))

    def note(self, run_id: str, text: str) -> None:
        if len(text) > MAX_NOTE:
            raise WGNNError(f"the note has {len(text)} characters; at most {MAX_NOTE} are kept.")
        self._update(run_id, "note", text)

    def _update(self, run_id: str, column: Literal["pinned", "note"], value: int | str) -> None:
        with self.transaction() as db:
            done = db.execute(f"UPDATE run SET {column} = ? WHERE id = ?", (value, run_id))
            if done.rowcount == 0:
                raise WGNNError(f"there is no run {run_id!r} in the store {self.path}.")

    def delete(self, run_id: str, owner: str | None = None) -> None:
        """Remove a run with its arrays.

        Raises:
            WGNNError: It is pinned, or somebody other than `owner` is training it.
        """
        with self.transaction() as db:
            row = db.execute("SELECT owner, pinned FROM run WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                raise WGNNError(f"there is no run {run_id!r} in the store {self.path}.")
            if row["pinned"]:
                raise WGNNError(f"run {run_id} is pinned; unpin it before deleting it.")
            holder = row["owner"]
            if holder is not None and holder != owner and alive(holder):
                raise WGNNError(f"run {run_id} is being trained by another program; cancel it.")
            db.execute("DELETE FROM run WHERE id = ?", (run_id,))
        with plain_errors(self.path):
            remove_arrays(self.path / "arrays" / run_id)

    # -- ownership ----------------------------------------------------------------------------

    def claim(self, run_id: str, owner: str) -> bool:
        """Make `owner` the one who trains an unfinished run; False while another live one does."""
        with self.connect() as db:  # the usual answer of those who wait needs no write lock
            if not _free(db, run_id, owner):
                return False
        with self.transaction() as db:
            if not _free(db, run_id, owner):
                return False
            db.execute(
                "UPDATE run SET owner = ?, state = 'queued', message = ''"
                " WHERE id = ? AND owner IS NOT ?",
                (owner, run_id, owner),
            )
            return True

    def set_state(self, run_id: str, owner: str, state: State, message: str = "") -> bool:
        """Change the state of a run that `owner` holds; a final state lets go of it."""
        keep = owner if state in ACTIVE else None
        with self.transaction() as db:
            done = db.execute(
                "UPDATE run SET state = ?, message = ?, owner = ? WHERE id = ? AND owner = ?",
                (state, message, keep, run_id, owner),
            )
            return done.rowcount == 1

    def release(self, owner: str) -> None:
        """Let go of everything `owner` holds; what is unfinished counts as interrupted."""
        with self.transaction() as db:
            db.execute("UPDATE run SET owner = NULL WHERE owner = ?", (owner,))

    # -- cells --------------------------------------------------------------------------------

    def put_cell(
        self,
        run_id: str,
        owner: str,
        cell: Cell,
        result: CellResult,
        content: str | None = None,
    ) -> bool:
        """Store a finished cell, arrays first, then everything else in one transaction.

        `content` names what was computed, for `same_cell`.

        Returns False, and stores nothing, if `owner` no longer holds the run. A cell that is there
        already is left as it is.
        """
        with plain_errors(self.path):
            try:
                write_arrays(self.array_file(run_id, cell.number), result.arrays)
            except FileNotFoundError:
                if self.has(run_id):
                    raise
                return False  # the run was deleted while its folder was written to
        with self.transaction() as db:
            row = db.execute("SELECT owner FROM run WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                remove_arrays(self.path / "arrays" / run_id)  # deleted while it was trained
            if row is None or row["owner"] != owner:
                return False
            added = db.execute(
                "INSERT OR IGNORE INTO cell VALUES (?, ?, ?, ?, ?, ?)",
                (run_id, cell.number, len(cell), result.seconds, time.time(), content),
            )
            if added.rowcount == 0:
                return True
            names = ("run", "cell", "place", *COLUMNS)
            db.executemany(
                f"INSERT INTO result ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
                [(run_id, cell.number, i, *to_values(row)) for i, row in enumerate(result.rows)],
            )
            return True

    def cells(self, run_id: str) -> set[int]:
        """Numbers of the finished cells."""
        with self.connect() as db:
            found = db.execute("SELECT number FROM cell WHERE run = ?", (run_id,))
            return {row["number"] for row in found}

    def same_cell(self, run_id: str, content: str) -> Arrays | None:
        """The arrays of another run's cell of the same content, if this run adopts cells."""
        with self.connect() as db:
            row = db.execute(
                "SELECT cell.run, cell.number FROM cell, run AS mine"
                " WHERE content = ? AND cell.run != mine.id AND mine.id = ? AND mine.adopts",
                (content, run_id),
            ).fetchone()
        if row is None:
            return None
        try:
            return self.arrays(row["run"], row["number"])
        except WGNNError:  # being deleted, or damaged: then it is trained once more
            return None

    def has_content(self, content: str) -> bool:
        """Whether a cell of this content is stored in any run."""
        with self.connect() as db:
            found = db.execute("SELECT 1 FROM cell WHERE content = ?", (content,))
            return found.fetchone() is not None

    def rows(self, run_id: str) -> list[tuple[int, int, Row]]:
        """(cell, place in its arrays, row) of every finished training."""
        with self.connect() as db:
            found = db.execute(
                f"SELECT cell, place, {', '.join(COLUMNS)} FROM result WHERE run = ?"
                " ORDER BY cell, place",
                (run_id,),
            ).fetchall()
        return [(cell, place, from_values(values)) for cell, place, *values in found]

    def arrays(self, run_id: str, number: int) -> Arrays:
        """The arrays of a finished cell.

        Raises:
            WGNNError: They are missing or damaged. Then the cell counts as never trained, and the
                run as interrupted: who resumes it trains that one cell again.
        """
        try:
            return read_arrays(self.array_file(run_id, number))
        except WGNNError:
            with self.transaction() as db:
                db.execute("DELETE FROM cell WHERE run = ? AND number = ?", (run_id, number))
                db.execute(
                    "UPDATE run SET state = 'running', owner = NULL"
                    " WHERE id = ? AND state = 'done'",
                    (run_id,),
                )
            raise

    def array_file(self, run_id: str, number: int) -> Path:
        """Where the arrays of a cell are."""
        return self.path / "arrays" / run_id / f"{number}.npz"


def _free(db: sqlite3.Connection, run_id: str, owner: str) -> bool:
    row = db.execute("SELECT owner, state FROM run WHERE id = ?", (run_id,)).fetchone()
    if row is None or row["state"] == "done":
        return False
    return row["owner"] in (None, owner) or not alive(row["owner"])
