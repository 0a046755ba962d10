"""A base model that another run has trained is taken over, and only then."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.runs.run_helpers import train_here
from wgnn_core.intervention import Intervention
from wgnn_core.runs import cells, database
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.life import Life
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store
from wgnn_core.wgnn import Row

OTHER = (Intervention(0.9), Intervention(0.0, 0.2, 0.9, pool="test"))


def left_to_train(store: Store, config: RunConfig, *, adopts: bool = True) -> int:
    """Base trainings that a new run would still have to do."""
    store.create(config, adopts=adopts)
    owner = owner_name("test")
    assert store.claim(config.run_id, owner)
    life = Life(store, config.run_id, owner)
    store.release(owner)
    return sum(len(cell.positions) for cell in life.ready())


def test_other_etas_take_over_the_base(store: Store, config: RunConfig, tmp_path: Path) -> None:
    first = train_here(store, config)
    other = replace(config, interventions=OTHER)
    assert left_to_train(store, other) == 0
    adopted = load_result(store, train_here(store, other))
    alone = Store(tmp_path / "alone")
    trained = load_result(alone, train_here(alone, other))
    pd.testing.assert_frame_equal(adopted.rows, trained.rows)
    assert adopted.base is not None and trained.base is not None
    for name in cells.BASE_ARRAYS:
        np.testing.assert_array_equal(getattr(adopted.base, name), getattr(trained.base, name))
    store.delete(first)
    assert load_result(store, other.run_id).base is not None  # a copy, not a link


@pytest.mark.parametrize(
    "change",
    [
        {"seeds": (0, 1)},
        {"seeds": (2, 1, 0)},
        {"hyper": (("epochs", 6),)},
        {"parameters": (("nodes", 201),)},
        {"model": "dropedge"},
    ],
)
def test_another_base_is_trained(
    store: Store, config: RunConfig, change: dict[str, object]
) -> None:
    train_here(store, config)
    other = replace(config, interventions=OTHER, **change)  # type: ignore[arg-type]
    assert left_to_train(store, other) == len(other.seeds)


def test_another_cut_is_trained(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not every model gives the same bits in another batch, so only equal batches are equal."""
    train_here(store, config)
    monkeypatch.setattr(cells, "MAX_BATCH", 2)
    assert left_to_train(store, replace(config, interventions=OTHER)) == 3


def test_fresh_means_trained(store: Store, config: RunConfig) -> None:
    train_here(store, config)
    assert left_to_train(store, replace(config, interventions=OTHER), adopts=False) == 3


def test_damaged_arrays_are_not_taken_over(store: Store, config: RunConfig) -> None:
    run = train_here(store, config)
    (store.path / "arrays" / run / "0.npz").write_bytes(b"no zip")
    assert left_to_train(store, replace(config, interventions=OTHER)) == 3


def test_a_store_of_the_first_version_is_brought_up_to_date(
    tmp_path: Path, config: RunConfig
) -> None:
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        for statement in database.MIGRATIONS[0]:
            db.execute(statement)
        db.execute("PRAGMA user_version = 1")
        db.execute(f"PRAGMA application_id = {database.APPLICATION}")
        db.execute(
            "INSERT INTO run (id, config, identity, dataset, model, dataset_hash, trainings, state,"
            " created) VALUES ('old', ?, '{}', 'digits', 'gcn', '', 1, 'done', 1.0)",
            ('{"dataset": "digits", "pool": "test"}',),
        )
        db.execute("INSERT INTO cell VALUES ('old', 0, 1, 1.0, 1.0)")
        db.execute(
            "INSERT INTO score VALUES ('old', 0, 0, 0.5, 0.25, 0.75, 3, 60.0, 61.0, 62.0, 7, 8, 5)"
        )
    store = Store(tmp_path)
    assert [(run.run_id, run.done) for run in store.runs()] == [("old", 1)]
    moved = Row(Intervention(0.5, 0.25, 0.75, "test"), 3, 60.0, 61.0, 62.0, 7, 8, 5)
    assert store.rows("old") == [(0, 0, moved)]
    train_here(store, config)
    assert store.get(config.run_id).state == "done"


def mixed(config: RunConfig) -> RunConfig:
    """A GAT whose G' is made by a GCN with its own recipe."""
    asked = tuple(replace(i, edge_model="gcn") for i in config.interventions)
    return replace(config, model="gat", interventions=asked)


def test_the_edge_model_is_taken_over_from_a_run_of_that_model(
    store: Store, config: RunConfig, tmp_path: Path
) -> None:
    own = replace(config, hyper=(), interventions=config.interventions[:1])
    first = load_result(store, train_here(store, own))
    asked = mixed(config)
    assert left_to_train(store, asked) == 3  # the GAT; the GCN is there
    adopted = load_result(store, train_here(store, asked))
    alone = Store(tmp_path / "alone")
    trained = load_result(alone, train_here(alone, asked))
    pd.testing.assert_frame_equal(adopted.rows, trained.rows)
    gcn = adopted.trained.edge_models["gcn"]
    np.testing.assert_array_equal(gcn.prob, first.trained.prob)
    assert gcn.model == first.trained.model
    for position in range(3):
        mine = adopted.plan(asked.interventions[0], position).edge_drop
        np.testing.assert_array_equal(
            mine.kept, first.plan(config.interventions[0], position).edge_drop.kept
        )
    assert adopted.summary.base_accuracy == pytest.approx(adopted.trained.test.mean())


def test_a_run_of_that_model_takes_it_over_too(store: Store, config: RunConfig) -> None:
    asked = mixed(config)
    assert left_to_train(store, asked) == 6
    train_here(store, asked)
    own = replace(config, hyper=(), interventions=config.interventions[:1])
    assert left_to_train(store, own) == 0
    gcn = load_result(store, train_here(store, own))
    assert gcn.complete
    assert gcn.summary.base_accuracy == pytest.approx(gcn.trained.test.mean())
    assert left_to_train(store, replace(own, hyper=(("epochs", 5),))) == 3
