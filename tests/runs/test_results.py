"""Numbers read back from the store are those of the pipeline written out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.by_hand import two_stages_by_hand, wgnn_by_hand
from tests.runs.run_helpers import train_here
from wgnn_core import search
from wgnn_core.errors import WGNNError
from wgnn_core.intervention import Intervention
from wgnn_core.runs import cells
from wgnn_core.runs import config as config_module
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.life import Life
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store
from wgnn_core.statistics import CORRECTED, compare, overlap_of


def test_equal_to_the_pipeline_by_hand(store: Store, config: RunConfig) -> None:
    result = load_result(store, train_here(store, config))
    graph, base = config.graph(), result.trained
    for asked in config.interventions:
        rows = result.of(asked)
        assert rows["seed"].tolist() == [0, 1, 2]
        theirs = [wgnn_by_hand(graph, config.base_model, s, asked.etas) for s in config.seeds]
        assert base.test == pytest.approx([t.base_test for t in theirs])
        assert base.val.tolist() == [t.base_val for t in theirs]
        assert rows["val"].tolist() == [t.val for t in theirs]
        assert rows["test"].tolist() == pytest.approx([t.test for t in theirs])
        assert rows["test_retrained"].tolist() == pytest.approx([t.test_retrained for t in theirs])
        assert rows["edges_dropped"].tolist() == [t.dropped for t in theirs]
        assert rows["pseudo_labels"].tolist() == [len(t.added) for t in theirs]
        assert rows["pseudo_right"].tolist() == [t.pseudo_right for t in theirs]
        assert result.comparison(asked) == compare(base.test, rows["test"])
        retrained = result.comparison(asked, retrained=True)
        assert retrained == compare(base.test, rows["test_retrained"])
        for position, hand in enumerate(theirs):
            np.testing.assert_allclose(base.prob[position], hand.base_prob, atol=1e-6)
            predicted, w = result.outcome(asked, position)
            np.testing.assert_array_equal(predicted, hand.second)
            np.testing.assert_allclose(w, hand.w, atol=1e-5)
            plan = result.plan(asked, position)
            assert np.flatnonzero(plan.supplement.added).tolist() == hand.added
    predicted, w = result.outcome(Intervention(0, 0.7, 0), 1)  # no edge goes: the base model
    np.testing.assert_array_equal(predicted, base.predicted[1])
    np.testing.assert_array_equal(w, base.w[1])
    assert result.finished == list(config.interventions)


def test_seeds_on_overlapping_splits_are_compared_by_the_corrected_test() -> None:
    asked = Intervention(0.8)
    config = RunConfig("karate", hyper=(("epochs", 5),), seeds=(0, 1, 2), interventions=(asked,))
    result = run_here(config)
    overlap = overlap_of(config.graph(), config.seeds)
    assert overlap == pytest.approx(24 / 4)  # 2 training nodes per class, 24 test nodes
    assert result.comparison(asked) == compare(
        result.trained.test, result.of(asked)["test"], overlap
    )
    assert result.comparison(asked).test == CORRECTED


@pytest.mark.parametrize("size", [2, 5])
def test_equal_however_it_is_cut(
    store: Store, config: RunConfig, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = search.full_grid([0.0, 0.5], [0.0, 0.4], [0.3])
    asked = replace(config, interventions=tuple(grid))
    whole = run_here(asked)
    monkeypatch.setattr(cells, "MAX_BATCH", size)
    run = train_here(store, asked)
    result = load_result(store, run)
    assert len(store.cells(run)) == -(-3 // size) + -(-9 // size)
    pd.testing.assert_frame_equal(result.rows, whole.rows)
    np.testing.assert_array_equal(result.trained.prob, whole.trained.prob)
    assert result.finished == grid
    assert result.chosen == whole.chosen == search.choose(whole.rows)
    assert result.complete


def test_equal_to_the_two_stage_search_by_hand(store: Store, config: RunConfig) -> None:
    steps = (0.2, 0.8)
    two = replace(config, interventions=(), search="two-stage", steps=steps)
    result = load_result(store, train_here(store, two))
    theirs = two_stages_by_hand(two.graph(), two.base_model, two.seeds, steps)
    tried = theirs.first | theirs.second
    assert [i.etas for i in result.finished] == list(tried)
    for asked in result.finished:
        assert result.of(asked)["val"].mean() == pytest.approx(tried[asked.etas])
    assert result.chosen is not None and result.chosen.etas == theirs.chosen
    assert result.complete
    assert result.summary.done == two.trainings


def test_partial_results_grow_and_choose_nothing(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "MAX_BATCH", 2)
    owner = owner_name("me")
    store.create(config)
    store.claim(config.run_id, owner)
    life = Life(store, config.run_id, owner)
    seen = []
    while ready := life.ready():
        partial = load_result(store, config.run_id)
        assert partial.chosen is None
        assert (partial.base is None) == (not ready[0].trials)
        if partial.base is None:
            with pytest.raises(WGNNError, match="not among the finished"):
                partial.outcome(Intervention(), 0)
            with pytest.raises(WGNNError, match="not trained for every seed"):
                _ = partial.trained
        seen.append(len(partial.rows))
        assert life.put(ready[0], life.task(ready[0]).train())
    assert seen == [0, 0, 0, 2, 4, 6, 8]
    result = load_result(store, config.run_id)
    assert len(result.rows) == 9
    assert result.chosen is not None
    with pytest.raises(WGNNError, match="not finished for every seed"):
        partial.comparison(Intervention(0.0, 0.3, 0.4))
    with pytest.raises(WGNNError, match="not among the finished"):
        partial.outcome(Intervention(0.0, 0.3, 0.4), 2)
    with pytest.raises(WGNNError, match="not among the finished"):
        result.outcome(Intervention(0.9), 0)


def test_a_run_of_the_base_model_alone(store: Store, config: RunConfig) -> None:
    result = load_result(store, train_here(store, replace(config, interventions=())))
    assert result.base is not None
    assert result.rows.empty
    assert result.chosen is None
    assert result.complete


def test_another_dataset_under_the_same_name_is_refused(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = train_here(store, config)
    other = replace(config, parameters=(*config.parameters, ("homophily", 0.6))).graph()
    monkeypatch.setattr(config_module, "_graph", lambda *_: other)
    with pytest.raises(WGNNError, match="has changed since"):
        load_result(store, run)
