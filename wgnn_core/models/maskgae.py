"""MaskGAE (Li et al., 2023): a masked graph autoencoder, then a linear probe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.graph import IntArray
from wgnn_core.models.autoencoding import NormalisedElu, PairProduct
from wgnn_core.models.masking import Masker
from wgnn_core.replicas.model import Model, Sizes, glorot, uniform
from wgnn_core.replicas.ops import apply
from wgnn_core.replicas.packing import Parameters
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.view import Batch, View, dropout_keys

WALK_LENGTH = 3
NEGATIVE_SITE = 48
MOMENTUM, EPSILON = 0.1, 1e-5  # of batch normalisation, torch's defaults
PRETRAINING_STREAM = 1 << 40
"""Keeps the first values of the encoder apart from those of the probe."""

PHOTO: dict[str, Any] = {
    "weight_decay": 5e-3, "decoder": 128, "pretrain_lr": 0.005, "unit_length": False,
    "degree_loss": 0.0,
}  # fmt: skip

Moments = dict[str, Tensor]


@dataclass(frozen=True)
class MaskGAE(Model):
    """Stage one learns to tell masked edges from non-edges; stage two is a linear classifier.

    Encoder: two times dropout, graph convolution, batch normalisation, ELU. Its loss on the masked
    edges: cross-entropy of edges against as many random non-edges, plus `degree_loss` times the
    squared error of the masked degree. A convolution's bias would be undone by the normalisation
    and is left out. The probe sees both layers' outputs on the full graph. Algorithm 2 changes the
    graph of both stages, Algorithm 1 only the probe's labels.

    `lr`, `weight_decay` and `epochs` are the probe's. Pretraining uses all edges and keeps the
    last epoch (the original also has a form that holds edges out to choose the epoch).
    """

    lr: float = hyper(0.01, "learning rate of the probe", 1e-5, 1.0, title="Learning rate")
    weight_decay: float = hyper(1e-3, "L2 penalty on the probe", 0.0, 1.0)
    epochs: int = hyper(100, "epochs of the probe", 1, 5000)
    mask: str = hyper("path", "mask random walks or single edges", choices=("path", "edge"))
    mask_share: float = hyper(0.7, "share of nodes that start a walk, or of edges", 0.05, 0.95)
    hidden: int = hyper(128, "width of the first encoder layer", 1, 1024)
    embedding: int = hyper(64, "width of the second encoder layer", 1, 1024)
    decoder: int = hyper(32, "width of the decoders", 1, 1024)
    dropout: float = hyper(0.8, "dropout in the encoder", 0.0, 0.95)
    decoder_dropout: float = hyper(0.2, "dropout in the decoders", 0.0, 0.95)
    degree_loss: float = hyper(0.004, "weight of the degree loss", 0.0, 1.0)
    unit_length: bool = hyper(True, "scale each embedding to length 1")
    pretrain_epochs: int = hyper(300, "epochs of pretraining", 1, 5000)
    pretrain_lr: float = hyper(
        0.01, "learning rate of pretraining", 1e-5, 1.0, title="Learning rate"
    )
    pretrain_weight_decay: float = hyper(5e-5, "L2 penalty of pretraining", 0.0, 1.0)

    name: ClassVar[str] = "maskgae"
    title: ClassVar[str] = "MaskGAE"
    revision: ClassVar[int] = 3  # other kernels, other batches, other rounding
    citation: ClassVar[str] = """@inproceedings{li2023maskgae,
  author = {Li, Jintang and Wu, Ruofan and Sun, Wangbin and Chen, Liang and Tian, Sheng and
    Zhu, Liang and Meng, Changhua and Zheng, Zibin and Wang, Weiqiang},
  title = {{What's Behind the Mask: Understanding Masked Graph Modeling for Graph Autoencoders}},
  booktitle = {ACM SIGKDD Conference on Knowledge Discovery and Data Mining},
  year = {2023}
}
"""
    cost = "dear"
    slot_floats: ClassVar[int] = 64
    for_dataset: ClassVar[dict[str, dict[str, Any]]] = {
        "citeseer": {"degree_loss": 0.001, "pretrain_lr": 0.02, "weight_decay": 0.1},
        "pubmed": {"degree_loss": 0.001, "dropout": 0.5, "decoder_dropout": 0.5},
        "photo": PHOTO,
        "photo_1234": PHOTO,
        "airport": {
            "lr": 0.02, "weight_decay": 0.0, "epochs": 1000, "dropout": 0.0, "unit_length": False,
        },
    }  # fmt: skip

    @property
    def depth(self) -> int:
        return 0

    @property
    def all_epochs(self) -> int:
        return self.pretrain_epochs + self.epochs

    def init(self, sizes: Sizes, rng: torch.Generator) -> Parameters:
        width = self.hidden + self.embedding
        return {"W": glorot(rng, width, sizes.classes), "b": torch.zeros(1, sizes.classes)}

    def forward(self, p: Parameters, view: View, noise: Noise | None) -> Tensor:
        if view.batch.prepared is None:
            raise TypeError("MaskGAE's probe needs the embeddings of `prepare`")
        return torch.baddbmm(p["b"], view.targets(view.batch.prepared), p["W"])

    def prepare(self, batch: Batch, seeds: IntArray, check: Callable[[], None]) -> Tensor:
        """Pretrain an encoder for each replica; its embeddings ``[K, N, hidden + embedding]``.

        Raises:
            WGNNError: There is no edge to mask.
        """
        if batch.domain.graph.num_edges == 0:
            name = batch.domain.graph.name
            raise WGNNError(f"the graph {name} has no edges, and MaskGAE learns from edges.")
        p = self._encoder_parameters(batch, seeds)
        optimizer = torch.optim.Adam(
            p.values(), self.pretrain_lr, weight_decay=self.pretrain_weight_decay, fused=True
        )
        masker, moments = Masker(batch), Moments()
        for epoch in range(self.pretrain_epochs):
            optimizer.zero_grad(set_to_none=True)
            noise = Noise.of_epoch(seeds, epoch)
            self.pretraining_loss(p, masker, noise, moments).backward()  # type: ignore[no-untyped-call]
            clip_each(p, 1.0)
            optimizer.step()
            check()
        with torch.no_grad():
            layers = self.encode(p, batch.whole, batch.weights("symmetric"), None, moments)
            out = torch.cat(layers, dim=2)
            return functional.normalize(out, dim=2) if self.unit_length else out

    def _encoder_parameters(self, batch: Batch, seeds: IntArray) -> Parameters:
        replicas = []
        for seed in seeds:
            rng = torch.Generator().manual_seed(PRETRAINING_STREAM + int(seed))
            d, w = self.embedding, self.decoder
            one = {
                "W1": glorot(rng, batch.domain.graph.num_features, self.hidden),
                "W2": glorot(rng, self.hidden, d),
            }
            for layer, width in ((1, self.hidden), (2, d)):
                one |= {
                    f"scale{layer}": torch.ones(1, width),
                    f"shift{layer}": torch.zeros(1, width),
                }
            for head in ("edge", "degree"):
                one |= {
                    f"{head}_W1": uniform(rng, d**-0.5, d, w),
                    f"{head}_b1": uniform(rng, d**-0.5, 1, w),
                    f"{head}_W2": uniform(rng, w**-0.5, w, 1),
                    f"{head}_b2": uniform(rng, w**-0.5, 1, 1),
                }
            replicas.append(one)
        device = batch.domain.device
        return {
            name: torch.stack([one[name] for one in replicas]).to(device).requires_grad_()
            for name in replicas[0]
        }

    def encode(
        self, p: Parameters, whole: View, weight: Tensor, noise: Noise | None, moments: Moments
    ) -> tuple[Tensor, Tensor]:
        """Outputs of both layers on all nodes; without noise the running moments are used."""
        compiled = whole.batch.domain.compiled
        h = whole.propagate(0, whole.linear(p["W1"], self.dropout, noise, 0), weight)
        first = _normalised_elu(p, h, 1, noise is not None, moments, compiled)
        h = whole.dropout(0, first, self.dropout, noise, 1)
        h = whole.propagate(0, h @ p["W2"], weight)
        return first, _normalised_elu(p, h, 2, noise is not None, moments, compiled)

    def pretraining_loss(
        self, p: Parameters, masker: Masker, noise: Noise, moments: Moments
    ) -> Tensor:
        """Sum over replicas of the loss of one masked pass."""
        if self.mask == "path":
            masked = masker.paths(noise, self.mask_share, WALK_LENGTH)
        else:
            masked = masker.bernoulli(noise, self.mask_share)
        whole = masker.batch.whole
        _, z = self.encode(p, whole, masker.visible_weights(masked), noise, moments)
        slot, filled = masker.padded(masked)
        i, j, valid = masker.non_edges(noise, slot.shape[1], NEGATIVE_SITE)
        positive = self._edge_logits(p, masker, z, masker.row[slot], masker.column[slot], noise, 2)
        negative = self._edge_logits(p, masker, z, i, j, noise, 3)
        # as many negatives as positives: a replica's padding counts for neither
        valid = valid & filled
        degree = torch.zeros(z.shape[:2], device=z.device)
        degree.index_add_(1, masker.column, masked.float())
        guess = whole.dropout(
            0, z @ p["degree_W1"] + p["degree_b1"], self.decoder_dropout, noise, 4
        ).relu()
        guess = (guess @ p["degree_W2"] + p["degree_b2"]).relu().squeeze(-1)
        loss: Tensor = (
            _mean(functional.softplus(-positive), filled)
            + _mean(functional.softplus(negative), valid)
            + self.degree_loss * (guess - degree).square().mean(1)
        ).sum()
        return loss

    def _edge_logits(
        self,
        p: Parameters,
        masker: Masker,
        z: Tensor,
        i: Tensor,
        j: Tensor,
        noise: Noise,
        site: int,
    ) -> Tensor:
        """How likely the pairs i, j ``[K, M]`` are edges, from z_i * z_j."""
        if masker.batch.domain.compiled:
            keys, share = dropout_keys(self.decoder_dropout, noise, site)
            h = apply(PairProduct, z, i, j, keys, share)
        else:
            K, n, d = z.shape
            base = n * torch.arange(K, device=z.device).unsqueeze(1)
            flat = z.flatten(0, 1)
            ends = [flat.index_select(0, (base + end).flatten()).view(K, -1, d) for end in (i, j)]
            h = ends[0] * ends[1]
            places = np.arange(h.shape[1], dtype=np.uint32)
            h = masker.batch.dropout(h, places, self.decoder_dropout, noise, site)
        h = (h @ p["edge_W1"] + p["edge_b1"]).relu()
        return (h @ p["edge_W2"] + p["edge_b2"]).squeeze(-1)


def clip_each(p: Parameters, limit: float) -> None:
    """Shorten each replica's gradient to `limit`, over all its parameters together."""
    grads = [value.grad for value in p.values() if value.grad is not None]
    norm = torch.stack([grad.flatten(1).square().sum(1) for grad in grads]).sum(0).sqrt()
    factor = (limit / (norm + 1e-6)).clamp(max=1.0)
    for grad in grads:
        grad.mul_(factor.view(-1, *[1] * (grad.dim() - 1)))


def _mean(values: Tensor, where: Tensor) -> Tensor:
    """Mean over the places of each replica that count."""
    return (values * where).sum(1) / where.sum(1).clamp(min=1)


def _normalised_elu(
    p: Parameters, h: Tensor, layer: int, training: bool, moments: Moments, compiled: bool
) -> Tensor:
    """ELU of the batch normalisation over the nodes of each replica."""
    scale, shift = p[f"scale{layer}"], p[f"shift{layer}"]
    out: Tensor
    if not training:
        mean, variance = moments[f"mean{layer}"], moments[f"variance{layer}"]
        return functional.elu((h - mean) * ((variance + EPSILON).rsqrt() * scale) + shift)
    if compiled:
        out, mean, variance = NormalisedElu.apply(h, scale, shift, EPSILON)  # type: ignore[no-untyped-call]
    else:
        mean = h.mean(1, keepdim=True)
        centred = h - mean
        variance = centred.square().mean(1, keepdim=True)
        out = functional.elu(centred * ((variance + EPSILON).rsqrt() * scale) + shift)
    for key, now in (("mean", mean), ("variance", variance * h.shape[1] / (h.shape[1] - 1))):
        start = torch.zeros_like(now) if key == "mean" else torch.ones_like(now)
        before = moments.get(f"{key}{layer}", start)
        moments[f"{key}{layer}"] = (before + MOMENTUM * (now - before)).detach()
    return out
