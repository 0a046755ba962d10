"""A node with very many neighbours costs what the same edges cost anywhere else."""

from __future__ import annotations

import time

import numpy as np
import pytest

from wgnn_core.graph import Graph, Split, make_graph
from wgnn_core.models import make_model
from wgnn_core.wgnn import train_base

NODES = 20_001
QUICK = {"graphcon": {"epochs": 2, "time": 3.0}, "maskgae": {"epochs": 1, "pretrain_epochs": 2}}


def graph_of(kind: str, nodes: int) -> Graph:
    """A star or a path: as many nodes, edges and features, but for the degrees."""
    others = np.arange(1, nodes)
    first = np.zeros(nodes - 1, dtype=int) if kind == "star" else others - 1
    masks = [np.arange(nodes) % 100 == r for r in range(3)]
    x = np.random.default_rng(0).random((nodes, 4))
    pairs = np.stack([first, others], axis=1)
    return make_graph(kind, x, pairs, np.arange(nodes) % 2, [Split(*masks)])


@pytest.mark.parametrize("name", QUICK)
def test_a_star_costs_what_a_path_costs(name: str) -> None:
    """Both models work on the whole graph. Anything with degree squared would be 10^4 times it."""
    model, seconds = make_model(name, **QUICK[name]), {}
    for kind in ("star", "path"):
        train_base(graph_of(kind, 300), model, [0])  # compiles
        graph = graph_of(kind, NODES)
        began = time.process_time()
        train_base(graph, model, [0])
        seconds[kind] = time.process_time() - began
    assert seconds["star"] < 4 * seconds["path"] + 1
