"""Theorem 3 against brute force, its counterexamples, and what Algorithm 2 can do to it."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.reference import atlas, crossing, cut_sizes, expansion
from wgnn_core import datasets
from wgnn_core.edgedrop import drop_edges
from wgnn_core.theory import bottleneck as module
from wgnn_core.theory import cuts
from wgnn_core.theory.bottleneck import bottleneck, theorem_3
from wgnn_core.theory.gallery import specimen
from wgnn_core.theory.sets import edges_of, mask_of, matrix_of, parts


def check_theorem_3(graph: nx.Graph, least: set[int]) -> bool:
    """Both parts of the theorem against the reference; whether its set-up is given."""
    nodes, n = set(graph), len(graph)
    adjacency = matrix_of(np.array(list(graph.edges), dtype=np.int64), n)
    bound, place = theorem_3(adjacency, mask_of(least, n))
    h, realisers = expansion(graph)
    outside = list(nx.connected_components(graph.subgraph(nodes - least)))
    largest = max(cut_sizes(graph, least), default=0)
    floor = len(least) - nx.number_connected_components(graph.subgraph(least)) if least else 0
    assert bound.term("C, lower bound") == bound.term("C, upper bound") == largest
    assert bound.term("h(G), lower bound") == float(h) == bound.left.value
    assert bound.term("C, floor that a spanning forest keeps") == floor <= largest
    missing = [s for s in realisers if not s & least or not (nodes - s) & least]
    assert place.decided == nx.is_connected(graph)
    if place.decided:
        assert place.left.value == len(missing) and place.holds == (not missing)
        assert place.term("narrowest bottlenecks") == len(realisers)

    touched = [{u for v in part for u in graph[v]} & least for part in outside]
    two = len(outside) == 2
    separated = two and not touched[0] & touched[1]
    assert [x.holds for x in bound.hypotheses[:3]] == [nx.is_connected(graph), two, separated]
    if not two:
        assert np.isnan(bound.right.value) and not bound.holds and not bound.applies
        return False
    c1 = min(len(part | near) for part, near in zip(outside, touched, strict=True))
    terms = [Fraction(len(crossing(graph, part)), len(part)) for part in outside]
    terms += [Fraction(min(cut_sizes(graph, part)), len(part)) for part in outside if len(part) > 1]
    assert bound.term("c1") == c1 and bound.right.value == pytest.approx(largest / c1)
    for name in ("c0, lower bound", "c0, upper bound"):
        assert bound.term(name) == pytest.approx(float(c1 * min(terms)))
    assert bound.hypotheses[3].holds == place.hypotheses[3].holds == (largest < c1 * min(terms))
    assert bound.decided and bound.holds == (h <= Fraction(largest, c1))
    assert bound.holds or not bound.applies
    assert place.holds or not place.applies
    return separated and nx.is_connected(graph)


def separable(seed: int, wide: bool) -> tuple[nx.Graph, set[int]]:
    """Two connected parts and V' between them, whose two halves touch one part each."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, [3, 2, 2, 3] if not wide else [12, 8, 8, 12], endpoint=True)
    ends = np.cumsum(sizes)
    blocks = [range(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    graph = nx.empty_graph(int(ends[-1]))
    for block in blocks:
        for v in block[1:]:
            graph.add_edge(int(rng.integers(block[0], v)), v)
        graph.add_edges_from(
            (u, v) for u in block for v in block if u < v and rng.random() < rng.random()
        )
    for one, other in ((0, 1), (1, 2), (2, 3)):
        for _ in range(int(rng.integers(1, 4))):
            graph.add_edge(int(rng.choice(blocks[one])), int(rng.choice(blocks[other])))
    return graph, set(blocks[1]) | set(blocks[2])


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=300)
def test_theorem_3(seed: int) -> None:
    graph, least = separable(seed, wide=False)
    relabelled = np.random.default_rng(seed).permutation(len(graph)).tolist()
    named = nx.relabel_nodes(graph, dict(enumerate(relabelled)))
    ordered = nx.empty_graph(len(graph))
    ordered.add_edges_from(named.edges)
    assert check_theorem_3(ordered, {relabelled[v] for v in least})


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_the_bound_is_decided_on_larger_graphs_too(seed: int) -> None:
    """By the sets N_0 and N_1 of the proof, whatever the other bounds are."""
    graph, least = separable(seed, wide=True)
    n = len(graph)
    adjacency = matrix_of(np.array(list(graph.edges)), n)
    bound, place = theorem_3(adjacency, mask_of(least, n))
    assert bound.applies and bound.decided and bound.holds
    assert place.decided == (n <= cuts.BRUTE_FORCE)
    assert bound.term("h(G), lower bound") <= bound.term("h(G), upper bound") + 1e-9
    assert bound.term("c0, lower bound") <= bound.term("c0, upper bound")


def test_the_sets_of_the_proof_decide_where_other_bounds_are_poor(monkeypatch) -> None:
    """With the worst cuts that are allowed, h <= C / c_1 still follows from N_0 and N_1."""

    def poor_cheeger(edges, n):
        return cuts.Bounds(0.0, float(len(edges)), "poor", "poor", mask_of([0], n))

    def poor_max_cut(edges, n):
        return cuts.Bounds(0, len(edges), "poor", "poor", mask_of([], n))

    monkeypatch.setattr(module, "cheeger", poor_cheeger)
    monkeypatch.setattr(module, "max_cut", poor_max_cut)
    for seed in range(50):
        graph, least = separable(seed, wide=True)
        n = len(graph)
        bound, _ = theorem_3(matrix_of(np.array(list(graph.edges)), n), mask_of(least, n))
        assert bound.applies and bound.decided and bound.holds


def separates(graph: nx.Graph, least: set[int]) -> bool:
    outside = list(nx.connected_components(graph.subgraph(set(graph) - least)))
    return len(outside) == 2 and not any(
        {*graph[v]} & outside[0] and {*graph[v]} & outside[1] for v in least
    )


def test_theorem_3_on_the_atlas() -> None:
    """Every V' that the theorem speaks of, up to 6 nodes, and some of the others."""
    applied = tried = 0
    for graph in atlas(6):
        for k in range(2 ** len(graph)):
            least = {v for v in graph if k >> v & 1}
            tried += 1
            if separates(graph, least):
                applied += check_theorem_3(graph, least)
            elif tried % 29 == 0:
                assert not check_theorem_3(graph, least)
    assert applied == 200


@pytest.mark.parametrize(
    ("name", "largest", "limit", "missing", "all_of"),
    [
        ("limit-reached", 1, Fraction(1), 1, 2),
        ("above-limit", 1, Fraction(2, 3), 1, 1),
        ("both-parts", 2, Fraction(2), 3, 5),
    ],
)
def test_counterexamples(name: str, largest: int, limit: Fraction, missing: int, all_of) -> None:
    """The second part needs C < c_0; the bound does not."""
    item = specimen(name)
    bound, place = theorem_3(item.adjacency, item.mask(item.least))
    assert bound.applies and bound.holds
    assert not place.applies and place.decided and not place.holds
    assert place.term("C, upper bound") == largest
    assert place.term("c0, lower bound") == pytest.approx(float(limit))
    assert (place.left.value, place.term("narrowest bottlenecks")) == (missing, all_of)
    assert [h.holds for h in place.hypotheses] == [True, True, True, False]


def test_a_narrowest_bottleneck_can_meet_both_parts() -> None:
    item = specimen("both-parts")
    terms = bottleneck(item.adjacency, item.mask(item.least))
    both = item.mask((3, 4))
    assert (both & terms.outside[0]).any() and (both & terms.outside[1]).any()
    _, realisers = cuts.cheeger_realisers(edges_of(item.adjacency), item.num_nodes)
    assert any((side == both).all() or (side == ~both).all() for side in realisers)


def test_c_of_a_single_node_is_left_out() -> None:
    item = specimen("both-parts")
    terms = bottleneck(item.adjacency, item.mask(item.least)).limit_terms
    assert list(terms) == ["|Gamma(U0)| / |U0|", "|Gamma(U1)| / |U1|"]


def test_the_theorem_applies_to_the_barbell_and_shows_its_bridge() -> None:
    item = specimen("barbell")
    bound, place = theorem_3(item.adjacency, item.mask(item.least))
    assert bound.applies and bound.holds and place.applies and place.holds
    assert place.edges["bottleneck"].tolist() in ([[5, 6]], [[6, 5]])
    assert bound.left.value == bound.right.value == pytest.approx(1 / 6)


def test_algorithm_2_lowers_c_to_its_floor_and_leaves_c0_and_c1() -> None:
    """c_0 and c_1 are independent of the subgraph of V'; a spanning forest stays."""
    item = specimen("communities")
    edges, least = edges_of(item.adjacency), item.mask(item.least)
    dropped = drop_edges(edges, item.num_nodes, np.where(least, 0.0, 1.0), 0.3, 1.0, seed=0)
    np.testing.assert_array_equal(dropped.least, least)
    smaller = matrix_of(edges[dropped.kept], item.num_nodes)
    before, after = bottleneck(item.adjacency, least), bottleneck(smaller, least)
    assert before.largest_cut.lower == 7 and after.largest_cut.lower == 5
    assert after.largest_cut.upper == after.forest_floor == before.forest_floor == 5
    assert (before.limit.lower, before.divisor) == (after.limit.lower, after.divisor)
    assert theorem_3(item.adjacency, least)[0].holds and theorem_3(smaller, least)[0].holds


@pytest.mark.dataset
def test_the_theorem_does_not_apply_to_random_sets_of_cora(raw_data) -> None:
    """The spanning forest keeps C large, and the rest of Cora falls into many parts."""
    graph = datasets.load("cora")
    _, component = parts(graph.adjacency)
    largest = np.flatnonzero(component == np.bincount(component).argmax())
    adjacency = graph.adjacency[largest][:, largest]
    edges, n = edges_of(adjacency), len(largest)
    w = np.random.default_rng(0).random(n)
    for eta1 in (0.1, 0.3, 0.5):
        dropped = drop_edges(edges, n, w, eta1, 1.0, seed=0)
        after, _ = theorem_3(matrix_of(edges[dropped.kept], n), dropped.least)
        floor = after.term("C, floor that a spanning forest keeps")
        assert after.term("C, lower bound") == after.term("C, upper bound") == floor
        assert not after.applies and not after.hypotheses[1].holds
