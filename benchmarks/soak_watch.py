"""What the soak remembers and measures: the numbers of every cell, and what processes hold."""

from __future__ import annotations

import bisect
import contextlib
import hashlib
import os
import random
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from wgnn_core.runs.direct import run_here
from wgnn_core.runs.store import Store

WORKER = "wgnn_core.runs.worker"
LIMITS = {"memory": 0.10, "descriptors": 0.10, "threads": 0.10}
"""By what share the last quarter may exceed the second."""
SLACK = {"memory": 0.0, "descriptors": 10, "threads": 4}
"""And by how many beside that: sessions that come and go are not whole numbers of visitors."""
AGAIN = 12
"""So many finished runs are trained again."""


def workers_of(server: int) -> list[psutil.Process]:
    """The workers of a server; it has one, or none for a moment."""
    found = []
    with contextlib.suppress(psutil.Error):  # it, or one of them, is being killed just now
        for child in psutil.Process(server).children(recursive=True):
            if WORKER in child.cmdline():
                found.append(child)  # noqa: PERF401, each is kept whatever comes after it
    return found


class Witness:
    """Remembers the numbers of every finished cell."""

    def __init__(self, home: Path) -> None:
        self.store = Store(home)
        self.seen: dict[tuple[str, int], str] = {}
        self._last = 0.0

    def note(self) -> None:
        """What was finished since the last look."""
        with self.store.connect() as db:
            found = db.execute(
                "SELECT run, number, finished FROM cell WHERE finished >= ?", (self._last,)
            ).fetchall()
        for run, number, finished in found:
            if (run, number) not in self.seen:
                self.seen[run, number] = self.numbers(run, number)
                self._last = max(self._last, finished - 60)

    def numbers(self, run: str, number: int) -> str:
        """Every score of the cell, and its arrays, as a hash; empty if it is not there."""
        with self.store.connect() as db:
            rows = db.execute(
                "SELECT result.* FROM cell LEFT JOIN result ON result.run = cell.run"
                " AND result.cell = cell.number WHERE cell.run = ? AND cell.number = ?"
                " ORDER BY place",
                (run, number),
            ).fetchall()
        file = self.store.array_file(run, number)
        if not rows or not file.is_file():
            return ""
        scores = repr([tuple(row) for row in rows])
        return hashlib.sha256(scores.encode() + file.read_bytes()).hexdigest()

    def lost(self, deleted: set[str]) -> list[str]:
        """Cells that are gone or have other numbers."""
        return [
            f"run {run}, cell {number}"
            for (run, number), numbers in self.seen.items()
            if run not in deleted and (not numbers or self.numbers(run, number) != numbers)
        ]

    def differing(self) -> tuple[int, list[str]]:
        """How many finished runs were trained again undisturbed, and those with other numbers."""
        done = [r for r in self.store.runs() if r.state == "done" and "mine-" not in r.dataset]
        sample = random.Random(0).sample(done, min(AGAIN, len(done)))
        wrong = []
        for run in sample:
            fresh = Store.temporary()
            run_here(run.config, fresh)
            if fresh.rows(run.run_id) != self.store.rows(run.run_id):
                wrong.append(run.run_id)
        return len(sample), wrong


@dataclass
class Samples:
    """What the processes hold, over time."""

    seconds: list[float] = field(default_factory=list)
    server_mb: list[float] = field(default_factory=list)
    worker_mb: list[float] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    runs: list[int] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    """Processes of the whole machine that want a core: how busy it was with other things."""

    def take(self, seconds: float, server: int, runs: int) -> None:
        try:
            process = psutil.Process(server)
            with process.oneshot():
                held = process.memory_info().rss, process.num_fds(), process.num_threads()
            worker = sum(child.memory_info().rss for child in workers_of(server))
        except psutil.Error:
            return  # it is being killed just now
        self.seconds.append(round(seconds, 1))
        self.server_mb.append(round(held[0] / 1e6, 1))
        self.worker_mb.append(round(worker / 1e6, 1))
        self.descriptors.append(held[1])
        self.threads.append(held[2])
        self.runs.append(runs)
        self.load.append(round(os.getloadavg()[0], 1))

    def growth(self, start: float) -> dict[str, dict[str, Any]]:
        """The second and the last quarter since `start`, and whether that is flat."""
        memory = [a + b for a, b in zip(self.server_mb, self.worker_mb, strict=True)]
        series = {"memory": memory, "descriptors": self.descriptors, "threads": self.threads}
        first = bisect.bisect(self.seconds, start)
        quarter = (len(self.seconds) - first) // 4
        out = {}
        for name, values in series.items():
            second = statistics.median(values[first + quarter : first + 2 * quarter])
            last = statistics.median(values[len(values) - quarter :])
            most = second * (1 + LIMITS[name]) + SLACK[name]
            out[name] = {
                "second_quarter": second,
                "last_quarter": last,
                "most": round(most, 1),
                "peak": max(values),
                "flat": last <= most,
            }
        return out
