"""PTDNet: gates, normalisation, L0 and the singular value against dense matrices."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from wgnn_core.comparators import make_method, ptdnet
from wgnn_core.graph import Graph, Split, make_graph
from wgnn_core.replicas.model import Sizes
from wgnn_core.replicas.ops import uniforms
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.view import Batch, Domain, View

N = 9
NOISE = Noise.of_epoch(np.array([3, 8]), 40)


@pytest.fixture(scope="module")
def graph() -> Graph:
    rng = np.random.default_rng(5)
    pairs = np.array([(i, j) for i in range(N) for j in range(i) if rng.random() < 0.4])
    masks = [np.arange(N) % 3 == r for r in range(3)]
    return make_graph("nine", rng.random((N, 4)), pairs, np.arange(N) % 3, [Split(*masks)])


@pytest.fixture(scope="module")
def kept(graph: Graph) -> np.ndarray:
    half = np.random.default_rng(2).random(graph.num_edges) < 0.7
    return np.stack([np.ones(graph.num_edges, dtype=bool), half])


def views(graph: Graph, kept: np.ndarray, compiled: bool = True) -> tuple[View, View]:
    domain = replace(Domain.of(graph, torch.device("cpu")), compiled=compiled)
    batch = Batch(domain, kept)
    return View(batch, domain.field(np.arange(N) < 5, 0)), batch.whole


def parameters(model, graph: Graph) -> dict[str, torch.Tensor]:
    rng = torch.Generator().manual_seed(1)
    replicas = [model.init(Sizes(N, 4, 3), rng) for _ in range(2)]
    return {
        name: torch.stack(
            [r[name] + 0.2 * torch.randn(r[name].shape, generator=rng) for r in replicas]
        ).requires_grad_()
        for name in replicas[0]
    }


def dense_pass(q, k, graph, kept, noise, site):
    """One replica's pass with N x N matrices; u is indexed by the slot of each entry."""
    A = graph.with_edges(kept[k]).adjacency.toarray()
    slots = np.argwhere(graph.adjacency.toarray() + np.eye(N) > 0)
    number = {(int(i), int(j)): e for e, (i, j) in enumerate(slots)}
    h = torch.from_numpy(graph.x.toarray())
    scores, gates = [], []
    for layer in (1, 2):
        g = len(q[f"gate{layer}"]) // 2
        ends = torch.relu(h @ q[f"ends{layer}"] + q[f"ends_b{layer}"])
        w = q[f"gate{layer}"][:, 0]
        M = torch.zeros(N, N)
        a_of = {}
        if noise is not None:
            u = uniforms(noise.site(site + layer - 1), torch.arange(len(slots)))[k]
        for i, j in np.argwhere(A > 0).tolist():
            a = ends[i, :g] @ w[:g] + ends[j, g:] @ w[g:] + q[f"gate_b{layer}"][0, 0]
            a_of[i, j] = a
            s = a
            if noise is not None:
                x = u[number[i, j]]
                s = (torch.log(x) - torch.log(1 - x) + a) / max(0.05, 2 * 0.99**noise.epoch)
            M = M.index_put(
                (torch.tensor(i), torch.tensor(j)),
                torch.clamp(torch.sigmoid(s) * 1.2 - 0.1, 0, 1),
            )
        scores.append(torch.stack([a_of[key] for key in sorted(a_of)]))
        gates.append(M)
        full = M + torch.eye(N)
        root = full.sum(1).rsqrt().clamp(max=10)
        h = root[:, None] * full * root @ h @ q[f"W{layer}"]
        h = torch.relu(h) if layer == 1 else h
    return h, scores, gates


def check(ours, theirs, p, tolerance=2e-4) -> None:
    torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance)
    direction = torch.randn(ours.shape, generator=torch.Generator().manual_seed(3))
    grads = [torch.autograd.grad((o * direction).sum(), list(p.values())) for o in (ours, theirs)]
    for name, a, b in zip(p, *grads, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-4, msg=lambda m, n=name: f"{n}: {m}")


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("noise", [None, NOISE], ids=["evaluated", "drawn"])
def test_reference_of_the_forward_pass(noise, compiled, graph, kept) -> None:
    model = make_method("ptdnet", hidden=5, gate_width=3)
    p = parameters(model, graph)
    view, _ = views(graph, kept, compiled)
    theirs = [
        dense_pass({n: v[k] for n, v in p.items()}, k, graph, kept, noise, 0)[0][:5]
        for k in range(2)
    ]
    check(model.forward(p, view, noise), torch.stack(theirs), p)


def test_reference_of_the_loss(graph, kept, monkeypatch) -> None:
    """All four terms; many power steps, so that the dense singular value is reached."""
    monkeypatch.setattr(ptdnet, "POWER_STEPS", 300)
    model = make_method(
        "ptdnet", hidden=5, gate_width=3, l0=0.7, consistency=0.4, singular=0.3, passes=2
    )
    p = parameters(model, graph)
    view, _ = views(graph, kept)
    labels = torch.tensor([[0, 1, 2, 0, 1]] * 2)
    weight = torch.tensor([[1.0, 0.5, 0, 1, 0], [0, 1, 1, 0, 1]])
    ours = model.loss(p, view, NOISE, labels, weight)[0].sum()
    tau, total = max(0.05, 2 * 0.99**40), torch.zeros(())
    for k in range(2):
        q = {n: v[k] for n, v in p.items()}
        passes = [dense_pass(q, k, graph, kept, NOISE, 2 * number) for number in range(2)]
        mean = (passes[0][0] + passes[1][0]) / 2
        log_prob = torch.log_softmax(mean, 1)
        fit = -sum(weight[k, i] * log_prob[i, labels[k, i]] for i in range(5))
        total = total + fit / (weight[k] > 0).sum()
        total = total + 0.4 * sum(0.5 * ((mean - out) ** 2).sum() for out, _, _ in passes)
        for _, scores, _ in passes:
            for score in scores:
                total = total + 0.7 * torch.sigmoid(score - tau * math.log(0.1 / 1.1)).mean()
        for M in passes[-1][2]:
            total = total + 0.3 * torch.linalg.svdvals(M)[0]
    check(ours, total, p, 1e-3)


def test_the_penalties_close_gates(graph, kept) -> None:
    """The L0 term has a gradient (with the original's gamma = 0 it is constant)."""
    _, whole = views(graph, kept)
    score = torch.zeros(2, len(whole.batch.domain.slots.idx), requires_grad=True)
    (slope,) = torch.autograd.grad(ptdnet.expected_open(whole, score, 0.5).sum(), score)
    there = ptdnet.edges(whole) > 0
    assert (slope[there] > 0).all()
    assert (slope[~there] == 0).all()


def test_temperature_cools_to_a_floor() -> None:
    assert ptdnet.temperature(0) == 2.0
    assert ptdnet.temperature(10) == pytest.approx(2 * 0.99**10)
    assert ptdnet.temperature(5000) == 0.05


def test_uniform_draws_have_a_logit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the smallest and the largest draw there is."""
    from wgnn_core.replicas import ops

    ends = torch.tensor([[0, 1, 2**23, 2**24 - 1]])
    monkeypatch.setattr(ops, "draws", lambda keys, index: ends)
    u = ops.uniforms(np.zeros(1, dtype=np.uint64), torch.arange(4))
    assert torch.isfinite(torch.logit(u)).all()
    assert (u[0].diff() >= 0).all()
    assert float(u[0, 2]) == pytest.approx(0.5, abs=1e-6)
