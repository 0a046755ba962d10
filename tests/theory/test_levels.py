"""Theorem 1 and Corollary 1 against exact fractions; values far below the rounding error of 1."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.reference import Problem, atlas_problems, problems
from wgnn_core import datasets
from wgnn_core.errors import WGNNError
from wgnn_core.graph import HIDDEN
from wgnn_core.theory import dirichlet
from wgnn_core.theory.gallery import specimen
from wgnn_core.theory.harmonic import Flow, flow_between, interpolate
from wgnn_core.theory.levels import (
    corollary_1,
    increasing_path,
    layers,
    level_components,
    rise,
    theorem_1,
)
from wgnn_core.theory.sets import mask_of, matrix_of


def flow_of(item, swapped: bool = False) -> Flow:
    zeros, ones = item.mask(item.zeros), item.mask(item.ones)
    return flow_between(item.adjacency, *((ones, zeros) if swapped else (zeros, ones)))


def check_theorem_1(problem: Problem, nodes) -> None:
    graph, truth = problem.graph, problem.truth
    adjacency, flow = problem.adjacency, problem.flow
    component = level_components(adjacency, flow)
    for v in nodes:
        level = graph.subgraph(u for u in graph if truth[u] == truth[v])
        around = nx.node_connected_component(level, v)
        assert set(np.flatnonzero(component == component[v])) == around
        reached = nx.node_connected_component(graph, v)
        statement = theorem_1(adjacency, flow, v)
        path = statement.nodes["path"].tolist()
        assert statement.applies == bool(reached & problem.zeros and reached & problem.ones)
        assert statement.holds == statement.applies
        if statement.applies:
            assert path[0] in problem.zeros and path[-1] in problem.ones  # (a)
            assert all(truth[u] < truth[w] for u, w in pairwise(path))  # (b) from index 0, exactly
            assert set(path) & around  # (c)
            assert all(graph.has_edge(u, w) for u, w in pairwise(path))
            assert statement.edges["path"].tolist() == [list(pair) for pair in pairwise(path)]
            assert statement.right.value == pytest.approx(
                float(min(truth[w] - truth[u] for u, w in pairwise(path)))
            )
        else:
            assert path == [] and np.isnan(statement.right.value)


@given(problems(connected=False), st.integers(0, 8))
@settings(max_examples=300)
def test_theorem_1(problem: Problem, start: int) -> None:
    check_theorem_1(problem, {(start + i) % problem.n for i in range(3)})


def test_theorem_1_on_the_atlas() -> None:
    for problem in atlas_problems(6, most=1):
        check_theorem_1(problem, problem.graph)


def check_corollary_1(problem: Problem, r: Fraction) -> None:
    graph, truth = problem.graph, problem.truth

    def parts(nodes) -> int:
        return nx.number_connected_components(graph.subgraph(nodes))

    levels = sorted(set(truth))
    below = {t: parts([v for v in graph if truth[v] <= t]) for t in levels if t < 1}
    above = {t: parts([v for v in graph if truth[v] >= t]) for t in levels if t > 0}
    first = next((t for t in sorted(below) if below[t] == 1), None)
    last = next((t for t in sorted(above, reverse=True) if above[t] == 1), None)
    # the corollary, exactly: neither distinct values nor a connected graph is needed
    assert first is None or all(below[t] == 1 for t in below if t >= first)
    assert last is None or all(above[t] == 1 for t in above if t <= last)

    statement = corollary_1(problem.adjacency, problem.flow, float(r))
    assert statement.applies and statement.holds
    free = [truth[v] for v in problem.free]
    connected, distinct = statement.hypotheses
    assert connected.holds == nx.is_connected(graph)
    assert distinct.holds == (len(set(free)) == len(free))
    under = {v for v in graph if truth[v] <= r}
    assert set(statement.nodes["at most r"]) == under
    assert set(statement.nodes["above r"]) == set(graph) - under
    assert statement.term("parts at most r") == parts(under)
    assert statement.term("parts above r") == parts(set(graph) - under)
    for name, expected in (
        ("r from which the lower set is one part", first),
        ("r below which the upper set is one part", last),
    ):
        value = statement.term(name)
        assert np.isnan(value) if expected is None else value == pytest.approx(float(expected))


@given(problems(connected=False), st.integers(1, 999))
@settings(max_examples=300)
def test_corollary_1(problem: Problem, r: int) -> None:
    check_corollary_1(problem, Fraction(r, 1000) + Fraction(1, 7919))  # no value of f~ is so odd


def test_corollary_1_on_the_atlas() -> None:
    for problem in atlas_problems(6, most=1):
        check_corollary_1(problem, Fraction(1, 2) + Fraction(1, 7919))


def test_corollary_1_notices_a_signal_that_is_not_harmonic() -> None:
    """Two hills far from each other: low nodes hang together, then do not."""
    path = matrix_of(np.array([(i, i + 1) for i in range(4)]), 5)
    f = np.array([0.0, 0.2, 0.9, 0.3, 1.0])
    flow = Flow(f, 1 - f, mask_of([0], 5), mask_of([4], 5), False)
    statement = corollary_1(path, flow, 0.5)
    assert not statement.holds and statement.left.value == 2
    assert statement.term("parts at most r") == 2


@pytest.mark.parametrize("r", [0.0, 1.0, -0.5, float("nan")])
def test_the_level_lies_between_0_and_1(r: float) -> None:
    path = specimen("path")
    with pytest.raises(WGNNError, match="the level r is"):
        corollary_1(path.adjacency, flow_of(path), r)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("length", [17, 18, 60, 400])
def test_values_far_below_rounding_still_rise_from_an_observed_node(
    length: int, swapped: bool
) -> None:
    """Also where 0 < f~ <= 1e-9, and where 1 - f~ is: 1e-200 on a path of 400 nodes."""
    from wgnn_core.theory.gallery import _leaky_path

    item = _leaky_path(length)
    flow = flow_of(item, swapped)
    small = flow.rest if swapped else flow.f
    assert 0 < small[0] == small[1] < 1e-8
    assert length == 17 or small[0] < 1e-9
    for node in (0, 1, 2, length // 2, length - 1, length):
        path = increasing_path(item.adjacency, flow, node)
        assert flow.zeros[path[0]] and flow.ones[path[-1]]
        assert (rise(flow, path[:-1], path[1:]) > 0).all()
    component = level_components(item.adjacency, flow)
    assert np.flatnonzero(component == component[0]).tolist() == [0, 1]
    assert corollary_1(item.adjacency, flow, 0.5).holds


def test_a_value_lost_to_underflow_is_said() -> None:
    from wgnn_core.theory.gallery import _leaky_path

    item = _leaky_path(700)  # f~ is about 1e-400 at its end, which no double can hold
    with pytest.raises(WGNNError, match="flatter than its precision"):
        increasing_path(item.adjacency, flow_of(item), 0)


def test_theorem_1_needs_a_connected_graph() -> None:
    item = specimen("two-islands")
    statement = theorem_1(item.adjacency, flow_of(item), 0)
    assert not statement.applies and not statement.holds
    with pytest.raises(WGNNError, match="node 0 has no rising path"):
        increasing_path(item.adjacency, flow_of(item), 0)


def test_a_balanced_bridge_is_one_level() -> None:
    item = specimen("balanced-bridge")
    flow = flow_of(item)
    component = level_components(item.adjacency, flow)
    assert component[1] == component[3] and len(set(component)) == 3
    statement = corollary_1(item.adjacency, flow, 0.25)
    assert statement.holds and not statement.hypotheses[1].holds


def test_layers_put_equal_values_together() -> None:
    cycle = matrix_of(np.array([(0, 1), (1, 2), (2, 3), (0, 3)]), 5)
    layer, value = layers(flow_between(cycle, mask_of([0], 5), mask_of([2], 5)))
    assert layer.tolist() == [0, 1, 2, 1, -1]
    np.testing.assert_allclose(value, [0, 0.5, 1])


def test_statements_hold_on_a_larger_graph_solved_step_by_step(monkeypatch) -> None:
    monkeypatch.setattr(dirichlet, "SMALL_ENVELOPE", -1)
    graph = datasets.load("csbm", nodes=3000, classes=3, features=1, average_degree=4.0, seed=0)
    labels = np.where(graph.split(0).train, graph.y, HIDDEN)
    flow = interpolate(graph.adjacency, labels, 3).flow(0)
    assert flow.iterated
    assert corollary_1(graph.adjacency, flow, 0.4).holds
    for node in np.flatnonzero(flow.reached)[:200:10]:
        statement = theorem_1(graph.adjacency, flow, int(node))
        assert statement.holds == statement.applies
