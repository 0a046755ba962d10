"""Cuts and the Cheeger constant against brute force on every connected graph up to 7 nodes."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.reference import atlas, cut_sizes, expansion, graphs
from wgnn_core.errors import WGNNError
from wgnn_core.theory import cuts
from wgnn_core.theory.cuts import cheeger, cheeger_realisers, max_cut, min_cut, sweep
from wgnn_core.theory.sets import crossings


def edges_of(graph: nx.Graph) -> np.ndarray:
    return np.array(list(graph.edges), dtype=np.int64).reshape(-1, 2)


def ratio(edges: np.ndarray, side: np.ndarray) -> float:
    return crossings(edges, side) / min(side.sum(), (~side).sum())


def test_all_connected_graphs_up_to_7_nodes_exactly() -> None:
    for graph in atlas(7):
        edges, n = edges_of(graph), len(graph)
        sizes = cut_sizes(graph, graph)
        least, most = min_cut(edges, n), max_cut(edges, n)
        assert least.exact and least.lower == min(sizes) == crossings(edges, least.side)
        assert 0 < least.side.sum() < n
        assert most.exact and most.lower == max(sizes) == crossings(edges, most.side)
        h, realisers = expansion(graph)
        found = cheeger(edges, n)
        assert found.exact and found.lower == float(h) == ratio(edges, found.side)
        same, sides = cheeger_realisers(edges, n)
        assert same == float(h)
        assert [set(np.flatnonzero(side)) for side in sides] == realisers


def test_the_bounds_of_larger_graphs_hold_on_all_graphs_up_to_6_nodes(monkeypatch) -> None:
    """As if brute force and Stoer-Wagner were out of reach from 2 nodes on."""
    monkeypatch.setattr(cuts, "BRUTE_FORCE", 1)
    monkeypatch.setattr(cuts, "STOER_WAGNER", 1)
    tight = 0
    for graph in atlas(6):
        edges, n = edges_of(graph), len(graph)
        sizes = cut_sizes(graph, graph)
        least, most, h = min_cut(edges, n), max_cut(edges, n), float(expansion(graph)[0])
        assert least.lower <= min(sizes) <= least.upper == crossings(edges, least.side)
        assert crossings(edges, most.side) == most.lower <= max(sizes) <= most.upper
        assert most.lower >= n - 1  # never less than a spanning tree
        found = cheeger(edges, n)
        assert found.lower <= h + 1e-9 and h <= found.upper + 1e-9
        assert found.upper == pytest.approx(ratio(edges, found.side))
        tight += found.upper <= h + 1e-9
    assert tight > 0.9 * len(atlas(6))  # the sweep is no stranger to the best cut


@given(graphs(least=2, most=8, connected=False))
@settings(max_examples=300)
def test_disconnected_graphs_too(graph: nx.Graph) -> None:
    edges, n = edges_of(graph), len(graph)
    sizes = cut_sizes(graph, graph)
    assert min_cut(edges, n).lower == min_cut(edges, n).upper == min(sizes)
    assert max_cut(edges, n).lower == max_cut(edges, n).upper == max(sizes)
    assert cheeger(edges, n).lower == float(expansion(graph)[0])


@given(graphs(least=2, most=40), st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_a_sweep_is_the_best_of_its_sets(graph: nx.Graph, seed: int) -> None:
    edges, n = edges_of(graph), len(graph)
    values = np.random.default_rng(seed).permutation(n).astype(float)
    best, side = sweep(edges, values)
    tried = [ratio(edges, values <= t) for t in range(n - 1)]
    assert best == pytest.approx(min(tried)) == ratio(edges, side)
    assert values[side].max() < values[~side].min()


@given(graphs(least=19, most=30))
@settings(max_examples=50)
def test_bounds_enclose_what_slower_ways_find(graph: nx.Graph) -> None:
    edges, n = edges_of(graph), len(graph)
    assert min_cut(edges, n).lower == nx.edge_connectivity(graph)
    h, most = cheeger(edges, n), max_cut(edges, n)
    assert 0 < h.lower <= h.upper + 1e-9
    assert most.lower <= most.upper
    assert most.lower >= len(edges) / 2  # any greedy cut
    rng = np.random.default_rng(0)
    for side in rng.random((50, n)) < 0.5:
        assert crossings(edges, side) <= most.upper
        if 0 < side.sum() < n:
            assert ratio(edges, side) >= h.lower - 1e-9


def test_sparse_eigenvalues_agree_with_dense_ones(monkeypatch) -> None:
    graph = nx.connected_watts_strogatz_graph(120, 4, 0.2, seed=0)
    edges = edges_of(graph)
    dense = cheeger(edges, 120), max_cut(edges, 120)
    monkeypatch.setattr(cuts, "DENSE", 10)
    for one, other in zip(dense, (cheeger(edges, 120), max_cut(edges, 120)), strict=True):
        assert one.lower == pytest.approx(other.lower, rel=1e-6)
        assert one.upper == pytest.approx(other.upper, rel=1e-6)


def test_known_graphs() -> None:
    for n in (20, 30, 41):
        path = np.array(list(pairwise(range(n))))
        assert max_cut(path, n).lower == n - 1 == max_cut(path, n).upper  # bipartite
        assert cheeger(path, n).upper == pytest.approx(1 / (n // 2))
        assert min_cut(path, n).lower_by == "a leaf"
    barbell = edges_of(nx.barbell_graph(12, 0))
    found = cheeger(barbell, 24)
    assert found.upper == pytest.approx(1 / 12) and found.lower == pytest.approx(1 / 12)
    assert min_cut(barbell, 24).lower_by == "a bridge"
    cycle = edges_of(nx.cycle_graph(501))
    assert min_cut(cycle, 501).lower == 2 == min_cut(cycle, 501).upper
    assert max_cut(cycle, 501).lower == 500 == max_cut(cycle, 501).upper  # odd
    whole = min_cut(edges_of(nx.random_regular_graph(6, 500, seed=0)), 500)
    assert (whole.lower, whole.upper, whole.upper_by) == (2, 6, "the smallest degree")


def test_graphs_that_have_no_cut_or_are_too_large_are_named() -> None:
    none = np.empty((0, 2), dtype=np.int64)
    with pytest.raises(WGNNError, match="a graph of 1 nodes has no cut"):
        min_cut(none, 1)
    with pytest.raises(WGNNError, match="30001 nodes; the Cheeger constant needs 2 to 30000"):
        cheeger(none, 30_001)
    with pytest.raises(WGNNError, match="all cuts of 19 nodes are too many"):
        cheeger_realisers(none, 19)
    assert max_cut(none, 0).upper == max_cut(none, 3).upper == 0
