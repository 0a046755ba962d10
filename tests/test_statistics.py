import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from wgnn_core.errors import WGNNError
from wgnn_core.graph import Split, make_graph
from wgnn_core.statistics import CORRECTED, PAIRED, compare, holm, overlap_of

BASE = [80.1, 81.4, 80.9, 81.0, 82.2]
OTHER = [81.7, 81.2, 82.8, 82.0, 83.9]


@pytest.fixture(autouse=True)
def no_warning_leaks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_agrees_with_the_textbook_formulas():
    result = compare(BASE, OTHER)
    gain = np.subtract(OTHER, BASE)
    mean, error = gain.mean(), gain.std(ddof=1) / math.sqrt(5)
    t_quantile = 2.7764451051977987  # 97.5 % of Student's t with 4 degrees of freedom
    assert result.n == 5
    assert result.base_mean == pytest.approx(sum(BASE) / 5)
    assert result.base_std == pytest.approx(
        math.sqrt(sum((x - sum(BASE) / 5) ** 2 for x in BASE) / 4)
    )
    assert result.other_std == pytest.approx(np.std(OTHER, ddof=1))
    assert result.difference == pytest.approx(mean)
    assert (result.low, result.high) == pytest.approx(
        (mean - t_quantile * error, mean + t_quantile * error)
    )
    assert result.t_pvalue == pytest.approx(2 * stats.t.sf(mean / error, df=4))
    # One rank-1 loss among five: 4 of the 32 sign patterns are as extreme.
    assert result.wilcoxon_pvalue == pytest.approx(4 / 32)


def test_swapping_the_sides_changes_the_sign_only():
    there, back = compare(BASE, OTHER), compare(OTHER, BASE)
    assert back.difference == pytest.approx(-there.difference)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low))
    assert back.t_pvalue == pytest.approx(there.t_pvalue)
    assert back.wilcoxon_pvalue == pytest.approx(there.wilcoxon_pvalue)


@given(st.lists(st.tuples(*[st.integers(0, 1000)] * 2), min_size=2, max_size=12))
def test_interval_leaves_out_zero_exactly_if_p_is_below_5_percent(pairs):
    result = compare(*(np.array(pairs).T / 10))
    assert result.low <= result.difference <= result.high
    if not math.isnan(result.t_pvalue):
        assert (result.low > 0 or result.high < 0) == (result.t_pvalue < 0.05)
    assert 0 < result.wilcoxon_pvalue <= 1


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8))
@settings(max_examples=50)
def test_wilcoxon_agrees_with_scipy_where_that_is_exact(gains):
    ours = compare(np.zeros(len(gains)), gains).wilcoxon_pvalue
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ours == pytest.approx(stats.wilcoxon(gains).pvalue)


def test_wilcoxon_of_many_seeds_agrees_with_the_exact_distribution():
    gains = np.random.default_rng(0).normal(0.3, 1, 40)
    exact = stats.wilcoxon(np.round(gains, 9), method="exact").pvalue
    assert compare(np.zeros(40), gains).wilcoxon_pvalue == pytest.approx(exact)


def test_equal_gains_tie_in_spite_of_rounding():
    # Gains of 0.1, 0.1, -0.1 in decimal are three different sizes as floats.
    result = compare([0.3, 0.7, 0.9], [0.4, 0.8, 0.8])
    assert result.wilcoxon_pvalue == compare([0, 0, 1], [1, 1, 0]).wilcoxon_pvalue


def test_gains_that_cancel_are_no_loss():
    """In floating point the mean of these is -1e-15."""
    base = [100 * right / 37 for right in (29, 31, 33, 35)]
    other = [100 * right / 37 for right in (26, 29, 36, 37)]
    assert np.mean(np.subtract(other, base)) != 0
    assert compare(base, other).difference == 0


def test_one_seed_has_no_spread_and_no_test():
    result = compare([80.0], [81.0])
    undefined = (result.base_std, result.other_std, result.low, result.high, result.t_pvalue)
    assert all(math.isnan(value) for value in undefined)
    assert result.difference == 1
    assert result.wilcoxon_pvalue == 1


def test_equal_runs_show_no_difference():
    result = compare(BASE, BASE)
    assert (result.difference, result.low, result.high) == (0, 0, 0)
    assert math.isnan(result.t_pvalue)
    assert result.wilcoxon_pvalue == 1


def test_constant_gain_is_certain_for_the_t_test_only():
    result = compare(BASE, [x + 1 for x in BASE])
    assert result.t_pvalue == 0
    assert result.wilcoxon_pvalue == pytest.approx(2 / 2**5)


@pytest.mark.parametrize(
    ("base", "other", "message"),
    [
        ([1.0], [1.0, 2.0], r"\(1,\) and \(2,\)"),
        ([], [], r"\(0,\) and \(0,\)"),
        ([1.0, math.nan], [1.0, 2.0], "is nan"),
        ([1.0, 2.0], [1.0, math.inf], "is inf"),
    ],
)
def test_unpaired_or_broken_values_are_refused(base, other, message):
    with pytest.raises(WGNNError, match=message):
        compare(base, other)


def test_overlapping_splits_need_a_wider_interval_by_hand() -> None:
    """Nadeau and Bengio (2003): s^2 (1/n + n_test / n_train) with n - 1 degrees of freedom."""
    plain, corrected = compare(BASE, OTHER), compare(BASE, OTHER, overlap=37 / 87)
    gain = np.subtract(OTHER, BASE)
    error = gain.std(ddof=1) * math.sqrt(1 / 5 + 37 / 87)
    t_quantile = 2.7764451051977987
    assert (corrected.low, corrected.high) == pytest.approx(
        (gain.mean() - t_quantile * error, gain.mean() + t_quantile * error)
    )
    assert corrected.t_pvalue == pytest.approx(2 * stats.t.sf(gain.mean() / error, df=4))
    assert (plain.test, corrected.test) == (PAIRED, CORRECTED)
    assert corrected.wilcoxon_pvalue == plain.wilcoxon_pvalue
    assert corrected.difference == plain.difference


def test_ten_gains_on_the_masks_of_texas_lose_their_significance() -> None:
    """The published masks have 87 training and 37 test nodes: t is divided by 2.29."""
    gains = np.array([1.0, 2.0, -1.0, 3.0, 0.0, 1.0, 2.0, -2.0, 1.0, 1.0])
    plain, corrected = compare(np.zeros(10), gains), compare(np.zeros(10), gains, 37 / 87)
    t_plain, t_corrected = (stats.t.isf(c.t_pvalue / 2, 9) for c in (plain, corrected))
    assert t_plain / t_corrected == pytest.approx(math.sqrt((1 / 10 + 37 / 87) * 10))
    assert plain.t_pvalue < 0.13 < 0.4 < corrected.t_pvalue


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=12), st.floats(0.01, 10))
@settings(deadline=None)
def test_the_correction_never_makes_a_gain_surer(gains, overlap):
    plain, corrected = (
        compare(np.zeros(len(gains)), gains),
        compare(np.zeros(len(gains)), gains, overlap),
    )
    assert corrected.low <= plain.low and plain.high <= corrected.high
    if not math.isnan(plain.t_pvalue):
        assert corrected.t_pvalue >= plain.t_pvalue


@given(st.lists(st.tuples(*[st.integers(0, 1000)] * 2), min_size=2, max_size=12))
@settings(deadline=None)
def test_without_overlap_it_is_scipys_paired_test(pairs):
    base, other = np.array(pairs).T / 10
    ours = compare(base, other)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gain = np.round(other - base, 9)
        theirs = stats.ttest_rel(gain, np.zeros_like(gain))
        interval = theirs.confidence_interval(0.95)
    if np.ptp(gain) > 0:
        assert ours.t_pvalue == pytest.approx(theirs.pvalue)
        assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high))


def test_holm_by_hand() -> None:
    """Sorted 0.01, 0.02, 0.03, 0.04 times 4, 3, 2, 1, never falling."""
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([0.02, math.nan, 0.03]) == pytest.approx([0.04, math.nan, 0.04], nan_ok=True)
    assert holm([]).size == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=15))
@settings(deadline=None)
def test_holm_keeps_the_order_and_lies_between_plain_and_bonferroni(pvalues):
    given, adjusted = np.array(pvalues), holm(pvalues)
    assert (adjusted >= given).all() and (adjusted <= np.minimum(given * len(given), 1)).all()
    order = np.argsort(given, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert adjusted.min() == min(given.min() * len(given), 1)


def test_overlap_counts_only_the_splits_that_the_seeds_use() -> None:
    def split(train: int, test: int) -> Split:
        place = np.arange(12)
        return Split(place < train, place == 11, (place >= train) & (place < train + test))

    graph = make_graph("g", np.eye(12), [(0, 1)], [0, 1] * 6, [split(4, 2), split(5, 5)])
    assert overlap_of(graph, [0, 1]) == pytest.approx((2 / 9 + 5 / 6) / 2)  # 5 and 1 left over
    assert overlap_of(graph, [0, 2, 4]) == 0  # all on the first split
    assert overlap_of(graph, [7]) == 0


def test_with_no_node_left_over_it_is_the_ratio_of_nadeau_and_bengio() -> None:
    place = np.arange(12)
    splits = [Split(place % 4 == i, place % 4 == 3, ~np.isin(place % 4, [i, 3])) for i in (0, 1)]
    graph = make_graph("g", np.eye(12), [(0, 1)], [0, 1] * 6, splits)
    assert overlap_of(graph, [0, 1]) == pytest.approx(6 / 3)
    few = make_graph("g", np.eye(14), [(0, 1)], [0, 1] * 6 + [-1, -1], [
        Split(*(np.append(mask, [False, False]) for mask in (s.train, s.val, s.test)))
        for s in splits
    ])  # fmt: skip
    assert overlap_of(few, [0, 1]) == pytest.approx(6 / 3)  # unlabelled nodes are never drawn


def test_small_training_sets_keep_the_level_of_the_test() -> None:
    """Gains without an effect: of each node its own, and of each training its own.

    Twenty splits of 400 nodes, 20 for training, 40 for validation, 200 for testing. Without the
    correction every second test finds an effect; n_test / n_train = 10 finds next to none.
    """
    rng = np.random.default_rng(0)
    splits = [
        Split(place < 20, (place >= 20) & (place < 60), place >= 200)
        for place in (rng.permutation(400) for _ in range(20))
    ]
    graph = make_graph("g", np.eye(400), [(0, 1)], [0, 1] * 200, splits)
    overlap, tests = overlap_of(graph, range(20)), np.stack([split.test for split in splits])
    assert overlap == pytest.approx(200 / 160)
    found = {0.0: 0, overlap: 0, 10.0: 0}
    for _ in range(400):
        nodes, trainings = rng.standard_normal(400), 0.05 * rng.standard_normal(20)
        gains = tests @ nodes / 200 + trainings
        for correction in found:
            found[correction] += compare(np.zeros(20), gains, correction).t_pvalue < 0.05
    assert found[0.0] > 80 and found[overlap] <= 24 and found[10.0] < found[overlap] + 1
