from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgnn_core import datasets
from wgnn_core.datasets.csbm import _pairs_across, _pairs_within
from wgnn_core.errors import WGNNError


def same_class_share(graph):
    u, v = graph.edges.T
    return (graph.y[u] == graph.y[v]).mean()


@settings(max_examples=30)
@given(
    st.integers(60, 200), st.integers(2, 5), st.floats(0, 1), st.floats(1, 6), st.integers(0, 99)
)
def test_homophily_and_degree_are_those_asked_for(nodes, classes, homophily, degree, seed):
    graph = datasets.load(
        "csbm",
        nodes=nodes,
        classes=classes,
        homophily=homophily,
        average_degree=degree,
        seed=seed,
    )
    m = round(nodes * degree / 2)
    assert graph.num_edges == m, "an edge was drawn twice or is a loop"
    assert graph.self_loops_removed == 0
    assert same_class_share(graph) == pytest.approx(round(homophily * m) / m)
    sizes = np.bincount(graph.y)
    assert len(sizes) == classes and sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("draw", [_pairs_within, _pairs_across])
def test_every_pair_can_be_drawn(draw):
    """Drawing as many pairs as there are gives each of them exactly once."""
    sizes = np.array([4, 3, 5])
    label = np.repeat(np.arange(3), sizes)
    expected = {
        (a, b)
        for a in range(12)
        for b in range(a)
        if (label[a] == label[b]) == (draw is _pairs_within)
    }
    pairs = draw(np.random.default_rng(0), sizes, len(expected))
    assert {(max(p), min(p)) for p in pairs.tolist()} == expected


def test_pairs_within_a_huge_class_are_ranked_exactly():
    pairs = _pairs_within(np.random.default_rng(0), np.array([1_000_000]), 100_000)
    assert (pairs[:, 0] > pairs[:, 1]).all() and (pairs[:, 1] >= 0).all()
    assert pairs.max() < 1_000_000


def test_pairs_are_uniform():
    counts = np.zeros((5, 5))
    rng = np.random.default_rng(0)
    for _ in range(4000):
        a, b = _pairs_within(rng, np.array([5]), 1)[0]
        counts[a, b] += 1
    drawn = counts[np.tril_indices(5, -1)]
    # Ten cells of mean 400, standard deviation 19.
    assert abs(drawn - 400).max() < 95


def test_separation_is_the_length_of_the_class_means():
    graph = datasets.load("csbm", nodes=20_000, classes=2, features=8, separation=3.0)
    x = graph.x.toarray()
    for c in range(2):
        mean = x[graph.y == c].mean(axis=0)
        assert np.linalg.norm(mean) == pytest.approx(3.0, abs=0.1)
        assert (x[graph.y == c] - mean).std() == pytest.approx(1.0, abs=0.02)


def test_seed_alone_decides():
    assert datasets.load("csbm", seed=3).content_hash == datasets.load("csbm", seed=3).content_hash
    assert datasets.load("csbm", seed=3).content_hash != datasets.load("csbm", seed=4).content_hash


def test_split_shrinks_with_the_graph(csbm_small):
    split = csbm_small.split(0)
    assert np.bincount(csbm_small.y[split.train]).tolist() == [20, 20, 20]
    assert (split.val.sum(), split.test.sum()) == (75, 165)
    smallest = datasets.load("csbm", nodes=80, classes=20, average_degree=2.0).split(0)
    assert (smallest.train.sum(), smallest.val.sum(), smallest.test.sum()) == (20, 20, 40)
    with pytest.raises(WGNNError, match="79 nodes are too few for 20 classes; at least 80"):
        datasets.load("csbm", nodes=79, classes=20)


def test_too_many_edges_or_values_are_refused():
    with pytest.raises(WGNNError, match="edges within a class are asked for, but there are only"):
        datasets.load("csbm", nodes=40, average_degree=30.0, homophily=1.0)
    with pytest.raises(WGNNError, match="at most 100000000 are allowed"):
        datasets.load("csbm", nodes=1_000_000, features=2000)
    with pytest.raises(WGNNError, match="edges are asked for; at most 20000000"):
        datasets.load("csbm", nodes=1_000_000, features=1, average_degree=200.0)


def test_a_large_graph_takes_seconds():
    start = time.process_time()
    graph = datasets.load("csbm", nodes=300_000, average_degree=10.0, homophily=0.3, features=8)
    assert graph.num_edges == 1_500_000
    assert time.process_time() - start < 30, "about 3 s on one idle core"
