"""GIL against dense loops with the formulas of the Poincare ball written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from wgnn_core import datasets
from wgnn_core.errors import WGNNError
from wgnn_core.models import make_model
from wgnn_core.models.gil import REACH
from wgnn_core.replicas.model import Sizes
from wgnn_core.wgnn import train_base

EDGE = 1 - 4e-3


def norm(x):
    return x.norm(dim=-1, keepdim=True).clamp_min(1e-15)


def inside(x):
    return torch.where(norm(x) > EDGE, x / norm(x) * EDGE, x)


def exp0(v):
    return inside(torch.tanh(norm(v)) * v / norm(v))


def log0(x):
    return torch.atanh(norm(x)) * x / norm(x)


def add(x, y):
    xy, x2, y2 = ((a * b).sum(-1, keepdim=True) for a, b in ((x, y), (x, x), (y, y)))
    return ((1 + 2 * xy + y2) * x + (1 - x2) * y) / (1 + 2 * xy + x2 * y2)


def dist(x, y):
    return 2 * torch.atanh(add(-x, y).norm(dim=-1))


def hyperbolic(q, layer, A, x):
    """One replica's attention, node by node and head by head; `x` in the ball."""
    z = inside(add(exp0(log0(x) @ q[f"W_h{layer}"]), exp0(q[f"linear_b_h{layer}"])))
    u = log0(z)
    heads, width = q[f"source_h{layer}"].shape
    rows = []
    for i in range(len(x)):
        near = A[i].nonzero()[:, 0]
        factor = torch.softmax(torch.stack([dist(z[j], z[i]) for j in near]), 0)
        parts = []
        for head in range(heads):
            part = slice(head * width, (head + 1) * width)
            score = torch.stack(
                [
                    q[f"source_h{layer}"][head] @ u[j, part]
                    + q[f"target_h{layer}"][head] @ u[i, part]
                    for j in near
                ]
            )
            alpha = torch.softmax(functional.leaky_relu(score * factor, 0.2), 0)
            parts.append(alpha @ u[near][:, part])
        rows.append(torch.cat(parts))
    return torch.stack(rows) + q[f"b_h{layer}"]


def euclidean(q, layer, A, x):
    e = x @ q[f"W_e{layer}"] + q[f"linear_b_e{layer}"]
    heads, width = q[f"source_e{layer}"].shape
    parts = []
    for head in range(heads):
        h = e[:, head * width : (head + 1) * width]
        score = (h @ q[f"source_e{layer}"][head])[None, :] + (h @ q[f"target_e{layer}"][head])[
            :, None
        ]
        score = functional.leaky_relu(score, 0.2).masked_fill(A == 0, -torch.inf)
        parts.append(torch.softmax(score, 1) @ h)
    return torch.cat(parts, 1) + q[f"b_e{layer}"]


def reference(model, q, A, X):
    act = functional.elu if model.activation == "elu" else torch.relu
    x_h, x_e = exp0(X), X
    for layer in range(model.layers):
        x_h = exp0(act(hyperbolic(q, layer, A, x_h)))
        x_e = euclidean(q, layer, A, x_e)
        if layer < model.layers - 1:
            x_e = act(x_e)
            other = exp0(x_e)
            r = q[f"beta_h{layer}"] * dist(x_h, other)[:, None]
            step = torch.tanh(r * torch.atanh(norm(other))) * other / norm(other)
            x_h = inside(add(x_h, inside(step)))
            gap = ((log0(x_h) - x_e) ** 2).sum(1, keepdim=True)
            x_e = x_e + q[f"beta_e{layer}"] * gap * log0(x_h)
    points = exp0(q["points"])
    rows = []
    for i in range(len(X)):
        planes = []
        for c in range(len(points)):
            diff = add(-points[c], x_h[i])
            a = q["normals"][c]
            planes.append(torch.asinh(2 * diff @ a / ((1 - diff @ diff) * a.norm())))
        far = torch.stack(planes) * q["scale"][0].exp()
        w_h = torch.sigmoid(log0(x_h[i]) @ q["mix_h"])
        w_e = torch.sigmoid(x_e[i] @ q["mix_e"])
        rows.append((w_h * far + w_e * x_e[i]) / (w_h + w_e))
    return torch.stack(rows)


@pytest.mark.parametrize(
    ("layers", "activation"), [(2, "elu"), (3, "relu")], ids=["two-elu", "three-relu"]
)
def test_reference(
    layers, activation, irregular_graph, half_kept, make_view, parameters, assert_same, dense,
    features,
) -> None:  # fmt: skip
    model = make_model("gil", hidden=4, heads=2, layers=layers, activation=activation)
    p = parameters(model, irregular_graph, 2)
    targets = np.arange(irregular_graph.num_nodes) != 3  # at the origin logarithms have no slope
    ours = model.forward(p, make_view(irregular_graph, half_kept, layers, targets), None)
    expected = [
        reference(
            model,
            {name: v[k].double() for name, v in p.items()},  # near the edge singles say little
            dense(irregular_graph, half_kept[k]).double(),
            features(irregular_graph).double(),
        )[torch.from_numpy(targets)]
        for k in range(2)
    ]
    assert_same(ours, torch.stack(expected).float(), p, 5e-5)


def test_long_features_are_pulled_into_the_ball(
    irregular_graph, make_view, parameters, dense, features
) -> None:
    """Beyond the projection radius a feature vector's length no longer matters."""
    model = make_model("gil", hidden=4, heads=2)
    long = replace(irregular_graph, x=irregular_graph.x * 20)
    assert features(long).norm(dim=1).max() > 2 * REACH
    p = parameters(model, long, 1)
    ours = model.forward(p, make_view(long, None, 2), None)[0]
    q = {name: v[0].double() for name, v in p.items()}
    theirs = reference(model, q, dense(long).double(), features(long).double())
    torch.testing.assert_close(ours.double(), theirs, rtol=1e-4, atol=1e-4)


def test_the_hyperbolic_weights_begin_larger_as_in_the_original() -> None:
    p = make_model("gil").init(Sizes(5, 200, 3), torch.Generator().manual_seed(0))
    bound = (6 / (200 + 16)) ** 0.5
    assert p["W_e0"].abs().max() == pytest.approx(bound, rel=0.01)
    assert p["W_h0"].abs().max() == pytest.approx(2**0.5 * bound, rel=0.01)


def test_hidden_must_be_a_multiple_of_heads() -> None:
    with pytest.raises(WGNNError, match="hidden is 15"):
        make_model("gil", hidden=15)


@pytest.mark.dataset
@pytest.mark.timeout(900)
def test_500_epochs_on_citeseer_without_nan(raw_data) -> None:
    """CiteSeer has isolated nodes without features: they sit at the origin of the ball."""
    graph = datasets.load("citeseer")
    assert (np.diff(graph.x.indptr) == 0).any()
    base = train_base(graph, make_model("gil", "citeseer", epochs=500, patience=0), 1)
    assert np.isfinite(base.prob).all()
    assert base.test[0] > 60
