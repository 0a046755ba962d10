"""GIL (Zhu et al., 2020): a hyperbolic and a Euclidean branch that interact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.models.ball import (
    REACH,
    add,
    distance,
    distance_to_planes,
    exp0,
    inside,
    length,
    log0,
    within_reach,
)
from wgnn_core.models.hyperbolic import HyperbolicAttention
from wgnn_core.replicas.model import Model, Sizes, glorot
from wgnn_core.replicas.ops import apply, keep_mask
from wgnn_core.replicas.packing import Parameters
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.view import View, dropout_keys

NEGATIVE_SLOPE = 0.2
GAIN = {"h": 2**0.5, "e": 1.0}
"""Of the first weights in each space."""
SITES = 10
"""Places that draw in one layer."""
CHAMELEON: dict[str, Any] = {"weight_decay": 0.0, "dropout": 0.3, "drop_hyperbolic": 0.0}


@dataclass(frozen=True)
class GIL(Model):
    """Graph attention in both geometries, feature interaction, and a mixture of two classifiers.

    Points of the ball are handled through their logarithm at 0, since W (x) exp0(v) = exp0(v W).
    Hyperbolic attention multiplies the score a [u_i, u_j] by the softmax over neighbours of the
    distance between z_i and z_j. After each layer, with scalars beta that start at 0:
    x_h <- x_h (+) (beta_h dist(x_h, exp0 x_e) (x) exp0 x_e), then
    x_e <- x_e + beta_e |log0 x_h - x_e|^2 log0 x_h. `layers` counts the last one, which is the
    classifier: Euclidean scores, and signed distances to hyperplanes of the ball, mixed by weights
    that each node computes for itself (the original's code takes those of the last node for all).
    One attention head in the classifier on every graph (the original averages eight on Pubmed).
    """

    lr: float = hyper(0.01, "learning rate of Adam", 1e-5, 1.0, title="Learning rate")
    weight_decay: float = hyper(1e-3, "L2 penalty on the decayed weights", 0.0, 1.0)
    epochs: int = hyper(500, "training epochs", 1, 5000)
    patience: int = hyper(
        100, "stop after this many epochs without better validation; 0: never", 0, 5000
    )
    layers: int = hyper(2, "number of layers, the classifier among them", 2, 6)
    hidden: int = hyper(16, "width of a layer, all heads together", 1, 256)
    heads: int = hyper(8, "attention heads of a hidden layer", 1, 32)
    dropout: float = hyper(0.6, "dropout on features, weights and attention", 0.0, 0.95)
    drop_hyperbolic: float = hyper(0.9, "dropout on what the ball gives to the mixture", 0.0, 0.95)
    drop_euclidean: float = hyper(0.0, "the same for the Euclidean branch", 0.0, 0.95)
    activation: str = hyper("elu", "activation of the layers", choices=("elu", "relu"))

    name: ClassVar[str] = "gil"
    title: ClassVar[str] = "GIL"
    revision: ClassVar[int] = 3  # other kernels, other rounding; the gain of the hyperbolic weights
    citation: ClassVar[str] = """@inproceedings{zhu2020gil,
  author = {Zhu, Shichao and Pan, Shirui and Zhou, Chuan and Wu, Jia and Cao, Yanan and
    Wang, Bin},
  title = {{Graph Geometry Interaction Learning}},
  booktitle = {Advances in Neural Information Processing Systems},
  year = {2020}
}
"""
    cost = "dear"
    slot_floats: ClassVar[int] = 120
    for_dataset: ClassVar[dict[str, dict[str, Any]]] = {
        "citeseer": {"dropout": 0.5, "drop_hyperbolic": 0.8},
        "pubmed": {"weight_decay": 5e-4},
        "chameleon": CHAMELEON,
        "chameleon_filtered": CHAMELEON,
        "airport": {"dropout": 0.0, "layers": 3, "activation": "relu", "drop_hyperbolic": 0.0},
        "disease-sim": {"dropout": 0.1, "activation": "relu", "drop_hyperbolic": 0.0},
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hidden % self.heads:
            raise WGNNError(
                f"gil: hidden is {self.hidden}; it must be a multiple of heads, {self.heads}."
            )

    @property
    def depth(self) -> int:
        return self.layers

    def init(self, sizes: Sizes, rng: torch.Generator) -> Parameters:
        p: Parameters = {}
        width, d, C = sizes.features, self.hidden, sizes.classes
        for layer in range(self.layers):
            last = layer == self.layers - 1
            heads = 1 if last else self.heads
            for space, out in (("h", d), ("e", C if last else d)):
                p[f"W_{space}{layer}"] = glorot(rng, width, out) * GAIN[space]
                p[f"linear_b_{space}{layer}"] = torch.zeros(1, out)
                p[f"source_{space}{layer}"] = glorot(rng, heads, out // heads)
                p[f"target_{space}{layer}"] = glorot(rng, heads, out // heads)
                p[f"b_{space}{layer}"] = torch.zeros(1, out)
                if not last:
                    p[f"beta_{space}{layer}"] = torch.zeros(1, 1)
            width = d
        normals = torch.randn(C, d, generator=rng)
        return p | {
            "points": torch.randn(C, d, generator=rng) / 4,
            "normals": normals / normals.norm(dim=1, keepdim=True),
            "scale": torch.zeros(1, C),
            "mix_h": glorot(rng, d, 1),
            "mix_e": glorot(rng, C, 1),
        }

    def forward(self, p: Parameters, view: View, noise: Noise | None) -> Tensor:
        h = view.linear(self._dropped(p["W_h0"], view, noise, 0)) * _reach(view)
        e = view.linear(p["W_e0"], self.dropout, noise, 1)
        for layer in range(self.layers):
            v = self._act(self._hyperbolic(p, view, layer, h, noise))  # x_h is exp0 v
            x_e = self._euclidean(p, view, layer, e, noise)
            following = layer + 1
            if following < self.layers:
                v, x_e = self._interact(p, view, layer, v, self._act(x_e), noise)
                site = SITES * following
                h = v @ self._dropped(p[f"W_h{following}"], view, noise, site)
                e = view.dropout(following, x_e, self.dropout, noise, site + 1)
                e = e @ p[f"W_e{following}"]
        return self._mixture(p, view, v, x_e, noise)

    def _act(self, h: Tensor) -> Tensor:
        return h.relu() if self.activation == "relu" else torch.nn.functional.elu(h)

    def _dropped(self, W: Tensor, view: View, noise: Noise | None, site: int) -> Tensor:
        """Dropout on the weights themselves, as the hyperbolic branch has it."""
        rows = np.arange(W.shape[1], dtype=np.uint32)
        return view.batch.dropout(W, rows, self.dropout, noise, site)

    def _hyperbolic(
        self, p: Parameters, view: View, layer: int, h: Tensor, noise: Noise | None
    ) -> Tensor:
        """Attention of one layer in the ball, from x_h W in the tangent space at 0."""
        z = add(exp0(h), exp0(p[f"linear_b_h{layer}"]))
        u, z = log0(z), inside(z)
        a, b = p[f"source_h{layer}"], p[f"target_h{layer}"]
        by_head = u.view(*u.shape[:2], *a.shape[1:])
        sender, receiver = ((by_head * half.unsqueeze(1)).sum(-1) for half in (a, b))
        site = SITES * layer + 2
        if view.batch.domain.compiled:
            keys, dropped = dropout_keys(self.dropout, noise, site)
            out = apply(
                HyperbolicAttention, z, u, sender, receiver, view.batch.weights("ones"),
                view.field.layers[layer], NEGATIVE_SLOPE, keys, dropped,
            )  # fmt: skip
        else:
            out = self._torch_hyperbolic(view, layer, z, u, sender, receiver, noise, site)
        return out + p[f"b_h{layer}"]

    def _torch_hyperbolic(
        self, view: View, layer: int, z: Tensor, u: Tensor, sender: Tensor, receiver: Tensor,
        noise: Noise | None, site: int,
    ) -> Tensor:  # fmt: skip
        """`HyperbolicAttention` in plain torch."""
        from torch_geometric.utils import softmax

        src, dst, slot = view.entries(layer)
        by_head = u.view(*u.shape[:2], sender.shape[2], -1)
        sender, receiver = sender[:, src], view.own(layer, receiver)[:, dst]
        apart = distance(z[:, src], view.own(layer, z)[:, dst])
        absent = (view.batch.weights("ones")[:, slot] == 0).unsqueeze(-1)
        n = len(view.rows(layer + 1))
        closeness = softmax(apart.masked_fill(absent, -torch.inf), dst, num_nodes=n, dim=1)
        score = torch.nn.functional.leaky_relu((sender + receiver) * closeness, NEGATIVE_SLOPE)
        alpha = softmax(score.masked_fill(absent, -torch.inf), dst, num_nodes=n, dim=1)
        if noise is not None and self.dropout > 0:
            heads = alpha.shape[2]
            index = (slot.unsqueeze(1) * heads + torch.arange(heads, device=u.device)).flatten()
            kept = keep_mask(noise.site(site), index, self.dropout).view_as(alpha)
            alpha = alpha * kept / (1 - self.dropout)
        messages = (alpha.unsqueeze(-1) * by_head[:, src]).flatten(2)
        return u.new_zeros(u.shape[0], n, u.shape[2]).index_add(1, dst, messages)

    def _euclidean(
        self, p: Parameters, view: View, layer: int, e: Tensor, noise: Noise | None
    ) -> Tensor:
        """GAT's attention, from x_e W."""
        e = e + p[f"linear_b_e{layer}"]
        a, b = p[f"source_e{layer}"], p[f"target_e{layer}"]
        by_head = e.view(*e.shape[:2], *a.shape[1:])
        source, target = ((by_head * half.unsqueeze(1)).sum(-1) for half in (a, b))
        out = view.attention(
            layer, e, source, target, NEGATIVE_SLOPE, self.dropout, noise, SITES * layer + 3
        )
        return out + p[f"b_e{layer}"]

    def _interact(
        self, p: Parameters, view: View, layer: int, v: Tensor, x_e: Tensor, noise: Noise | None
    ) -> tuple[Tensor, Tensor]:
        """Each branch takes from the other, the Euclidean one from the new x_h; log0 x_h, x_e."""
        site, rows = SITES * layer, layer + 1
        x_h, long = exp0(v), length(x_e)
        r = p[f"beta_h{layer}"] * distance(x_h, exp0(x_e))
        step = x_e * ((r * long.clamp(max=REACH)).tanh() / long)  # r (x) exp0 x_e
        step = view.dropout(rows, step, self.drop_euclidean, noise, site + 4)
        log = log0(add(x_h, inside(step)))
        q = p[f"beta_e{layer}"] * (log - x_e).square().sum(-1, keepdim=True)
        return log, x_e + view.dropout(rows, q * log, self.drop_hyperbolic, noise, site + 5)

    def _mixture(
        self, p: Parameters, view: View, v: Tensor, scores: Tensor, noise: Noise | None
    ) -> Tensor:
        """w_h times the distances to the hyperplanes plus w_e times the Euclidean scores."""
        site = SITES * self.layers
        distances = distance_to_planes(exp0(v), exp0(p["points"]), p["normals"])
        distances = distances * p["scale"].exp()
        w_h = (within_reach(v) @ p["mix_h"]).sigmoid()
        w_e = (scores @ p["mix_e"]).sigmoid()
        w_h = view.dropout(view.depth, w_h, self.drop_hyperbolic, noise, site)
        w_e = view.dropout(view.depth, w_e, self.drop_euclidean, noise, site + 1)
        total = (w_h + w_e).clamp(min=1e-12)
        logits: Tensor = (w_h * distances + w_e * scores) / total
        return logits


def _reach(view: View) -> Tensor:
    """What projecting exp0(x) to the ball leaves of each input row's length, ``[n, 1]``."""
    x = view.batch.domain.x
    squares = np.add.reduceat(np.append(x.val**2, 0.0), x.indptr[:-1])
    length = np.sqrt(np.where(np.diff(x.indptr) > 0, squares, 0.0))[view.rows(0)]
    factor = np.minimum(1.0, REACH / np.maximum(length, 1e-12)).astype(np.float32)
    return torch.from_numpy(factor).to(view.batch.domain.device).unsqueeze(1)
