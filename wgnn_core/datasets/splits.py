"""Seeded splits of the labelled nodes into training, validation and test set."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split

from wgnn_core.errors import WGNNError
from wgnn_core.graph import UNLABELLED, BoolArray, IntArray, Split

SPLIT_SEED = 1234
"""The seed of every split that its source does not fix."""


def per_class_split(
    y: IntArray,
    per_class: int,
    num_val: int,
    num_test: int | None = None,
    seed: int = SPLIT_SEED,
) -> Split:
    """Draw `per_class` training nodes of each class, then validation and test from the rest.

    Args:
        y: Class numbers, ``[N]``; nodes without label are in no set.
        per_class: Training nodes of each class.
        num_val: Validation nodes, whatever their class.
        num_test: Test nodes; None takes every node that is left.
        seed: Seed of the draw.

    Raises:
        WGNNError: A class or the graph is too small for the numbers asked for.
    """
    order = np.random.default_rng(seed).permutation(len(y))
    order = order[y[order] != UNLABELLED]
    shuffled = y[order]
    classes, counts = np.unique(shuffled, return_counts=True)
    if counts.min() < per_class:
        small = classes[np.argmin(counts)]
        raise WGNNError(
            f"Class {small} has {counts.min()} nodes, but the split takes {per_class} training "
            "nodes of each class; take fewer."
        )
    train = np.concatenate([order[np.flatnonzero(shuffled == c)[:per_class]] for c in classes])
    rest = order[~np.isin(order, train)]
    needed = num_val + (1 if num_test is None else num_test)
    if len(rest) < needed:
        raise WGNNError(
            f"{len(rest)} nodes are left after training, but validation and test need {needed}; "
            "take fewer."
        )
    last = len(rest) if num_test is None else num_val + num_test
    n = len(y)
    return Split(_mask(train, n), _mask(rest[:num_val], n), _mask(rest[num_val:last], n))


def authors_split(y: IntArray, per_class: int, num_val: int, num_test: int, seed: int) -> Split:
    """One draw as the wGNN authors' release draws for Photo and CS (there with seed 1234).

    Training nodes class by class, then validation and test nodes from what is left, whatever their
    class, all from one legacy `RandomState`, whose numbers are the same in every version of numpy.

    Raises:
        WGNNError: A class or the graph is too small for the numbers asked for.
    """
    random, n = np.random.RandomState(seed), len(y)
    labelled = np.flatnonzero(y != UNLABELLED)
    classes, counts = np.unique(y[labelled], return_counts=True)
    needed = per_class * len(classes) + num_val + num_test
    if counts.min() < per_class or len(labelled) < needed:
        raise WGNNError(
            f"The graph has {len(labelled)} labelled nodes, {counts.min()} in its smallest class; "
            f"the split needs {needed}, {per_class} of each class."
        )
    train = np.concatenate(
        [random.choice(np.flatnonzero(y == c), per_class, replace=False) for c in classes]
    )
    val = random.choice(np.setdiff1d(labelled, train), num_val, replace=False)
    left = np.setdiff1d(labelled, np.concatenate([train, val]))
    test = random.choice(left, num_test, replace=False)
    return Split(_mask(train, n), _mask(val, n), _mask(test, n))


def stratified_split(
    y: IntArray, train_share: float, val_share: float, seed: int = SPLIT_SEED
) -> Split:
    """Split the labelled nodes so that each part has their class shares; test takes the rest."""
    n = len(y)
    labelled = np.flatnonzero(y != UNLABELLED)
    num_train, num_val = round(train_share * len(labelled)), round(val_share * len(labelled))
    train, rest = train_test_split(
        labelled, train_size=num_train, stratify=y[labelled], random_state=seed
    )
    val, test = train_test_split(rest, train_size=num_val, stratify=y[rest], random_state=seed)
    return Split(_mask(train, n), _mask(val, n), _mask(test, n))


def ten_stratified_splits(y: IntArray, train_share: float, val_share: float) -> list[Split]:
    """Ten seeded draws; run i uses split i mod 10."""
    return [stratified_split(y, train_share, val_share, SPLIT_SEED + i) for i in range(10)]


def _mask(nodes: IntArray, n: int) -> BoolArray:
    mask = np.zeros(n, dtype=np.bool_)
    mask[nodes] = True
    return mask
