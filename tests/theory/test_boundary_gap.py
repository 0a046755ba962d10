"""Theorem 2, the current behind it and its two remedies, against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.reference import Problem, atlas_problems, crossing, cut_problems
from wgnn_core.errors import WGNNError
from wgnn_core.theory.boundary_gap import (
    boundary,
    conductance_identity,
    effective_conductance,
    fewer_edges,
    more_observed,
    theorem_2,
)
from wgnn_core.theory.gallery import GALLERY, Specimen, specimen
from wgnn_core.theory.harmonic import Flow, flow_between


def flow_of(item: Specimen) -> Flow:
    return flow_between(item.adjacency, item.mask(item.zeros), item.mask(item.ones))


def check_theorem_2(problem: Problem, upper: set[int]) -> None:
    graph, truth, free = problem.graph, problem.truth, problem.free
    inner, outer = problem.gap(upper)
    a = min((truth[v] for v in free), default=Fraction(1))
    b = min((1 - truth[v] for v in free), default=Fraction(1))
    around = [len(crossing(graph, poles)) for poles in (problem.zeros, problem.ones)]
    bound = max(b * around[1], a * around[0])
    assert inner <= outer - bound  # equation (3), exactly
    assert outer - inner == problem.current()

    side = problem.mask(upper)
    statement = theorem_2(problem.adjacency, problem.flow, side)
    assert statement.applies and statement.holds
    expected = {
        "A(V0)": inner,
        "A(V1)": outer,
        "A(V1) - max(b |Gamma(O1)|, a |Gamma(O0)|)": outer - bound,
        "a": a,
        "b": b,
        "|Gamma(O0)|": around[0],
        "|Gamma(O1)|": around[1],
        "edges of the boundary": len(crossing(graph, upper)),
        "gap A(V1) - A(V0)": outer - inner,
        "mean gap": (outer - inner) / len(crossing(graph, upper)),
    }
    for name, value in expected.items():
        assert statement.term(name) == pytest.approx(float(value), rel=1e-9, abs=1e-12), name
    cut = {frozenset(edge) for edge in crossing(graph, upper)}
    assert {frozenset(edge) for edge in statement.edges["boundary"].tolist()} == cut
    assert all(u not in upper and v in upper for u, v in statement.edges["boundary"])
    ends = {v for edge in cut for v in edge}
    assert set(statement.nodes["boundary"]) == ends
    _, interior, strict = statement.hypotheses
    assert interior.holds == (not ends & (problem.zeros | problem.ones))
    assert strict.holds == all(0 < truth[v] < 1 for v in free)

    identity = conductance_identity(problem.adjacency, problem.flow, side)
    assert identity.applies and identity.holds
    assert identity.right.value == pytest.approx(float(problem.current()), rel=1e-9)


@given(cut_problems())
@settings(max_examples=300)
def test_theorem_2(case: tuple[Problem, set[int]]) -> None:
    check_theorem_2(*case)


def test_theorem_2_on_the_atlas() -> None:
    for i, problem in enumerate(atlas_problems(6, most=2)):
        upper = set(problem.ones) | {v for v in problem.free if (i * 2654435761 >> 7) >> v & 1}
        check_theorem_2(problem, upper)


@given(cut_problems())
@settings(max_examples=60)
def test_the_gap_is_the_current_for_every_boundary(case: tuple[Problem, set[int]]) -> None:
    """Three ways to the effective conductance: the energy, the gap, and contraction of poles."""
    problem, upper = case
    current = effective_conductance(problem.adjacency, problem.flow)
    assert current == pytest.approx(float(problem.current()), rel=1e-9)
    gap = boundary(problem.adjacency, problem.flow, problem.mask(upper)).gap
    assert gap == pytest.approx(current, rel=1e-9)
    quotient = nx.MultiGraph()
    name = {v: 0 if v in problem.zeros else 1 if v in problem.ones else v + 2 for v in range(9)}
    quotient.add_edges_from(
        (name[u], name[v]) for u, v in problem.graph.edges if name[u] != name[v]
    )
    assert 1 / nx.resistance_distance(quotient, 0, 1) == pytest.approx(current, rel=1e-6)


@given(cut_problems(), st.integers(0, 2**18 - 1))
@settings(max_examples=300)
def test_more_observed_nodes_never_lower_the_mean_gap(
    case: tuple[Problem, set[int]], bits: int
) -> None:
    problem, upper = case
    new = {v for v in problem.free if bits >> v & 1}
    zeros, ones = problem.mask(new - upper), problem.mask(new & upper)
    side = problem.mask(upper)
    statement = more_observed(problem.adjacency, problem.flow, side, zeros, ones)
    assert statement.applies and statement.holds and statement.proved
    after = Problem(problem.graph, problem.zeros | (new - upper), problem.ones | (new & upper))
    assert statement.left.value == pytest.approx(float(problem.mean_gap(upper)))
    assert statement.right.value == pytest.approx(float(after.mean_gap(upper)))
    assert set(statement.nodes["newly observed"]) == new


@given(cut_problems(), st.integers(0, 2**36 - 1))
@settings(max_examples=300)
def test_fewer_edges_lower_the_current_and_inside_a_side_the_mean_gap(
    case: tuple[Problem, set[int]], bits: int
) -> None:
    problem, upper = case
    kept, dropped = nx.Graph(problem.graph), []
    for i, (u, v) in enumerate(problem.graph.edges):
        kept.remove_edge(u, v)
        if bits >> i & 1 and nx.is_connected(kept):
            dropped.append((v, u))
        else:
            kept.add_edge(u, v)
    statement = fewer_edges(problem.adjacency, problem.flow, problem.mask(upper), np.array(dropped))
    after = Problem(kept, problem.zeros, problem.ones)
    assert statement.left.value == pytest.approx(float(problem.mean_gap(upper)))
    assert statement.right.value == pytest.approx(float(after.mean_gap(upper)))
    assert not statement.proved
    assert statement.holds == (problem.mean_gap(upper) <= after.mean_gap(upper))
    across = [(u in upper) != (v in upper) for u, v in dropped]
    assert statement.applies == all(across)
    assert statement.term("of them across the boundary") == sum(across)
    assert after.current() <= problem.current()  # Rayleigh
    if not any(across):
        assert after.mean_gap(upper) <= problem.mean_gap(upper)


@pytest.mark.parametrize(
    ("name", "before", "after", "applies"),
    [
        ("same-side-edge", Fraction(3, 16), Fraction(1, 6), False),
        ("cut-edge", Fraction(1, 11), Fraction(1, 15), True),
    ],
)
def test_dropping_an_edge_can_lower_the_mean_gap(
    name: str, before: Fraction, after: Fraction, applies: bool
) -> None:
    item = specimen(name)
    statement = fewer_edges(
        item.adjacency, flow_of(item), item.mask(item.upper), item.dropped_edges
    )
    assert statement.left.value == pytest.approx(float(before))
    assert statement.right.value == pytest.approx(float(after))
    assert not statement.holds and statement.applies == applies
    assert theorem_2(item.adjacency, flow_of(item), item.mask(item.upper)).holds


def test_a_wrong_label_can_lower_the_mean_gap() -> None:
    item = specimen("wrong-label")
    nobody, joining = item.mask(()), item.mask(item.joining)
    side = item.mask(item.upper)
    statement = more_observed(item.adjacency, flow_of(item), side, nobody, joining)
    assert not statement.applies and not statement.holds
    assert (statement.left.value, statement.right.value) == (pytest.approx(0.5), 0)


def test_poles_on_the_wrong_side_break_the_identity() -> None:
    item = specimen("path")
    side = ~item.mask(item.upper)
    for statement in (
        theorem_2(item.adjacency, flow_of(item), side),
        conductance_identity(item.adjacency, flow_of(item), side),
    ):
        assert not statement.applies and not statement.holds


def test_nodes_without_a_value_are_left_out() -> None:
    item = specimen("silent-island")
    side = item.mask((2, 4))  # cuts the island, where nothing flows
    terms = boundary(item.adjacency, flow_of(item), side)
    assert terms.edges.tolist() == [[1, 2]] and terms.gap == pytest.approx(0.5)
    statement = theorem_2(item.adjacency, flow_of(item), side)
    assert statement.holds and not statement.hypotheses[2].holds
    # a node of the island that is newly observed changes which edges count
    new = more_observed(item.adjacency, flow_of(item), side, item.mask((3,)), item.mask(()))
    assert not new.applies


def test_only_edges_can_be_dropped_and_nodes_have_one_label() -> None:
    item = specimen("path")
    side = item.mask(item.upper)
    with pytest.raises(WGNNError, match="nodes 0 and 2 are to lose their edge"):
        fewer_edges(item.adjacency, flow_of(item), side, np.array([[2, 0]]))
    with pytest.raises(WGNNError, match="node 4 is in O_0 and in O_1"):
        more_observed(item.adjacency, flow_of(item), side, item.mask((4,)), item.mask((4,)))


@pytest.mark.parametrize("name", GALLERY)
def test_theorem_2_holds_on_every_specimen(name: str) -> None:
    item = specimen(name)
    flow, side = flow_of(item), item.mask(item.upper)
    assert theorem_2(item.adjacency, flow, side).holds
    assert conductance_identity(item.adjacency, flow, side).holds
