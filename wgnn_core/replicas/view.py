"""What a model sees: K graphs, the features, and the rows each of its layers computes.

`Batch` holds what K replicas share and what tells them apart; `View` is a batch seen through a
receptive field, with the operations a model's forward pass is written in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from wgnn_core.graph import BoolArray, FloatArray, Graph, IntArray
from wgnn_core.replicas import ops
from wgnn_core.replicas.random import Noise, UIntArray
from wgnn_core.replicas.structure import (
    Field,
    Index,
    Slots,
    Weighting,
    presence,
    receptive_field,
    slot_weights,
    slots_of,
)
from wgnn_core.replicas.weighted import WeightGradient


@dataclass(frozen=True, eq=False)
class Features:
    """Node features in CSR form with the index types the kernels want."""

    indptr: IntArray
    idx: Index
    val: FloatArray
    num_features: int

    @cached_property
    def row(self) -> IntArray:
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))


@dataclass(frozen=True, eq=False)
class Domain:
    """What does not change between the trainings on a graph: features and slots, prepared once.

    `compiled` says whether the kernels run (CPU) or plain torch (any other device).
    """

    graph: Graph
    x: Features
    slots: Slots
    device: torch.device
    compiled: bool

    @classmethod
    def of(cls, graph: Graph, device: torch.device) -> Domain:
        x = Features(
            graph.x.indptr.astype(np.int64),
            graph.x.indices.astype(np.uint32),
            graph.x.data,
            graph.num_features,
        )
        return cls(graph, x, slots_of(graph), device, compiled=device.type == "cpu")

    def field(self, targets: BoolArray, depth: int) -> Field:
        return receptive_field(self.slots, targets, depth)

    @cached_property
    def reverse(self) -> IntArray:
        """For the slot of (i, j) the slot of (j, i): column order of a symmetric pattern."""
        order: IntArray = np.lexsort((self.slots.row, self.slots.idx))
        return order


@dataclass(frozen=True, eq=False)
class Batch:
    """K replicas: their edge masks ``[K, E]`` (None: all on the full graph) on one domain.

    `prepared` is what `Model.prepare` made of them.
    """

    domain: Domain
    kept_edges: BoolArray | None
    prepared: Tensor | None = None

    @cached_property
    def present(self) -> FloatArray:
        return presence(self.domain.slots, self.kept_edges, self.domain.graph.num_edges)

    @cached_property
    def _weights(self) -> dict[Weighting, Tensor]:
        return {}

    def weights(self, weighting: Weighting) -> Tensor:
        """Slot weights ``[1 or K, nnz]``, computed once for each weighting."""
        if weighting not in self._weights:
            weights = slot_weights(self.domain.slots, self.present, weighting)
            self._weights[weighting] = torch.from_numpy(weights).to(self.domain.device)
        return self._weights[weighting]

    @cached_property
    def scratch(self) -> list[Tensor]:
        """Large tensors nobody needs at the moment: new ones cost a page fault for each page."""
        return []

    @cached_property
    def whole(self) -> View:
        """All nodes, and one layer that reads and writes them all."""
        everyone = np.ones(self.domain.graph.num_nodes, dtype=bool)
        return View(self, self.domain.field(everyone, 1))

    def dropout(self, h: Tensor, rows: Index, p: float, noise: Noise | None, site: int) -> Tensor:
        """Dropout on ``h [K, n, d]`` whose n rows have the numbers `rows` in the random stream."""
        keys, p = dropout_keys(p, noise, site)
        if p == 0:
            return h
        if self.domain.compiled:
            return ops.apply(ops.Dropout, h, rows, keys, p)
        d = h.shape[2]
        numbers = torch.from_numpy(rows.astype(np.int64)).to(h.device)
        index = (numbers.unsqueeze(1) * d + torch.arange(d, device=h.device)).reshape(-1)
        return h * ops.keep_mask(keys, index, p).reshape(-1, len(rows), d) / (1 - p)


@dataclass(frozen=True, eq=False)
class View:
    """A batch seen through a receptive field."""

    batch: Batch
    field: Field

    @property
    def depth(self) -> int:
        return len(self.field.layers)

    def rows(self, layer: int) -> Index:
        """Node numbers of the rows that layer `layer` reads; `depth` gives the targets."""
        return self.field.inputs if layer == 0 else self.field.layers[layer - 1].rows

    def linear(
        self, W: Tensor, p: float = 0.0, noise: Noise | None = None, site: int = 0
    ) -> Tensor:
        """dropout(X) W on the input rows: ``[K, F, d] -> [K, n, d]``.

        Dropout touches only the stored values, which has the same distribution as dropping
        entries of the dense matrix.
        """
        x, rows = self.batch.domain.x, self.field.inputs
        keys, p = dropout_keys(p, noise, site)
        if self.batch.domain.compiled:
            return ops.apply(ops.SparseLinear, W, x, rows, keys, p)
        return self._torch_linear(W, p, keys)

    def product(self, h: Tensor, W: Tensor) -> Tensor:
        """h W for each replica: ``[K, n, c], [K, c, d] -> [K, n, d]``, d small."""
        if self.batch.domain.compiled:
            return ops.apply(ops.Product, h, W)
        return h @ W

    def add(self, h: Tensor, b: Tensor) -> Tensor:
        """h + b with a bias ``b [K, 1, d]``; the result may take the place of h."""
        return ops.apply(ops.AddBias, h, b) if self.batch.domain.compiled else h + b

    def propagate(self, layer: int, h: Tensor, weight: Tensor) -> Tensor:
        """A h from the rows layer `layer` reads to those it writes: ``[K, n, d] -> [K, m, d]``.

        `weight` holds the entries of A, ``[1 or K, nnz]``; where it is learned, ``[K, nnz]``.
        """
        step = self.field.layers[layer]
        if self.batch.domain.compiled:
            out = ops.apply(ops.Propagate, h, weight.detach(), step)
            if weight.requires_grad:
                return ops.apply(WeightGradient, out, weight, h.detach(), step)
            return out
        source, target, slot = self.entries(layer)
        messages = weight[:, slot].unsqueeze(-1) * h[:, source]
        return h.new_zeros(h.shape[0], len(step.rows), h.shape[2]).index_add(1, target, messages)

    def own(self, layer: int, h: Tensor) -> Tensor:
        """The rows layer `layer` writes, out of ``h [K, n, d]`` on those it reads."""
        step = self.field.layers[layer]
        if len(step.rows) == h.shape[1]:
            return h
        return h[:, torch.from_numpy(step.own.astype(np.int64)).to(h.device)]

    def targets(self, h: Tensor) -> Tensor:
        """The target rows out of ``h [K, N, d]`` on all nodes."""
        return h[:, torch.from_numpy(self.field.targets.astype(np.int64)).to(h.device)]

    def dropout(self, layer: int, h: Tensor, p: float, noise: Noise | None, site: int) -> Tensor:
        """Dropout on ``h [K, n, d]`` whose rows are those layer `layer` reads."""
        return self.batch.dropout(h, self.rows(layer), p, noise, site)

    def attention(
        self,
        layer: int,
        h: Tensor,
        source: Tensor,
        target: Tensor,
        negative_slope: float,
        p: float = 0.0,
        noise: Noise | None = None,
        site: int = 0,
    ) -> Tensor:
        """Additive attention over each row's slots: ``h [K, n, H*d] -> [K, m, H*d]``.

        `source` and `target` ``[K, n, H]`` are the two halves of the score; dropout acts on the
        attention weights.
        """
        step, present = self.field.layers[layer], self.batch.weights("ones")
        keys, p = dropout_keys(p, noise, site)
        if self.batch.domain.compiled:
            return ops.apply(
                ops.Attention, h, source, target, present, step, negative_slope, keys, p
            )
        src, dst, slot = self.entries(layer)
        K, heads, rows = h.shape[0], source.shape[2], len(step.rows)
        me = torch.from_numpy(step.own.astype(np.int64)).to(h.device)
        score = torch.nn.functional.leaky_relu(
            source[:, src] + target[:, me][:, dst], negative_slope
        )
        score = score.masked_fill(present[:, slot].unsqueeze(-1) == 0, -torch.inf)
        index = dst.view(1, -1, 1).expand_as(score)
        top = score.new_full((K, rows, heads), -torch.inf).scatter_reduce(
            1, index, score.detach(), "amax"
        )
        weight = (score - top[:, dst]).exp()
        alpha = weight / weight.new_zeros(K, rows, heads).index_add(1, dst, weight)[:, dst]
        if p > 0:
            draw_at = (slot.unsqueeze(1) * heads + torch.arange(heads, device=h.device)).reshape(-1)
            alpha = alpha * ops.keep_mask(keys, draw_at, p).view_as(alpha) / (1 - p)
        messages = alpha.unsqueeze(-1) * h[:, src].view(K, len(src), heads, -1)
        return h.new_zeros(K, rows, h.shape[2]).index_add(1, dst, messages.flatten(-2))

    def entries(self, layer: int) -> tuple[Tensor, Tensor, Tensor]:
        """For each slot a layer uses: its source row, its target row, its number."""
        if layer not in self._entries:
            device = self.batch.domain.device
            step = self.field.layers[layer]
            self._entries[layer] = (
                torch.from_numpy(step.source.astype(np.int64)).to(device),
                torch.from_numpy(step.target).to(device),
                torch.from_numpy(step.slots).to(device),
            )
        return self._entries[layer]

    @cached_property
    def _entries(self) -> dict[int, tuple[Tensor, Tensor, Tensor]]:
        return {}

    def _torch_linear(self, W: Tensor, p: float, keys: UIntArray) -> Tensor:
        x, rows, device = self.batch.domain.x, self.field.inputs, W.device
        counts = np.diff(x.indptr)[rows]
        stored = np.repeat(x.indptr[rows] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        stored = stored + np.arange(len(stored))
        indptr = torch.from_numpy(np.concatenate([[0], np.cumsum(counts)])).to(device)
        columns = torch.from_numpy(x.idx[stored].astype(np.int64)).to(device)
        values = torch.from_numpy(x.val[stored]).to(device).unsqueeze(0).expand(W.shape[0], -1)
        if p > 0:
            index = torch.from_numpy(stored).to(device)
            values = values * ops.keep_mask(keys, index, p) / (1 - p)
        shape = (len(rows), x.num_features)
        matrices = [torch.sparse_csr_tensor(indptr, columns, v, shape) for v in values]
        return torch.stack([matrix @ W_k for matrix, W_k in zip(matrices, W, strict=True)])


def dropout_keys(p: float, noise: Noise | None, site: int) -> tuple[UIntArray, float]:
    """Keys and probability of a dropout; none and 0 when evaluating."""
    return (ops.NO_KEYS, 0.0) if noise is None or p == 0 else (noise.site(site), p)
