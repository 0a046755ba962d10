"""The grid: nothing trained twice, chosen on validation only."""

from dataclasses import replace

import pandas as pd
import pytest

from wgnn_core import search
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.intervention import KNOBS, Base, Intervention
from wgnn_core.models import make_model
from wgnn_core.wgnn import Row, base_row, retrain, train_base

MODEL = make_model("gcn", epochs=15)


@pytest.fixture(scope="module")
def base(csbm_small: Graph) -> Base:
    return train_base(csbm_small, MODEL, 2)


def rows_of(*rows: tuple[Intervention, int, float, float]) -> pd.DataFrame:
    """(intervention, seed, validation, test) as a table of results."""
    return search.as_table(
        [(asked, seed, Row(asked, seed, val, test, test)) for asked, seed, val, test in rows]
    )


def test_the_table_has_what_was_trained_and_the_base_where_nothing_changes(base: Base) -> None:
    grid = search.full_grid([0.0, 0.5], [0.6], [0.0, 0.5])
    trained = [o.row for o in retrain(base, search.trials(grid, 2))]
    table = search.table(base, grid, trained)
    assert len(table) == len(grid) * 2
    assert tuple(table.columns[: len(KNOBS)]) == KNOBS
    for asked in grid:
        mine = table[search.is_of(table, asked)]
        assert mine["seed"].tolist() == [0, 1]
        if asked.is_base:
            expected = [base_row(base, position) for position in (0, 1)]
        else:
            alone = [search.Trial(asked, position) for position in (0, 1)]
            expected = [o.row for o in retrain(base, alone)]
        for name in ("val", "test", "test_retrained", "edges_dropped", "pseudo_labels"):
            assert mine[name].tolist() == [getattr(row, name) for row in expected]
    assert search.interventions(table) == grid


def test_the_table_of_a_run_under_way_has_only_what_is_finished(base: Base) -> None:
    asked = Intervention(0.5, 0.6, 0.5)
    done = Row(asked, 1, 70.0, 60.0, 60.0)
    table = search.table(base, [asked, Intervention(0.1)], [done])
    assert table[["eta0", "seed", "val"]].to_numpy().tolist() == [[0.5, 1, 70.0]]
    assert search.table(base, [asked], []).empty


def test_equal_trainings_are_trained_once() -> None:
    grid = search.full_grid([0.0, 0.5], [0.0, 0.3, 0.6], [0.0, 0.5])
    wanted = search.trials(grid, 2)
    # with eta1 or eta2 zero only eta0 counts: (0.5, 0, 0); then 2 eta0s x 2 eta1s x eta2 = 0.5
    assert len(set(wanted)) == len(wanted) == 2 * (1 + 4)
    assert {t.position for t in wanted} == {0, 1}
    same = [replace(i, pool="test", edge_ranker="random") for i in grid if not i.drops_edges]
    assert search.trials([*grid, *same], 2) == wanted


def test_choice_ignores_test_accuracy() -> None:
    small, large = Intervention(0.2), Intervention(0.4)
    rows = rows_of(
        (small, 0, 70.0, 99.0), (small, 1, 72.0, 99.0), (large, 0, 75.0, 10.0), (large, 1, 69.0, 10)
    )
    assert search.choose(rows) == large
    assert search.choose(rows.drop(columns="test")) == large
    assert search.best_on_test(rows) == small


def test_the_other_knobs_are_chosen_too() -> None:
    plain, other = Intervention(0.2, 0.3, 0.4), Intervention(0.2, 0.3, 0.4, "test", "margin")
    assert search.choose(rows_of((plain, 0, 70.0, 0.0), (other, 0, 71.0, 0.0))) == other


def test_ties_go_to_the_smallest_etas() -> None:
    asked = [Intervention(*e) for e in ((0.4, 0.1, 0.1), (0.2, 0.5, 0.5), (0.2, 0.1, 0.9))]
    assert search.choose(rows_of(*((i, 0, 70.0, 0.0) for i in asked))) == asked[2]


def test_nothing_to_choose_from_is_said() -> None:
    with pytest.raises(WGNNError, match="no finished row"):
        search.choose(rows_of())


def test_two_stages_share_the_knobs_of_their_template() -> None:
    like = Intervention(pool="test", ranker="margin")
    first = search.first_stage((0.4, 0.8), like)
    assert first[0] == like
    assert [i.etas for i in first[1:]] == [(0, a, b) for a in (0.4, 0.8) for b in (0.4, 0.8)]
    rows = rows_of(*((i, 0, 70.0 + (i.etas == (0, 0.8, 0.4)), 0.0) for i in first))
    second = search.second_stage((0.4, 0.8), rows)
    assert [i.etas for i in second] == [(0.4, 0.8, 0.4), (0.8, 0.8, 0.4)]
    assert {(i.pool, i.ranker) for i in (*first, *second)} == {("test", "margin")}


def test_the_authors_search_has_1110_trainings() -> None:
    """Theirs has 1120: it trains eta0 = 0 again in the second stage, which the first has."""
    first = search.first_stage(search.STEPS, Intervention())
    rows = rows_of(*((i, 0, 70.0 + (i.etas == (0, 0.3, 0.4)), 0.0) for i in first))
    second = search.second_stage(search.STEPS, rows)
    base = 10
    assert base + len(search.trials(first, 10)) + len(search.trials(second, 10)) == 1110


def test_a_grid_beyond_the_limit_names_it() -> None:
    with pytest.raises(WGNNError, match="the limit is 20000"):
        search.trials([Intervention()] * 30_000, 1)
    with pytest.raises(WGNNError, match="27000 cells; the limit is 20000"):
        search.full_grid(*[[i / 30 for i in range(30)]] * 3)
