"""A run killed at every write of its store, in the manner of SQLite's own crash tests.

A child process trains and dies at the k-th call that writes, syncs, renames or changes the
database: before it, after it, or with half of an array file written. Then the store is opened
again and the run resumed: every number must be the same, for every k.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.runs.run_helpers import FULL, train_here
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store

KILLED = 9
WRITES = ("BEGIN", "INSERT", "UPDATE", "DELETE", "COMMIT", "CREATE", "ALTER", "PRAGMA journal")


class Points:
    """Counts the writes of this process and ends it at one of them."""

    def __init__(self, last: int | None) -> None:
        self.last, self.passed = last, 0

    def point(self) -> None:
        if self.passed == self.last:
            os._exit(KILLED)
        self.passed += 1

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*given: Any, **named: Any) -> Any:
            self.point()
            result = call(*given, **named)
            self.point()
            return result

        return wrapped

    def arm(self) -> None:
        """Put a point before and after everything that writes, for the rest of this process."""
        for name in ("replace", "rename", "fsync", "link", "unlink", "mkdir"):
            setattr(os, name, self.around(getattr(os, name)))
        whole = np.savez_compressed
        points = self

        def halved(file: Any, **arrays: Any) -> None:
            if points.passed == points.last:
                file.write(b"PK\x03\x04 half of it")
                file.flush()
            points.point()
            whole(file, **arrays)

        np.savez_compressed = halved  # type: ignore[assignment]

        class Counted(sqlite3.Connection):
            def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:  # type: ignore[override]
                if not sql.startswith(WRITES):
                    return super().execute(sql, *given)
                points.point()
                result = super().execute(sql, *given)
                points.point()
                return result

        connect = sqlite3.connect
        sqlite3.connect = lambda *given, **named: connect(*given, factory=Counted, **named)  # type: ignore[assignment]


def trained_in_a_child(folder: Path, config: RunConfig, last: int | None) -> tuple[int, int]:
    """How the child ended, and how many points it passed."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            points = Points(last)
            points.arm()
            train_here(Store(folder), config)
            os.write(writes, str(points.passed).encode())
        except BaseException as error:  # the parent must see that it was no kill
            sys.stderr.write(repr(error))
            os._exit(1)
        os._exit(0)
    os.close(writes)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reads) as told:
        passed = told.read()
    return os.waitstatus_to_exitcode(status), int(passed or -1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_killed_at_every_write(tmp_path: Path, config: RunConfig) -> None:
    small = replace(config, seeds=(0, 1), hyper=(("epochs", 2),), interventions=(FULL,))
    expected = load_result(store := Store(tmp_path / "undisturbed"), train_here(store, small))
    ended, count = trained_in_a_child(tmp_path / "counted", small, None)
    assert ended == 0 and count > 60
    for last in range(count):
        folder = tmp_path / str(last)
        assert trained_in_a_child(folder, small, last)[0] == KILLED, last
        again = Store(folder)
        result = load_result(again, train_here(again, small))
        assert result.rows.equals(expected.rows), last
        assert result.summary.state == "done" and result.complete
        found, wanted = (one.outcome(FULL, 1)[1] for one in (result, expected))
        assert (found == wanted).all(), last
        again.close()
