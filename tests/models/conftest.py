"""A small irregular graph, views on it, and random parameters for K replicas of a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest
import torch
from scipy import sparse

from wgnn_core.graph import Graph, Split, make_graph
from wgnn_core.replicas.model import Model, Sizes
from wgnn_core.replicas.train import Trained, train_batch
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Batch, Domain, View

N, FEATURES, CLASSES = 14, 6, 3


def irregular() -> Graph:
    """14 nodes: a random graph with a node of degree 0 and a node without features."""
    rng = np.random.default_rng(5)
    pairs = np.array([(i, j) for i in range(N - 1) for j in range(i) if rng.random() < 0.3])
    x = rng.random((N, FEATURES)) * (rng.random((N, FEATURES)) < 0.6)
    x[3] = 0
    masks = [np.isin(np.arange(N) % 3, [r]) for r in range(3)]
    return make_graph("irregular", x, pairs, np.arange(N) % CLASSES, [Split(*masks)])


@pytest.fixture(scope="session")
def irregular_graph() -> Graph:
    return irregular()


@pytest.fixture(scope="session")
def half_kept(irregular_graph: Graph) -> np.ndarray:
    """Edge masks of two replicas: all edges, and about two thirds of them."""
    rng = np.random.default_rng(1)
    e = irregular_graph.num_edges
    return np.stack([np.ones(e, dtype=bool), rng.random(e) < 0.66])


ViewMaker = Callable[..., View]


@pytest.fixture(scope="session")
def make_view() -> ViewMaker:
    """(graph, kept edges, depth, targets, compiled) -> View."""

    def make(
        graph: Graph,
        kept: np.ndarray | None,
        depth: int,
        targets: np.ndarray | None = None,
        compiled: bool = True,
    ) -> View:
        domain = replace(Domain.of(graph, torch.device("cpu")), compiled=compiled)
        mask = np.ones(graph.num_nodes, dtype=bool) if targets is None else targets
        return View(Batch(domain, kept), domain.field(mask, depth))

    return make


@pytest.fixture(scope="session")
def parameters() -> Callable[[Model, Graph, int], dict[str, torch.Tensor]]:
    """Parameters of K replicas, shifted from their start so that no zero hides a mistake."""

    def make(model: Model, graph: Graph, K: int) -> dict[str, torch.Tensor]:
        sizes = Sizes(graph.num_nodes, graph.num_features, graph.num_classes)
        rng = torch.Generator().manual_seed(11)
        replicas = [model.init(sizes, rng) for _ in range(K)]
        return {
            name: torch.stack(
                [r[name] + 0.1 * torch.randn(r[name].shape, generator=rng) for r in replicas]
            ).requires_grad_()
            for name in replicas[0]
        }

    return make


@pytest.fixture(scope="session")
def assert_same() -> Callable[..., None]:
    """Values and gradients of two forward passes agree; a random direction weighs the outputs."""

    def check(
        ours: torch.Tensor,
        reference: torch.Tensor,
        p: dict[str, torch.Tensor],
        tolerance: float = 1e-5,
    ) -> None:
        torch.testing.assert_close(ours, reference, rtol=tolerance, atol=tolerance)
        direction = torch.randn(ours.shape, generator=torch.Generator().manual_seed(3))
        grads = [
            torch.autograd.grad((out * direction).sum(), list(p.values()), allow_unused=True)
            for out in (ours, reference)
        ]
        for name, mine, theirs in zip(p, *grads, strict=True):
            assert mine is not None, f"{name} has no gradient"
            torch.testing.assert_close(
                mine, theirs, rtol=tolerance, atol=tolerance, msg=lambda m, n=name: f"{n}: {m}"
            )

    return check


@pytest.fixture(scope="session")
def dense() -> Callable[[Graph, np.ndarray | None], torch.Tensor]:
    """A + I of a graph with some of its edges, as a dense matrix."""

    def build(graph: Graph, kept: np.ndarray | None = None) -> torch.Tensor:
        edges = graph.edges if kept is None else graph.edges[kept]
        ones = np.ones(len(edges), dtype=np.float32)
        half = sparse.coo_array((ones, edges.T), shape=(graph.num_nodes,) * 2).toarray()
        return torch.from_numpy(half + half.T) + torch.eye(graph.num_nodes)

    return build


@pytest.fixture(scope="session")
def features() -> Callable[[Graph], torch.Tensor]:
    return lambda graph: torch.from_numpy(graph.x.toarray())


@pytest.fixture(scope="session")
def shortened() -> Callable[[Model, int], Model]:
    """The model with few epochs in every stage."""

    def shorten(model: Model, epochs: int) -> Model:
        stages = [f.name for f in fields(model) if f.name in ("epochs", "pretrain_epochs")]
        return replace(model, patience=0, **dict.fromkeys(stages, epochs))

    return shorten


@pytest.fixture(scope="session")
def train_now() -> Callable[..., Trained]:
    """Train a batch on a domain, compiled or not."""

    def train(model: Model, graph: Graph, trainings: Trainings, compiled: bool = True) -> Trained:
        domain = replace(Domain.of(graph, torch.device("cpu")), compiled=compiled)
        return train_batch(model, domain, trainings, lambda n: None)

    return train
