"""Numbers read back from the store are those of the library called directly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from wgnn_core.runs.execution import Execution

from tests.runs.run_helpers import train_here
from wgnn_core import search
from wgnn_core.errors import WGNNError
from wgnn_core.runs import cells
from wgnn_core.runs import config as config_module
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store
from wgnn_core.wgnn import Etas, run_wgnn


def test_equal_to_run_wgnn(store: Store, config: RunConfig) -> None:
    result = load_result(store, train_here(store, config))
    direct = run_wgnn(config.graph(), config.base_model, 0.5, 0.3, 0.4, config.seeds, ablation=True)
    assert result.base is not None
    np.testing.assert_array_equal(result.base.prob, direct.base.prob)
    np.testing.assert_array_equal(result.base.test, direct.base.test)
    np.testing.assert_array_equal(result.base.best_epoch, direct.base.best_epoch)
    full = Etas(0.5, 0.3, 0.4)
    for etas, variant in [(full, "wgnn"), (full.of("wgnn1"), "wgnn1"), (full.of("wgnn2"), "wgnn2")]:
        mine = result.rows.query("eta0 == @etas.eta0 and eta1 == @etas.eta1")
        theirs = direct.variants[variant]  # type: ignore[index]
        np.testing.assert_array_equal(mine["test"], theirs.test)
        np.testing.assert_array_equal(mine["val"], theirs.val)
        np.testing.assert_array_equal(mine["test_retrained"], theirs.test_retrained)
        assert result.comparison(etas) == direct.comparison(variant)  # type: ignore[arg-type]
        retrained = direct.comparison(variant, retrained=True)  # type: ignore[arg-type]
        assert result.comparison(etas, retrained=True) == retrained
        for run in range(3):
            predicted, w = result.outcome(etas, run)
            np.testing.assert_array_equal(predicted, theirs.prob[run].argmax(-1))
            np.testing.assert_allclose(w, search.nonuniformity(theirs.prob[run]), atol=1e-6)
    predicted, w = result.outcome(Etas(0, 0.7, 0), 1)  # no edge goes: the base model
    np.testing.assert_array_equal(predicted, direct.base.predicted[1])
    np.testing.assert_array_equal(w, direct.base.w[1])


@pytest.mark.parametrize("size", [2, 5, 32])
def test_equal_to_the_grid_however_it_is_cut(
    store: Store, config: RunConfig, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "MAX_BATCH", size)
    axes = ([0.0, 0.5], [0.0, 0.4], [0.3])
    grid = search.grid(config.graph(), config.base_model, *axes, config.seeds)
    triples = tuple((e.eta0, e.eta1, e.eta2) for e in search.full_grid(*axes))
    run = train_here(store, replace(config, etas=triples))
    result = load_result(store, run)
    assert len(store.cells(run)) == -(-3 // size) + -(-9 // size)
    pd.testing.assert_frame_equal(result.rows, grid.rows)
    assert tuple(result.rows.columns) == search.COLUMNS
    assert result.chosen == grid.chosen
    assert result.complete


def test_equal_to_the_two_stage_search(store: Store, config: RunConfig) -> None:
    steps = (0.2, 0.5, 0.8)
    two = replace(config, etas=(), search="two-stage", steps=steps)
    direct = search.two_stage(two.graph(), two.base_model, two.seeds, steps=steps)
    result = load_result(store, train_here(store, two))
    pd.testing.assert_frame_equal(result.rows, direct.rows)
    assert result.chosen == direct.chosen


def test_partial_results_grow_and_choose_nothing(
    store: Store, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "MAX_BATCH", 2)
    owner = owner_name("me")
    store.create(config)
    store.claim(config.run_id, owner)
    execution = Execution(store, config.run_id, owner)
    seen = []
    while ready := execution.ready():
        partial = load_result(store, config.run_id)
        assert partial.chosen is None
        assert (partial.base is None) == (not ready[0].trials)
        seen.append(len(partial.rows))
        execution.put(ready[0], *execution.train(ready[0]))
    assert seen == [0, 0, 0, 2, 4, 6, 8]
    result = load_result(store, config.run_id)
    assert len(result.rows) == 9
    assert result.chosen is not None
    with pytest.raises(WGNNError, match="not finished for every seed"):
        partial.comparison(Etas(0.0, 0.3, 0.4))
    with pytest.raises(WGNNError, match="not among the finished"):
        partial.outcome(Etas(0.0, 0.3, 0.4), 2)
    with pytest.raises(WGNNError, match="not among the finished"):
        result.outcome(Etas(0.9, 0.0, 0.0), 0)


def test_a_run_of_the_base_model_alone(store: Store, config: RunConfig) -> None:
    result = load_result(store, train_here(store, replace(config, etas=())))
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
