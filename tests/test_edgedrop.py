import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core import datasets
from wgnn_core.edgedrop import drop_edges
from wgnn_core.errors import WGNNError


def random_edges(nodes, edges, seed):
    pairs = nx.gnm_random_graph(nodes, edges, seed=seed).edges
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


@st.composite
def cases(draw):
    """edges, N, w, pool."""
    n, seed = draw(st.integers(1, 25)), draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    edges = random_edges(n, draw(st.integers(0, 80)), seed)
    w = rng.integers(0, 5, n) / 4 if draw(st.booleans()) else rng.random(n)
    pool = rng.random(n) < 0.7 if draw(st.booleans()) else None
    return edges, n, w, pool


percents = st.integers(0, 100)
seeds = st.integers(0, 2**32 - 1)


def run(case, percent1, percent2, seed):
    edges, n, w, pool = case
    return drop_edges(edges, n, w, percent1 / 100, percent2 / 100, seed, pool)


def network(n, edges):
    g = nx.Graph()
    g.add_nodes_from(range(n))
    g.add_edges_from(edges.tolist())
    return g


def components(n, edges):
    return {frozenset(c) for c in nx.connected_components(network(n, edges))}


@given(cases(), percents, percents, seeds)
def test_connected_components_never_change(case, percent1, percent2, seed):
    edges, n, _, _ = case
    result = run(case, percent1, percent2, seed)
    assert components(n, edges[result.kept]) == components(n, edges)


@given(cases(), percents, percents, seeds)
def test_masks_follow_algorithm_2(case, percent1, percent2, seed):
    edges, n, w, pool = case
    result = run(case, percent1, percent2, seed)

    nodes = sorted(range(n) if pool is None else np.flatnonzero(pool), key=lambda v: (w[v], v))
    count = math.floor(Fraction(percent1, 100) * len(nodes))
    assert np.flatnonzero(result.least).tolist() == sorted(nodes[:count])

    induced = np.array([result.least[u] and result.least[v] for u, v in edges], dtype=bool)
    assert (result.forest <= induced).all()
    forest = network(n, edges[result.forest])
    assert n == 0 or nx.is_forest(forest)
    assert components(n, edges[result.forest]) == components(n, edges[induced])

    np.testing.assert_array_equal(result.kept, ~result.dropped)
    others = induced & ~result.forest
    assert (result.dropped <= others).all()
    assert result.dropped.sum() == math.floor(Fraction(percent2, 100) * int(others.sum()))


@given(cases(), percents, seeds)
def test_either_eta_zero_is_the_identity(case, percent, seed):
    assert run(case, 0, percent, seed).kept.all()
    assert run(case, percent, 0, seed).kept.all()


@given(cases(), percents, percents, percents, seeds)
def test_dropped_edges_are_nested_in_eta2(case, percent1, a, b, seed):
    small, large = (run(case, percent1, p, seed) for p in sorted((a, b)))
    assert (small.dropped <= large.dropped).all()
    np.testing.assert_array_equal(small.forest, large.forest)


@given(cases(), percents, percents, seeds)
def test_droppable_edges_are_nested_in_eta1(case, a, b, seed):
    small, large = (run(case, p, 100, seed).dropped for p in sorted((a, b)))
    assert (small <= large).all()


def test_same_seed_same_edges_other_seed_other_edges():
    edges, w = random_edges(30, 150, 1), np.random.default_rng(0).random(30)
    first, again, other = (drop_edges(edges, 30, w, 0.8, 0.5, seed) for seed in (4, 4, 5))
    np.testing.assert_array_equal(first.dropped, again.dropped)
    np.testing.assert_array_equal(first.forest, again.forest)
    assert (first.forest != other.forest).any()
    assert (first.dropped != other.dropped).any()


def test_every_edge_of_a_cycle_is_equally_likely_to_go():
    n, runs = 6, 1200
    edges = np.array([(i, i + 1) for i in range(n - 1)] + [(0, n - 1)])
    gone = sum(
        drop_edges(edges, n, np.zeros(n), 1.0, 1.0, seed).dropped.astype(int)
        for seed in range(runs)
    )
    assert gone.sum() == runs
    # Binomial(1200, 1/6): standard deviation 12.9, so 65 is five of them.
    assert np.abs(gone - runs / n).max() < 65


def test_the_edges_that_go_are_uniform_whatever_the_forest_weights():
    # A triangle and a 10-cycle that share node 0 leave one edge each; one of the two goes.
    triangle = [(0, 1), (0, 2), (1, 2)]
    cycle = [(0, 3), *((i, i + 1) for i in range(3, 11)), (0, 11)]
    edges, runs = np.array(triangle + cycle), 1200
    gone = sum(
        drop_edges(edges, 12, np.zeros(12), 1.0, 0.5, seed).dropped.astype(int)
        for seed in range(runs)
    )
    assert gone.sum() == runs
    # Binomial(1200, 1/2): standard deviation 17.3, so 87 is five of them.
    assert abs(gone[:3].sum() - runs / 2) < 87


def test_a_tree_loses_nothing():
    edges = np.array(sorted(nx.random_labeled_tree(40, seed=2).edges))
    assert drop_edges(edges, 40, np.zeros(40), 1.0, 1.0, 0).kept.all()


def test_pool_limits_the_nodes():
    edges, w = random_edges(20, 100, 3), np.arange(20) / 20
    pool = np.arange(20) >= 10
    result = drop_edges(edges, 20, w, 0.5, 1.0, 0, pool)
    assert np.flatnonzero(result.least).tolist() == [10, 11, 12, 13, 14]


@pytest.mark.parametrize(("eta1", "eta2", "name"), [(1.3, 0.5, "eta1"), (0.5, math.nan, "eta2")])
def test_bad_eta_is_named(eta1, eta2, name):
    with pytest.raises(WGNNError, match=rf"{name} is (1\.3|nan); it must lie between 0 and 1"):
        drop_edges(np.array([[0, 1]]), 2, np.zeros(2), eta1, eta2, 0)


@pytest.mark.dataset
def test_cora_has_78_components_and_2648_edges_outside_a_forest(raw_data):
    graph = datasets.load("cora")
    w = np.random.default_rng(0).random(graph.num_nodes)
    result = drop_edges(graph.edges, graph.num_nodes, w, 1.0, 1.0, 0)
    assert result.dropped.sum() == 2648
    assert len(components(graph.num_nodes, graph.edges[result.kept])) == 78
