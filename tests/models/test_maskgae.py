"""MaskGAE: masks, the pretraining loss and the probe against loops."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional

from wgnn_core.errors import WGNNError
from wgnn_core.models import make_model
from wgnn_core.models.maskgae import NEGATIVE_SITE, WALK_LENGTH, clip_each
from wgnn_core.models.masking import Masker
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Batch
from wgnn_core.wgnn import train_base

NOISE = Noise.of_epoch(np.array([3, 8]), 5)


@pytest.fixture(params=[True, False], ids=["compiled", "torch"])
def masker(request, irregular_graph, half_kept, make_view) -> Masker:
    return Masker(make_view(irregular_graph, half_kept, 0, compiled=request.param).batch)


def directed(masker: Masker, masked: torch.Tensor, k: int) -> set[tuple[int, int]]:
    at = masked[k].nonzero()[:, 0]
    return set(zip(masker.row[at].tolist(), masker.column[at].tolist(), strict=True))


def test_reference_of_the_pretraining_loss(
    irregular_graph, half_kept, dense, features, masker, assert_same
) -> None:
    """Dropout off, masks and negatives given: everything else is written out with loops."""
    model = make_model(
        "maskgae", dropout=0.0, decoder_dropout=0.0, hidden=5, embedding=4, decoder=3,
        degree_loss=0.7,
    )  # fmt: skip
    p = model._encoder_parameters(masker.batch, np.array([3, 8]))
    ours = model.pretraining_loss(p, masker, NOISE, {})
    masked = masker.paths(NOISE, model.mask_share, WALK_LENGTH)
    slot, filled = masker.padded(masked)
    i, j, valid = masker.non_edges(NOISE, slot.shape[1], NEGATIVE_SITE)
    total = torch.zeros(())
    for k in range(2):
        q = {name: v[k] for name, v in p.items()}
        pairs = directed(masker, masked, k)
        A = dense(irregular_graph, half_kept[k])
        for a, b in pairs:
            if (b, a) in pairs:
                A[a, b] = A[b, a] = 0
        root = A.sum(1).rsqrt()
        A = root[:, None] * A * root
        z = features(irregular_graph)
        for layer in (1, 2):
            z = functional.batch_norm(
                A @ z @ q[f"W{layer}"], None, None,
                q[f"scale{layer}"][0], q[f"shift{layer}"][0], training=True,
            )  # fmt: skip
            z = functional.elu(z)

        def score(a, b, q=q, z=z):
            h = torch.relu((z[a] * z[b]) @ q["edge_W1"] + q["edge_b1"][0])
            return (h @ q["edge_W2"] + q["edge_b2"][0])[0]

        negatives = [
            (a, b)
            for a, b, ok in zip(i[k].tolist(), j[k].tolist(), valid[k] & filled[k], strict=True)
            if ok
        ]
        found = torch.stack([score(a, b) for a, b in sorted(pairs)])
        others = torch.stack([score(a, b) for a, b in negatives])
        degree = torch.zeros(len(z))
        for _, b in pairs:
            degree[b] += 1
        guess = torch.relu(z @ q["degree_W1"] + q["degree_b1"]) @ q["degree_W2"] + q["degree_b2"]
        total = (
            total
            + functional.binary_cross_entropy_with_logits(found, torch.ones_like(found))
            + functional.binary_cross_entropy_with_logits(others, torch.zeros_like(others))
            + 0.7 * functional.mse_loss(torch.relu(guess)[:, 0], degree)
        )
    assert_same(ours, total, p, 2e-4)


def test_paths_are_walks_of_their_own_graph(irregular_graph, half_kept, masker) -> None:
    n = irregular_graph.num_nodes
    masked = masker.paths(NOISE, 0.5, 3)
    for k in range(2):
        pairs = directed(masker, masked, k)
        kept = {tuple(e) for e in irregular_graph.edges[half_kept[k]].tolist()}
        assert pairs
        assert all((min(p), max(p)) in kept for p in pairs)
        assert len(pairs) <= 3 * round(0.5 * n)
    everyone = masker.paths(NOISE, 0.95, 1)
    starts = {a for a, _ in directed(masker, everyone, 0)}
    assert len(starts) >= round(0.95 * n) - 1  # one node has no edge to walk


def test_walks_choose_neighbours_evenly(irregular_graph, make_view) -> None:
    batch = make_view(irregular_graph, None, 0).batch
    masker = Masker(batch)
    noise = Noise.of_epoch(np.arange(4000), 0)
    often = masker.paths(noise, 1.0, 1).float().mean(0)
    degree = masker.edges[0].float().new_zeros(irregular_graph.num_nodes)
    degree.index_add_(0, masker.row, masker.edges[0].float())
    expected = torch.where(masker.edges[0], 1 / degree[masker.row], torch.zeros(()))
    torch.testing.assert_close(often, expected, atol=0.04, rtol=0)


def test_single_edges_are_masked_at_the_given_rate(irregular_graph, make_view) -> None:
    masker = Masker(make_view(irregular_graph, None, 0).batch)
    masked = masker.bernoulli(Noise.of_epoch(np.arange(4000), 1), 0.7).float().mean(0)
    expected = 0.7 * masker.edges[0]
    torch.testing.assert_close(masked, expected, atol=0.04, rtol=0)


def test_negatives_are_no_edges_and_only_edges_are_refused(
    irregular_graph, half_kept, masker, dense
) -> None:
    i, j, valid = masker.non_edges(NOISE, 300, NEGATIVE_SITE)
    for k in range(2):
        A = dense(irregular_graph, half_kept[k])
        assert torch.equal(valid[k], A[i[k], j[k]] == 0)


def test_pretraining_ignores_labels_and_is_shared(irregular_graph, train_now, shortened) -> None:
    """Same seed, other labels: one embedding. Another graph: another one."""
    seen = []

    class Spy(type(make_model("maskgae"))):
        def prepare(self, batch: Batch, seeds, check):
            out = super().prepare(batch, seeds, check)
            seen.append((*seeds, out))
            return out

    model = shortened(Spy(), 2)
    base = Trainings.of_seeds(irregular_graph, np.array([1]))
    kept = np.ones((4, irregular_graph.num_edges), dtype=bool)
    kept[3, :4] = False
    weight = np.repeat(base.weight, 4, axis=0)
    weight[1, np.flatnonzero(weight[1])[0]] = 0
    seeds = np.array([1, 1, 2, 1])
    trainings = Trainings(
        seeds, np.repeat(base.labels, 4, 0), weight, np.repeat(base.val, 4, 0), kept
    )
    trained = train_now(model, irregular_graph, trainings)
    assert [seed for seed, _ in seen] == [1, 2, 1]  # (1, G), (2, G), (1, G')
    assert all(out.shape == (1, irregular_graph.num_nodes, 192) for _, out in seen)
    assert len({round(float(out.sum()), 4) for _, out in seen}) == 3
    for i in range(4):  # in other batches: nothing is pretrained again
        alone = train_now(model, irregular_graph, trainings.select(slice(i, i + 1)))
        np.testing.assert_allclose(trained.logits[i], alone.logits[0], atol=1e-4)
    assert len(seen) == 3


def test_gradients_are_clipped_replica_by_replica() -> None:
    p = {"a": torch.zeros(2, 3, requires_grad=True), "b": torch.zeros(2, 1, 1, requires_grad=True)}
    p["a"].grad = torch.tensor([[3.0, 0, 0], [0.1, 0, 0]])
    p["b"].grad = torch.tensor([[[4.0]], [[0.1]]])
    clip_each(p, 1.0)
    torch.testing.assert_close(p["a"].grad, torch.tensor([[0.6, 0, 0], [0.1, 0, 0]]))
    torch.testing.assert_close(p["b"].grad, torch.tensor([[[0.8]], [[0.1]]]))


def test_a_graph_without_edges_is_refused_with_a_sentence(tiny_graph) -> None:
    bare = tiny_graph.with_edges(np.zeros(tiny_graph.num_edges, dtype=bool))
    with pytest.raises(WGNNError, match="tiny has no edges"):
        train_base(bare, make_model("maskgae", epochs=1, pretrain_epochs=1), [0])
