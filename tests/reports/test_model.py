"""Confusion, training curves, reliability and wrong nodes of a run, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from wgnn_core.errors import WGNNError
from wgnn_core.figures import figure_of, missing
from wgnn_core.graph import Graph
from wgnn_core.intervention import Intervention
from wgnn_core.reports.judged import judged_nodes
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.results import RunResult
from wgnn_core.wgnn import carried

Runs = dict[str, RunResult]
WHOLE = Intervention(0.5, 0.3, 0.4)


def tallied(result: RunResult, position: int) -> np.ndarray:
    first = result.base.predicted[position]
    return carried(first, result.outcome(WHOLE, position)[0], result.plan(WHOLE, position))


def test_confusion_by_hand(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    figure = figure_of("confusion", result, graph, at=WHOLE)
    counts = figure.data.set_index(["model", "true", "predicted"])["count"]
    names = [str(name) for name in graph.class_names]
    for model in ("base GCN", "wGNN"):
        expected = np.zeros((3, 3), dtype=int)
        for position, seed in enumerate(result.base.seeds.tolist()):
            mine = result.base.predicted[position]
            mine = mine if model == "base GCN" else tallied(result, position)
            for node in np.flatnonzero(graph.split(seed).test):
                expected[graph.y[node], mine[node]] += 1
        found = [[counts[model, true, guess] for guess in names] for true in names]
        np.testing.assert_array_equal(found, expected)
        own = figure.by_class().set_index("class")[model]
        np.testing.assert_allclose(own, 100 * np.diag(expected) / expected.sum(axis=1))
    table = figure.by_class()
    assert (table["nodes"] > 0).all()
    np.testing.assert_allclose(table["change"], table["wGNN"] - table["base GCN"])
    assert (
        "3 seeds" in figure.caption and WHOLE.text in figure.caption and "tally" in figure.caption
    )
    alone = figure_of("confusion", runs["base"], graph)
    assert alone.data["model"].unique().tolist() == ["base GCN"] and "tally" not in alone.caption


def test_a_wgnn_that_is_not_there_is_refused(runs: Runs, graph: Graph) -> None:
    other = Intervention(0.1, 0.1, 0.1)
    for kind in ("confusion", "training-curves", "reliability"):
        assert "is not finished for every seed" in missing(kind, runs["ablation"], graph, at=other)
        with pytest.raises(WGNNError, match=f"no {kind} from run"):
            figure_of(kind, runs["ablation"], graph, at=other)


def test_training_curves_by_hand(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    data = figure_of("training-curves", result, graph, at=WHOLE).data
    curves = {"validation": "val_accuracy", "training": "train_accuracy", "loss": "loss"}
    for model, one in (("base GCN", Intervention()), ("wGNN", WHOLE)):
        history = result.history(one)
        for panel, field in curves.items():
            mine = data[(data["series"] == model) & (data["panel"] == panel)]
            mean = mine[mine["statistic"] == "mean"]
            assert mean["epoch"].tolist() == list(range(1, 13))
            np.testing.assert_allclose(
                mean["value"], getattr(history, field).mean(axis=0), rtol=1e-5
            )
    best = data[(data["statistic"] == "kept epoch") & (data["series"] == "base GCN")]
    assert best["epoch"].tolist() == (result.base.best_epoch + 1).tolist()
    np.testing.assert_allclose(best["value"], result.base.val, rtol=1e-5)
    before = replace(result, base=replace(result.base, history=None))
    assert "were not stored" in missing("training-curves", before, graph)


def test_the_kept_epoch_is_marked_where_it_is_the_last(runs: Runs) -> None:
    recipe = (("epochs", 30), ("patience", 4), ("keep", "last"))
    result = run_here(replace(runs["base"].config, hyper=recipe))
    figure = figure_of("training-curves", result, result.graph)
    kept = figure.data[figure.data["statistic"] == "kept epoch"]
    assert kept["epoch"].tolist() == (result.base.best_epoch + 1).tolist()
    np.testing.assert_allclose(kept["value"], result.base.val, rtol=1e-5)
    assert "its last one" in figure.caption and "highest" not in figure.caption


def test_reliability_by_hand(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    figure = figure_of("reliability", runs["base"], graph)
    sure, right = [], []
    for position, seed in enumerate(result.base.seeds.tolist()):
        test = graph.split(seed).test
        prob = result.base.prob[position][test]
        sure += (100 * prob.max(axis=1)).tolist()
        right += (prob.argmax(axis=1) == graph.y[test]).tolist()
    total = 0.0
    for row in figure.data.to_dict("records"):
        inside = [i for i, s in enumerate(sure) if row["bin_from"] < s <= row["bin_to"]]
        assert row["count"] == len(inside)
        accuracy = 100 * np.mean([right[i] for i in inside])
        confidence = np.mean([sure[i] for i in inside])
        assert row["accuracy_percent"] == pytest.approx(accuracy)
        assert row["confidence_percent"] == pytest.approx(confidence)
        total += len(inside) * abs(accuracy - confidence)
    assert f"ECE {total / len(sure):.1f} %" in figure.caption
    side = "above" if np.mean(sure) > 100 * np.mean(right) else "below"
    assert f"points {side} accuracy" in figure.caption
    both = figure_of("reliability", result, graph, at=WHOLE)
    assert both.data["series"].unique().tolist() == ["base GCN", "wGNN"]
    assert "without the tally" in both.caption


def test_wrong_fixed_and_broken_nodes_by_hand(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    table = judged_nodes(result, 1, WHOLE).set_index("node")
    first, second = result.base.predicted[1], tallied(result, 1)
    for node in np.flatnonzero(graph.split(0).test):
        was, now = first[node] == graph.y[node], second[node] == graph.y[node]
        state = {(False, False): "wrong", (False, True): "fixed", (True, False): "broken"}
        assert (node in table.index) == ((was, now) != (True, True))
        if node in table.index:
            assert table.loc[node, "state"] == state[was, now]
    assert table["w before"].is_monotonic_increasing and not table.index.duplicated().any()
    alone = judged_nodes(result, 1)
    assert set(alone["state"]) == {"wrong"} and "after" not in alone
    assert len(alone) == (graph.split(0).test & (first != graph.y)).sum()
