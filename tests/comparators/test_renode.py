"""ReNode: conflict against a dense inverse, and the weights it leads to."""

from __future__ import annotations

import numpy as np
import pytest

from wgnn_core.comparators import make_method, renode
from wgnn_core.comparators.renode import ranked_weights, totoro


def dense_conflict(graph, train, labels, teleport):
    """Pi by matrix inversion, sums by loops."""
    A = graph.adjacency.toarray().astype(float) + np.eye(graph.num_nodes)
    root = 1 / np.sqrt(A.sum(1))
    A = root[:, None] * A * root
    Pi = teleport * np.linalg.inv(np.eye(len(A)) - (1 - teleport) * A)
    nodes = np.flatnonzero(train)
    influence = {
        c: np.mean([Pi[v] for v in nodes if labels[v] == c], axis=0) for c in set(labels[nodes])
    }
    return np.array([sum(Pi[v] @ influence[c] for c in influence if c != labels[v]) for v in nodes])


@pytest.mark.parametrize("teleport", [0.15, 0.5])
def test_reference(teleport, csbm_small) -> None:
    split = csbm_small.split(0)
    labels = csbm_small.visible_labels(split)
    ours = totoro(csbm_small, split.train, labels, teleport)
    np.testing.assert_allclose(
        ours, dense_conflict(csbm_small, split.train, labels, teleport), rtol=1e-4, atol=1e-7
    )


@pytest.mark.parametrize("teleport", [0.15, 0.5])
def test_many_training_nodes_take_the_memory_of_the_classes(
    teleport, csbm_small, monkeypatch
) -> None:
    split = csbm_small.split(0)
    labels = csbm_small.visible_labels(split)
    expected = totoro(csbm_small, split.train, labels, teleport)
    columns = []

    def noted(graph, start, teleport):
        columns.append(start.shape[1])
        return pagerank(graph, start, teleport)

    pagerank = renode._pagerank
    monkeypatch.setattr(renode, "_pagerank", noted)
    monkeypatch.setattr(renode, "DENSE_NUMBERS", 0)
    ours = totoro(csbm_small, split.train, labels, teleport)
    assert columns == [csbm_small.num_classes] * 2
    np.testing.assert_allclose(ours, expected, rtol=1e-5)


def test_a_component_with_one_class_has_no_conflict(tiny_graph) -> None:
    apart = tiny_graph.with_edges(
        np.array([tuple(e) not in {(3, 4), (2, 5)} for e in tiny_graph.edges.tolist()])
    )
    split = apart.split(0)
    assert totoro(apart, split.train, apart.visible_labels(split), 0.15) == pytest.approx([0, 0])
    joined = totoro(tiny_graph, split.train, tiny_graph.visible_labels(split), 0.15)
    assert (joined > 1e-4).all()


def test_weights_fall_with_conflict_along_a_cosine() -> None:
    weights = ranked_weights(np.array([0.3, 0.1, 0.9, 0.1, 0.5]), 0.5, 1.0)
    ranks = [2, 0, 4, 1, 3]  # the tie keeps node order
    expected = [0.5 + 0.5 * (1 + np.cos(np.pi * r / 4)) for r in ranks]
    np.testing.assert_allclose(weights, expected)
    assert weights.mean() == pytest.approx(1.0)
    assert ranked_weights(np.array([0.2]), 0.5, 1.0) == pytest.approx([1.5])


def test_training_nodes_carry_their_weights_and_no_other_node_has_one(csbm_small, adapted) -> None:
    trainings = adapted(make_method("renode"), csbm_small, [0, 1])
    for k, seed in enumerate((0, 1)):
        train = csbm_small.split(seed).train
        np.testing.assert_array_equal(trainings.weight[k] > 0, train)
        assert trainings.weight[k][train].max() == pytest.approx(1.5)
        assert trainings.weight[k][train].min() == pytest.approx(0.5)


def test_each_replica_is_weighed_on_its_own_graph(csbm_small, adapted) -> None:
    """Where every edge between classes is gone there is no conflict, so node order decides."""
    u, v = csbm_small.edges.T
    kept = np.stack([np.ones(len(u), dtype=bool), csbm_small.y[u] == csbm_small.y[v]])
    model = make_method("renode")
    trainings = adapted(model, csbm_small, [0, 3], kept)
    for k, seed in enumerate((0, 3)):
        own, train = csbm_small.with_edges(kept[k]), csbm_small.split(seed).train
        conflict = dense_conflict(own, train, csbm_small.y, model.teleport)
        expected = ranked_weights(conflict.round(7), model.w_base, model.w_scale)
        np.testing.assert_allclose(trainings.weight[k][train], expected, rtol=1e-6)


def test_learning_rate_falls_to_a_floor() -> None:
    model = make_method("renode", preset="original")
    assert model.lr_at(0) == model.lr_at(19) == 0.0075  # twenty epochs, the first is 0
    assert model.lr_at(20) == pytest.approx(0.0075 * 0.95)
    assert model.lr_at(22) == pytest.approx(0.0075 * 0.95**3)
    assert model.lr_at(199) == 1e-4
