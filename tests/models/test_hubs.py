"""A node with very many neighbours costs what the same edges cost anywhere else."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from wgnn_core.graph import Graph, Split, make_graph
from wgnn_core.models import make_model
from wgnn_core.wgnn import train_base

NODES = 100_001
NARROW: dict[str, dict[str, Any]] = {
    "graphcon": {"epochs": 1, "time": 2.0, "hidden": 4, "heads": 1, "attention_width": 4},
    "maskgae": {"epochs": 1, "pretrain_epochs": 1, "hidden": 4, "embedding": 4, "decoder": 4},
}
"""Little work for each node and edge, so that any with the square of a degree would show."""


def graph_of(kind: str, nodes: int) -> Graph:
    """A star or a path: as many nodes, edges and features, but for the degrees."""
    others = np.arange(1, nodes)
    first = np.zeros(nodes - 1, dtype=int) if kind == "star" else others - 1
    masks = [np.arange(nodes) % 100 == r for r in range(3)]
    x = np.random.default_rng(0).random((nodes, 4))
    pairs = np.stack([first, others], axis=1)
    return make_graph(kind, x, pairs, np.arange(nodes) % 2, [Split(*masks)])


@pytest.mark.parametrize("name", NARROW)
def test_a_star_costs_what_a_path_costs(name: str) -> None:
    """Both models work on the whole graph, so that the two differ in degrees alone."""
    model, seconds = make_model(name, **NARROW[name]), {}
    for kind in ("star", "path"):
        train_base(graph_of(kind, 300), model, [0])  # compiles
        graph = graph_of(kind, NODES)
        began = time.process_time()
        train_base(graph, model, [0])
        seconds[kind] = time.process_time() - began
    assert seconds["star"] < 3 * seconds["path"] + 0.5
