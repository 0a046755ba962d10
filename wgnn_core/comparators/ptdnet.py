"""PTDNet (Luo et al., 2021): a GCN that learns which edges to drop."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import functional

from wgnn_core.fields import hyper
from wgnn_core.replicas.model import Model, Sizes, cross_entropy
from wgnn_core.replicas.ops import uniforms
from wgnn_core.replicas.packing import Parameters
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.view import View

GAMMA, ZETA = -0.1, 1.1
"""Ends of the stretched gate. The original's default gamma = -0.0 makes the L0 term constant."""
LOWEST_TEMPERATURE, FIRST_TEMPERATURE, COOLING = 0.05, 2.0, 0.99
POWER_STEPS = 10
LARGEST_ROOT = 10.0
"""1/sqrt(degree) is clipped here, as gates may leave a node almost without edges."""


@dataclass(frozen=True)
class PTDNet(Model):
    """Two graph convolutions, each on edges gated by a small network of their ends' features.

    The gate of (i, j) has logit a(i, j) = [ReLU(h_i U + c) , ReLU(h_j V + e)] . g + f; in training
    it is a hard concrete variable, s = sigmoid((logit(u) + a) / tau), m = clip(s (zeta-gamma) +
    gamma, 0, 1), and with s = sigmoid(a) when evaluating. Self-loops stay. The loss is
    cross-entropy of the mean of `passes` draws, plus the spread of the passes over all nodes, the
    expected number of open gates (L0), and the largest singular value of the gated adjacency
    matrix, found by power iteration on sparse products. The temperature tau falls from 2 to 0.05.
    Learning rate and the weights of L0 and singular value were chosen on Cora's validation set,
    what differs for Citeseer and Pubmed on theirs; preset ``original`` has the values of the
    original's code.
    """

    lr: float = hyper(0.01, "learning rate of Adam", 1e-5, 1.0, title="Learning rate")
    epochs: int = hyper(150, "training epochs", 1, 5000)
    patience: int = hyper(
        100, "stop after this many epochs without better validation; 0: never", 0, 5000
    )
    hidden: int = hyper(256, "width of the hidden layer", 1, 1024)
    gate_width: int = hyper(16, "width of the gates' network", 1, 256)
    passes: int = hyper(3, "draws of the gates in each epoch", 1, 10)
    l0: float = hyper(0.01, "weight of the number of open gates", 0.0, 10.0)
    consistency: float = hyper(0.01, "weight of the spread between passes", 0.0, 10.0)
    singular: float = hyper(0.001, "weight of the largest singular value", 0.0, 10.0)

    name: ClassVar[str] = "ptdnet"
    title: ClassVar[str] = "PTDNet"
    citation: ClassVar[str] = """@inproceedings{luo2021ptdnet,
  author = {Luo, Dongsheng and Cheng, Wei and Yu, Wenchao and Zong, Bo and Ni, Jingchao and
    Chen, Haifeng and Zhang, Xiang},
  title = {{Learning to Drop: Robust Graph Neural Network via Topological Denoising}},
  booktitle = {ACM International Conference on Web Search and Data Mining},
  year = {2021}
}
"""
    cost = "dear"
    for_dataset: ClassVar[dict[str, dict[str, Any]]] = {
        "citeseer": {"l0": 0.001, "singular": 0.0001},
        "pubmed": {"hidden": 32, "singular": 0.00001},
    }
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "original": {"lr": 0.001, "epochs": 1000, "l0": 0.1, "singular": 0.01}
    }

    @property
    def depth(self) -> int:
        return 0

    @property
    def slot_floats(self) -> int:  # type: ignore[override]
        """Both ends of the gates' network and a dozen numbers per gate, in each pass and layer."""
        return self.passes * (2 * self.gate_width + 12)

    def init(self, sizes: Sizes, rng: torch.Generator) -> Parameters:
        p: Parameters = {}
        width, g = sizes.features, self.gate_width
        for layer, out in ((1, self.hidden), (2, sizes.classes)):
            p[f"W{layer}"] = _he(rng, width, out)
            p[f"ends{layer}"] = _he(rng, width, 2 * g)
            p[f"ends_b{layer}"] = torch.zeros(1, 2 * g)
            p[f"gate{layer}"] = _he(rng, 2 * g, 1)
            p[f"gate_b{layer}"] = torch.zeros(1, 1)
            width = out
        return p

    def forward(self, p: Parameters, view: View, noise: Noise | None) -> Tensor:
        whole = view.batch.whole
        logits, _, _ = self.one_pass(p, whole, self.first_products(p, whole), noise, 0)
        return view.targets(logits)

    def loss(
        self, p: Parameters, view: View, noise: Noise, labels: Tensor, weight: Tensor
    ) -> tuple[Tensor, Tensor]:
        whole, tau = view.batch.whole, temperature(noise.epoch)
        logits: list[Tensor] = []
        open_gates: list[Tensor] = []
        gates: list[Tensor] = []
        first = self.first_products(p, whole)
        for number in range(self.passes):
            out, scores, gates = self.one_pass(p, whole, first, noise, 2 * number)
            logits.append(out)
            open_gates += [expected_open(whole, score, tau) for score in scores]
        mean = torch.stack(logits).mean(0)
        spread = torch.stack([0.5 * (mean - one).square().sum((1, 2)) for one in logits]).sum(0)
        mine = view.targets(mean)
        largest = torch.stack([largest_singular_value(whole, gate) for gate in gates]).sum(0)
        loss = (
            cross_entropy(mine, labels, weight)
            + self.consistency * spread
            + self.l0 * torch.stack(open_gates).sum(0)
            + self.singular * largest
        )
        return loss, mine

    def first_products(self, p: Parameters, whole: View) -> tuple[Tensor, Tensor]:
        """X W and the gates' scores in the first layer: nothing random, the same in each pass."""
        d = self.hidden
        product = whole.linear(torch.cat([p["W1"], p["ends1"]], dim=2))
        return product[..., :d].contiguous(), self._scores(p, 1, whole, product[..., d:])

    def one_pass(
        self,
        p: Parameters,
        whole: View,
        first: tuple[Tensor, Tensor],
        noise: Noise | None,
        site: int,
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """Logits of all nodes; each layer's gate scores and gates, ``[K, slots]``."""
        xw, score = first
        opened = gate(whole, score, noise, site)
        h = whole.propagate(0, xw, normalised(whole, opened)).relu()
        product = h @ torch.cat([p["W2"], p["ends2"]], dim=2)
        d = p["W2"].shape[2]
        second = self._scores(p, 2, whole, product[..., d:])
        last = gate(whole, second, noise, site + 1)
        logits = whole.propagate(0, product[..., :d], normalised(whole, last))
        return logits, [score, second], [opened, last]

    def _scores(self, p: Parameters, layer: int, whole: View, ends: Tensor) -> Tensor:
        """log a of each slot: additive in its two ends, so computed for nodes and gathered."""
        source, target, _ = whole.entries(0)
        ends = (ends + p[f"ends_b{layer}"]).relu()
        g = self.gate_width
        first = (ends[..., :g] @ p[f"gate{layer}"][:, :g]).squeeze(-1)
        second = (ends[..., g:] @ p[f"gate{layer}"][:, g:]).squeeze(-1)
        return first[:, target] + second[:, source] + p[f"gate_b{layer}"].squeeze(-1)


def temperature(epoch: int) -> float:
    return max(LOWEST_TEMPERATURE, FIRST_TEMPERATURE * COOLING**epoch)


def gate(whole: View, score: Tensor, noise: Noise | None, site: int) -> Tensor:
    """The gate m of each slot of a replica's graph; 0 at dropped edges and at self-loops."""
    s = score
    if noise is not None:
        u = uniforms(noise.site(site), torch.arange(score.shape[1], device=score.device))
        s = (torch.logit(u) + score) / temperature(noise.epoch)
    return (s.sigmoid() * (ZETA - GAMMA) + GAMMA).clamp(0, 1) * edges(whole)


def edges(whole: View) -> Tensor:
    """1 at the slots that are edges of a replica's graph, 0 at the others, ``[1 or K, slots]``."""
    source, target, _ = whole.entries(0)
    return whole.batch.weights("ones") * (source != target)


def expected_open(whole: View, score: Tensor, tau: float) -> Tensor:
    """Mean over a replica's edges of the probability that a gate is not 0 (the L0 term)."""
    there = edges(whole)
    chance = (score - tau * log(-GAMMA / ZETA)).sigmoid() * there
    return chance.sum(1) / there.sum(1).clamp(min=1)


def normalised(whole: View, gates: Tensor) -> Tensor:
    """D^-1/2 (M + I) D^-1/2 with the row sums D of M + I."""
    source, target, _ = whole.entries(0)
    weight = gates + (source == target)
    n = len(whole.rows(1))
    degree = gates.new_zeros(gates.shape[0], n).index_add(1, target, weight)
    root = degree.clamp(min=LARGEST_ROOT**-2).rsqrt()
    return weight * root[:, target] * root[:, source]


def largest_singular_value(whole: View, gates: Tensor) -> Tensor:
    """|M v| with v the top right singular vector of each replica's M, found without gradient."""
    reverse = torch.from_numpy(whole.batch.domain.reverse).to(gates.device)
    fixed = gates.detach()
    turned = fixed[:, reverse].contiguous()
    v = fixed.new_ones(gates.shape[0], len(whole.rows(1)), 1)
    for _ in range(POWER_STEPS):
        v = whole.propagate(0, whole.propagate(0, v, fixed), turned)
        v = functional.normalize(v, dim=1)
    value: Tensor = torch.linalg.vector_norm(whole.propagate(0, v, gates), dim=(1, 2))
    return value


def _he(rng: torch.Generator, fan_in: int, fan_out: int) -> Tensor:
    values: Tensor = torch.randn(fan_in, fan_out, generator=rng) * (2 / fan_in) ** 0.5
    return values
