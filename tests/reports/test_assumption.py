"""The smooth interpolation beside a run: figures and numbers against a dense solve."""

from __future__ import annotations

import numpy as np
import pytest

from wgnn_core.figures import figure_of
from wgnn_core.graph import Graph
from wgnn_core.reports.assumption import assumption
from wgnn_core.runs.results import RunResult

Runs = dict[str, RunResult]


def dense(graph: Graph, train: np.ndarray) -> np.ndarray:
    """f~ of every class by the normal equations; nan where no training node is reached."""
    links = graph.adjacency.toarray()
    laplacian = np.diag(links.sum(axis=1)) - links
    reached = np.linalg.matrix_power(np.eye(len(links)) + links, 60)[:, train].any(axis=1)
    free = reached & ~train
    f = np.full((graph.num_nodes, graph.num_classes), np.nan)
    f[train] = np.eye(graph.num_classes)[graph.y[train]]
    f[free] = np.linalg.solve(
        laplacian[np.ix_(free, free)], -laplacian[np.ix_(free, train)] @ f[train]
    )
    return f


def test_numbers_and_figures_against_a_dense_solve(runs: Runs, graph: Graph) -> None:
    result, seed = runs["base"], 5
    base, position = result.trained, 2
    split = graph.split(seed)
    f, mu = dense(graph, split.train), base.prob[position]
    known = ~split.train & np.isfinite(f[:, 0])
    bars = figure_of("assumption-classes", result, graph, seed=seed).data
    pearson = bars[bars["series"] == "of the values"].set_index("category")["value"]
    for s, name in enumerate(graph.class_names):
        expected = np.corrcoef(f[known, s], mu[known, s])[0, 1]
        assert pearson[name] == pytest.approx(expected, abs=1e-6)
    w = np.abs(f - 1 / 3).sum(axis=1)
    found = assumption(base, position)
    assert found.w.pearson == pytest.approx(
        np.corrcoef(w[known], base.w[position][known])[0, 1], abs=1e-5
    )
    test = split.test
    guess = np.where(np.isfinite(f[:, 0]), np.nan_to_num(f).argmax(axis=1), -1)
    assert found.harmonic_accuracy == pytest.approx(100 * (guess == graph.y)[test].mean())
    assert found.network_accuracy == pytest.approx(base.test[position])
    assert found.unreached == int(np.isnan(f[test, 0]).sum()) and found.test == test.sum()
    order = sorted(np.flatnonzero(test), key=lambda v: (-np.nan_to_num(w)[v].round(9), v))
    wrong = base.predicted[position][order] != graph.y[order]
    aurc = (np.cumsum(wrong) / np.arange(1, len(order) + 1)).mean()
    assert found.harmonic_aurc == pytest.approx(1000 * aurc, rel=1e-3)
    stairs = figure_of("assumption-distance", result, graph, seed=seed).data
    assert set(stairs["series"]) == {"smooth interpolation", "network"}


def test_the_coupling_of_a_run_is_of_its_network(runs: Runs, graph: Graph) -> None:
    result = runs["base"]
    figure = figure_of("coupling", result, graph, node=7, seed=5)
    mass = figure.data["mass"].to_numpy().reshape(3, 3)
    mu = result.trained.prob[2, 7]
    np.testing.assert_allclose(mass.sum(axis=1), mu, atol=1e-6)
    np.testing.assert_allclose(mass.sum(axis=0), 1 / 3, atol=1e-6)
    w = float(np.abs(mu - 1 / 3).sum())
    assert 2 * (mass.sum() - np.trace(mass)) == pytest.approx(w, abs=1e-6)
    assert f"{w:.4g}" in figure.caption


def test_remedies_of_a_run_are_those_of_its_plan(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    at = "0.5,0.3,0.4"
    chosen = {"label": "1", "seed": 5, "at": at, "partition": "predicted"}
    more = figure_of("harmonic-map", result, graph, statement="more-observed", **chosen)
    plan = result.plan(result.config.interventions[0], 2)
    added = set(np.flatnonzero(plan.supplement.added))
    assert set(more.statements[0].nodes["newly observed"]) == added
    drop = figure_of("harmonic-map", result, graph, statement="fewer-edges", **chosen)
    np.testing.assert_array_equal(
        drop.statements[0].edges["dropped"], graph.edges[plan.edge_drop.dropped]
    )
    least = figure_of("harmonic-map", result, graph, statement="theorem-3", **chosen)
    assert set(least.statements[0].nodes["V'"]) == set(np.flatnonzero(plan.edge_drop.least))
