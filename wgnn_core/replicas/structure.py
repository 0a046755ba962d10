"""Which entries an adjacency matrix stores, what they weigh, and which rows a layer needs.

A *slot* is one stored entry of A + I, in CSR order of the whole graph. Algorithm 2 gives every
replica a graph of its own; all of them share the slots of the full graph, and a dropped edge has
weight 0 in its two slots. So K graphs are one structure with K rows of weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from wgnn_core.graph import BoolArray, FloatArray, Graph, IntArray

Weighting = Literal["symmetric", "row", "ones"]
Index = npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Slots:
    """A + I in CSR form; `edge` is the row of `Graph.edges` behind a slot, E for a self-loop."""

    indptr: IntArray
    idx: Index
    edge: IntArray

    @property
    def num_nodes(self) -> int:
        return len(self.indptr) - 1

    @property
    def row(self) -> IntArray:
        """The row of each slot."""
        return np.repeat(np.arange(self.num_nodes), np.diff(self.indptr))


def slots_of(graph: Graph) -> Slots:
    """The slots of a graph, self-loops included, columns ascending within a row."""
    n, e = graph.num_nodes, graph.num_edges
    u, v = graph.edges.T
    loop = np.arange(n)
    rows, cols = np.concatenate([u, v, loop]), np.concatenate([v, u, loop])
    # scipy drops stored zeros in some paths, so edge numbers travel shifted by one
    number = np.concatenate([np.arange(e), np.arange(e), np.full(n, e)]) + 1
    matrix = sparse.csr_array((number, (rows, cols)), shape=(n, n))
    matrix.sort_indices()
    return Slots(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.uint32),
        matrix.data.astype(np.int64) - 1,
    )


def slot_weights(slots: Slots, present: FloatArray, weighting: Weighting) -> FloatArray:
    """Normalised weights ``[G, nnz]`` from the 0/1 presence ``[G, nnz]`` of each slot.

    ``symmetric`` is D^-1/2 (A+I) D^-1/2, ``row`` is D^-1 (A+I), ``ones`` leaves 0 and 1; degrees
    are those of the present slots of a row.
    """
    if weighting == "ones":
        return present
    degree = np.add.reduceat(present, slots.indptr[:-1], axis=1)
    if weighting == "row":
        with np.errstate(divide="ignore"):
            inverse = np.where(degree > 0, 1 / degree, 0)
        return (present * inverse[:, slots.row]).astype(np.float32)
    with np.errstate(divide="ignore"):
        root = np.where(degree > 0, 1 / np.sqrt(degree), 0)
    return (present * root[:, slots.row] * root[:, slots.idx]).astype(np.float32)


def presence(slots: Slots, kept_edges: BoolArray | None, num_edges: int) -> FloatArray:
    """0/1 presence ``[G, nnz]`` of the slots for G edge masks ``[G, E]``; loops always stay."""
    if kept_edges is None:
        return np.ones((1, len(slots.idx)), dtype=np.float32)
    padded = np.concatenate([kept_edges, np.ones((len(kept_edges), 1), dtype=bool)], axis=1)
    return padded[:, slots.edge].astype(np.float32)


@dataclass(frozen=True, eq=False)
class Layer:
    """One message-passing step: reads the rows of the layer before, writes `rows`.

    `rows` are node numbers, ascending. Written row i sums the read rows source[t] for
    indptr[i] <= t < indptr[i+1]; the slots behind them are consecutive from first_slot[i] on.
    `own` says where the written rows themselves lie among those read.
    """

    rows: Index
    indptr: IntArray
    source: Index
    first_slot: IntArray
    own: Index

    @property
    def target(self) -> IntArray:
        """The written row of each entry of `source`."""
        return np.repeat(np.arange(len(self.rows)), np.diff(self.indptr))

    @property
    def slots(self) -> IntArray:
        """The slot behind each entry of `source`."""
        return np.arange(len(self.source)) + (self.first_slot - self.indptr[:-1])[self.target]


@dataclass(frozen=True, eq=False)
class Field:
    """The receptive field of some target nodes: `inputs` feed layer 0, the last layer's rows are
    the targets. A training step computes only these rows, which changes no number."""

    inputs: Index
    layers: tuple[Layer, ...]

    @property
    def targets(self) -> Index:
        return self.layers[-1].rows if self.layers else self.inputs


def receptive_field(slots: Slots, targets: BoolArray, depth: int) -> Field:
    """The field of `targets` for a model of `depth` message-passing layers."""
    pattern = sparse.csr_array(
        (np.ones(len(slots.idx), dtype=bool), slots.idx, slots.indptr),
        shape=(slots.num_nodes, slots.num_nodes),
    )
    needed = [targets]
    for _ in range(depth):
        needed.append((pattern @ needed[-1]) > 0)
    rows = [np.flatnonzero(mask).astype(np.uint32) for mask in reversed(needed)]
    layers = []
    for before, after in pairwise(rows):
        position = np.zeros(slots.num_nodes, dtype=np.uint32)
        position[before] = np.arange(len(before), dtype=np.uint32)
        part = pattern[after]
        layers.append(
            Layer(
                after,
                part.indptr.astype(np.int64),
                position[part.indices],
                slots.indptr[after],
                position[after],
            )
        )
    return Field(rows[0], tuple(layers))
