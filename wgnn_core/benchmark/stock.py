"""The textbook PyG training loop: what the engine is measured against.

Dense features, `GCNConv` / `GATConv`, `F.dropout`, Adam, an evaluation each epoch, the best
validation epoch kept. Deliberately the usual code, with the recipe of our model.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GCNConv

from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.models.gat import GAT
from wgnn_core.models.gcn import GCN
from wgnn_core.replicas.model import Model


class StockGCN(nn.Module):
    """Two `GCNConv` layers."""

    def __init__(self, graph: Graph, recipe: GCN) -> None:
        super().__init__()
        self.recipe = recipe
        self.first = GCNConv(graph.num_features, recipe.hidden)
        self.second = GCNConv(recipe.hidden, graph.num_classes)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = nn.functional.dropout(x, self.recipe.input_dropout, self.training)
        x = self.first(x, edge_index).relu()
        x = nn.functional.dropout(x, self.recipe.dropout, self.training)
        out: Tensor = self.second(x, edge_index)
        return out


class StockGAT(nn.Module):
    """Two `GATConv` layers."""

    def __init__(self, graph: Graph, recipe: GAT) -> None:
        super().__init__()
        p, slope = recipe.attention_dropout, recipe.negative_slope
        self.dropout = recipe.dropout
        self.first = GATConv(graph.num_features, recipe.hidden, recipe.heads, True, slope, p)
        width = recipe.hidden * recipe.heads
        self.second = GATConv(width, graph.num_classes, 1, True, slope, p)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = nn.functional.dropout(x, self.dropout, self.training)
        x = nn.functional.elu(self.first(x, edge_index))
        x = nn.functional.dropout(x, self.dropout, self.training)
        out: Tensor = self.second(x, edge_index)
        return out


@dataclass(frozen=True)
class StockTraining:
    """One training: test accuracy at the best validation epoch, and how long it took."""

    accuracy: float
    seconds: float


def train_stock(graph: Graph, recipe: Model, seed: int, epochs: int | None = None) -> StockTraining:
    """Train once; with fewer `epochs` than the recipe's, only the time is of use."""
    torch.manual_seed(seed)
    data = graph.to_pyg(seed)
    network = _network(graph, recipe)
    optimizer = torch.optim.Adam(_groups(network, recipe), lr=recipe.lr)
    best, accuracy = -1.0, 0.0
    started = time.perf_counter()
    for _ in range(epochs or recipe.epochs):
        network.train()
        optimizer.zero_grad()
        out = network(data.x, data.edge_index)
        loss = nn.functional.cross_entropy(out[data.train_mask], data.y[data.train_mask])
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        network.eval()
        with torch.no_grad():
            right = network(data.x, data.edge_index).argmax(1) == data.y
        val = float(right[data.val_mask].float().mean())
        if val > best:
            best, accuracy = val, 100 * float(right[data.test_mask].float().mean())
    return StockTraining(accuracy, time.perf_counter() - started)


def _network(graph: Graph, recipe: Model) -> nn.Module:
    if type(recipe) is GCN:
        return StockGCN(graph, recipe)
    if isinstance(recipe, GAT) and recipe.layers == 2:
        return StockGAT(graph, recipe)
    raise WGNNError(f"there is no stock loop for {type(recipe).name}; choose gcn or gat.")


def _groups(network: nn.Module, recipe: Model) -> list[dict[str, Any]]:
    """Weight decay where the recipe has it."""
    first_only = type(recipe) is GCN and not recipe.decay_all
    return [
        {
            "params": list(part.parameters()),
            "weight_decay": 0.0 if first_only and name == "second" else recipe.weight_decay,
        }
        for name, part in network.named_children()
    ]
