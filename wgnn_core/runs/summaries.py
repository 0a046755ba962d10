"""Runs as they are listed: what each is, how far it is, and its accuracy so far."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Literal

from wgnn_core.intervention import KNOBS
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.owners import alive

State = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
ACTIVE: tuple[State, ...] = ("queued", "running")


@dataclass(frozen=True)
class RunSummary:
    """A run as it is listed; `done` and `total` count trainings.

    `accuracy` is the mean test accuracy of the intervention that is best on validation among the
    finished ones, the base model left out; `prefers_base` says that validation ranks the base
    model above it.
    """

    run_id: str
    config: RunConfig
    dataset: str
    model: str
    dataset_hash: str
    state: State
    message: str
    done: int
    total: int
    seconds: float
    created: float
    pinned: bool
    note: str
    accuracy: float | None
    base_accuracy: float | None
    prefers_base: bool = False
    owner: str | None = None

    @property
    def gain(self) -> float | None:
        """Points of test accuracy over the base model; None without both."""
        if self.accuracy is None or self.base_accuracy is None:
            return None
        return self.accuracy - self.base_accuracy


def summaries(
    db: sqlite3.Connection, where: str = "", *values: str
) -> tuple[list[RunSummary], dict[str, str]]:
    """The runs, pinned ones first, then the newest first; and what is wrong with unreadable ones.

    One damaged row must not hide the others.
    """
    rows = db.execute(
        "SELECT run.*, coalesce(sum(cell.trainings), 0) AS done,"
        " coalesce(sum(cell.seconds), 0.0) AS seconds"
        f" FROM run LEFT JOIN cell ON cell.run = run.id {where}"
        " GROUP BY run.id ORDER BY run.pinned DESC, run.created DESC, run.id",
        values,
    ).fetchall()
    found: list[RunSummary] = []
    faults: dict[str, str] = {}
    for row in rows:
        try:
            found.append(_summary(db, row))
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            faults[row["id"]] = str(error)  # a WGNNError is a ValueError, and so is bad JSON
    return found, faults


def _summary(db: sqlite3.Connection, row: sqlite3.Row) -> RunSummary:
    config = RunConfig.from_json(json.loads(row["config"]))
    means = db.execute(
        "SELECT eta0 + eta1 * eta2 = 0 AS base, avg(test) AS test FROM result"
        f" WHERE run = ? GROUP BY {', '.join(KNOBS)} HAVING count(*) = ?"
        " ORDER BY avg(val) DESC, eta0, eta1, eta2",
        (row["id"], len(config.seeds)),
    ).fetchall()
    best = next((m["test"] for m in means if not m["base"]), None)
    owned = row["owner"] is not None and alive(row["owner"])
    stale = row["state"] in ACTIVE and not owned
    return RunSummary(
        run_id=row["id"],
        config=config,
        dataset=row["dataset"],
        model=row["model"],
        dataset_hash=row["dataset_hash"],
        state="interrupted" if stale else row["state"],
        message=row["message"],
        done=row["done"],
        total=row["trainings"],
        seconds=row["seconds"],
        created=row["created"],
        pinned=bool(row["pinned"]),
        note=row["note"],
        accuracy=best,
        base_accuracy=next((m["test"] for m in means if m["base"]), None),
        prefers_base=best is not None and bool(means[0]["base"]),
        owner=row["owner"] if owned else None,
    )
