"""GraphCON against dense loops of the two forms."""

from __future__ import annotations

import math

import pytest
import torch

from wgnn_core.errors import WGNNError
from wgnn_core.models import make_model
from wgnn_core.replicas.model import Sizes


def attention_form(model, p, A, X):
    x0 = X @ p["W_in"] + p["b_in"]
    n, width = len(X), model.attention_width // model.heads
    total = torch.zeros(n, n)
    for head in range(model.heads):
        part = slice(head * width, (head + 1) * width)
        query = (x0 @ p["Q"] + p["b_Q"])[:, part]
        key = (x0 @ p["K"] + p["b_K"])[:, part]
        score = (query @ key.T / math.sqrt(width)).masked_fill(A == 0, -torch.inf)
        total = total + torch.softmax(score, dim=0 if model.normalise == "sender" else 1)
    total = total / model.heads
    pull, speed, mix = (torch.sigmoid(p[name]) for name in ("b1", "a", "b2"))
    u, y, t = x0, x0, 0.0
    while t < model.time - 1e-9:
        dt = min(1.0, model.time - t)
        u = u + dt * ((1 - pull) * (total @ y - y - u) + pull * x0.detach())
        y = y + dt * ((1 - mix) * speed * u + mix * x0.detach())
        t += dt
    return y.relu() @ p["W_out"] + p["b_out"]


def gcn_form(model, p, A, X):
    root = A.sum(1).rsqrt()
    A = root[:, None] * A * root
    x = y = (X @ p["W_in"] + p["b_in"]).relu()
    for _ in range(model.steps):
        force = A @ x @ p["W"] + p["b"] - x @ p["W"] + x @ p["W_residual"] + p["b_residual"]
        y = y + torch.relu(force) - model.alpha * y - model.gamma * x
        x = x + y
    return x @ p["W_out"] + p["b_out"]


@pytest.mark.parametrize(
    "settings",
    [
        {"time": 3.4, "heads": 2, "attention_width": 6},
        {"time": 2.0, "heads": 1, "attention_width": 4, "normalise": "receiver"},
        {"form": "gcn", "steps": 3, "alpha": 0.4, "gamma": 0.7},
    ],
    ids=["sender", "receiver", "gcn"],
)
def test_reference(
    settings, irregular_graph, half_kept, make_view, parameters, assert_same, dense, features
) -> None:
    model = make_model("graphcon", hidden=5, **settings)
    p = parameters(model, irregular_graph, 2)
    ours = model.forward(p, make_view(irregular_graph, half_kept, 0), None)
    form = gcn_form if model.form == "gcn" else attention_form
    reference = [
        form(model, {name: v[k] for name, v in p.items()}, dense(irregular_graph, half_kept[k]),
             features(irregular_graph))
        for k in range(2)
    ]  # fmt: skip
    assert_same(ours, torch.stack(reference), p, 2e-5)


@pytest.mark.parametrize(("form", "bound"), [("gcn", 64**-0.5), ("attention", 200**-0.5)])
def test_first_weights_have_the_scale_of_the_original(form: str, bound: float) -> None:
    """Where it convolves, the original draws every weight by the width of the state."""
    model = make_model("graphcon", form=form, hidden=64)
    p = model.init(Sizes(5, 200, 3), torch.Generator().manual_seed(0))
    assert p["W_in"].abs().max() == pytest.approx(bound, rel=0.01)


def test_steps_end_at_the_time() -> None:
    assert make_model("graphcon", time=3.25).step_sizes == [1.0, 1.0, 1.0, 0.25]
    assert make_model("graphcon", time=3.0).step_sizes == [1.0, 1.0, 1.0]


def test_unit_constants_make_a_plain_stack(
    irregular_graph, make_view, parameters, dense, features
) -> None:
    """With dt = alpha = gamma = 1 a step is X <- ReLU(F(X))."""
    model = make_model("graphcon", form="gcn", hidden=5, steps=2, alpha=1.0, gamma=1.0)
    p = parameters(model, irregular_graph, 1)
    A = dense(irregular_graph)
    root = A.sum(1).rsqrt()
    A = root[:, None] * A * root
    q = {name: v[0] for name, v in p.items()}
    x = (features(irregular_graph) @ q["W_in"] + q["b_in"]).relu()
    for _ in range(2):
        x = (A @ x @ q["W"] + q["b"] + x @ (q["W_residual"] - q["W"]) + q["b_residual"]).relu()
    ours = model.forward(p, make_view(irregular_graph, None, 0), None)[0]
    torch.testing.assert_close(ours, x @ q["W_out"] + q["b_out"], rtol=1e-4, atol=1e-5)


def test_a_replica_that_diverged_leaves_the_others_alone(
    irregular_graph, half_kept, make_view, parameters
) -> None:
    model = make_model("graphcon", hidden=5, time=3.4, heads=2, attention_width=6)
    p = parameters(model, irregular_graph, 2)
    view = make_view(irregular_graph, half_kept, 0)
    whole = torch.autograd.grad(model.forward(p, view, None)[1].sum(), list(p.values()))
    with torch.no_grad():
        p["W_in"][0] = torch.nan
    out = model.forward(p, view, None)
    assert out[0].isnan().all()
    for before, after in zip(whole, torch.autograd.grad(out.sum(), list(p.values())), strict=True):
        torch.testing.assert_close(after[1], before[1], rtol=0, atol=0)


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(WGNNError, match="attention_width is 10"):
        make_model("graphcon", attention_width=10, heads=3)
