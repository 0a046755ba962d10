from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgnn_core.errors import WGNNError
from wgnn_core.layout import class_polygon, corner_order, movers
from wgnn_core.layout.polygon import EXACT_UP_TO, JITTER, _improved, _lengths, sharpened


def random_edges(classes, seed, count=200):
    """Edges between as many nodes as classes, node i of class i."""
    rng = np.random.default_rng(seed)
    chance = rng.dirichlet(np.full(classes * classes, 0.3))
    pairs = np.array(list(product(range(classes), repeat=2)))
    return pairs[rng.choice(len(pairs), count, p=chance)], np.arange(classes)


def steps(order, edges):
    """Sum over the edges of corners from one end to the other, the shorter way round."""
    place = {c: i for i, c in enumerate(order)}
    gaps = [abs(place[a] - place[b]) for a, b in edges.tolist()]
    return sum(min(g, len(order) - g) for g in gaps)


@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_few_classes_are_ordered_best_of_all(classes, seed):
    edges, labels = random_edges(classes, seed)
    found = corner_order(edges, labels, classes).tolist()
    assert sorted(found) == list(range(classes))
    assert found[0] == 0
    assert found[1] <= found[-1]
    assert steps(found, edges) == min(steps(o, edges) for o in permutations(range(classes)))


@pytest.mark.parametrize("seed", range(12))
def test_the_search_for_many_classes_is_nearly_as_good(seed):
    """Compared where all orders can be tried."""
    edges, labels = random_edges(EXACT_UP_TO, seed)
    best = steps(corner_order(edges, labels, EXACT_UP_TO), edges)
    counts = np.zeros((EXACT_UP_TO, EXACT_UP_TO), dtype=np.int64)
    np.add.at(counts, tuple(edges.T), 1)
    assert steps(_improved(counts + counts.T), edges) <= 1.05 * best


def test_a_ring_of_many_classes_is_found():
    ring = np.random.default_rng(0).permutation(15)
    edges = np.stack([ring, np.roll(ring, 1)], axis=1)
    order = corner_order(np.repeat(edges, 3, axis=0), np.arange(15), 15)
    assert steps(order, edges) == 15
    np.testing.assert_array_equal(order, corner_order(edges[::-1], np.arange(15), 15))


def test_lengths_count_steps():
    edges, _ = random_edges(5, 3)
    counts = np.zeros((5, 5), dtype=np.int64)
    np.add.at(counts, tuple(edges.T), 1)
    orders = np.array([[0, 1, 2, 3, 4], [3, 1, 0, 4, 2]])
    expected = [2 * steps(o, edges) for o in orders.tolist()]
    assert _lengths(orders, counts + counts.T).tolist() == expected


@pytest.mark.parametrize("classes", [2, 3, 7, 12])
def test_sure_nodes_are_at_their_corner_and_undecided_ones_in_the_middle(classes):
    order = np.roll(np.arange(classes), 1)
    prob = np.concatenate([np.eye(classes), np.full((1, classes), 1 / classes)])
    polygon = class_polygon(prob.astype(np.float32), order)
    axes = slice(0, 1) if classes == 2 else slice(0, 2)  # the height of a band means nothing
    gap = np.linalg.norm(polygon.points[:classes, axes] - polygon.corners[:, axes], axis=1)
    assert gap.max() <= 0.5 * JITTER
    assert np.linalg.norm(polygon.points[classes, axes] - 0.5) <= 0.5 * JITTER
    assert polygon.points.min() >= 0
    assert polygon.points.max() <= 1


def test_corners_go_round_in_order_from_the_top():
    order = np.array([0, 2, 3, 1])
    polygon = class_polygon(np.eye(4, dtype=np.float32), order)
    places = (polygon.corners[order] - 0.5) / 0.48
    np.testing.assert_allclose(places, [[0, 1], [1, 0], [0, -1], [-1, 0]], atol=0.02)


def test_place_is_the_mean_of_the_corners_weighted_by_squares():
    rng = np.random.default_rng(0)
    prob = rng.dirichlet(np.ones(5), 300).astype(np.float32)
    polygon = class_polygon(prob, np.arange(5))
    weights = prob.astype(float) ** 2
    expected = (weights / weights.sum(axis=1, keepdims=True)) @ polygon.corners
    off = polygon.points - expected
    assert np.linalg.norm(off, axis=1).max() <= 0.5 * JITTER + 1e-6
    assert len(np.unique(polygon.points, axis=0)) == 300


@pytest.mark.parametrize("classes", [2, 5])
def test_a_node_is_moved_aside_by_the_same_whatever_its_probabilities(classes):
    rng = np.random.default_rng(0)
    first, second = (rng.dirichlet(np.ones(classes), 50).astype(np.float32) for _ in range(2))
    asides = []
    for prob in (first, second):
        polygon = class_polygon(prob, np.arange(classes))
        asides.append(polygon.points - sharpened(prob) @ polygon.corners)
    np.testing.assert_allclose(*asides, atol=1e-6)


def test_equal_nodes_spread_evenly_over_a_disc():
    prob = np.tile(np.eye(3)[0], (2000, 1)).astype(np.float32)
    polygon = class_polygon(prob, np.arange(3))
    off = (polygon.points - polygon.corners[0]) / (0.5 * JITTER / (1 + JITTER))
    assert np.linalg.norm(off.mean(axis=0)) < 0.02
    share = [(np.linalg.norm(off, axis=1) < r).mean() for r in (0.3, 0.6, 0.9)]
    np.testing.assert_allclose(share, [0.09, 0.36, 0.81], atol=0.03)
    quarter = ((off > 0).all(axis=1) & (np.linalg.norm(off, axis=1) < 0.5)).mean()
    assert quarter == pytest.approx(0.25 * 0.25, abs=0.015)


def test_two_classes_make_a_band():
    prob = np.stack([np.linspace(0, 1, 500), np.linspace(1, 0, 500)], axis=1).astype(np.float32)
    x, y = class_polygon(prob, np.arange(2)).points.T
    assert x[0] > 0.9 > 0.1 > x[-1]
    assert np.abs(x - sharpened(prob) @ [0, 1]).max() < JITTER
    assert 0.2 < y.min() < 0.3 < 0.7 < y.max() < 0.8


def test_movers_are_the_nodes_that_change_most():
    before = np.array([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.5, 0], [0.2, 0.2, 0.6]])
    after = np.array([[0, 1, 0], [0.6, 0.4, 0], [0.5, 0.5, 0], [0.21, 0.2, 0.59]])
    found = movers(before, after)
    assert found.nodes.tolist() == [0, 1]
    assert found.change[0] == 1
    assert found.change[1] == pytest.approx((0.36 - 0.16) / 0.52)
    assert movers(before, after, most=1).nodes.tolist() == [0]
    assert movers(before, before).nodes.tolist() == []


@given(st.integers(0, 2**32 - 1), st.integers(3, 8))
@settings(max_examples=30)
def test_a_node_moves_at_most_its_change_of_the_diameter(seed, classes):
    rng = np.random.default_rng(seed)
    before, after = (rng.dirichlet(np.full(classes, 0.4), 40) for _ in range(2))
    found = movers(before, after, most=40, least=0)
    places = [class_polygon(prob, np.arange(classes)).points for prob in (before, after)]
    moved = np.linalg.norm(places[1] - places[0], axis=1)[found.nodes]
    assert (moved <= found.change + 1e-6).all()


def test_logits_are_refused():
    with pytest.raises(WGNNError, match="softmax, not logits"):
        class_polygon(np.array([[3.0, 1.0, 2.0]]), np.arange(3))
