import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core.boundary import (
    class_boundary,
    distance_to_boundary,
    edge_homophily,
    node_homophily,
)
from wgnn_core.graph import UNLABELLED


@st.composite
def labelled_graphs(draw):
    n, seed = draw(st.integers(1, 20)), draw(st.integers(0, 2**32 - 1))
    g = nx.gnm_random_graph(n, draw(st.integers(0, 30)), seed=seed)
    edges = np.array(sorted(g.edges), dtype=np.int64).reshape(-1, 2)
    # Few labels off the first class, so that some components have no boundary.
    labels = (np.random.default_rng(seed).random(n) < draw(st.floats(0, 0.5))).astype(np.int64)
    labels[np.random.default_rng(seed + 1).random(n) < draw(st.sampled_from([0, 0.3]))] = UNLABELLED
    return g, edges, labels


@given(labelled_graphs())
def test_boundary_is_the_union_of_the_boundaries_of_the_classes(case):
    g, edges, labels = case
    expected = set()
    known = {v for v in g if labels[v] != UNLABELLED}
    for s in {labels[v] for v in known}:
        inside = {v for v in known if labels[v] == s}
        expected |= {v for v in inside if any(u in known - inside for u in g[v])}
    boundary = class_boundary(edges, labels, len(g))
    assert set(np.flatnonzero(boundary)) == expected


@given(labelled_graphs())
def test_distance_equals_all_pairs_distances(case):
    g, edges, labels = case
    boundary = np.flatnonzero(class_boundary(edges, labels, len(g)))
    lengths = dict(nx.all_pairs_shortest_path_length(g))
    expected = [min((lengths[v].get(b, np.inf) for b in boundary), default=np.inf) for v in g]
    np.testing.assert_array_equal(distance_to_boundary(edges, labels, len(g)), expected)


@given(labelled_graphs())
def test_homophily_equals_counting(case):
    g, edges, labels = case
    known = labels != UNLABELLED
    agree = {v: [labels[u] == labels[v] for u in g[v] if known[u] and known[v]] for v in g}
    shares = [np.mean(agree[v]) if agree[v] else np.nan for v in g]
    np.testing.assert_allclose(node_homophily(edges, labels, len(g)), shares)
    pairs = [labels[u] == labels[v] for u, v in edges if known[u] and known[v]]
    np.testing.assert_equal(edge_homophily(edges, labels), np.mean(pairs) if pairs else np.nan)


def test_path_with_two_classes_by_hand():
    edges, labels = np.array([(0, 1), (1, 2), (2, 3)]), np.array([0, 0, 1, 1, 0])
    assert class_boundary(edges, labels, 5).tolist() == [False, True, True, False, False]
    assert distance_to_boundary(edges, labels, 5).tolist() == [1, 0, 0, 1, np.inf]
    assert node_homophily(edges, labels, 5)[:4].tolist() == [1, 0.5, 0.5, 1]
