"""The columns of the table of results follow from `Row` and `Intervention`."""

from __future__ import annotations

import sqlite3
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.run_helpers import train_here
from wgnn_core.fields import knobs
from wgnn_core.intervention import KNOBS, Intervention
from wgnn_core.runs import rows
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import load_result
from wgnn_core.runs.rows import COLUMNS, MEASURED, add_missing, complete, from_values, to_values
from wgnn_core.runs.store import Store
from wgnn_core.wgnn import Row

ROWS = st.builds(
    Row,
    st.builds(
        Intervention,
        *(st.floats(0.0, 1.0) for _ in range(3)),
        **{k.name: st.sampled_from(k.choices) for k in knobs(Intervention) if k.choices},
    ),
    st.integers(0, 999),
    *(st.floats(0.0, 100.0) for _ in range(3)),
    *(st.integers(0, 10**9) for _ in range(3)),
)


def table(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE result (place INTEGER PRIMARY KEY) STRICT")
    assert not complete(db, "result")
    add_missing(db, "result")
    assert complete(db, "result")


@given(st.lists(ROWS, max_size=5))
def test_rows_come_back_from_the_table_as_they_went_in(found: list[Row]) -> None:
    db = sqlite3.connect(":memory:")
    table(db)
    names, marks = ", ".join(COLUMNS), ", ".join("?" * len(COLUMNS))
    db.executemany(f"INSERT INTO result ({names}) VALUES ({marks})", map(to_values, found))
    back = db.execute(f"SELECT {names} FROM result ORDER BY place").fetchall()
    assert [from_values(values) for values in back] == found
    for row in map(from_values, back):
        for item in fields(Row):
            mine = getattr(row, item.name)
            assert type(mine).__name__ == str(item.type), item.name
    db.close()


def test_the_columns_are_the_fields() -> None:
    assert (*KNOBS, *MEASURED) == COLUMNS
    assert {"eta0", "ranker", "position", "val", "pseudo_right"} <= set(COLUMNS)


@pytest.mark.parametrize("missing", ["ranker", "edge_model", "pseudo_right"])
def test_a_column_added_later_appears_with_its_default(
    store: Store, config: RunConfig, missing: str
) -> None:
    """A store from before there was the column."""
    run = train_here(store, config)
    before = load_result(store, run).rows
    store.close()
    with sqlite3.connect(store.path / "runs.sqlite") as db:
        db.execute(f"ALTER TABLE result DROP COLUMN {missing}")
    again = load_result(Store(store.path), run).rows
    default = {"ranker": "w", "edge_model": "same", "pseudo_right": 0}[missing]
    assert set(again[missing]) == {default}
    others = [name for name in before.columns if name != missing]
    assert again[others].equals(before[others])
    Store(store.path)  # and it stays


def test_quotes_in_a_default_are_no_sql() -> None:
    assert rows._literal("o'clock") == "'o''clock'"
    assert rows._literal(True) == "1"
    assert rows._literal(0.5) == "0.5"


def test_a_column_that_only_a_newer_program_knows_is_no_harm(
    store: Store, config: RunConfig, tmp_path: Path
) -> None:
    store.close()
    with sqlite3.connect(store.path / "runs.sqlite") as db:
        db.execute("ALTER TABLE result ADD COLUMN shuffle INTEGER NOT NULL DEFAULT 0")
    opened = Store(store.path)
    assert load_result(opened, train_here(opened, config)).complete
