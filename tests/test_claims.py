import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from wgnn_core.claims import (
    Reason,
    best_on_edge,
    dropped_edges_join_classes,
    w_rises_from_boundary,
    wgnn_helps,
    wrong_nodes_gather_at,
    wrong_nodes_have_small_w,
)
from wgnn_core.errors import WGNNError


@pytest.fixture(autouse=True)
def no_warning_leaks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def nodes(right_on, right_off, wrong_on, wrong_off):
    """Masks (right, on the boundary) with so many nodes of each sort."""
    right = np.repeat([True, True, False, False], [right_on, right_off, wrong_on, wrong_off])
    on = np.repeat([True, False, True, False], [right_on, right_off, wrong_on, wrong_off])
    return right, on


@given(*[st.integers(1, 12)] * 4)
@settings(max_examples=60)
def test_gathering_equals_fishers_exact_test(a, b, c, d):
    claim = wrong_nodes_gather_at(*nodes(a, b, c, d))
    expected = stats.fisher_exact([[c, d], [a, b]], alternative="greater").pvalue
    assert claim.pvalue == pytest.approx(expected)
    assert claim.numbers["wrong"] == pytest.approx(100 * c / (c + d))
    assert claim.numbers["right"] == pytest.approx(100 * a / (a + b))
    assert claim.holds <= (claim.pvalue < 0.05)
    assert claim.holds <= (claim.numbers["wrong"] > claim.numbers["right"])


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ((100, 900, 80, 20), Reason.HOLDS),
        ((800, 200, 20, 80), Reason.OPPOSITE),
        ((300, 700, 31, 69), Reason.NOISE),
        ((20_000, 80_000, 20_600, 79_400), Reason.WEAK),  # not chance, and nobody could see it
        ((10, 20, 0, 0), Reason.EMPTY),
        ((0, 0, 5, 6), Reason.EMPTY),
        ((20, 0, 10, 0), Reason.EMPTY),  # every node is on the boundary
        ((0, 20, 0, 10), Reason.EMPTY),
    ],
)
def test_reasons_of_gathering(counts, reason):
    claim = wrong_nodes_gather_at(*nodes(*counts))
    assert claim.reason is reason
    assert claim.holds == (reason is Reason.HOLDS)


@pytest.mark.parametrize("seed", range(3))
def test_random_mistakes_do_not_gather(seed):
    """Of 200 random pictures no more than about LEVEL hold."""
    rng = np.random.default_rng(seed)
    held = [
        wrong_nodes_gather_at(rng.random(300) < 0.8, rng.random(300) < 0.3).holds
        for _ in range(200)
    ]
    assert np.mean(held) < 0.09


@pytest.mark.parametrize(
    ("slope", "noise", "n", "reason"),
    [
        (1.0, 1.0, 300, Reason.HOLDS),
        (-1.0, 1.0, 300, Reason.OPPOSITE),
        (0.0, 1.0, 300, Reason.NOISE),
        (0.04, 1.0, 50_000, Reason.WEAK),
    ],
)
def test_reasons_of_w_and_distance(slope, noise, n, reason):
    rng = np.random.default_rng(1)
    distance = rng.integers(0, 4, n).astype(float)
    w = slope * distance + noise * rng.standard_normal(n)
    beyond = np.append(distance, [np.inf] * 9)
    claim = w_rises_from_boundary(np.append(w, [-99.0] * 9), beyond)
    assert claim.reason is reason
    assert claim.numbers["nodes"] == n
    assert claim.numbers["boundary"] == pytest.approx(w[distance == 0].mean())
    assert claim.numbers["inside"] == pytest.approx(w[distance > 0].mean())
    expected = stats.spearmanr(w, distance, alternative="greater")
    assert claim.numbers["correlation"] == pytest.approx(expected.statistic)
    assert claim.pvalue == pytest.approx(expected.pvalue)


@pytest.mark.parametrize(
    ("w", "distance"),
    [
        ([1.0, 2.0, 3.0], [np.inf] * 3),
        ([1.0, 2.0, 3.0], [0.0] * 3),
        ([1.0] * 3, [0.0, 1.0, 2.0]),
        ([1.0, 2.0], [0.0, 1.0]),
    ],
)
def test_w_and_distance_without_a_trend_to_look_for(w, distance):
    claim = w_rises_from_boundary(np.array(w), np.array(distance))
    assert claim.reason is Reason.EMPTY
    assert math.isnan(claim.pvalue)


@pytest.mark.parametrize(
    ("shift", "n", "reason"),
    [
        (1.0, 200, Reason.HOLDS),
        (-1.0, 200, Reason.OPPOSITE),
        (0.0, 200, Reason.NOISE),
        (0.05, 100_000, Reason.WEAK),
    ],
)
def test_reasons_of_w_and_mistakes(shift, n, reason):
    rng = np.random.default_rng(2)
    right = rng.random(n) < 0.7
    w = rng.standard_normal(n) + shift * right
    claim = wrong_nodes_have_small_w(w, right)
    assert claim.reason is reason
    assert claim.numbers["auroc"] == pytest.approx(roc_auc_score(right, w))
    assert claim.numbers["wrong"] == pytest.approx(w[~right].mean())


def test_w_and_mistakes_need_both_sorts_of_nodes():
    w = np.array([0.1, 0.2])
    assert wrong_nodes_have_small_w(w, np.array([True, True])).reason is Reason.EMPTY
    assert wrong_nodes_have_small_w(w, np.array([False, False])).reason is Reason.EMPTY
    flat = wrong_nodes_have_small_w(np.ones(4), np.array([True, False, True, False]))
    assert flat.reason is Reason.EMPTY


def test_dropped_edges_are_compared_with_the_others():
    labels = np.array([0, 1])
    crossing, inside = [(0, 1)] * 40, [(0, 0)] * 60
    edges = np.array(crossing + inside)
    dropped = np.arange(100) < 30
    claim = dropped_edges_join_classes(edges, dropped, labels)
    assert claim.holds
    assert claim.numbers == {"dropped": 100, "kept": pytest.approx(100 * 10 / 70)}
    assert dropped_edges_join_classes(edges, ~dropped, labels).reason is Reason.OPPOSITE
    nothing = dropped_edges_join_classes(edges, np.zeros(100, dtype=bool), labels)
    assert nothing.reason is Reason.EMPTY
    assert math.isnan(nothing.numbers["dropped"])
    # an edge to a node of unknown class joins no two classes, and is no other edge either
    more = np.concatenate([edges, [[0, len(labels)]]])
    unknown = dropped_edges_join_classes(more, np.append(dropped, True), np.append(labels, -1))
    assert unknown.numbers == claim.numbers


BASE = [80.0, 81, 80, 82, 81]


@pytest.mark.parametrize(
    ("other", "mean_w", "reason"),
    [
        ([82.0, 83, 82.5, 84, 83], 1.0, Reason.HOLDS),
        ([78.0, 79, 78.5, 80, 79], 1.0, Reason.OPPOSITE),
        ([81.0, 80, 82, 81, 81], 1.0, Reason.NOISE),
        (BASE, 1.0, Reason.NOISE),
        ([82.0, 83, 82.5, 84, 83], 0.02, Reason.UNTRAINED),
    ],
)
def test_reasons_of_help(other, mean_w, reason):
    claim = wgnn_helps(BASE, other, mean_w, num_classes=7)
    assert claim.reason is reason
    assert claim.numbers["difference"] == pytest.approx(np.mean(other) - np.mean(BASE))
    assert claim.numbers["low"] <= claim.numbers["difference"] <= claim.numbers["high"]
    assert claim.numbers["trained"] == pytest.approx(mean_w / (12 / 7))
    if reason is Reason.HOLDS:
        assert claim.numbers["low"] > 0


def test_one_seed_proves_nothing():
    assert wgnn_helps([80.0], [90.0], 1.0, 7).reason is Reason.EMPTY


def test_w_that_cannot_be_is_refused():
    with pytest.raises(WGNNError, match=r"The mean w is 1\.9; with 2 classes"):
        wgnn_helps(BASE, BASE, 1.9, 2)


@pytest.mark.parametrize(
    ("best", "axes", "sides"),
    [
        ((0.2, 0.4), ([0.2, 0.4, 0.6], [0.2, 0.4, 0.6]), (-1, 0)),
        ((0.6, 0.6), ([0.2, 0.4, 0.6], [0.6, 0.2]), (1, 1)),
        ((0.4, 0.4), ([0.2, 0.4, 0.6], [0.2, 0.4, 0.6]), (0, 0)),
        ((0.0, 1.0), ([0.0, 0.4, 1.0], [0.0, 0.4, 1.0]), (0, 0)),  # nothing is beyond 0 and 1
        ((0.4, 0.2), ([0.4], [0.2, 0.4]), (0, -1)),  # an axis held fixed has no edge
    ],
)
def test_edge_of_the_grid(best, axes, sides):
    claim = best_on_edge(best, axes)
    assert tuple(claim.numbers.values()) == sides
    assert claim.holds == any(sides)


def test_a_best_cell_outside_the_grid_is_refused():
    with pytest.raises(WGNNError, match=r"has 0\.5 on axis 1"):
        best_on_edge((0.2, 0.5), ([0.2, 0.4], [0.2, 0.4]))
