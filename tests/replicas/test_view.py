"""Operations: compiled against torch, restricted rows against all rows, dropout statistics."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from wgnn_core import datasets
from wgnn_core.graph import Graph
from wgnn_core.replicas.prefetch import WORTH_BYTES
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.structure import receptive_field, slots_of
from wgnn_core.replicas.view import Batch, Domain, View

K = 3


def domain(graph: Graph, compiled: bool) -> Domain:
    return replace(Domain.of(graph, torch.device("cpu")), compiled=compiled)


def views(graph: Graph, own_graphs: bool = True) -> tuple[View, View]:
    """The same view, compiled and in torch, restricted to the field of a few targets."""
    rng = np.random.default_rng(0)
    kept = rng.random((K, graph.num_edges)) < 0.7 if own_graphs else None
    targets = np.zeros(graph.num_nodes, dtype=bool)
    targets[rng.choice(graph.num_nodes, 12, replace=False)] = True
    both = [domain(graph, compiled) for compiled in (True, False)]
    fast, slow = (View(Batch(d, kept), d.field(targets, 2)) for d in both)
    return fast, slow


def noise() -> Noise:
    return Noise.of_epoch(np.arange(K), 4)


def check(fast: Tensor, slow: Tensor, *parameters: Tensor) -> None:
    torch.testing.assert_close(fast, slow, rtol=1e-4, atol=1e-5)
    cotangent = torch.randn(fast.shape, generator=torch.Generator().manual_seed(1))
    for a, b in zip(
        torch.autograd.grad(fast, parameters, cotangent),
        torch.autograd.grad(slow, parameters, cotangent),
        strict=True,
    ):
        assert a.abs().max() > 0
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("width", [1, 7, 8, 16, 27, 40])
@pytest.mark.parametrize("p", [0.0, 0.5])
def test_linear(csbm_small: Graph, width: int, p: float) -> None:
    fast, slow = views(csbm_small)
    W = torch.randn(K, csbm_small.num_features, width, requires_grad=True)
    check(fast.linear(W, p, noise(), 1), slow.linear(W, p, noise(), 1), W)


@pytest.mark.parametrize("own_graphs", [True, False])
@pytest.mark.parametrize("width", [5, 16, 24])
def test_propagate(csbm_small: Graph, width: int, own_graphs: bool) -> None:
    fast, slow = views(csbm_small, own_graphs)
    h = torch.randn(K, len(fast.rows(0)), width, requires_grad=True)
    weight = fast.batch.weights("symmetric")
    check(fast.propagate(0, h, weight), slow.propagate(0, h, weight), h)


def test_dropout(csbm_small: Graph) -> None:
    fast, slow = views(csbm_small)
    h = torch.randn(K, len(fast.rows(1)), 9, requires_grad=True)
    check(fast.dropout(1, h, 0.4, noise(), 0), slow.dropout(1, h, 0.4, noise(), 0), h)


@pytest.mark.parametrize(("heads", "width"), [(1, 7), (8, 8), (3, 5)])
@pytest.mark.parametrize("p", [0.0, 0.6])
def test_attention(csbm_small: Graph, heads: int, width: int, p: float) -> None:
    fast, slow = views(csbm_small)
    n = len(fast.rows(0))
    h = torch.randn(K, n, heads * width, requires_grad=True)
    source = torch.randn(K, n, heads, requires_grad=True)
    target = torch.randn(K, n, heads, requires_grad=True)
    out = [view.attention(0, h, source, target, 0.2, p, noise(), 3) for view in (fast, slow)]
    check(*out, h, source, target)


def test_propagation_by_hand(tiny_graph: Graph) -> None:
    """A_sym H against the dense matrix, each replica with a graph of its own."""
    rng = np.random.default_rng(1)
    kept = rng.random((K, tiny_graph.num_edges)) < 0.6
    d = domain(tiny_graph, compiled=True)
    view = View(Batch(d, kept), d.field(np.ones(tiny_graph.num_nodes, dtype=bool), 1))
    h = torch.randn(K, tiny_graph.num_nodes, 4)
    out = view.propagate(0, h, view.batch.weights("symmetric"))
    for k in range(K):
        A = tiny_graph.with_edges(kept[k]).adjacency.toarray() + np.eye(tiny_graph.num_nodes)
        root = np.diag(A.sum(1) ** -0.5)
        expected = root @ A @ root @ h[k].numpy()
        np.testing.assert_allclose(out[k], expected, rtol=1e-5, atol=1e-6)


def test_prefetching_rows_beyond_the_cache_changes_nothing() -> None:
    """So wide that the rows of a small graph count as far away."""
    graph = datasets.load("csbm", nodes=700)
    width = WORTH_BYTES // (4 * graph.num_nodes) + 17
    fast, slow = (Batch(domain(graph, compiled), None).whole for compiled in (True, False))
    h = torch.randn(1, graph.num_nodes, width, requires_grad=True)
    weight = fast.batch.weights("symmetric")
    check(fast.propagate(0, h, weight), slow.propagate(0, h, weight), h)


def test_row_weights_sum_to_one(csbm_small: Graph) -> None:
    d = domain(csbm_small, compiled=True)
    kept = np.random.default_rng(2).random((K, csbm_small.num_edges)) < 0.5
    weight = Batch(d, kept).weights("row").numpy()
    sums = np.add.reduceat(weight, d.slots.indptr[:-1], axis=1)
    np.testing.assert_allclose(sums, 1, rtol=1e-5)


def test_field_holds_exactly_the_nodes_within_reach(tiny_graph: Graph) -> None:
    slots = slots_of(tiny_graph)
    A = tiny_graph.adjacency.toarray() + np.eye(tiny_graph.num_nodes)
    targets = np.zeros(tiny_graph.num_nodes, dtype=bool)
    targets[0] = True
    field = receptive_field(slots, targets, 2)
    assert field.targets.tolist() == [0]
    assert field.layers[0].rows.tolist() == np.flatnonzero(A[0] > 0).tolist()
    assert field.inputs.tolist() == np.flatnonzero((A @ A)[0] > 0).tolist()


def test_layers_list_every_slot_of_the_rows_they_write(csbm_small: Graph) -> None:
    slots = slots_of(csbm_small)
    targets = np.random.default_rng(4).random(csbm_small.num_nodes) < 0.1
    field = receptive_field(slots, targets, 2)
    read = field.inputs
    for layer in field.layers:
        np.testing.assert_array_equal(layer.slots, np.flatnonzero(np.isin(slots.row, layer.rows)))
        np.testing.assert_array_equal(layer.rows[layer.target], slots.row[layer.slots])
        np.testing.assert_array_equal(read[layer.source], slots.idx[layer.slots])
        np.testing.assert_array_equal(read[layer.own], layer.rows)
        read = layer.rows


def test_sparse_dropout_is_unbiased_and_differs_between_replicas(digits: Graph) -> None:
    d = domain(digits, compiled=True)
    view = View(Batch(d, None), d.field(np.ones(digits.num_nodes, dtype=bool), 0))
    W = torch.ones(40, digits.num_features, 1)
    exact = view.linear(W[:1])[0]
    drawn = view.linear(W, 0.5, Noise.of_epoch(np.arange(40), 0), 0)
    assert drawn.std(0).min() > 0
    # the mean over 40 replicas and 1797 nodes of a sum of about 30 dropped entries
    assert abs(float((drawn.mean(0) - exact).mean() / exact.mean())) < 0.01
