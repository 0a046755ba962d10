"""DropEdge: a GCN on the kept edges, and which edges those are."""

from __future__ import annotations

import numpy as np
import torch

from wgnn_core.models import make_model
from wgnn_core.replicas.random import Noise

NOISE = Noise.of_epoch(np.array([3, 8]), 5)


def kept_pattern(model, view, site=2) -> torch.Tensor:
    """Which slots are kept, ``[K, N, N]``."""
    slots = view.batch.domain.slots
    weights = model._weights(view, NOISE, site)
    out = torch.zeros(len(weights), slots.num_nodes, slots.num_nodes)
    out[:, torch.from_numpy(slots.row), torch.from_numpy(slots.idx.astype(np.int64))] = weights
    return out


def test_reference(
    irregular_graph, half_kept, make_view, parameters, assert_same, dense, features
) -> None:
    model = make_model("dropedge", hidden=5, drop=0.4, dropout=0.0, input_dropout=0.0)
    p = parameters(model, irregular_graph, 2)
    view = make_view(irregular_graph, half_kept, 2)
    pattern = kept_pattern(model, view) != 0
    expected = []
    for k in range(2):
        full = dense(irregular_graph, half_kept[k])
        A = full * pattern[k]
        assert torch.equal(A, A.T)
        assert torch.equal(A.diagonal(), torch.ones(len(A)))
        assert 0 < A.sum() < full.sum()
        root = A.sum(1).rsqrt()
        A = root[:, None] * A * root
        h = (A @ features(irregular_graph) @ p["W1"][k] + p["b1"][k]).relu()
        expected.append(A @ h @ p["W2"][k] + p["b2"][k])
    assert_same(model.forward(p, view, NOISE), torch.stack(expected), p)


def test_evaluation_uses_every_edge(irregular_graph, make_view, parameters) -> None:
    model, plain = make_model("dropedge", hidden=5, drop=0.9), make_model("gcn", hidden=5)
    p = parameters(model, irregular_graph, 1)
    view = make_view(irregular_graph, None, 2)
    torch.testing.assert_close(model.forward(p, view, None), plain.forward(p, view, None))


def test_a_mask_for_each_layer_is_directed_and_may_drop_loops(irregular_graph, make_view) -> None:
    model = make_model("dropedge", drop=0.5, per_layer=True)
    view = make_view(irregular_graph, None, 2)
    first, second = (kept_pattern(model, view, site) for site in (2, 3))
    assert not torch.equal(first != 0, second != 0)
    present = first[0] != 0
    assert not torch.equal(present, present.T)


def test_share_of_dropped_edges(irregular_graph, make_view) -> None:
    model = make_model("dropedge", drop=0.3)
    view = make_view(irregular_graph, None, 2)
    noise = Noise.of_epoch(np.arange(3000), 0)
    weights = model._weights(view, noise, 2).numpy()
    slots = view.batch.domain.slots
    edge = slots.edge < irregular_graph.num_edges
    share = (weights[:, edge] == 0).mean(axis=0)
    np.testing.assert_allclose(share, 0.3, atol=0.04)
    assert (weights[:, ~edge] > 0).all()
