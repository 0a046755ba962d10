"""The smooth interpolation against exact fractions, and how fast it is found."""

from __future__ import annotations

import time
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.reference import Problem, atlas_problems, exact, graphs, problems
from wgnn_core import datasets
from wgnn_core.errors import WGNNError
from wgnn_core.graph import HIDDEN
from wgnn_core.theory import dirichlet
from wgnn_core.theory.dirichlet import harmonic_extension
from wgnn_core.theory.harmonic import flow_between, interpolate, smooth_interpolation
from wgnn_core.theory.sets import mask_of, matrix_of


def matrix(graph: nx.Graph):
    return matrix_of(np.array(list(graph.edges), dtype=np.int64), len(graph))


def floats(values: list[Fraction]) -> list[float]:
    return [float(value) for value in values]


def always_iterate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dirichlet, "SMALL_ENVELOPE", -1)


@given(problems(connected=False))
@settings(max_examples=300)
def test_equals_the_exact_solution_at_both_ends(problem: Problem) -> None:
    np.testing.assert_allclose(problem.flow.f, floats(problem.truth), rtol=1e-12, atol=0)
    rest = floats([1 - value for value in problem.truth])
    np.testing.assert_allclose(problem.flow.rest, rest, rtol=1e-12, atol=0)


def test_equals_the_exact_solution_on_the_atlas() -> None:
    for problem in atlas_problems(6, most=3):
        np.testing.assert_allclose(problem.flow.f, floats(problem.truth), rtol=1e-12, atol=0)


@given(graphs(least=4), st.integers(2, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=300)
def test_all_classes_at_once_equal_each_alone(graph: nx.Graph, classes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(len(graph)) < 0.4, rng.integers(classes, size=len(graph)), HIDDEN)
    labels[:2] = [0, 1]
    interpolation = interpolate(matrix(graph), labels, classes)
    np.testing.assert_allclose(interpolation.weights.sum(axis=1), 1, rtol=0, atol=1e-12)
    for s in range(classes):
        values = {v: Fraction(int(labels[v] == s)) for v in graph if labels[v] != HIDDEN}
        np.testing.assert_allclose(
            interpolation.weights[:, s], floats(exact(graph, values)), rtol=1e-12, atol=0
        )
    flow = interpolation.flow(1)
    alone = flow_between(matrix(graph), flow.zeros, flow.ones)
    np.testing.assert_allclose(flow.f, alone.f, rtol=1e-12, atol=0)
    np.testing.assert_allclose(flow.rest, alone.rest, rtol=1e-12, atol=0)


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=300)
def test_no_other_signal_has_a_smaller_quadratic_form(problem: Problem, seed: int) -> None:
    other = problem.flow.f.copy()
    other[problem.free] += np.random.default_rng(seed).normal(size=len(problem.free))

    def energy(signal) -> float:
        return sum((signal[u] - signal[v]) ** 2 for u, v in problem.graph.edges)

    assert energy(problem.flow.f) <= energy(other) + 1e-12


@given(graphs(least=6, most=30, connected=False), st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_trees_without_observed_nodes_are_constant_exactly(graph: nx.Graph, seed: int) -> None:
    rng = np.random.default_rng(seed)
    given_ = mask_of(rng.integers(len(graph), size=2), len(graph))
    root = dirichlet._roots(matrix(graph), given_)
    extension = harmonic_extension(matrix(graph), given_, rng.random((len(graph), 1)))
    core = nx.Graph(graph)
    while leaves := [v for v in core if core.degree(v) == 1 and not given_[v]]:
        core.remove_node(leaves[0])
    for v in graph:
        if extension.reached[v]:
            assert (root[v] == v) == (v in core)
            assert extension.values[v] == extension.values[root[v]]


def test_a_lone_edge_without_observed_nodes_disturbs_nobody() -> None:
    """Both its ends are leaves; the second is left with no neighbour when its turn comes."""
    graph = nx.disjoint_union(nx.cycle_graph(3), nx.path_graph(2))
    flow = flow_between(matrix(graph), mask_of([1], 5), mask_of([2], 5))
    np.testing.assert_allclose(flow.f, [0.5, 0, 1, np.nan, np.nan])


def test_conjugate_gradients_agree_with_the_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = datasets.load("csbm", nodes=2000, classes=4, features=2, average_degree=5.0, seed=1)
    labels = np.where(graph.split(0).train, graph.y, HIDDEN)
    factor = interpolate(graph.adjacency, labels, 4)
    always_iterate(monkeypatch)
    steps = interpolate(graph.adjacency, labels, 4)
    assert steps.iterated and not factor.iterated
    np.testing.assert_allclose(steps.weights, factor.weights, rtol=0, atol=1e-12)
    assert steps.islands == factor.islands > 0
    # what is exactly 0 or 1 stays so: nodes that one pole shuts off from the other
    np.testing.assert_array_equal(steps.weights == 0, factor.weights == 0)


def test_a_factor_helps_where_conjugate_gradients_are_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    always_iterate(monkeypatch)
    n = 2000
    path = matrix(nx.path_graph(n))
    flow = flow_between(path, mask_of([0], n), mask_of([n - 1], n))
    assert not flow.iterated  # 300 steps are too few for a path of 2000 nodes
    np.testing.assert_allclose(flow.f, np.arange(n) / (n - 1), rtol=0, atol=1e-12)
    monkeypatch.setattr(dirichlet, "MAX_ENVELOPE", 0)
    monkeypatch.setattr(dirichlet, "MAX_STEPS", 50)
    with pytest.raises(WGNNError, match="did not converge in 50 steps"):
        flow_between(path, mask_of([0], n), mask_of([n - 1], n))


def test_components_without_an_observed_node_are_said_and_have_no_value() -> None:
    graph = nx.disjoint_union(nx.path_graph(4), nx.path_graph(3))
    graph.add_node(7)
    labels = np.array([0, HIDDEN, HIDDEN, 1, HIDDEN, HIDDEN, HIDDEN, HIDDEN])
    interpolation = interpolate(matrix(graph), labels, 2)
    assert interpolation.islands == 2
    np.testing.assert_array_equal(interpolation.reached, [True] * 4 + [False] * 4)
    assert np.isfinite(interpolation.weights[:4]).all()
    assert np.isnan(interpolation.weights[4:]).all()


def test_path_graph_is_linear() -> None:
    f = smooth_interpolation(matrix(nx.path_graph(5)), mask_of([0], 5), mask_of([4], 5))
    np.testing.assert_allclose(f, [0, 0.25, 0.5, 0.75, 1])


@pytest.mark.parametrize(
    ("zeros", "ones", "message"),
    [([], [1], "O_0 is empty"), ([0], [], "O_1 is empty"), ([0, 1], [1], "node 1 is in O_0 and")],
)
def test_bad_poles_are_named(zeros, ones, message) -> None:
    with pytest.raises(WGNNError, match=message):
        smooth_interpolation(matrix(nx.path_graph(3)), mask_of(zeros, 3), mask_of(ones, 3))


def test_bad_labels_are_named() -> None:
    path = matrix(nx.path_graph(3))
    with pytest.raises(WGNNError, match="node 1 is observed as class 4; classes are 0 to 1"):
        interpolate(path, np.array([0, 4, HIDDEN]), 2)
    with pytest.raises(WGNNError, match="0 nodes are observed"):
        interpolate(path, np.full(3, HIDDEN), 2)
    interpolation = interpolate(path, np.array([0, HIDDEN, 1]), 3)
    with pytest.raises(WGNNError, match="O_1 is empty"):
        interpolation.flow(2)
    with pytest.raises(WGNNError, match="class 3 is none; classes are 0 to 2"):
        interpolation.flow(3)


def seconds(adjacency, labels, classes: int) -> float:
    """Of this process alone, so that a busy machine does not fail the test."""
    start = time.process_time()
    interpolate(adjacency, labels, classes)
    return time.process_time() - start


def test_300_000_nodes_take_less_than_10_seconds() -> None:
    graph = datasets.load(
        "csbm", nodes=300_000, classes=2, features=1, average_degree=5.0, homophily=0.8, seed=0
    )
    labels = np.where(graph.split(0).train, graph.y, HIDDEN)
    assert seconds(graph.adjacency, labels, 2) < 10


@pytest.mark.dataset
@pytest.mark.parametrize(("name", "most"), [("cora", 0.5), ("pubmed", 3.0)])
def test_benchmarks_are_fast(raw_data, name: str, most: float) -> None:
    graph = datasets.load(name)
    labels = np.where(graph.split(0).train, graph.y, HIDDEN)
    assert seconds(graph.adjacency, labels, graph.num_classes) < most
