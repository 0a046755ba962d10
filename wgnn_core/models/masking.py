"""Random masks over the directed edges of K graphs, and pairs of nodes that are no edge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from wgnn_core.replicas.ops import draws, keep_mask, uniforms
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.structure import slot_weights
from wgnn_core.replicas.view import Batch

FIRST_SITE = 32
"""Sites below belong to the dropouts of the model."""


@dataclass(frozen=True, eq=False)
class Masker:
    """Masks for a batch of K replicas; everything is ``[K, slots]``, self-loops never masked."""

    batch: Batch

    @cached_property
    def edges(self) -> Tensor:
        """Which slots are edges of a replica's graph, ``[1 or K, slots]``."""
        domain = self.batch.domain
        edge = domain.slots.edge < domain.graph.num_edges
        return torch.from_numpy((self.batch.present > 0) & edge).to(domain.device)

    @cached_property
    def column(self) -> Tensor:
        slots = self.batch.domain.slots
        return torch.from_numpy(slots.idx.astype(np.int64)).to(self.batch.domain.device)

    @cached_property
    def row(self) -> Tensor:
        return torch.from_numpy(self.batch.domain.slots.row).to(self.batch.domain.device)

    @cached_property
    def _numbers(self) -> Tensor:
        """The slots as pairs in one number, ascending."""
        return self.row * self.batch.domain.graph.num_nodes + self.column

    @cached_property
    def _neighbours(self) -> tuple[Tensor, Tensor, Tensor]:
        """Flat list of the edges of all graphs; where a node's begin in it; how many they are."""
        n = self.batch.domain.graph.num_nodes
        degree = torch.zeros(len(self.edges), n, dtype=torch.long, device=self.column.device)
        degree.index_add_(1, self.row, self.edges.long())
        begin = degree.flatten().cumsum(0).view_as(degree) - degree
        return self.edges.nonzero()[:, 1], begin, degree

    def bernoulli(self, noise: Noise, share: float) -> Tensor:
        """Each directed edge with probability `share`, independently."""
        index = torch.arange(len(self.column), device=self.column.device)
        return ~keep_mask(noise.site(FIRST_SITE), index, share) & self.edges

    def paths(self, noise: Noise, share: float, length: int) -> Tensor:
        """The directed edges walked by one uniform walk from each of a share of the nodes."""
        slots, begin, degree = self._neighbours
        n, K = self.batch.domain.graph.num_nodes, len(noise.keys)
        device = self.column.device
        walkers = torch.arange(round(share * n), device=device)
        shuffled = draws(noise.site(FIRST_SITE), torch.arange(n, device=device)).argsort(1)
        node = shuffled[:, : len(walkers)]
        graph = torch.arange(K, device=device).unsqueeze(1) % len(self.edges)
        masked = torch.zeros(K, len(self.column), dtype=torch.bool, device=device)
        for step in range(length):
            choices = degree[graph, node]
            u = uniforms(noise.site(FIRST_SITE + 1 + step), walkers)
            # u < 1, but its product with a large degree may round up to the degree
            pick = torch.minimum((u * choices).long(), (choices - 1).clamp(min=0))
            slot = slots[(begin[graph, node] + pick).clamp(max=len(slots) - 1)]
            stuck = choices == 0
            replica = torch.arange(K, device=device).unsqueeze(1).expand_as(slot)
            masked[replica[~stuck], slot[~stuck]] = True
            node = torch.where(stuck, node, self.column[slot])
        return masked

    def visible_weights(self, masked: Tensor) -> Tensor:
        """A_sym of the graph that is left, ``[K, slots]``.

        An edge stays, in both directions, unless both are masked: what is left is undirected.
        """
        domain = self.batch.domain
        hidden = (masked & masked[:, torch.from_numpy(domain.reverse).to(masked.device)]).cpu()
        present = self.batch.present * ~hidden.numpy()
        weights = slot_weights(domain.slots, present.astype(np.float32), "symmetric")
        return torch.from_numpy(weights).to(domain.device)

    def padded(self, masked: Tensor) -> tuple[Tensor, Tensor]:
        """The masked slots of each replica side by side ``[K, M]``, and which places are filled."""
        count = masked.sum(1)
        filled = torch.arange(int(count.max()), device=masked.device) < count.unsqueeze(1)
        slot = torch.zeros(filled.shape, dtype=torch.long, device=masked.device)
        slot[filled] = masked.nonzero()[:, 1]
        return slot, filled

    def non_edges(self, noise: Noise, count: int, site: int) -> tuple[Tensor, Tensor, Tensor]:
        """Random pairs (i, j) ``[K, count]``, and which of them are neither edge nor loop."""
        n, device = self.batch.domain.graph.num_nodes, self.column.device
        places = torch.arange(count, device=device)
        i, j = (
            (uniforms(noise.site(s), places) * n).long().clamp(max=n - 1) for s in (site, site + 1)
        )
        stored, wanted = self._numbers, i * n + j
        at = torch.searchsorted(stored, wanted).clamp(max=len(stored) - 1)
        graph = torch.arange(len(i), device=device).unsqueeze(1) % len(self.edges)
        taken = (stored[at] == wanted) & (self.edges[graph, at] | (i == j))
        return i, j, ~taken
