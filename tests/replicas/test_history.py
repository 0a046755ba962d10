"""Training curves: what a plain loop sees, at no change of a bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import cross_entropy

from wgnn_core.graph import Graph
from wgnn_core.models import make_model
from wgnn_core.replicas.engine import EngineOptions, train_all
from wgnn_core.replicas.history import accuracy
from wgnn_core.replicas.model import Sizes
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Batch, Domain, View

EPOCHS = 12


def plain_loop(graph: Graph, seed: int, lr: float) -> np.ndarray:
    """GCN without dropout by dense matrices: loss, training and validation accuracy by epoch."""
    model = make_model("gcn")
    sizes = Sizes(graph.num_nodes, graph.num_features, graph.num_classes)
    p = model.init(sizes, torch.Generator().manual_seed(seed))
    p = {name: value.requires_grad_() for name, value in p.items()}
    decay = [{"params": [p["W1"], p["b1"]], "weight_decay": model.weight_decay}]
    optimizer = torch.optim.Adam([*decay, {"params": [p["W2"], p["b2"]]}], lr=lr)
    A = torch.from_numpy(graph.adjacency.toarray()).float() + torch.eye(graph.num_nodes)
    A = A / torch.outer(A.sum(1), A.sum(1)).sqrt()
    X, y, split = torch.tensor(graph.x.toarray()), torch.tensor(graph.y), graph.split(seed)

    def logits() -> torch.Tensor:
        return A @ (A @ X @ p["W1"] + p["b1"]).relu() @ p["W2"] + p["b2"]

    def percent(out: torch.Tensor, mask: np.ndarray) -> float:
        return 100 * (out.argmax(-1) == y)[torch.tensor(mask)].double().mean().item()

    rows = []
    for _ in range(EPOCHS):
        out = logits()
        loss = cross_entropy(out[torch.tensor(split.train)], y[torch.tensor(split.train)])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rows.append([loss.item(), percent(out, split.train), percent(logits(), split.val)])
    return np.asarray(rows).T


def test_curves_are_those_of_a_plain_loop(csbm_small: Graph) -> None:
    seeds = np.arange(3)
    model = make_model("gcn", epochs=EPOCHS, input_dropout=0.0, dropout=0.0, lr=0.05)
    out = train_all(model, csbm_small, Trainings.of_seeds(csbm_small, seeds)).history
    assert out is not None
    expected = np.stack([plain_loop(csbm_small, int(seed), model.lr) for seed in seeds], axis=1)
    ours = np.stack([out.loss, out.train_accuracy, out.val_accuracy])
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, expected, rtol=1e-4)
    assert (ours[0, :, -1] < ours[0, :, 0]).all()
    assert (ours[1, :, -1] > ours[1, :, 0]).all()


def test_the_training_pass_is_seen_with_dropout_and_own_training_sets(csbm_small: Graph) -> None:
    trainings = Trainings.of_seeds(csbm_small, np.arange(2))
    few = trainings.weight.copy()
    few[1, csbm_small.y == 0] = 0  # the share of right nodes is another one then
    trainings = replace(trainings, weight=few)
    model = make_model("gcn", epochs=1)
    out = train_all(model, csbm_small, trainings, EngineOptions(threads=1)).history
    assert out is not None
    domain = Domain.of(csbm_small, torch.device("cpu"))
    sizes = Sizes(csbm_small.num_nodes, csbm_small.num_features, csbm_small.num_classes)
    starts = [model.init(sizes, torch.Generator().manual_seed(seed)) for seed in range(2)]
    p = {name: torch.stack([start[name] for start in starts]) for name in starts[0]}
    everyone = np.ones(csbm_small.num_nodes, dtype=bool)
    losses, logits = model.loss(
        p,
        View(Batch(domain, None), domain.field(everyone, model.depth)),
        Noise.of_epoch(trainings.seeds, 0),
        torch.from_numpy(trainings.labels.clip(0)),
        torch.from_numpy(trainings.weight),
    )
    np.testing.assert_allclose(out.loss[:, 0], losses, rtol=1e-5)
    right = (logits.argmax(-1).numpy() == csbm_small.y) & (trainings.weight > 0)
    share = right.sum(1) / (trainings.weight > 0).sum(1)
    np.testing.assert_allclose(out.train_accuracy[:, 0], 100 * share, rtol=1e-5)


@pytest.mark.parametrize("name", ["gcn", "gat"])
def test_recording_changes_no_bit(csbm_small: Graph, name: str) -> None:
    model = make_model(name, epochs=10)
    trainings = Trainings.of_seeds(csbm_small, np.arange(3))
    on, off = (
        train_all(model, csbm_small, trainings, EngineOptions(history=history))
        for history in (True, False)
    )
    assert on.history is not None
    assert off.history is None
    np.testing.assert_array_equal(on.logits, off.logits)
    np.testing.assert_array_equal(on.val_accuracy, off.val_accuracy)
    best = on.history.val_accuracy[np.arange(3), on.best_epoch]
    np.testing.assert_allclose(best, on.val_accuracy, rtol=1e-6)


def test_a_curve_ends_where_its_replica_stopped(csbm_small: Graph) -> None:
    model = make_model("gcn", epochs=60, patience=8)
    trainings = Trainings.of_seeds(csbm_small, np.arange(8))
    out = train_all(model, csbm_small, trainings, EngineOptions(threads=1))
    assert out.history is not None
    assert len(set(out.epochs.tolist())) > 1
    for curve in (out.history.loss, out.history.train_accuracy, out.history.val_accuracy):
        assert curve.shape == (8, 60)
        np.testing.assert_array_equal(np.isfinite(curve).sum(1), out.epochs)
        np.testing.assert_array_equal(np.isfinite(curve), np.arange(60) < out.epochs[:, None])
    cut = train_all(model, csbm_small, trainings, EngineOptions(threads=3)).history
    assert cut is not None
    np.testing.assert_array_equal(cut.loss, out.history.loss)


@settings(max_examples=50)
@given(st.data())
def test_accuracy_against_torch(data: st.DataObject) -> None:
    """Also with ties and with NaN, to the bit."""
    K, n, C = (data.draw(st.integers(1, top)) for top in (3, 6, 4))
    values = st.sampled_from([-1.0, 0.0, 1.0, float("nan"), float("inf")])
    flat = data.draw(st.lists(values, min_size=K * n * C, max_size=K * n * C))
    logits = np.asarray(flat, np.float32).reshape(K, n, C)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    labels, counted = rng.integers(0, C, (K, n)), rng.random((K, n)) < 0.7
    where = torch.from_numpy(counted)
    right = (torch.from_numpy(logits).argmax(-1) == torch.from_numpy(labels)) & where
    expected = 100 * (right.sum(1) / where.sum(1)).double()
    np.testing.assert_array_equal(accuracy(logits, labels, counted), expected)
