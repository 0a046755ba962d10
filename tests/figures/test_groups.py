"""The vocabulary for nodes."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from wgnn_core.edgedrop import drop_edges
from wgnn_core.figures.groups import ego, ends, induced, node_groups
from wgnn_core.graph import Graph
from wgnn_core.intervention import Plan
from wgnn_core.supplement import supplement


def test_groups_of_the_tiny_graph(tiny_graph: Graph) -> None:
    split = tiny_graph.split(0)
    predicted = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    w = np.linspace(1, 0, 8)
    plan = Plan(
        supplement(w, predicted, split.train, split.test, 0.5),
        drop_edges(tiny_graph.edges, 8, w, 0.5, 1.0, seed=0),
    )
    found = {
        name: np.flatnonzero(mask).tolist()
        for name, mask in node_groups(tiny_graph, split, predicted, plan).items()
    }
    assert found["all nodes"] == list(range(8))
    assert found["train"] == [0, 7]
    assert found["correct test nodes"] == [2, 4, 5]
    assert found["wrong test nodes"] == [3]
    assert found["class boundary"] == [2, 3, 4, 5]
    assert found["added to R′"] == [2, 3]
    assert found["V′ (least w)"] == [4, 5, 6, 7]
    assert set(found["near a dropped edge"]) <= {4, 5, 6, 7}
    assert found["true class: left"] == [0, 1, 2, 3]
    assert found["predicted class: right"] == [3, 4, 5, 6, 7]


@pytest.mark.parametrize("hops", [1, 2, 3])
@pytest.mark.parametrize("node", [0, 33])
def test_ego_is_that_of_networkx(node: int, hops: int) -> None:
    from wgnn_core import datasets

    graph = datasets.load("karate")
    nodes = ego(graph, node, hops)
    whole = nx.from_edgelist(graph.edges.tolist())
    wanted = nx.ego_graph(whole, node, radius=hops)
    assert nodes[0] == node
    assert set(nodes.tolist()) == set(wanted)
    pairs = {tuple(sorted(nodes[pair].tolist())) for pair in induced(graph, nodes)}
    assert pairs == {tuple(sorted(edge)) for edge in wanted.edges}


def test_ends(tiny_graph: Graph) -> None:
    only = np.zeros(tiny_graph.num_edges, dtype=bool)
    only[0] = True
    assert np.flatnonzero(ends(tiny_graph, only)).tolist() == tiny_graph.edges[0].tolist()
