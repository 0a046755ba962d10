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
from wgnn_core.figures import KINDS, figure_of, kinds_of, missing
from wgnn_core.graph import Graph
from wgnn_core.intervention import Intervention
from wgnn_core.ranking import rank
from wgnn_core.runs.results import RunResult
from wgnn_core.search import as_table
from wgnn_core.wgnn import carried

Runs = dict[str, RunResult]
ONE_RUN = [kind for kind in KINDS if kind not in ("depth-curve", "node-probabilities", "coupling")]
"""Kinds that one run can give when nothing is chosen."""
WHOLE = Intervention(0.5, 0.3, 0.4)


def nodes_of(data: pd.DataFrame) -> pd.DataFrame:
    return data[data["mark"] == "node"]


def test_accuracy_coverage_by_hand(runs: Runs, graph: Graph) -> None:
    base = runs["ablation"].base
    assert base is not None
    figure = figure_of("accuracy-coverage", runs["ablation"], graph, rankers=("m2",))
    assert "M2: label non-uniformity w; " in figure.caption
    data = figure.data
    curve = data[(data["statistic"] == "seed") & (data["series"] == "M2")]
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
def test_node_map_colours(runs: Runs, graph: Graph, etas: Intervention | None) -> None:
    result = runs["ablation"]
    predicted, w = result.outcome(etas or Intervention(), 1)
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
        figure = figure_of("node-map", result, graph, colour=colour, at=etas, seed=0)
        drawn = nodes_of(figure.data)["value"].to_numpy(dtype=float)
        np.testing.assert_array_equal(drawn, np.asarray(values, dtype=np.float32))
        assert ("seed 0" in figure.caption) == (colour not in ("class", "distance"))
        assert ("η₀ = 0.5, η₁ = 0.3, η₂ = 0.4" in figure.title) == (etas is not None)
    assert not np.array_equal(result.outcome(WHOLE, 1)[1], result.outcome(Intervention(), 1)[1])


def selected(runs: Runs, graph: Graph, **choices: object) -> list[int]:
    nodes = nodes_of(figure_of("node-map", runs["ablation"], graph, seed=0, **choices).data)
    return nodes["node"][nodes["selected"]].tolist()


def test_nodes_are_marked_by_group_number_threshold_and_trust(runs: Runs, graph: Graph) -> None:
    base, test = runs["ablation"].base, graph.split(0).test
    right, w = base.predicted[1] == graph.y, base.w[1]
    assert selected(runs, graph) == []
    assert selected(runs, graph, mark="7, 3,100") == [3, 7, 100]
    assert selected(runs, graph, mark="wrong test nodes") == np.flatnonzero(test & ~right).tolist()
    below = selected(runs, graph, mark="below the threshold", threshold=0.5)
    above = selected(runs, graph, mark="above the threshold", threshold=0.5)
    assert below == np.flatnonzero(w < 0.5).tolist() and len(above) == len(w) - len(below)
    order = rank("margin", graph, graph.split(0), base.prob[1], 0)
    trusted = selected(runs, graph, mark="trusted", trusted_by="margin", coverage=0.25)
    assert trusted == sorted(order[: math.ceil(0.25 * test.sum())].tolist())
    plan = runs["ablation"].plan(WHOLE, 1)
    second = runs["ablation"].outcome(WHOLE, 1)[0]
    now = carried(base.predicted[1], second, plan) == graph.y
    fixed = np.flatnonzero(test & ~right & now).tolist()
    assert selected(runs, graph, mark="fixed nodes", at=WHOLE) == fixed
    assert (
        selected(runs, graph, mark="added to R′", at=WHOLE)
        == np.flatnonzero(plan.supplement.added).tolist()
    )


def test_the_tally_carries_first_predictions(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    seen = {"at": WHOLE, "seed": 0, "colour": "prediction"}
    drawn = [
        nodes_of(figure_of("node-map", result, graph, carried=c, **seen).data)["value"]
        for c in (False, True)
    ]
    second, plan = result.outcome(WHOLE, 1)[0], result.plan(WHOLE, 1)
    np.testing.assert_array_equal(drawn[0], second)
    np.testing.assert_array_equal(drawn[1], carried(result.base.predicted[1], second, plan))


def test_a_neighbourhood_has_the_edges_and_numbers_of_the_graph(runs: Runs, graph: Graph) -> None:
    data = figure_of("node-map", (), graph, colour="class", around=5, radius=2).data
    whole = nx.Graph(graph.edges.tolist())
    wanted = nx.ego_graph(whole, 5, radius=2)
    nodes, edges = nodes_of(data), data[data["mark"] == "edge"]
    assert set(nodes["node"]) == set(wanted)
    assert {tuple(e) for e in edges[["node", "to"]].astype(int).to_numpy()} <= {
        *map(tuple, graph.edges.tolist()), *(tuple(e[::-1]) for e in graph.edges.tolist())
    }  # fmt: skip
    assert len(edges) == wanted.number_of_edges()
    assert nodes["node"][nodes["selected"]].tolist() == [5]
    np.testing.assert_array_equal(nodes["value"], graph.y[nodes["node"].to_numpy(dtype=int)])


def test_what_the_graph_alone_gives(graph: Graph) -> None:
    alone = ["class-counts", "degrees", "harmonic-map", "level-parts", "rising-path"]
    assert kinds_of((), graph) == alone
    assert "needs a trained model" in missing("node-map", (), graph)
    assert missing("node-map", (), graph, colour="class") == ""
    split = graph.split(0)
    counts = figure_of("class-counts", (), graph).data.set_index(["series", "category"])["value"]
    for name, mask in (("train", split.train), ("validation", split.val), ("test", split.test)):
        assert counts[name].tolist() == [int((graph.y[mask] == k).sum()) for k in range(3)]
    degrees = figure_of("degrees", (), graph).data["value"]
    assert degrees.sum() == graph.num_nodes
    assert degrees[0] == graph.num_nodes - len(np.unique(graph.edges))


def test_bars_of_a_run(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    figure = figure_of("node-probabilities", result, graph, node=4, seed=5)
    values = figure.data.set_index(["series", "category"])["value"]
    np.testing.assert_allclose(values["μ(s)"], result.base.prob[2, 4])
    change = figure_of("w-change", result, graph, at=WHOLE, seed=5).data.groupby("series")["value"]
    test = graph.split(5).test
    assert change.sum().to_dict() == {"base": test.sum(), "wGNN": test.sum()}
    wide = figure_of("w-change", result, graph, seed=5)
    assert result.chosen.text in wide.title


def test_curves_of_several_runs(runs: Runs, graph: Graph) -> None:
    pair = [runs["base"], runs["2 layers"]]
    data = figure_of("accuracy-coverage", pair, graph, rankers=("m2",)).data
    last = data[(data["alpha_percent"] == 100) & (data["statistic"] == "mean")]
    np.testing.assert_allclose(last["accuracy_percent"], [r.base.test.mean() for r in pair])
    assert [name.split(" (")[0] for name in last["series"]] == ["gcn on csbm", "gat on csbm"]


def test_w_histogram_counts_the_test_nodes(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    for etas in (None, WHOLE):
        predicted, w = result.outcome(etas or Intervention(), 2)
        test = graph.split(5).test
        data = figure_of("w-histogram", result, graph, seed=5, at=etas).data
        counts = data.groupby("outcome")["count"].sum()
        right = predicted == graph.y
        assert counts["correct"] == (test & right).sum()
        assert counts["wrong"] == (test & ~right).sum()
        low = data[data["w_to"] <= 0.5]["count"].sum()
        assert low == (test & (w < data[data["w_to"] <= 0.5]["w_to"].max())).sum()


def test_boundary_box_by_hand(runs: Runs, graph: Graph) -> None:
    w = runs["ablation"].outcome(Intervention(), 0)[1]
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
        data = figure_of("edge-drop", result, graph, seed=seed, at=WHOLE, whole=True).data
        row = result.rows[(result.rows["seed"] == seed) & (result.rows["eta1"] == 0.3)].iloc[0]
        assert (data["state"] == "dropped").sum() == row["edges_dropped"] > 0
        assert (data["mark"] == "edge").sum() == graph.num_edges
    shown = nodes_of(figure_of("edge-drop", result, graph, at=WHOLE, max_nodes=40).data)
    assert 0 < len(shown) <= 40
    least = result.plan(WHOLE, 0).edge_drop.least
    assert least[shown["node"][shown["inside"].astype(bool)].to_numpy(int)].all()


def test_edge_drop_of_etas_that_were_not_trained(runs: Runs, graph: Graph) -> None:
    """Algorithm 2 needs the base model alone."""
    data = figure_of(
        "edge-drop", runs["base"], graph, at=Intervention(0.0, 1.0, 1.0), whole=True
    ).data
    forest = nx.number_connected_components(nx.Graph(graph.edges.tolist()))
    touched = len(np.unique(graph.edges))
    assert (data["state"] == "dropped").sum() == graph.num_edges - (touched - forest)


def test_comparison_bars_are_the_scores(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    data = figure_of("comparison-bars", result, graph).data
    seeds = data[data["statistic"] == "seed"]
    by_method = {m: r["accuracy_percent"].to_numpy() for m, r in seeds.groupby("method")}
    assert list(seeds["method"].drop_duplicates()) == ["GCN", "wGNN", "wGNN1", "wGNN2"]
    np.testing.assert_allclose(by_method["GCN"], result.base.test)
    for name, eta0, eta1 in (("wGNN", 0.5, 0.3), ("wGNN1", 0.5, 0.0), ("wGNN2", 0.0, 0.3)):
        mine = result.rows[(result.rows["eta0"] == eta0) & (result.rows["eta1"] == eta1)]
        assert mine["seed"].tolist() == [3, 0, 5]
        np.testing.assert_allclose(by_method[name], mine["test"])


def test_harmonic_map_interpolates_the_training_nodes(runs: Runs, graph: Graph) -> None:
    nodes = nodes_of(figure_of("harmonic-map", runs["base"], graph, label="1", seed=5).data)
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
        ("base", {"eta-grid", "edge-drop", "comparison-bars", "w-change"}),
        ("grid", set()),
        ("full", set()),
        ("two-stage", set()),
        ("2 layers", {"edge-drop"}),
    ],
)
def test_kinds_of_a_run_can_all_be_made(
    runs: Runs, graph: Graph, name: str, without: set[str]
) -> None:
    kinds = kinds_of(runs[name], graph)
    assert kinds == [kind for kind in ONE_RUN if kind not in without]
    for kind in kinds:
        figure = figure_of(kind, runs[name], graph)
        assert figure.kind == kind
        assert table_csv(figure.data) == table_csv(figure_of(kind, runs[name], graph).data)
    for kind in without:
        with pytest.raises(WGNNError, match=f"no {kind} from run"):
            figure_of(kind, runs[name], graph)


def test_nothing_before_the_base_model_is_there(runs: Runs, graph: Graph) -> None:
    empty = as_table([])
    started = replace(runs["grid"], base=None, rows=empty, chosen=None)
    assert kinds_of(started, graph) == []
    only_base = replace(runs["grid"], rows=empty, chosen=None)
    lacking = {"edge-drop", "comparison-bars", "w-change"}
    assert set(kinds_of(only_base, graph)) == set(ONE_RUN) - lacking


def test_runs_that_make_no_depth_curve(runs: Runs, graph: Graph) -> None:
    def reason(given: object) -> str:
        return missing("depth-curve", given, graph)

    two, three = runs["2 layers"], runs["3 layers"]
    several = ["accuracy-coverage", "comparison-bars", "depth-curve", "eta-grid"]
    assert kinds_of([two, three], graph) == several
    assert "1 run is given, and it takes 2 to 100" in reason(two)
    assert "same number" in reason([two, two])
    assert "no hyperparameter layers" in reason([runs["grid"], runs["base"]])
    other = replace(two, summary=replace(two.summary, config=replace(two.config, seeds=(0, 3, 5))))
    assert "differ in more" in reason([three, other])
    unfinished = replace(two, rows=two.rows.iloc[:-1])
    assert "finished" in reason([unfinished, three])

    def with_etas(*etas: tuple[float, float, float]) -> list[RunResult]:
        made = tuple(Intervention(*triple) for triple in etas)
        return [
            replace(r, summary=replace(r.summary, config=replace(r.config, interventions=made)))
            for r in (two, three)
        ]

    assert "in eta0 alone" in reason(with_etas((0.4, 0, 0), (0.4, 0.1, 0.1)))
    assert "stands for the base" in reason(with_etas((0.0, 0.1, 0.1)))


def test_a_run_keeps_to_its_graph(runs: Runs, graph: Graph) -> None:
    with pytest.raises(WGNNError, match="on another graph than"):
        figure_of("node-map", runs["base"], datasets.load("karate"))
    renamed = replace(graph, title="mine")
    assert "mine" in figure_of("node-map", runs["base"], renamed).title


def test_a_given_layout_is_used(runs: Runs, graph: Graph) -> None:
    xy = np.random.default_rng(0).random((graph.num_nodes, 2)).astype(np.float32)
    for kind, how in (("node-map", {}), ("edge-drop", {"whole": True}), ("harmonic-map", {})):
        drawn = nodes_of(figure_of(kind, runs["grid"], graph, xy=xy, **how).data)
        np.testing.assert_array_equal(drawn[["x", "y"]].to_numpy(dtype=np.float32), xy)


@pytest.mark.parametrize(
    ("kind", "choices", "message"),
    [
        ("nope", {}, "no figure 'nope'; choose one of accuracy-coverage"),
        ("node-map", {"seed": 1}, "seed 1 is no part of the run; it has 3, 0, 5"),
        ("node-map", {"colour": "red"}, "colour is 'red'"),
        ("node-map", {"at": Intervention(0.9, 0.9, 0.9)}, "not among the finished"),
        (
            "accuracy-coverage",
            {"rankers": ("oracle",)},
            "rankers is 'oracle'; it must be one",
        ),
        ("accuracy-coverage", {"rankers": ()}, "the rankers are none"),
        ("harmonic-map", {"label": "3"}, "no class '3'"),
        ("edge-drop", {"max_nodes": 0}, "max_nodes is 0"),
        ("eta-grid", {"metric": "f1"}, "metric is 'f1'"),
        ("eta-grid", {"colour": "w"}, "eta-grid has no choice 'colour'; its choices are metric"),
        ("node-map", {"mark": "nobody"}, "no nodes are called 'nobody'"),
        ("node-map", {"mark": "0,9999"}, "has no node 9999"),
        ("node-map", {"mark": "below the threshold"}, "say where it is"),
        ("node-map", {"around": 9999}, "has no node 9999"),
        ("node-map", {"at": "0.5,0.3"}, "is no intervention"),
        ("node-probabilities", {}, "no node is chosen"),
    ],
)
def test_wrong_choices(runs: Runs, graph: Graph, kind: str, choices: dict, message: str) -> None:
    with pytest.raises(WGNNError, match=message) as caught:
        figure_of(kind, runs["grid"], graph, **choices)
    assert "\n" not in str(caught.value)
