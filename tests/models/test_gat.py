"""GAT against PyG's GATConv with the same weights."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.nn import GATConv

from wgnn_core.models import make_model


def stack(model, p, k, x, edge_index):
    for layer in range(model.layers):
        W, source, target, b = (p[f"{n}{layer}"][k] for n in ("W", "source", "target", "b"))
        heads, width = source.shape
        conv = GATConv(len(W), width, heads, negative_slope=model.negative_slope)
        named = {"lin.weight": W.T, "att_src": source[None], "att_dst": target[None], "bias": b[0]}
        x = torch.func.functional_call(conv, named, (x, edge_index))
        if layer < model.layers - 1:
            x = torch.nn.functional.elu(x)
    return x


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("layers", [2, 4])
def test_reference(
    layers, compiled, irregular_graph, half_kept, make_view, parameters, assert_same, features
) -> None:
    model = make_model("gat", hidden=3, heads=2, layers=layers)
    p = parameters(model, irregular_graph, 2)
    targets = np.arange(irregular_graph.num_nodes) < 5
    view = make_view(irregular_graph, half_kept, layers, targets, compiled)
    expected = []
    for k in range(2):
        edges = irregular_graph.edges[half_kept[k]]
        both = np.ascontiguousarray(np.concatenate([edges, edges[:, ::-1]]).T)
        out = stack(model, p, k, features(irregular_graph), torch.from_numpy(both))
        expected.append(out[:5])
    assert_same(model.forward(p, view, None), torch.stack(expected), p)
