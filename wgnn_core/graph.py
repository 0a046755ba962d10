"""`Graph`: the one value that flows through the library.

A graph is immutable and checked once, in `make_graph`; everything downstream trusts it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from wgnn_core.errors import WGNNError

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float32]

Array = TypeVar("Array", bound=npt.NDArray[Any])

MAX_CLASSES = 100_000
"""A label beyond it is a mistake, such as an id in the place of a class."""

HIDDEN = -1
"""Stands where a label may not be seen, see `Graph.visible_labels`."""

UNLABELLED = -1
"""The label of a node whose class nobody knows. The same number as `HIDDEN` on purpose: code that
never reads a hidden label never reads a missing one either."""


@dataclass(frozen=True, eq=False)
class Split:
    """Training set R, validation set and test set T as disjoint boolean masks over the nodes."""

    train: BoolArray
    val: BoolArray
    test: BoolArray


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected simple graph with node features and labels.

    Build it with `make_graph`. `edges` has one row (u, v) with u < v for each undirected edge,
    in lexicographic order; an edge mask anywhere in the library is over these rows.

    A graph may be partly labelled: `y` is `UNLABELLED` where the class is not known. Such nodes
    are in no training, validation or test set, so they train nobody and are scored nowhere; they
    pass messages like any node, and Algorithm 1 may give them a predicted label (`candidates`).
    """

    name: str
    x: sparse.csr_array
    edges: IntArray
    y: IntArray
    class_names: tuple[str, ...]
    splits: tuple[Split, ...]
    node_names: tuple[str, ...] | None = None
    self_loops_removed: int = 0
    origin: tuple[str, tuple[tuple[str, float], ...]] | None = None
    """Its name in the catalogue of datasets and the parameters it was made with, if it is of it."""
    title: str = ""
    """The name that people read, "PubMed" for pubmed."""

    @property
    def num_nodes(self) -> int:
        return len(self.y)

    @property
    def num_edges(self) -> int:
        return len(self.edges)

    @property
    def num_features(self) -> int:
        return int(self.x.shape[1])

    @property
    def num_classes(self) -> int:
        return len(self.class_names)

    @property
    def file_name(self) -> str:
        """Its name in the catalogue as part of a file's name: other names come from users."""
        return "graph" if self.origin is None else re.sub(r"[^\w-]+", "-", self.origin[0])

    @cached_property
    def unlabelled(self) -> BoolArray:
        """The nodes whose class is not known."""
        return _readonly(np.asarray(self.y == UNLABELLED))

    def candidates(self, split: Split) -> BoolArray:
        """The nodes that Algorithm 1 may add to R with their predicted label.

        The test set T, as in the paper, and every unlabelled node: it is like a test node whose
        label is never revealed. In a fully labelled graph this is T.
        """
        return split.test | self.unlabelled

    def split(self, run: int) -> Split:
        """The split of run `run`; runs beyond the last split start over (run i uses i mod n)."""
        return self.splits[run % len(self.splits)]

    def visible_labels(self, split: Split) -> IntArray:
        """Labels with every node outside train and validation set to `HIDDEN`.

        Training and tuning code receives these and never `y`, so a test label cannot reach it.
        """
        return np.where(split.train | split.val, self.y, HIDDEN)

    @cached_property
    def adjacency(self) -> sparse.csr_array:
        """The symmetric 0/1 adjacency matrix, without self-loops, sorted indices."""
        u, v = self.edges.T
        rows, cols = np.concatenate([u, v]), np.concatenate([v, u])
        ones = np.ones(len(rows), dtype=np.float32)
        matrix = sparse.csr_array((ones, (rows, cols)), shape=(self.num_nodes, self.num_nodes))
        matrix.sort_indices()
        return matrix

    @cached_property
    def component(self) -> IntArray:
        """The connected component of each node, numbered from 0."""
        _, component = csgraph.connected_components(self.adjacency, directed=False)
        return np.asarray(component, dtype=np.int64)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over everything that can change a result (names of nodes cannot)."""
        digest = hashlib.sha256()
        arrays = [self.x.data, self.x.indices, self.x.indptr, self.edges, self.y]
        arrays += [mask for s in self.splits for mask in (s.train, s.val, s.test)]
        for array in arrays:
            canonical = array.astype(array.dtype.newbyteorder("<"), copy=False)
            if canonical.dtype.kind == "i":
                canonical = canonical.astype("<i8")
            digest.update(f"{canonical.dtype.str}{canonical.shape}".encode())
            digest.update(np.ascontiguousarray(canonical).tobytes())
        digest.update(f"{self.x.shape}{self.num_classes}".encode())
        return digest.hexdigest()

    def with_edges(self, keep: BoolArray) -> Graph:
        """The same graph with only the edges where `keep` is true."""
        return replace(self, edges=_readonly(self.edges[keep]), origin=None)

    def to_pyg(self, run: int = 0) -> Any:
        """A `torch_geometric.data.Data` with dense features, both edge directions and masks."""
        import torch
        from torch_geometric.data import Data

        split = self.split(run)
        both = np.concatenate([self.edges, self.edges[:, ::-1]]).T
        return Data(
            x=torch.from_numpy(self.x.toarray()),
            edge_index=torch.from_numpy(np.ascontiguousarray(both)),
            y=torch.from_numpy(self.y.copy()),
            train_mask=torch.from_numpy(split.train.copy()),
            val_mask=torch.from_numpy(split.val.copy()),
            test_mask=torch.from_numpy(split.test.copy()),
        )


def make_graph(
    name: str,
    x: Any,
    edges: Any,
    y: Any,
    splits: Sequence[Split],
    class_names: Sequence[str] | None = None,
    node_names: Sequence[str] | None = None,
) -> Graph:
    """Check everything, bring it to canonical form and freeze it.

    Args:
        name: Identifier of the graph.
        x: Features, ``[N, F]``, dense or SciPy sparse.
        edges: Pairs of node numbers, ``[E, 2]``; direction and repetition are ignored,
            self-loops are removed and counted.
        y: Class numbers 0..C-1, ``[N]``; `UNLABELLED` where the class is not known.
        splits: At least one, of labelled nodes only; run i uses split ``i mod len(splits)``.
        class_names: Names of the C classes, by default ``"0"``, ``"1"``, ...
        node_names: Optional names of the nodes.

    Raises:
        WGNNError: Names the first value that breaks a rule, and the rule.
    """
    labels = np.asarray(y)
    if labels.ndim != 1 or len(labels) == 0 or labels.dtype.kind not in "iu":
        raise WGNNError(
            f"{name}: labels must be a non-empty list of whole numbers, one per node; "
            f"got shape {labels.shape} of {labels.dtype}."
        )
    n = len(labels)
    if labels.min() < UNLABELLED:
        bad = int(np.argmax(labels < UNLABELLED))
        raise WGNNError(
            f"{name}: node {bad} has label {labels[bad]}; labels start at 0, and "
            f"{UNLABELLED} stands for none."
        )
    if class_names is None and labels.max() >= MAX_CLASSES:
        bad = int(np.argmax(labels))
        raise WGNNError(
            f"{name}: node {bad} has label {labels[bad]}; at most {MAX_CLASSES} classes are "
            "allowed, numbered from 0."
        )
    names = tuple(class_names) if class_names is not None else _numbered(int(labels.max()) + 1)
    if len(names) < 2:
        raise WGNNError(f"{name}: there is {len(names)} class; classification needs at least 2.")
    if labels.max() >= len(names):
        bad = int(np.argmax(labels))
        raise WGNNError(
            f"{name}: node {bad} has label {labels[bad]}, but there are {len(names)} classes "
            f"(labels 0 to {len(names) - 1})."
        )
    if node_names is not None and len(node_names) != n:
        raise WGNNError(f"{name}: {len(node_names)} node names for {n} nodes; give one for each.")
    canonical, loops = _canonical_edges(name, edges, n)
    y = _readonly(labels.astype(np.int64))
    return Graph(
        name=name,
        x=_features(name, x, n),
        edges=_readonly(canonical),
        y=y,
        class_names=names,
        splits=tuple(_checked_split(name, s, y, i) for i, s in enumerate(_nonempty(name, splits))),
        node_names=tuple(node_names) if node_names is not None else None,
        self_loops_removed=loops,
        title=name,
    )


def from_pyg(data: Any, name: str = "data", class_names: Sequence[str] | None = None) -> Graph:
    """A `Graph` from a `torch_geometric.data.Data` with x, edge_index, y and the three masks.

    Masks of shape ``[N, S]`` become S splits.
    """
    missing = [
        key
        for key in ("x", "edge_index", "y", "train_mask", "val_mask", "test_mask")
        if getattr(data, key, None) is None
    ]
    if missing:
        raise WGNNError(f"{name}: the PyG data object lacks {', '.join(missing)}.")
    n = int(data.y.shape[0])
    masks = [
        np.asarray(mask.cpu()).astype(bool).reshape(n, -1)
        for mask in (data.train_mask, data.val_mask, data.test_mask)
    ]
    splits = [Split(*(mask[:, i] for mask in masks)) for i in range(masks[0].shape[1])]
    x = data.x.to_dense() if data.x.layout != _strided() else data.x
    return make_graph(
        name,
        x.cpu().numpy(),
        data.edge_index.cpu().numpy().T,
        data.y.cpu().numpy(),
        splits,
        class_names,
    )


def distinct(keys: IntArray) -> IntArray:
    """The different numbers in ascending order: `np.unique`, but by sorting, which takes a tenth
    of the time of its hashing on a million edges."""
    ordered: IntArray = np.sort(keys)
    first: BoolArray = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    return ordered[first]


def _strided() -> Any:
    import torch

    return torch.strided


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(str(i) for i in range(count))


def _nonempty(name: str, splits: Sequence[Split]) -> Sequence[Split]:
    if not splits:
        raise WGNNError(f"{name}: no split given; at least one is needed.")
    return splits


def _readonly(array: Array) -> Array:
    array.flags.writeable = False
    return array


def _features(name: str, x: Any, n: int) -> sparse.csr_array:
    matrix = sparse.csr_array(x, dtype=np.float32, copy=True)  # it is frozen below
    if matrix.ndim != 2 or matrix.shape[0] != n or matrix.shape[1] == 0:
        raise WGNNError(
            f"{name}: features have shape {matrix.shape}; expected ({n}, F) with F at least 1."
        )
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if not np.isfinite(matrix.data).all():
        first = int(np.argmax(~np.isfinite(matrix.data)))
        row = int(np.searchsorted(matrix.indptr, first, side="right")) - 1
        raise WGNNError(
            f"{name}: feature {matrix.indices[first]} of node {row} is {matrix.data[first]}; "
            "features must be finite numbers."
        )
    for array in (matrix.data, matrix.indices, matrix.indptr):
        _readonly(array)
    return matrix


def _canonical_edges(name: str, edges: Any, n: int) -> tuple[IntArray, int]:
    pairs = np.asarray(edges)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64), 0
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise WGNNError(
            f"{name}: edges must be pairs of node numbers, shape (E, 2); "
            f"got shape {pairs.shape} of {pairs.dtype}."
        )
    outside = (pairs < 0) | (pairs >= n)
    if outside.any():
        row = int(np.argmax(outside.any(axis=1)))
        raise WGNNError(
            f"{name}: edge {row} joins {pairs[row, 0]} and {pairs[row, 1]}; "
            f"nodes are numbered 0 to {n - 1}."
        )
    low, high = pairs.min(axis=1).astype(np.int64), pairs.max(axis=1).astype(np.int64)
    loop = low == high
    keys = distinct(low[~loop] * n + high[~loop])
    return np.stack([keys // n, keys % n], axis=1), int(np.unique(low[loop]).size)


def _checked_split(name: str, split: Split, y: IntArray, index: int) -> Split:
    masks = {}
    n = len(y)
    for part in ("train", "val", "test"):
        mask = np.asarray(getattr(split, part))
        if mask.shape != (n,) or mask.dtype != np.bool_:
            raise WGNNError(
                f"{name}: the {part} mask of split {index} has shape {mask.shape} of {mask.dtype}; "
                f"expected {n} booleans."
            )
        if not mask.any():
            raise WGNNError(
                f"{name}: the {part} set of split {index} is empty; it needs at least one node."
            )
        unknown = mask & (y == UNLABELLED)
        if unknown.any():
            raise WGNNError(
                f"{name}: node {int(np.argmax(unknown))} has no label but is in the {part} set of "
                f"split {index}; a split holds labelled nodes only."
            )
        masks[part] = _readonly(mask.copy())
    overlap = masks["train"].astype(int) + masks["val"] + masks["test"] > 1
    if overlap.any():
        raise WGNNError(
            f"{name}: node {int(np.argmax(overlap))} is in more than one of train, val and test "
            f"of split {index}; they must be disjoint."
        )
    return Split(**masks)
