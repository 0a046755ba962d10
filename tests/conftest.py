"""Graphs that many tests share."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from wgnn_core import datasets
from wgnn_core.graph import Graph, Split, make_graph

settings.register_profile("untimed", deadline=None)  # a busy machine is no failure
settings.load_profile("untimed")


def mask(nodes: list[int], n: int) -> np.ndarray:
    out = np.zeros(n, dtype=bool)
    out[nodes] = True
    return out


@pytest.fixture
def tiny_graph() -> Graph:
    """Two 4-cliques, {0..3} of class 0 and {4..7} of class 1, joined by the edges 3-4 and 2-5.

    Train 0 and 7, validation 1 and 6, test 2, 3, 4, 5.
    """
    cliques = [(a + s, b + s) for s in (0, 4) for a in range(4) for b in range(a + 1, 4)]
    x = np.array([[1, 0, 1]] * 4 + [[0, 1, 1]] * 4, dtype=np.float32)
    return make_graph(
        "tiny",
        x,
        [*cliques, (3, 4), (2, 5)],
        np.array([0, 0, 0, 0, 1, 1, 1, 1]),
        [Split(mask([0, 7], 8), mask([1, 6], 8), mask([2, 3, 4, 5], 8))],
        class_names=("left", "right"),
    )


@pytest.fixture(scope="session")
def digits() -> Graph:
    return datasets.load("digits")


@pytest.fixture(scope="session")
def csbm_small() -> Graph:
    """300 nodes, 3 classes, homophily 0.8: trains in a blink and is not trivial."""
    return datasets.load(
        "csbm", nodes=300, classes=3, features=16, average_degree=6.0, homophily=0.8, seed=0
    )


@pytest.fixture(scope="session")
def raw_data() -> Path:
    """The folder with the raw benchmark files; skips the test where there is none."""
    folder = os.environ.get("WGNN_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the raw benchmark files: set WGNN_DATA to their folder")
    return Path(folder)
