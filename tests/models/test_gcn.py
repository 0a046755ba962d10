"""GCN against PyG's GCNConv with the same weights."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.nn import GCNConv

from wgnn_core.models import make_model


def both_ways(graph, kept) -> torch.Tensor:
    edges = graph.edges[kept]
    return torch.from_numpy(np.ascontiguousarray(np.concatenate([edges, edges[:, ::-1]]).T))


def conv(W: torch.Tensor, b: torch.Tensor, x: torch.Tensor, edge_index: torch.Tensor):
    layer = GCNConv(*W.shape)
    named = {"lin.weight": W.T, "bias": b[0]}
    return torch.func.functional_call(layer, named, (x, edge_index))


@pytest.mark.parametrize("compiled", [True, False])
def test_reference(
    compiled, irregular_graph, half_kept, make_view, parameters, assert_same, features
) -> None:
    model = make_model("gcn", hidden=5)
    p = parameters(model, irregular_graph, 2)
    targets = np.arange(irregular_graph.num_nodes) < 5
    view = make_view(irregular_graph, half_kept, 2, targets, compiled)
    expected = []
    for k in range(2):
        edge_index = both_ways(irregular_graph, half_kept[k])
        h = conv(p["W1"][k], p["b1"][k], features(irregular_graph), edge_index).relu()
        expected.append(conv(p["W2"][k], p["b2"][k], h, edge_index)[:5])
    assert_same(model.forward(p, view, None), torch.stack(expected), p)


def test_weight_decay_is_on_the_first_layer_unless_asked() -> None:
    assert make_model("gcn").undecayed == {"W2", "b2"}
    assert make_model("gcn", preset="authors").undecayed == frozenset()
