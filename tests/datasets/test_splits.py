from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core.datasets.splits import (
    authors_split,
    per_class_split,
    stratified_split,
    ten_stratified_splits,
)
from wgnn_core.errors import WGNNError


@given(
    st.lists(st.integers(6, 30), min_size=2, max_size=5),
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
)
def test_per_class_split_has_the_sizes_asked_for(sizes, per_class, num_val, seed):
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    if len(y) - per_class * len(sizes) <= num_val:
        num_val = 1
    split = per_class_split(y, per_class, num_val, seed=seed)
    assert np.bincount(y[split.train]).tolist() == [per_class] * len(sizes)
    assert split.val.sum() == num_val
    assert (split.train.astype(int) + split.val + split.test == 1).all()


def test_authors_split_draws_class_by_class_then_validation_then_test():
    y = np.array([0, 1, 0, 1, 1, 0, 0, 1, -1, 0])
    split, random = authors_split(y, 1, 2, 3, seed=1234), np.random.RandomState(1234)
    train = [random.choice(c, 1, replace=False)[0] for c in ([0, 2, 5, 6, 9], [1, 3, 4, 7])]
    left = [i for i in range(10) if i not in (*train, 8)]
    val = random.choice(left, 2, replace=False)
    test = random.choice([i for i in left if i not in val], 3, replace=False)
    assert np.flatnonzero(split.train).tolist() == sorted(train)
    assert np.flatnonzero(split.val).tolist() == sorted(val)
    assert np.flatnonzero(split.test).tolist() == sorted(test)
    with pytest.raises(WGNNError, match=r"9 labelled nodes, 4 in its smallest class; .* needs 15"):
        authors_split(y, 5, 2, 3, seed=0)


def test_per_class_split_can_leave_nodes_out():
    split = per_class_split(np.arange(100) % 2, 5, 10, num_test=20)
    assert (split.train.sum(), split.val.sum(), split.test.sum()) == (10, 10, 20)


def test_per_class_split_names_the_class_that_is_too_small():
    with pytest.raises(WGNNError, match="Class 1 has 3 nodes"):
        per_class_split(np.array([0] * 9 + [1] * 3), 4, 1)
    with pytest.raises(WGNNError, match="2 nodes are left"):
        per_class_split(np.array([0, 0, 1, 1]), 1, 2)


def test_stratified_split_keeps_the_class_shares():
    y = np.array([0] * 800 + [1] * 200)
    split = stratified_split(y, 0.3, 0.1)
    assert (split.train.sum(), split.val.sum(), split.test.sum()) == (300, 100, 600)
    for part in (split.train, split.val, split.test):
        assert y[part].mean() == pytest.approx(0.2)
    assert (split.train.astype(int) + split.val + split.test == 1).all()


def test_nodes_without_label_are_in_no_set():
    y = np.arange(100) % 3
    y[::4] = -1
    for split in (per_class_split(y, 5, 10), stratified_split(y, 0.4, 0.2)):
        assert ((split.train.astype(int) + split.val + split.test == 1) == (y >= 0)).all()
    assert np.bincount(y[per_class_split(y, 5, 10).train]).tolist() == [5, 5, 5]
    assert stratified_split(y, 0.4, 0.2).train.sum() == 30


def test_splits_repeat_by_seed_and_differ_between_seeds():
    y = np.arange(200) % 3
    first, again = ten_stratified_splits(y, 0.7, 0.15), ten_stratified_splits(y, 0.7, 0.15)
    assert len(first) == 10
    assert all((a.train == b.train).all() for a, b in zip(first, again, strict=True))
    assert len({s.train.tobytes() for s in first}) == 10
    assert (per_class_split(y, 5, 9, seed=1).train != per_class_split(y, 5, 9, seed=2).train).any()
