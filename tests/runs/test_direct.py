"""A run trained by the calling program."""

from __future__ import annotations

import gc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from wgnn_core import datasets
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.intervention import Intervention
from wgnn_core.replicas.engine import Cancelled
from wgnn_core.runs import cells, direct, life
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store


def test_a_store_of_its_own_goes_with_the_result(config: RunConfig) -> None:
    result = run_here(config)
    folder = result._store.path
    assert result.complete and len(result.rows) == 9
    assert result.outcome(config.interventions[0], 2)[0].shape == (200,)
    assert folder.is_dir()
    del result
    gc.collect()
    assert not folder.exists()


def test_what_is_stored_is_not_trained_again(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run_here(config, store)
    monkeypatch.setattr(cells.Task, "train", None)
    again = run_here(config, store)
    pd.testing.assert_frame_equal(again.rows, first.rows)
    assert again.summary.state == "done"


def test_the_report_says_how_far_and_can_stop_it(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "MAX_BATCH", 3)
    monkeypatch.setattr(life, "PROGRESS_SECONDS", 0.0)
    whole = run_here(config)
    seen: list[float] = []

    def report(done: float, total: int) -> bool:
        assert total == config.trainings == 12
        seen.append(done)
        return done < 6

    with pytest.raises(Cancelled):
        run_here(config, store, report)
    assert seen == sorted(seen)
    assert 6 <= seen[-1] <= 9
    summary = store.get(config.run_id)
    assert (summary.state, summary.owner) == ("cancelled", None)
    kept = store.cells(config.run_id)
    assert {0} <= kept < {0, 1, 2, 3}
    seen.clear()
    resumed = run_here(config, store, lambda done, total: seen.append(done) or True)
    assert seen[0] >= 3 * len(kept) and seen[-1] == 12
    pd.testing.assert_frame_equal(resumed.rows, whole.rows)
    assert resumed.chosen == whole.chosen


def test_stopped_from_outside_it_can_be_resumed(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in a notebook, whose process lives on."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(cells.Task, "train", stop)
        with pytest.raises(KeyboardInterrupt):
            run_here(config, store)
    assert store.get(config.run_id).state == "interrupted"
    assert run_here(config, store).complete


def test_what_went_wrong_is_raised(store: Store, config: RunConfig) -> None:
    with pytest.raises(WGNNError, match="no device 'abacus'"):
        run_here(replace(config, device="abacus"), store)
    assert store.get(config.run_id).state == "failed"
    assert store.get(config.run_id).owner is None


@pytest.mark.parametrize("name", ["mine", "Mine", "cora"])
def test_a_graph_that_is_in_no_catalogue(store: Store, tiny_graph: Graph, name: str) -> None:
    """Also one with the name of another."""
    asked = (Intervention(0.5, 0.6, 0.5),)
    config = RunConfig(
        name, hyper=(("epochs", 5),), seeds=(0, 1), interventions=asked, given=tiny_graph
    )
    result = run_here(config, store)
    assert result.graph is tiny_graph
    assert result.config.run_id == result.summary.run_id == config.run_id
    assert result.complete
    with pytest.raises(WGNNError):
        load_result(store, config.run_id)  # without the graph
    again = load_result(store, config.run_id, tiny_graph)
    pd.testing.assert_frame_equal(again.rows, result.rows)
    other = datasets.load("karate")
    assert replace(config, given=other).run_id != config.run_id
    with pytest.raises(WGNNError, match="has changed since"):
        load_result(store, config.run_id, other)


def test_a_given_graph_is_no_other_run_than_the_catalogues(config: RunConfig) -> None:
    by_name = run_here(config)
    given = run_here(replace(config, parameters=(), given=config.graph()))
    pd.testing.assert_frame_equal(given.rows, by_name.rows)
    np.testing.assert_array_equal(given.trained.prob, by_name.trained.prob)


def test_a_lost_result_is_an_error_and_not_a_hang(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is deleted by somebody else while it is trained."""
    train = cells.Task.train

    def delete(task: cells.Task, *rest: object) -> object:
        store.delete(config.run_id, store.get(config.run_id).owner)
        return train(task)

    monkeypatch.setattr(cells.Task, "train", delete)
    with pytest.raises(Cancelled):
        direct.run_here(config, store)
