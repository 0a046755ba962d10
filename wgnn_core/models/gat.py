"""GAT (Velickovic et al., 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from wgnn_core.fields import hyper
from wgnn_core.replicas.model import Model, Sizes, glorot
from wgnn_core.replicas.packing import Parameters
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.view import View


@dataclass(frozen=True)
class GAT(Model):
    """h_i' = ELU(sum_j alpha_ij W h_j + b), alpha = softmax_j LeakyReLU(a_src W h_j + a_dst W h_i).

    Heads are concatenated in the hidden layers; the output layer has one head and no activation.
    Default recipe: the original's (8 heads of 8, learning rate 0.005) for 200 epochs. Preset
    ``authors``: that of the wGNN authors' release (8 heads of 16, learning rate 0.01, the epochs of
    GCN's). The recipe for Airport was chosen on validation accuracy.
    """

    lr: float = hyper(0.005, "learning rate of Adam", 1e-5, 1.0, title="Learning rate")
    layers: int = hyper(2, "number of layers", 2, 8)
    heads: int = hyper(8, "attention heads of a hidden layer", 1, 32)
    hidden: int = hyper(8, "width of a head", 1, 256)
    dropout: float = hyper(0.6, "dropout on each layer's input", 0.0, 0.95)
    attention_dropout: float = hyper(0.6, "dropout on the attention weights", 0.0, 0.95)
    negative_slope: float = hyper(0.2, "slope of LeakyReLU below zero", 0.0, 1.0)

    name: ClassVar[str] = "gat"
    title: ClassVar[str] = "GAT"
    citation: ClassVar[str] = r"""@inproceedings{velickovic2018gat,
  author = {Veli{\v{c}}kovi{\'c}, Petar and Cucurull, Guillem and Casanova, Arantxa and
    Romero, Adriana and Li{\`o}, Pietro and Bengio, Yoshua},
  title = {{Graph Attention Networks}},
  booktitle = {International Conference on Learning Representations},
  year = {2018}
}
"""
    cost = "dear"
    exact: ClassVar[bool] = True
    slot_floats: ClassVar[int] = 16
    for_dataset: ClassVar[dict[str, dict[str, Any]]] = {
        "airport": {
            "layers": 3, "hidden": 16, "lr": 0.01, "epochs": 1000, "weight_decay": 0.0,
            "dropout": 0.0, "attention_dropout": 0.0,
        },
    }  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "authors": {"hidden": 16, "lr": 0.01, "epochs": 500, "patience": 100, "keep": "last"},
    }

    @property
    def depth(self) -> int:
        return self.layers

    def init(self, sizes: Sizes, rng: torch.Generator) -> Parameters:
        p: Parameters = {}
        width = sizes.features
        for layer in range(self.layers):
            last = layer == self.layers - 1
            heads, d = (1, sizes.classes) if last else (self.heads, self.hidden)
            p[f"W{layer}"] = glorot(rng, width, heads * d)
            p[f"source{layer}"] = glorot(rng, heads, d)
            p[f"target{layer}"] = glorot(rng, heads, d)
            p[f"b{layer}"] = torch.zeros(1, heads * d)
            width = heads * d
        return p

    def forward(self, p: Parameters, view: View, noise: Noise | None) -> Tensor:
        h = view.linear(p["W0"], self.dropout, noise, 0)
        for layer in range(self.layers):
            if layer > 0:
                h = torch.nn.functional.elu(h)
                h = view.dropout(layer, h, self.dropout, noise, 2 * layer)
                h = view.product(h, p[f"W{layer}"])
            scores = view.product(h, torch.cat([_by_head(a) for a in self._scorers(p, layer)], -1))
            source, target = scores.chunk(2, dim=-1)
            h = view.attention(
                layer, h, source, target, self.negative_slope,
                self.attention_dropout, noise, 2 * layer + 1,
            )  # fmt: skip
            h = view.add(h, p[f"b{layer}"])
        return h

    @staticmethod
    def _scorers(p: Parameters, layer: int) -> tuple[Tensor, Tensor]:
        return p[f"source{layer}"], p[f"target{layer}"]


def _by_head(a: Tensor) -> Tensor:
    """``[K, H, d] -> [K, H*d, H]``: block-diagonal, so that one product scores every head."""
    heads = a.shape[1]
    return (a.unsqueeze(-1) * torch.eye(heads, device=a.device).unsqueeze(1)).flatten(1, 2)
