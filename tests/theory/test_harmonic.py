"""Section 3 against exact rational arithmetic and brute force on small graphs."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from wgnn_core.errors import WGNNError
from wgnn_core.theory.harmonic import (
    SAME_LEVEL,
    boundary_sums,
    increasing_path,
    level_components,
    smooth_interpolation,
)


def matrix(graph: nx.Graph) -> sparse.csr_array:
    return sparse.csr_array(nx.to_scipy_sparse_array(graph, range(len(graph)), format="csr"))


def mask(n: int, nodes) -> np.ndarray:
    out = np.zeros(n, dtype=bool)
    out[list(nodes)] = True
    return out


def exact(graph: nx.Graph, zeros: set[int], ones: set[int]) -> list[Fraction]:
    """f~ by Gaussian elimination on fractions; the graph must be connected."""
    n = len(graph)
    rows = []
    for v in range(n):
        row = [Fraction(0)] * (n + 1)
        if v in zeros or v in ones:
            row[v], row[n] = Fraction(1), Fraction(int(v in ones))
        else:
            row[v] = Fraction(graph.degree(v))
            for u in graph[v]:
                row[u] -= 1
        rows.append(row)
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(n):
            if r != i and rows[r][i] != 0:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[n] for row in rows]


@st.composite
def problems(draw: st.DrawFn):
    """A connected graph on 3 to 9 nodes with disjoint non-empty O_0 and O_1."""
    n = draw(st.integers(3, 9))
    graph = nx.empty_graph(n)
    graph.add_edges_from((v, draw(st.integers(0, v - 1))) for v in range(1, n))
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    graph.add_edges_from(draw(st.lists(st.sampled_from(pairs), max_size=2 * n)))
    kinds = draw(st.lists(st.sampled_from([None, None, 0, 1]), min_size=n, max_size=n))
    first, second = draw(st.permutations(range(n)))[:2]
    kinds[first], kinds[second] = 0, 1
    return graph, *({v for v in range(n) if kinds[v] == kind} for kind in (0, 1))


@given(problems())
@settings(max_examples=80, deadline=None)
def test_equals_exact_solution_and_averaging_property(problem) -> None:
    graph, zeros, ones = problem
    n = len(graph)
    f = smooth_interpolation(matrix(graph), mask(n, zeros), mask(n, ones))
    np.testing.assert_allclose(f, [float(x) for x in exact(graph, zeros, ones)], atol=1e-12)
    for v in set(graph) - zeros - ones:  # the Lemma, equation (2)
        assert f[v] == pytest.approx(np.mean([f[u] for u in graph[v]]), abs=1e-12)


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_no_other_signal_has_a_smaller_quadratic_form(problem, seed) -> None:
    graph, zeros, ones = problem
    n = len(graph)
    f = smooth_interpolation(matrix(graph), mask(n, zeros), mask(n, ones))
    other = f + np.random.default_rng(seed).normal(size=n) * ~mask(n, zeros | ones)

    def energy(signal):
        return sum((signal[u] - signal[v]) ** 2 for u, v in graph.edges)

    assert energy(f) <= energy(other) + 1e-12


@given(problems())
@settings(max_examples=80, deadline=None)
def test_theorem_1_strictly_increasing_path(problem) -> None:
    graph, zeros, ones = problem
    n = len(graph)
    f = smooth_interpolation(matrix(graph), mask(n, zeros), mask(n, ones))
    truth = exact(graph, zeros, ones)
    component = level_components(matrix(graph), f)
    for v in graph:
        level = graph.subgraph(u for u in graph if truth[u] == truth[v])
        c_v = nx.node_connected_component(level, v)
        assert set(np.flatnonzero(component == component[v])) == c_v
        path = [int(u) for u in increasing_path(matrix(graph), f, v)]
        assert path[0] in zeros and path[-1] in ones  # (a)
        assert all(graph.has_edge(u, w) for u, w in pairwise(path))
        assert all(truth[u] < truth[w] for u, w in pairwise(path))  # (b), exactly
        assert c_v & set(path)  # (c)


@given(problems())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_corollary_sublevel_graphs_stay_connected(problem) -> None:
    graph, zeros, ones = problem
    truth = exact(graph, zeros, ones)
    free = [truth[v] for v in graph if v not in zeros | ones]
    assume(len(set(free)) == len(free) and all(0 < x < 1 for x in free))
    connected = False
    for r in sorted({Fraction(0), *free}):
        now = nx.is_connected(graph.subgraph(v for v in graph if truth[v] <= r))
        assert now or not connected
        connected = now


@st.composite
def partitions(draw: st.DrawFn):
    """V_0 = 0..a-1 and V_1 = a..n-1, each connected, poles first in each and off the boundary."""
    sizes = draw(st.tuples(st.integers(2, 5), st.integers(2, 5)))
    poles = [draw(st.integers(1, size - 1)) for size in sizes]
    graph, sides = nx.Graph(), []
    for start, size in ((0, sizes[0]), (sizes[0], sizes[1])):
        side = range(start, start + size)
        graph.add_edges_from((v, draw(st.integers(start, v - 1))) for v in side if v > start)
        pairs = [(u, v) for u in side for v in side if u < v]
        graph.add_edges_from(draw(st.lists(st.sampled_from(pairs), max_size=size)))
        sides.append(list(side))
    pairs = [(u, v) for u in sides[0][poles[0] :] for v in sides[1][poles[1] :]]
    graph.add_edges_from(draw(st.lists(st.sampled_from(pairs), min_size=1)))
    return graph, set(sides[0][: poles[0]]), set(sides[1][: poles[1]]), set(sides[1])


@given(partitions())
@settings(max_examples=100, deadline=None)
def test_theorem_2_weights_near_a_boundary(problem) -> None:
    graph, zeros, ones, ones_side = problem
    n = len(graph)
    side = mask(n, ones_side)
    truth = exact(graph, zeros, ones)
    free = [v for v in graph if v not in zeros | ones]
    assume(all(0 < truth[v] < 1 for v in free))
    f = smooth_interpolation(matrix(graph), mask(n, zeros), mask(n, ones))
    sums = boundary_sums(matrix(graph), f, mask(n, zeros), mask(n, ones), side)

    cut = [(u, v) if not side[u] else (v, u) for u, v in graph.edges if side[u] != side[v]]
    inner, outer = sum(truth[u] for u, _ in cut), sum(truth[v] for _, v in cut)
    a, b = min(truth[v] for v in free), min(1 - truth[v] for v in free)
    gamma = [sum((u in o) != (v in o) for u, v in graph.edges) for o in (zeros, ones)]
    assert sums.inner == pytest.approx(float(inner), abs=1e-9)
    assert sums.outer == pytest.approx(float(outer), abs=1e-9)
    assert sums.gap == pytest.approx(float(max(b * gamma[1], a * gamma[0])), abs=1e-9)
    assert inner <= outer - max(b * gamma[1], a * gamma[0])  # (awc), exactly


def test_path_graph_is_linear() -> None:
    f = smooth_interpolation(matrix(nx.path_graph(5)), mask(5, [0]), mask(5, [4]))
    np.testing.assert_allclose(f, [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_array_equal(increasing_path(matrix(nx.path_graph(5)), f, 2), range(5))


def test_component_without_observation_is_nan_and_has_no_path() -> None:
    graph = nx.disjoint_union(nx.path_graph(4), nx.path_graph(3))
    f = smooth_interpolation(matrix(graph), mask(7, [0]), mask(7, [3]))
    assert np.isfinite(f[:4]).all() and np.isnan(f[4:]).all()
    with pytest.raises(WGNNError, match="node 5 has no rising path"):
        increasing_path(matrix(graph), f, 5)


def test_component_with_one_pole_only_has_no_path() -> None:
    graph = nx.disjoint_union(nx.path_graph(3), nx.path_graph(3))
    f = smooth_interpolation(matrix(graph), mask(6, [0]), mask(6, [3]))
    np.testing.assert_allclose(f, [0, 0, 0, 1, 1, 1])
    with pytest.raises(WGNNError, match="no rising path"):
        increasing_path(matrix(graph), f, 1)


def test_equal_neighbours_share_a_level_component() -> None:
    cycle = matrix(nx.cycle_graph(4))  # nodes 1 and 3 lie at 1/2 but do not touch
    f = smooth_interpolation(cycle, mask(4, [0]), mask(4, [2]))
    assert abs(f[1] - f[3]) < SAME_LEVEL
    assert len(set(level_components(cycle, f))) == 4
    chord = nx.cycle_graph(4)
    chord.add_edge(1, 3)
    assert level_components(matrix(chord), f)[1] == level_components(matrix(chord), f)[3]


@pytest.mark.parametrize(
    ("zeros", "ones", "message"),
    [([], [1], "O_0 is empty"), ([0], [], "O_1 is empty"), ([0, 1], [1], "node 1 is in O_0 and")],
)
def test_bad_poles_are_named(zeros, ones, message) -> None:
    with pytest.raises(WGNNError, match=message):
        smooth_interpolation(matrix(nx.path_graph(3)), mask(3, zeros), mask(3, ones))


def test_boundary_sums_name_the_broken_condition() -> None:
    path = matrix(nx.path_graph(4))
    zeros, ones = mask(4, [0]), mask(4, [3])
    f = smooth_interpolation(path, zeros, ones)
    with pytest.raises(WGNNError, match="observed node 0 must lie in the interior"):
        boundary_sums(path, f, zeros, ones, mask(4, [1, 2, 3]))
    pendant = matrix(nx.Graph([(0, 1), (1, 2), (2, 3), (0, 4)]))
    zeros, ones = mask(5, [0]), mask(5, [3])
    f = smooth_interpolation(pendant, zeros, ones)
    with pytest.raises(WGNNError, match="node 4; Theorem 2 needs"):
        boundary_sums(pendant, f, zeros, ones, mask(5, [2, 3]))
