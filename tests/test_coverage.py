import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgnn_core.coverage import coverage_at, quality, random_quality
from wgnn_core.errors import WGNNError
from wgnn_core.ranking import accuracy_coverage, augrc, aurc

ALPHAS = [0.1, 0.34, 0.5, 1.0]


@pytest.mark.parametrize("right", range(6))
def test_random_ranker_is_the_mean_over_all_orders(right):
    outcomes = np.arange(5) < right
    every = [quality(np.array(o), ALPHAS) for o in itertools.permutations(outcomes)]
    expected = random_quality(outcomes, ALPHAS)
    np.testing.assert_allclose(np.mean([q.accuracy for q in every], axis=0), expected.accuracy)
    assert np.mean([q.aurc for q in every]) == pytest.approx(expected.aurc)
    assert np.mean([q.augrc for q in every]) == pytest.approx(expected.augrc)
    assert len(set(expected.accuracy)) == 1


def test_quality_is_the_three_measures():
    correct = np.array([True, True, False, True, False])
    found = quality(correct, ALPHAS)
    np.testing.assert_array_equal(found.accuracy, accuracy_coverage(correct, ALPHAS))
    assert (found.aurc, found.augrc) == (aurc(correct), augrc(correct))


def test_random_quality_refuses_what_a_curve_refuses():
    with pytest.raises(WGNNError, match="alpha is 0"):
        random_quality(np.array([True]), [0.0])
    with pytest.raises(WGNNError, match="0 ranked nodes"):
        random_quality(np.array([], dtype=bool), [0.5])


@given(
    outcomes=st.lists(st.lists(st.booleans(), min_size=1, max_size=30), min_size=1, max_size=4),
    target=st.sampled_from([10.0, 50.0, 60.0, 90.0, 100.0]),
)
@settings(max_examples=60)
def test_largest_coverage_equals_a_loop(outcomes, target):
    expected = []
    for hits in outcomes:
        sizes = [k for k in range(1, len(hits) + 1) if 100 * sum(hits[:k]) >= target * k - 1e-6]
        expected.append(max(sizes, default=0) / len(hits))
    orders = [np.arange(len(hits)) for hits in outcomes]
    found = coverage_at(target, orders, [np.array(hits) for hits in outcomes], resamples=20)
    np.testing.assert_allclose(found.seeds, expected)
    assert found.coverage == pytest.approx(np.mean(expected))
    assert 0 <= found.low <= found.high <= 1


def ranked(seed, n=400, seeds=5, accuracy=0.8):
    """Outcomes that get worse along the order: the chance of a hit falls from 1."""
    rng = np.random.default_rng(seed)
    chance = np.linspace(1, 2 * accuracy - 1, n)
    return [rng.permutation(1000)[:n] for _ in range(seeds)], [
        rng.random(n) < chance for _ in range(seeds)
    ]


def test_interval_repeats_and_narrows_with_more_nodes():
    wide, again = (coverage_at(90, *ranked(0, n=100)) for _ in range(2))
    assert (wide.low, wide.high) == (again.low, again.high)
    narrow = coverage_at(90, *ranked(0, n=900))
    assert narrow.high - narrow.low < 0.7 * (wide.high - wide.low)
    assert wide.low < wide.coverage < wide.high


def test_interval_covers_the_truth_about_as_often_as_it_says():
    # The expected accuracy of the first share c is 1 - 0.4 c / 2, which is 90 % at c = 0.5.
    found = [coverage_at(90, *ranked(seed, n=600, seeds=3), resamples=200) for seed in range(60)]
    share = np.mean([f.low <= 0.5 <= f.high for f in found])
    assert 0.85 <= share <= 1


def test_nodes_that_are_hard_for_every_seed_widen_the_interval():
    """Equal outcomes of all seeds are one draw of the nodes and not five."""
    _, hits = ranked(1, seeds=1)
    order = np.arange(400)
    one, five = (coverage_at(90, [order] * k, hits * k) for k in (1, 5))
    assert five.high - five.low == pytest.approx(one.high - one.low, rel=0.1)
    apart = coverage_at(90, [order + 400 * k for k in range(5)], hits * 5)
    assert apart.high - apart.low < 0.7 * (one.high - one.low)


def test_seeds_that_disagree_widen_the_interval():
    order, good, bad = np.arange(900), np.ones(900, dtype=bool), np.zeros(900, dtype=bool)
    found = coverage_at(90, [order] * 4, [good, bad, good, bad])
    assert (found.coverage, found.low, found.high) == (0.5, 0, 1)


def test_certain_and_hopeless_rankers():
    everything = coverage_at(100, [np.arange(5)], [np.ones(5, dtype=bool)])
    assert (everything.coverage, everything.low, everything.high) == (1, 1, 1)
    nothing = coverage_at(50, [np.arange(5)], [np.zeros(5, dtype=bool)])
    assert (nothing.coverage, nothing.low, nothing.high) == (0, 0, 0)


@pytest.mark.parametrize("target", [0, -1, 100.5, np.nan])
def test_target_out_of_range_is_refused(target):
    with pytest.raises(WGNNError, match=f"target is {target}"):
        coverage_at(target, [np.arange(2)], [np.ones(2, dtype=bool)])


def test_outcomes_that_do_not_fit_are_refused():
    with pytest.raises(WGNNError, match=r"lengths \[\(2, 3\)\]"):
        coverage_at(90, [np.arange(2)], [np.ones(3, dtype=bool)])
    with pytest.raises(WGNNError, match=r"lengths \[\]"):
        coverage_at(90, [], [])
