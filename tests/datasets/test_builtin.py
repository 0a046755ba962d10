from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from wgnn_core import datasets


def test_digits_sizes_and_split(digits):
    split = digits.split(0)
    assert (digits.num_nodes, digits.num_features, digits.num_classes) == (1797, 64, 10)
    assert np.bincount(digits.y[split.train]).tolist() == [20] * 10
    assert (split.val.sum(), split.test.sum()) == (300, 1297)
    assert digits.class_names == tuple("0123456789")
    assert digits.x.max() == 1.0


def test_digits_edges_are_the_seven_nearest_by_cosine(digits):
    """Brute force: every edge is among the 7 largest cosines of one of its ends, and all are in."""
    pixels = load_digits().data
    unit = pixels / np.linalg.norm(pixels, axis=1, keepdims=True)
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, -np.inf)
    nearest = np.argsort(-cosine, axis=1)[:, :7]
    pairs = {tuple(sorted((v, int(u)))) for v in range(len(pixels)) for u in nearest[v]}
    assert {tuple(edge) for edge in digits.edges.tolist()} == pairs


def test_karate_is_zacharys_club():
    karate = datasets.load("karate")
    assert (karate.num_nodes, karate.num_edges, karate.num_classes) == (34, 78, 2)
    assert karate.y[0] == 0 and karate.y[33] == 1
    assert len(karate.splits) == 10
    for split in karate.splits:
        assert np.bincount(karate.y[split.train]).tolist() == [2, 2]
        assert (split.val.sum(), split.test.sum()) == (6, 24)
