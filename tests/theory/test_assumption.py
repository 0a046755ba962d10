"""The smooth interpolation as a stand-in for a network: correlations, ranker, classifier."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from wgnn_core import datasets
from wgnn_core.boundary import distance_to_boundary
from wgnn_core.errors import WGNNError
from wgnn_core.graph import HIDDEN
from wgnn_core.nonuniformity import nonuniformity
from wgnn_core.theory.assumption import (
    agreement,
    by_distance,
    class_agreement,
    harmonic_classes,
    harmonic_nonuniformity,
    nonuniformity_agreement,
)
from wgnn_core.theory.harmonic import interpolate


def pair(seed: int, nodes: int = 40, classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(classes), size=nodes)
    weights[rng.random(nodes) < 0.2] = np.nan
    prob = rng.dirichlet(np.ones(classes), size=nodes).astype(np.float32)
    return weights, prob


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_correlations_are_those_of_scipy(seed: int) -> None:
    weights, prob = pair(seed)
    compared = np.random.default_rng(seed).random(len(prob)) < 0.7
    chosen = compared & np.isfinite(weights[:, 0])
    for s, found in enumerate(class_agreement(weights, prob, compared)):
        x, y = weights[chosen, s], prob[chosen, s]
        assert found.nodes == chosen.sum()
        assert found.pearson == pytest.approx(stats.pearsonr(x, y)[0], abs=1e-6)
        assert found.spearman == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-9)
        assert found.distance == pytest.approx(np.abs(x - y).mean())
    found = nonuniformity_agreement(weights, prob, compared)
    x, y = nonuniformity(weights[chosen]), nonuniformity(prob[chosen])
    assert found.spearman == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-9)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_means_by_distance(seed: int) -> None:
    weights, prob = pair(seed)
    rng = np.random.default_rng(seed)
    hops = rng.choice([0.0, 1.0, 2.0, np.inf], size=len(prob))
    compared = rng.random(len(prob)) < 0.8
    found = by_distance(weights, prob, hops, compared)
    chosen = compared & np.isfinite(weights[:, 0])
    assert found.hops.tolist() == sorted(set(hops[chosen]))
    assert found.nodes.sum() == chosen.sum()
    for i, level in enumerate(found.hops):
        at = chosen & (hops == level)
        x, y = nonuniformity(weights[at]), nonuniformity(prob[at])
        assert found.nodes[i] == at.sum()
        assert found.harmonic[i] == pytest.approx(x.mean())
        assert found.network[i] == pytest.approx(y.mean())
        if at.sum() > 2:
            assert found.spearman[i] == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-9)


def test_unreached_nodes_rank_last_and_have_no_class() -> None:
    weights = np.array([[0.2, 0.8], [0.5, 0.5], [np.nan, np.nan], [1.0, -1e-17]])
    np.testing.assert_allclose(harmonic_nonuniformity(weights), [0.6, 0, 0, 1])
    assert harmonic_classes(weights).tolist() == [1, 0, HIDDEN, 0]


def test_a_constant_value_has_no_correlation_and_one_node_no_comparison() -> None:
    assert np.isnan(agreement(np.ones(5), np.arange(5.0)).pearson)
    assert np.isnan(agreement(np.ones(5), np.arange(5.0)).spearman)
    assert agreement(np.arange(5.0), np.arange(5.0) ** 3).spearman == pytest.approx(1)
    with pytest.raises(WGNNError, match="1 nodes can be compared"):
        agreement([0.5, np.nan], [1.0, 1.0])


def test_on_a_homophilous_graph_it_classifies_and_ranks() -> None:
    graph = datasets.load(
        "csbm", nodes=1500, classes=3, features=1, average_degree=12.0, homophily=0.9, seed=0
    )
    split = graph.split(0)
    labels = np.where(split.train, graph.y, HIDDEN)
    weights = interpolate(graph.adjacency, labels, 3).weights
    predicted = harmonic_classes(weights)
    right = predicted == graph.y
    assert right[split.train].all()
    assert right[split.test].mean() > 0.8  # a guess is right for a third
    score = harmonic_nonuniformity(weights)
    order = np.argsort(-score[split.test])
    first, last = np.array_split(right[split.test][order], 2)
    assert first.mean() > last.mean()
    hops = distance_to_boundary(graph.edges, graph.y, graph.num_nodes)
    found = by_distance(weights, weights.astype(np.float32), hops)
    np.testing.assert_allclose(found.harmonic, found.network, atol=1e-6)
