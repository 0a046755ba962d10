"""ACM-GCN against a dense reference with the filters written out."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from wgnn_core.models import make_model


def layer(variant, A, H, W, v, M):
    """One replica's layer, channel by channel, node by node."""
    n, d = len(H), W.shape[1] // 3
    low_pass = A / A.sum(1, keepdim=True)
    filters = [low_pass, torch.eye(n) - low_pass, torch.eye(n)]
    weights = [W[:, c * d : (c + 1) * d] for c in range(3)]
    if variant == "acm":
        channels = [torch.relu(f @ H @ w) for f, w in zip(filters, weights, strict=True)]
    else:
        channels = [f @ torch.relu(H @ w) for f, w in zip(filters, weights, strict=True)]
    rows = []
    for i in range(n):
        t = torch.stack([torch.sigmoid(channels[c][i] @ v[c]) for c in range(3)])
        alpha = torch.softmax(t @ M / 3, 0)
        rows.append(3 * sum(alpha[c] * channels[c][i] for c in range(3)))
    return torch.stack(rows)


@pytest.mark.parametrize("variant", ["acm", "acmii"])
def test_reference(
    variant, irregular_graph, half_kept, make_view, parameters, assert_same, dense, features
) -> None:
    model = make_model("acmgcn", variant=variant, hidden=5)
    p = parameters(model, irregular_graph, 2)
    targets = np.arange(irregular_graph.num_nodes) < 4
    ours = model.forward(p, make_view(irregular_graph, half_kept, 2, targets), None)
    reference = []
    for k in range(2):
        A, H = dense(irregular_graph, half_kept[k]), features(irregular_graph)
        H = layer(variant, A, H, *(p[name][k] for name in ("W1", "v1", "M1"))).relu()
        H = layer(variant, A, H, *(p[name][k] for name in ("W2", "v2", "M2")))
        reference.append(H[targets])
    assert_same(ours, torch.stack(reference), p)


def test_logits_of_acm_are_not_negative(irregular_graph, make_view, parameters) -> None:
    """The last layer keeps the ReLU of each channel; only ACMII's high-pass can go below 0."""
    lowest = {}
    for variant in ("acm", "acmii"):
        model = make_model("acmgcn", variant=variant, hidden=5)
        p = parameters(model, irregular_graph, 1)
        lowest[variant] = model.forward(p, make_view(irregular_graph, None, 2), None).min()
    assert lowest["acm"] >= 0
    assert lowest["acmii"] < 0
