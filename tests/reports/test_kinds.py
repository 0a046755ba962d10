"""Every figure of a run against numbers worked out by hand from the stored ones."""

from __future__ import annotations

import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from wgnn_core import datasets
from wgnn_core.errors import WGNNError
from wgnn_core.export import table_csv
from wgnn_core.figures import KINDS
from wgnn_core.graph import Graph
from wgnn_core.reports import figure_of, kinds_of, missing
from wgnn_core.runs.results import RunResult
from wgnn_core.search import COLUMNS
from wgnn_core.wgnn import Etas

Runs = dict[str, RunResult]
ONE_RUN = [kind for kind in KINDS if kind != "depth-curve"]
WHOLE = Etas(0.5, 0.3, 0.4)


def nodes_of(data: pd.DataFrame) -> pd.DataFrame:
    return data[data["mark"] == "node"]


def test_accuracy_coverage_by_hand(runs: Runs, graph: Graph) -> None:
    base = runs["ablation"].base
    assert base is not None
    figure = figure_of("accuracy-coverage", runs["ablation"], graph, rankers=("m2",))
    assert "M2: label non-uniformity w; " in figure.caption
    data = figure.data
    curve = data[(data["statistic"] == "run") & (data["series"] == "M2")]
    for position, seed in enumerate(base.seeds.tolist()):
        test = np.flatnonzero(graph.split(seed).test)
        by_w = sorted(test, key=lambda v: (-base.w[position, v], v))
        for alpha in (0.3, 1.0):
            first = by_w[: math.ceil(round(alpha * len(test), 9))]
            hits = sum(base.prob[position, v].argmax() == graph.y[v] for v in first)
            rows = curve[(curve["seed"] == position) & (curve["alpha_percent"] == 100 * alpha)]
            assert rows["accuracy_percent"].item() == pytest.approx(100 * hits / len(first))
    bounds = data[data["statistic"] == "bound"]
    assert bounds["series"].nunique() == 2
    last = bounds[bounds["alpha_percent"] == 100]["accuracy_percent"]
    np.testing.assert_allclose(last, base.test.mean())


@pytest.mark.parametrize("etas", [None, WHOLE])
def test_node_map_colours(runs: Runs, graph: Graph, etas: Etas | None) -> None:
    result = runs["ablation"]
    predicted, w = result.outcome(etas or Etas(), 1)
    distance = nx.Graph(graph.edges.tolist())
    distance.add_nodes_from(range(graph.num_nodes))
    edge = {n for u, v in graph.edges if graph.y[u] != graph.y[v] for n in (int(u), int(v))}
    hops = nx.multi_source_dijkstra_path_length(distance, edge)
    expected = {
        "w": w,
        "class": graph.y,
        "prediction": predicted,
        "correctness": predicted == graph.y,
        "distance": [hops.get(v, np.nan) for v in range(graph.num_nodes)],
    }
    for colour, values in expected.items():
        figure = figure_of("node-map", result, graph, colour=colour, etas=etas, seed=0)
        drawn = nodes_of(figure.data)["value"].to_numpy(dtype=float)
        np.testing.assert_array_equal(drawn, np.asarray(values, dtype=np.float32))
        assert ("seed 0" in figure.caption) == (colour not in ("class", "distance"))
        assert ("(0.5, 0.3, 0.4)" in figure.title) == (etas is not None)
    assert not np.array_equal(result.outcome(WHOLE, 1)[1], result.outcome(Etas(), 1)[1])


def test_w_histogram_counts_the_test_nodes(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    for etas in (None, WHOLE):
        predicted, w = result.outcome(etas or Etas(), 2)
        test = graph.split(5).test
        data = figure_of("w-histogram", result, graph, seed=5, etas=etas).data
        counts = data.groupby("outcome")["count"].sum()
        right = predicted == graph.y
        assert counts["correct"] == (test & right).sum()
        assert counts["wrong"] == (test & ~right).sum()
        low = data[data["w_to"] <= 0.5]["count"].sum()
        assert low == (test & (w < data[data["w_to"] <= 0.5]["w_to"].max())).sum()


def test_boundary_box_by_hand(runs: Runs, graph: Graph) -> None:
    w = runs["ablation"].outcome(Etas(), 0)[1]
    crossing = graph.edges[graph.y[graph.edges[:, 0]] != graph.y[graph.edges[:, 1]]]
    data = figure_of("boundary-box", runs["ablation"], graph).data.set_index("distance")
    assert data["count"].sum() == graph.num_nodes
    assert data.loc["0", "median"] == pytest.approx(np.median(w[np.unique(crossing)]))


def test_eta_grid_by_hand(runs: Runs, graph: Graph) -> None:
    result = runs["grid"]
    for metric in ("val", "test", "gain"):
        data = figure_of("eta-grid", result, graph, metric=metric).data
        assert len(data) == 6
        for row in data.to_dict("records"):
            mine = result.rows[
                (result.rows["eta0"] == row["y"]) & (result.rows["eta1"] == row["x"])
            ]
            mean = {"val": mine["val"].mean(), "test": mine["test"].mean()}
            assert row["val_percent"] == pytest.approx(mean["val"])
            assert row["test_percent"] == pytest.approx(mean["test"])
            assert row["gain_points"] == pytest.approx(mean["test"] - result.base.test.mean())
            assert row["value"] == row[{"gain": "gain_points"}.get(metric, f"{metric}_percent")]
        picked = data[data["chosen"]]
        assert (picked["y"].item(), picked["x"].item()) == (result.chosen.eta0, result.chosen.eta1)
        assert picked["val_percent"].item() == data["val_percent"].max()


def test_a_cell_that_lacks_a_seed_is_blank(runs: Runs, graph: Graph) -> None:
    whole = runs["grid"]
    partial = replace(whole, rows=whole.rows.iloc[:-4], chosen=None)
    data = figure_of("eta-grid", partial, graph).data
    assert data["test_percent"].isna().tolist() == [False] * 4 + [True] * 2
    assert not data["chosen"].any()


def test_edge_drop_is_what_the_run_trained_on(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    for seed in (3, 0, 5):
        data = figure_of("edge-drop", result, graph, seed=seed, etas=WHOLE).data
        row = result.rows[(result.rows["seed"] == seed) & (result.rows["eta1"] == 0.3)].iloc[0]
        assert (data["state"] == "dropped").sum() == row["edges_dropped"] > 0
        assert (data["mark"] == "edge").sum() == graph.num_edges
    shown = nodes_of(figure_of("edge-drop", result, graph, max_nodes=40).data)
    assert len(shown) == 40


def test_edge_drop_of_etas_that_were_not_trained(runs: Runs, graph: Graph) -> None:
    """Algorithm 2 needs the base model alone."""
    data = figure_of("edge-drop", runs["base"], graph, etas=Etas(0.0, 1.0, 1.0)).data
    forest = nx.number_connected_components(nx.Graph(graph.edges.tolist()))
    touched = len(np.unique(graph.edges))
    assert (data["state"] == "dropped").sum() == graph.num_edges - (touched - forest)


def test_comparison_bars_are_the_scores(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    data = figure_of("comparison-bars", result, graph).data
    seeds = data[data["statistic"] == "run"]
    by_method = {m: r["accuracy_percent"].to_numpy() for m, r in seeds.groupby("method")}
    assert list(seeds["method"].drop_duplicates()) == ["GCN", "wGNN", "wGNN1", "wGNN2"]
    np.testing.assert_allclose(by_method["GCN"], result.base.test)
    for name, eta0, eta1 in (("wGNN", 0.5, 0.3), ("wGNN1", 0.5, 0.0), ("wGNN2", 0.0, 0.3)):
        mine = result.rows[(result.rows["eta0"] == eta0) & (result.rows["eta1"] == eta1)]
        assert mine["seed"].tolist() == [3, 0, 5]
        np.testing.assert_allclose(by_method[name], mine["test"])


def test_harmonic_map_interpolates_the_training_nodes(runs: Runs, graph: Graph) -> None:
    nodes = nodes_of(figure_of("harmonic-map", runs["base"], graph, label=1, seed=5).data)
    train = graph.split(5).train
    observed = nodes["observed"].to_numpy(dtype=float, na_value=np.nan)
    np.testing.assert_array_equal(~np.isnan(observed), train)
    np.testing.assert_array_equal(observed[train], graph.y[train] == 1)
    f = nodes["f"].to_numpy(dtype=float)
    for v in np.flatnonzero(~train & np.isfinite(f)):
        around = graph.adjacency.indices[graph.adjacency.indptr[v] : graph.adjacency.indptr[v + 1]]
        assert f[v] == pytest.approx(f[around].mean(), abs=1e-9)


def test_depth_curve_by_hand(runs: Runs, graph: Graph) -> None:
    deep = [runs["3 layers"], runs["2 layers"]]
    data = figure_of("depth-curve", deep, graph).data
    means = data[data["statistic"] == "mean"].set_index(["series", "layers"])["accuracy_percent"]
    for result, layers in zip(deep, (3, 2), strict=True):
        assert means["base GAT", layers] == pytest.approx(result.base.test.mean())
        for eta0 in (0.4, 0.8):
            expected = result.rows[result.rows["eta0"] == eta0]["test"].mean()
            assert means[f"wGNN, η₀ = {eta0}", layers] == pytest.approx(expected)
    assert data["layers"].drop_duplicates().tolist() == [2, 3]


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("ablation", {"eta-grid"}),
        ("base", {"eta-grid", "edge-drop", "comparison-bars"}),
        ("grid", set()),
        ("full", set()),
        ("two-stage", set()),
        ("2 layers", {"edge-drop"}),
    ],
)
def test_kinds_of_a_run_can_all_be_made(
    runs: Runs, graph: Graph, name: str, without: set[str]
) -> None:
    kinds = kinds_of(runs[name])
    assert kinds == [kind for kind in ONE_RUN if kind not in without]
    for kind in kinds:
        figure = figure_of(kind, runs[name], graph)
        assert figure.kind == kind
        assert table_csv(figure.data) == table_csv(figure_of(kind, runs[name], graph).data)
    for kind in without:
        with pytest.raises(WGNNError, match=f"no {kind} from run"):
            figure_of(kind, runs[name], graph)


def test_nothing_before_the_base_model_is_there(runs: Runs) -> None:
    empty = pd.DataFrame(columns=list(COLUMNS))
    started = replace(runs["grid"], base=None, rows=empty, chosen=None)
    assert kinds_of(started) == []
    only_base = replace(runs["grid"], rows=empty, chosen=None)
    assert set(kinds_of(only_base)) == set(ONE_RUN) - {"edge-drop", "comparison-bars"}


def test_runs_that_make_no_depth_curve(runs: Runs) -> None:
    two, three = runs["2 layers"], runs["3 layers"]
    assert kinds_of([two, three]) == ["comparison-bars", "depth-curve"]
    assert "two or more depths" in missing("depth-curve", two)
    assert "same number" in missing("depth-curve", [two, two])
    assert "no hyperparameter layers" in missing("depth-curve", [runs["grid"], runs["base"]])
    other = replace(two, summary=replace(two.summary, config=replace(two.config, pool="test")))
    assert "differ in more" in missing("depth-curve", [three, other])
    unfinished = replace(two, rows=two.rows.iloc[:-1])
    assert "finished" in missing("depth-curve", [unfinished, three])

    def with_etas(etas: tuple[tuple[float, float, float], ...]) -> list[RunResult]:
        return [
            replace(r, summary=replace(r.summary, config=replace(r.config, etas=etas)))
            for r in (two, three)
        ]

    assert "share one eta1" in missing("depth-curve", with_etas(((0.4, 0, 0), (0.4, 0.1, 0.1))))
    assert "stands for the base" in missing("depth-curve", with_etas(((0.0, 0.1, 0.1),)))


def test_a_run_keeps_to_its_graph(runs: Runs, graph: Graph) -> None:
    with pytest.raises(WGNNError, match="on another graph than karate"):
        figure_of("node-map", runs["base"], datasets.load("karate"))
    renamed = replace(graph, name="mine")
    assert "mine" in figure_of("node-map", runs["base"], renamed).title


def test_a_given_layout_is_used(runs: Runs, graph: Graph) -> None:
    xy = np.random.default_rng(0).random((graph.num_nodes, 2)).astype(np.float32)
    for kind in ("node-map", "edge-drop", "harmonic-map"):
        drawn = nodes_of(figure_of(kind, runs["grid"], graph, xy=xy).data)
        np.testing.assert_array_equal(drawn[["x", "y"]].to_numpy(dtype=np.float32), xy)


@pytest.mark.parametrize(
    ("kind", "choices", "message"),
    [
        ("nope", {}, "no figure 'nope'; choose one of accuracy-coverage"),
        ("node-map", {"seed": 1}, "seed 1 is no part of the run; it has 3, 0, 5"),
        ("node-map", {"colour": "red"}, "map colour is 'red'"),
        ("node-map", {"etas": Etas(0.9, 0.9, 0.9)}, "not among the finished"),
        ("accuracy-coverage", {"rankers": ("oracle",)}, "the rankers are oracle; choose from m1"),
        ("accuracy-coverage", {"rankers": ()}, "the rankers are none"),
        ("harmonic-map", {"label": 3}, "class 3 is none; classes are 0 to 2"),
        ("edge-drop", {"max_nodes": 0}, "at most 0 nodes"),
        ("eta-grid", {"metric": "f1"}, "metric is 'f1'"),
    ],
)
def test_wrong_choices(runs: Runs, graph: Graph, kind: str, choices: dict, message: str) -> None:
    with pytest.raises(WGNNError, match=message) as caught:
        figure_of(kind, runs["grid"], graph, **choices)
    assert "\n" not in str(caught.value)
