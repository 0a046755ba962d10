import inspect
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core.errors import WGNNError
from wgnn_core.graph import HIDDEN
from wgnn_core.supplement import supplement


@st.composite
def cases(draw):
    n = draw(st.integers(3, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    part = rng.integers(0, 3, n)
    w = rng.integers(0, 5, n) / 4 if draw(st.booleans()) else rng.random(n)
    return w, rng.integers(0, 4, n), part == 0, part == 2


percents = st.integers(0, 100)


@given(cases(), percents)
def test_the_test_nodes_of_largest_w_join_with_their_predicted_labels(case, percent):
    w, predicted, train, test = case
    result = supplement(w, predicted, train, test, percent / 100)
    nodes = sorted(np.flatnonzero(test), key=lambda v: (-w[v], v))
    count = math.floor(Fraction(percent, 100) * len(nodes))
    assert np.flatnonzero(result.added).tolist() == sorted(nodes[:count])
    np.testing.assert_array_equal(result.train, train | result.added)
    np.testing.assert_array_equal(result.labels[result.added], predicted[result.added])
    assert (result.labels[~result.added] == HIDDEN).all()
    assert not (result.added & train).any()


@given(cases(), percents, percents)
def test_training_sets_are_nested_in_eta0(case, a, b):
    small, large = (supplement(*case, eta / 100).train for eta in sorted((a, b)))
    assert (small <= large).all()


@given(cases())
def test_eta0_zero_is_the_identity_and_one_adds_all(case):
    _, _, train, test = case
    nothing, everything = supplement(*case, 0.0), supplement(*case, 1.0)
    assert not nothing.added.any()
    np.testing.assert_array_equal(nothing.train, train)
    np.testing.assert_array_equal(everything.train, train | test)


@given(cases(), percents)
def test_inputs_stay_untouched(case, percent):
    before = [array.copy() for array in case]
    supplement(*case, percent / 100)
    for array, copy in zip(case, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@given(st.integers(0, 2**32 - 1), percents)
def test_renumbering_the_nodes_renumbers_the_outcome(seed, percent):
    rng = np.random.default_rng(seed)
    n = 30
    w, predicted, part = rng.permutation(n) / n, rng.integers(0, 4, n), rng.integers(0, 3, n)
    p = rng.permutation(n)
    plain = supplement(w, predicted, part == 0, part == 2, percent / 100)
    moved = supplement(w[p], predicted[p], (part == 0)[p], (part == 2)[p], percent / 100)
    np.testing.assert_array_equal(moved.added, plain.added[p])
    np.testing.assert_array_equal(moved.labels, plain.labels[p])


def test_true_labels_are_no_argument():
    assert list(inspect.signature(supplement).parameters) == [
        "w", "predicted", "split_train", "test_mask", "eta0",
    ]  # fmt: skip


def test_bad_eta0_is_named():
    masks = np.array([True, False]), np.array([False, True])
    with pytest.raises(WGNNError, match=r"eta0 is 1\.3; it must lie between 0 and 1"):
        supplement(np.zeros(2), np.zeros(2, dtype=np.int64), *masks, 1.3)
