"""DropEdge (Rong et al., 2020) on a GCN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from wgnn_core.fields import hyper
from wgnn_core.models.gcn import GCN
from wgnn_core.replicas.ops import keep_mask
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.structure import slot_weights
from wgnn_core.replicas.view import View


@dataclass(frozen=True)
class DropEdge(GCN):
    """A GCN whose edges are dropped at random anew in every epoch; evaluation uses all of them.

    Default: one mask per epoch for both layers, degrees of the remaining graph, self-loops kept, as
    in the original; but an edge goes in both directions here, while the original draws among the
    directed entries, so that one direction may stay. With ``per_layer`` each layer has a mask of
    its own over the directed edges and the self-loops, as in the wGNN authors' release.
    """

    drop: float = hyper(0.2, "share of edges dropped in each epoch", 0.0, 0.95)
    per_layer: bool = hyper(False, "a mask for each layer, over directed edges and self-loops")

    name: ClassVar[str] = "dropedge"
    title: ClassVar[str] = "DropEdge"
    citation: ClassVar[str] = """@inproceedings{rong2020dropedge,
  author = {Rong, Yu and Huang, Wenbing and Xu, Tingyang and Huang, Junzhou},
  title = {{DropEdge: Towards Deep Graph Convolutional Networks on Node Classification}},
  booktitle = {International Conference on Learning Representations},
  year = {2020}
}
"""
    cost = "cheap"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "authors": GCN.presets["authors"] | {"per_layer": True}
    }

    def forward(self, p: dict[str, Tensor], view: View, noise: Noise | None) -> Tensor:
        if noise is None or self.drop == 0:
            return super().forward(p, view, noise)
        first = self._weights(view, noise, 2)
        second = self._weights(view, noise, 3) if self.per_layer else first
        return self.layers(p, view, noise, first, second)

    def _weights(self, view: View, noise: Noise, site: int) -> Tensor:
        slots, edges = view.batch.domain.slots, view.batch.domain.graph.num_edges
        keys = noise.site(site)
        if self.per_layer:
            kept = keep_mask(keys, torch.arange(len(slots.idx)), self.drop).numpy()
        else:
            drawn = keep_mask(keys, torch.arange(edges), self.drop).numpy()
            loops = np.ones((len(drawn), 1), dtype=bool)
            kept = np.concatenate([drawn, loops], axis=1)[:, slots.edge]
        present = (view.batch.present * kept).astype(np.float32)
        return torch.from_numpy(slot_weights(slots, present, "symmetric")).to(
            view.batch.domain.device
        )
