"""Any `torch.nn.Module` as a base model: one training after another, by a plain loop.

The contract is the engine's (seeds, best validation epoch, progress, cancel, dropped edges,
pseudo-labels); the speed is that of the module itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from wgnn_core.errors import WGNNError
from wgnn_core.graph import FloatArray, Graph
from wgnn_core.replicas.history import History
from wgnn_core.replicas.model import Model, Sizes
from wgnn_core.replicas.packing import Parameters
from wgnn_core.replicas.train import Trained
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Domain

MAX_FEATURE_BYTES = 4 * 2**30


@dataclass(frozen=True)
class PlainModel(Model):
    """A model whose network is a module with ``forward(x, edge_index)``."""

    def net(self, sizes: Sizes) -> nn.Module:
        """A new network, initialised by torch's global generator."""
        raise TypeError(f"{type(self).__name__} does not make its network")

    @property
    def depth(self) -> int:
        return 0

    def init(self, sizes: Sizes, rng: torch.Generator) -> Parameters:
        """Parameters by name; only their sizes are of use, for the memory budget."""
        found = {name: value.detach() for name, value in self.net(sizes).named_parameters()}
        return found or {"none": torch.zeros(1)}


def train_plain(
    model: PlainModel, domain: Domain, trainings: Trainings, tick: Callable[[int], None]
) -> Trained:
    """As `train.train_batch`, for modules. Not for several threads: torch's generator is global."""
    graph = domain.graph
    needed = 4 * graph.num_nodes * graph.num_features
    if needed > MAX_FEATURE_BYTES:
        raise WGNNError(
            f"dense features of {graph.name} take {needed:,} bytes; the limit for a model of your "
            f"own is {MAX_FEATURE_BYTES:,}."
        )
    x = torch.from_numpy(graph.x.toarray()).to(domain.device)
    outs = [_train_one(model, domain, trainings, k, x, tick) for k in range(len(trainings))]
    logits, accuracy, best, ran, curves = zip(*outs, strict=True)
    return Trained(
        np.stack(logits),
        np.asarray(accuracy),
        np.asarray(best, dtype=np.int64),
        np.asarray(ran, dtype=np.int64),
        np.zeros(len(trainings), dtype=np.int64),
        History(*np.stack(curves, axis=1)),
    )


def _train_one(
    model: PlainModel,
    domain: Domain,
    trainings: Trainings,
    k: int,
    x: Tensor,
    tick: Callable[[int], None],
) -> tuple[FloatArray, float, int, int, FloatArray]:
    graph, to = domain.graph, domain.device
    curves = np.full((3, model.epochs), np.nan, np.float32)
    with torch.random.fork_rng(devices=[to] if to.type == "cuda" else []):
        torch.manual_seed(int(trainings.seeds[k]))
        net = model.net(Sizes(graph.num_nodes, graph.num_features, graph.num_classes)).to(to)
        optimizer = torch.optim.Adam(net.parameters(), lr=model.lr, weight_decay=model.weight_decay)
        edge_index = both_directions(trainings.graph(graph, k)).to(to)
        labels = torch.from_numpy(trainings.labels[k]).to(to)
        weight = torch.from_numpy(trainings.weight[k]).to(to)
        val = torch.from_numpy(trainings.val[k]).to(to)
        train = weight > 0
        best, best_epoch, kept, epoch = -1.0, 0, None, 0
        for epoch in range(model.epochs):
            net.train()
            optimizer.zero_grad()
            out = _logits(net(x, edge_index), graph)
            loss = nn.functional.cross_entropy(out[train], labels[train], reduction="none")
            total = (loss * weight[train]).sum() / train.sum()
            total.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            seen = _percent(out, labels, train)
            net.eval()
            with torch.no_grad():
                out = _logits(net(x, edge_index), graph)
            now = _percent(out, labels, val)
            curves[:, epoch] = float(total.detach()), seen, now
            if now > best:
                best, best_epoch, kept = now, epoch, out
            tick(1)
            if model.patience and epoch - best_epoch >= model.patience:
                break
    assert kept is not None
    return kept.cpu().numpy().astype(np.float32), best, best_epoch, epoch + 1, curves


def _percent(logits: Tensor, labels: Tensor, counted: Tensor) -> float:
    return 100 * float((logits[counted].argmax(-1) == labels[counted]).double().mean())


def both_directions(graph: Graph) -> Tensor:
    """The edges as PyG's ``edge_index [2, 2E]``, each in both directions."""
    edges = torch.from_numpy(np.ascontiguousarray(graph.edges.T)).long()
    return torch.cat([edges, edges.flip(0)], dim=1)


def _logits(out: object, graph: Graph) -> Tensor:
    expected = (graph.num_nodes, graph.num_classes)
    if not isinstance(out, Tensor) or tuple(out.shape) != expected:
        got = tuple(out.shape) if isinstance(out, Tensor) else type(out).__name__
        raise WGNNError(
            f"the network returns {got}; it must return one row of class scores per node, "
            f"{expected}."
        )
    return out
