"""Eta triples as grids: axes found, slices taken, what is no grid refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wgnn_core.figures import figure_of, missing
from wgnn_core.figures.eta_axes import grid_of
from wgnn_core.graph import Graph
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult

STEPS = st.lists(st.sampled_from([i / 10 for i in range(11)]), min_size=1, max_size=4, unique=True)


def config(etas: list[tuple[float, float, float]]) -> RunConfig:
    return RunConfig("karate", interventions=tuple(Intervention(*e) for e in etas))


@given(STEPS, STEPS, st.randoms())
def test_a_paired_grid_has_eta0_upwards(eta0s, eta12s, random) -> None:
    etas = [(a, b, b) for a in eta0s for b in eta12s]
    random.shuffle(etas)
    grid = grid_of(config(etas))
    if len(etas) == 1:
        assert grid is None
        return
    assert (grid.x_name, grid.y_name, grid.fixed) == ("η₁ = η₂", "η₀", "")
    assert grid.xs == tuple(sorted(eta12s))
    assert grid.ys == tuple(sorted(eta0s))
    assert [c.etas for c in grid.cells] == [(y, x, x) for y in grid.ys for x in grid.xs]
    assert all(
        grid.cells[r * len(grid.xs) + c] == one for one in grid.cells for r, c in [grid.place(one)]
    )


@given(STEPS, STEPS, STEPS, st.randoms())
def test_a_full_grid_is_cut_where_all_three_vary(eta0s, eta1s, eta2s, random) -> None:
    etas = list(product(eta0s, eta1s, eta2s))
    random.shuffle(etas)
    chosen = Intervention(*etas[0])
    grid = grid_of(config(etas), chosen)
    varied = [len(values) > 1 for values in (eta0s, eta1s, eta2s)]
    if not any(varied):
        assert grid is None
        return
    place = {"η₀": 0, "η₁": 1, "η₂": 2}
    if grid.x_name in place:
        x, y = place[grid.x_name], place[grid.y_name]
        for i, row in enumerate(grid.ys):
            for j, column in enumerate(grid.xs):
                cell = grid.cells[i * len(grid.xs) + j].etas
                assert (cell[y], cell[x]) == (row, column)
    cells = {cell.etas for cell in grid.cells}
    assert cells <= set(etas)
    if all(varied):
        assert grid.fixed == f"η₀ = {chosen.eta0:g}"
        assert cells == {e for e in etas if e[0] == chosen.eta0}
    else:
        assert len(grid.cells) == len(etas)


@pytest.mark.parametrize(
    "etas",
    [
        [],
        [(0.5, 0.3, 0.4)],
        [(0.0, 0.0, 0.0), (0.5, 0.3, 0.4)],
        [(0.2, 0.1, 0.1), (0.2, 0.3, 0.3), (0.4, 0.1, 0.1)],
        [(0.5, 0.3, 0.4), (0.5, 0.0, 0.0), (0.0, 0.3, 0.4)],
    ],
)
def test_what_is_no_grid(etas) -> None:
    assert grid_of(config(etas)) is None


def test_interventions_that_differ_in_more_than_etas_are_no_grid() -> None:
    cells = [Intervention(a, b, b) for a in (0.2, 0.4) for b in (0.1, 0.3)]
    run = RunConfig("karate", interventions=(*cells[:3], replace(cells[3], ranker="margin")))
    assert grid_of(run) is None
    whole = replace(run, interventions=tuple(replace(c, ranker="margin") for c in cells))
    assert {cell.ranker for cell in grid_of(whole).cells} == {"margin"}


def test_the_base_model_may_stand_beside_a_grid() -> None:
    etas = [(0.4, 0.1, 0.1), (0.4, 0.3, 0.3), (0.8, 0.1, 0.1), (0.8, 0.3, 0.3)]
    assert grid_of(config([(0.0, 0.0, 0.0), *etas])) == grid_of(config(etas))


def test_axes_of_two_that_vary() -> None:
    names = {
        (0, 1): ("η₁", "η₀", "η₂ = 0.9"),
        (0, 2): ("η₂", "η₀", "η₁ = 0.9"),
        (1, 2): ("η₁", "η₂", "η₀ = 0.9"),
    }
    for pair, expected in names.items():
        values = [(0.1, 0.2) if i in pair else (0.9,) for i in range(3)]
        grid = grid_of(config(list(product(*values))))
        assert (grid.x_name, grid.y_name, grid.fixed) == expected


def test_full_run_shows_the_slice_that_validation_chose(runs, graph: Graph) -> None:
    result: RunResult = runs["full"]
    figure = figure_of("eta-grid", result, graph)
    assert f"η₀ = {result.chosen.eta0:g}" in figure.title
    picked = figure.data[figure.data["chosen"]]
    assert (picked["x"].item(), picked["y"].item()) == (result.chosen.eta1, result.chosen.eta2)
    for row in figure.data.to_dict("records"):
        etas = [result.chosen.eta0, row["x"], row["y"]]
        mine = result.rows[(result.rows[["eta0", "eta1", "eta2"]] == etas).all(axis=1)]
        assert row["test_percent"] == pytest.approx(mine["test"].mean())


def test_two_grids_over_the_same_axes_give_their_difference(runs, graph: Graph) -> None:
    first = runs["grid"]
    rows = first.rows.assign(test=first.rows["test"] + first.rows["eta0"] * 10)
    second = replace(first, rows=rows)
    data = figure_of("eta-grid", (first, second), graph).data
    assert data["value"].tolist() == pytest.approx((10 * data["y"]).tolist())
    assert "other axes" in missing("eta-grid", (first, runs["two-stage"]), graph)


def test_two_stage_run_shows_its_first_stage(runs, graph: Graph) -> None:
    result: RunResult = runs["two-stage"]
    figure = figure_of("eta-grid", result, graph)
    assert "η₀ = 0" in figure.title
    assert sorted(set(figure.data["x"])) == sorted(set(figure.data["y"])) == [0.3, 0.6]
    first = result.rows[(result.rows["eta0"] == 0) & (result.rows["eta1"] > 0)]
    for row in figure.data.to_dict("records"):
        mine = first[(first["eta1"] == row["x"]) & (first["eta2"] == row["y"])]
        assert row["val_percent"] == pytest.approx(mine["val"].mean())
    picked = figure.data[figure.data["chosen"]]
    assert [tuple(pair) for pair in picked[["x", "y"]].to_numpy()] == (
        [] if result.chosen.eta1 == 0 else [(result.chosen.eta1, result.chosen.eta2)]
    )


def test_spread_and_paired_p_of_each_cell_by_hand(runs, graph: Graph) -> None:
    result: RunResult = runs["grid"]
    for row in figure_of("eta-grid", result, graph).data.to_dict("records"):
        mine = result.rows[(result.rows["eta0"] == row["y"]) & (result.rows["eta1"] == row["x"])]
        gain = mine["test"].to_numpy() - result.base.test
        assert row["n"] == 3
        assert row["val_sd"] == pytest.approx(mine["val"].std())
        assert row["test_sd"] == pytest.approx(mine["test"].std())
        assert row["gain_sd"] == pytest.approx(gain.std(ddof=1))
        expected = stats.ttest_rel(mine["test"], result.base.test).pvalue
        if gain.std() > 1e-9:
            assert row["p"] == pytest.approx(expected, rel=1e-5)


def test_two_stage_run_shows_its_second_stage_from_eta0_0(runs, graph: Graph) -> None:
    result: RunResult = runs["two-stage"]
    figure = figure_of("eta-grid", result, graph, stage="second")
    assert figure.data["x"].tolist() == [0.0, 0.3, 0.6] and figure.x_name == "η₀"
    best = result.chosen
    for row in figure.data.to_dict("records"):
        mine = result.of(replace(best, eta0=row["x"]))
        assert row["test_percent"] == pytest.approx(mine["test"].mean())
    assert figure.data[figure.data["chosen"]]["x"].tolist() == [best.eta0]
    assert "no second stage" in missing("eta-grid", runs["grid"], graph, stage="second")
    half = replace(result, rows=result.rows.iloc[:5], chosen=None)
    assert "first stage is not finished" in missing("eta-grid", half, graph, stage="second")


def test_captions_name_graph_model_seeds_and_tally(runs, graph: Graph) -> None:
    for metric in ("val", "test", "gain"):
        caption = figure_of("eta-grid", runs["grid"], graph, metric=metric).caption
        assert all(word in caption for word in ("GCN", graph.title, "3 seeds"))
        assert ("tally" in caption) == (metric != "val")
