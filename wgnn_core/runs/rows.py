"""Result rows in the store: the columns of the table follow from `Row` and `Intervention`."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import MISSING, asdict, fields
from typing import Any

from wgnn_core.fields import KINDS, knobs
from wgnn_core.intervention import KNOBS, Intervention
from wgnn_core.wgnn import Row

SQL = {float: "REAL", int: "INTEGER", bool: "INTEGER", str: "TEXT"}
MEASURED = tuple(item.name for item in fields(Row) if item.name != "intervention")
COLUMNS = (*KNOBS, *MEASURED)


def declarations() -> dict[str, str]:
    """What SQL says of each column, with a default for the rows from before there was one."""
    found = {knob.name: (SQL[knob.kind], knob.default) for knob in knobs(Intervention)}
    found |= {
        item.name: (SQL[KINDS[str(item.type)]], 0 if item.default is MISSING else item.default)
        for item in fields(Row)
        if item.name in MEASURED
    }
    return {name: f"{kind} NOT NULL DEFAULT {_literal(d)}" for name, (kind, d) in found.items()}


def add_missing(db: sqlite3.Connection, table: str) -> None:
    """Give the table the columns it was made without."""
    there = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
    for name, declared in declarations().items():
        if name not in there:
            db.execute(f"ALTER TABLE {table} ADD COLUMN {name} {declared}")


def complete(db: sqlite3.Connection, table: str) -> bool:
    """Whether the table has every column."""
    return {row[1] for row in db.execute(f"PRAGMA table_info({table})")}.issuperset(COLUMNS)


def to_values(row: Row) -> tuple[Any, ...]:
    """The values of a row in the order of `COLUMNS`."""
    return (*asdict(row.intervention).values(), *(getattr(row, name) for name in MEASURED))


def from_values(values: Sequence[Any]) -> Row:
    """The row that `to_values` wrote."""
    return Row(Intervention.of_values(values[: len(KNOBS)]), *values[len(KNOBS) :])


def _literal(value: Any) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value + 0)
