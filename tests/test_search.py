"""The grid: nothing trained twice, chosen on validation only, equal to run_wgnn."""

import numpy as np
import pandas as pd
import pytest

from wgnn_core import search
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.models import make_model
from wgnn_core.wgnn import Base, Etas, run_wgnn, train_base

MODEL = make_model("gcn", epochs=15)


@pytest.fixture(scope="module")
def base(csbm_small: Graph) -> Base:
    return train_base(csbm_small, MODEL, 2)


def test_a_cell_equals_the_run_with_its_etas(csbm_small: Graph, base: Base) -> None:
    result = search.search_grid(base, search.full_grid([0.0, 0.5], [0.6], [0.0, 0.5]), "all")
    for etas in search.full_grid([0.0, 0.5], [0.6], [0.0, 0.5]):
        run = run_wgnn(csbm_small, MODEL, etas.eta0, etas.eta1, etas.eta2, base=base)
        np.testing.assert_array_equal(result.scores(etas), run.wgnn.test)


def test_equal_trainings_are_trained_once(base: Base) -> None:
    grid = search.full_grid([0.0, 0.5], [0.0, 0.3, 0.6], [0.0, 0.5])
    wanted = search.trials(grid, 2)
    # with eta1 or eta2 zero only eta0 counts: (0.5, 0, 0); then 2 eta0s x 2 eta1s x eta2 = 0.5
    assert len(wanted) == 2 * (1 + 4)
    result = search.search_grid(base, grid, "all")
    assert result.trainings == len(wanted) + 2
    assert len(result.rows) == len(grid) * 2


def test_order_and_cut_of_trials_change_nothing(base: Base) -> None:
    wanted = search.trials(search.paired_grid([0.2, 0.6], [0.3, 0.7]), 2)
    forward = {o.trial: o.test for o in search.run_trials(base, wanted)}
    backward = {o.trial: o.test for o in search.run_trials(base, wanted[::-1], threads=1)}
    assert forward == backward


def test_choice_ignores_test_accuracy() -> None:
    rows = pd.DataFrame(
        [
            (0.2, 0.0, 0.0, 0, 70.0, 99.0),
            (0.2, 0.0, 0.0, 1, 72.0, 99.0),
            (0.4, 0.0, 0.0, 0, 75.0, 10.0),
            (0.4, 0.0, 0.0, 1, 69.0, 10.0),
        ],
        columns=["eta0", "eta1", "eta2", "seed", "val", "test"],
    )
    assert search.choose(rows) == Etas(0.4, 0.0, 0.0)
    assert search.choose(rows.drop(columns="test")) == Etas(0.4, 0.0, 0.0)
    assert search.best_on_test(rows) == Etas(0.2, 0.0, 0.0)


def test_ties_go_to_the_smallest_etas() -> None:
    rows = pd.DataFrame(
        [(0.4, 0.1, 0.1, 0, 70.0), (0.2, 0.5, 0.5, 0, 70.0), (0.2, 0.1, 0.9, 0, 70.0)],
        columns=["eta0", "eta1", "eta2", "seed", "val"],
    )
    assert search.choose(rows) == Etas(0.2, 0.1, 0.9)


def test_two_stage_fixes_the_graph_first(csbm_small: Graph) -> None:
    steps = (0.4, 0.8)
    result = search.two_stage(csbm_small, MODEL, 2, steps=steps)
    first = result.rows[result.rows.eta0 == 0]
    best = search.choose(first)
    assert (result.chosen.eta1, result.chosen.eta2) == (best.eta1, best.eta2)
    assert len(first) == 2 * (1 + len(steps) ** 2)
    assert set(result.rows[result.rows.eta0 > 0].eta0) == set(steps)
    last = pd.concat([first[(first.eta1 == best.eta1) & (first.eta2 == best.eta2)],
                      result.rows[result.rows.eta0 > 0]])  # fmt: skip
    assert result.chosen == search.choose(last)
    assert result.trainings == 2 * (1 + len(steps) ** 2 + len(steps))


def test_the_authors_search_has_1120_trainings() -> None:
    first = search.trials([Etas(), *search.full_grid([0.0], search.STEPS, search.STEPS)], 10)
    second = search.trials([Etas(e, 0.3, 0.4) for e in search.STEPS], 10)
    # theirs trains eta0 = 0 again in the second stage (10 more), ours has it from the first
    assert 10 + len(first) + len(second) == 1110


def test_a_grid_beyond_the_limit_names_it() -> None:
    with pytest.raises(WGNNError, match="the limit is 20000"):
        search.trials([Etas()] * 30_000, 1)
