"""GCN (Kipf and Welling, 2017)."""

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
class GCN(Model):
    """Two layers H' = sigma(A_sym H W + b), A_sym = D^-1/2 (A+I) D^-1/2.

    Default recipe: Kipf and Welling's (dropout on X and H, weight decay on the first layer only,
    200 epochs), with the epoch of best validation accuracy. Preset ``authors``: the recipe of the
    wGNN authors' release (no dropout on X, weight decay everywhere, 500 epochs or until validation
    has not risen for 100 after the first 100, the last epoch counts). The recipes for Airport and
    Photo were chosen on validation accuracy.
    """

    hidden: int = hyper(16, "width of the hidden layer", 1, 1024)
    input_dropout: float = hyper(0.5, "dropout on the features", 0.0, 0.95)
    dropout: float = hyper(0.5, "dropout on the hidden layer", 0.0, 0.95)
    decay_all: bool = hyper(False, "weight decay on every parameter, not only the first layer")

    name: ClassVar[str] = "gcn"
    title: ClassVar[str] = "GCN"
    citation: ClassVar[str] = """@inproceedings{kipf2017gcn,
  author = {Kipf, Thomas N. and Welling, Max},
  title = {{Semi-Supervised Classification with Graph Convolutional Networks}},
  booktitle = {International Conference on Learning Representations},
  year = {2017}
}
"""
    cost = "cheap"
    exact: ClassVar[bool] = True
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "authors": {
            "input_dropout": 0.0, "epochs": 500, "decay_all": True, "patience": 100,
            "keep": "last",
        },
    }  # fmt: skip
    for_dataset: ClassVar[dict[str, dict[str, Any]]] = {
        # four real features: dropping one of them loses too much, and fitting takes long
        "airport": {
            "hidden": 128, "lr": 0.03, "epochs": 1000, "weight_decay": 0.0,
            "input_dropout": 0.0, "dropout": 0.0,
        },
        "photo": {"hidden": 64},  # with 16 one training in four stays near chance
        "photo_1234": {"hidden": 64},
    }  # fmt: skip

    @property
    def depth(self) -> int:
        return 2

    @property
    def undecayed(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset() if self.decay_all else frozenset({"W2", "b2"})

    def init(self, sizes: Sizes, rng: torch.Generator) -> Parameters:
        return {
            "W1": glorot(rng, sizes.features, self.hidden),
            "b1": torch.zeros(1, self.hidden),
            "W2": glorot(rng, self.hidden, sizes.classes),
            "b2": torch.zeros(1, sizes.classes),
        }

    def forward(self, p: Parameters, view: View, noise: Noise | None) -> Tensor:
        weight = view.batch.weights("symmetric")
        return self.layers(p, view, noise, weight, weight)

    def layers(
        self, p: Parameters, view: View, noise: Noise | None, first: Tensor, second: Tensor
    ) -> Tensor:
        """The two layers with slot weights of their own."""
        h = view.linear(p["W1"], self.input_dropout, noise, 0)
        h = view.add(view.propagate(0, h, first), p["b1"]).relu_()
        h = view.dropout(1, h, self.dropout, noise, 1)
        # (A H) W is A (H W) with the dense product on the few target rows only
        return view.add(view.product(view.propagate(1, h, second), p["W2"]), p["b2"])
