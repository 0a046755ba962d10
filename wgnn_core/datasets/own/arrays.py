"""NumPy archives (``.npz``) in three layouts; pickled members are never opened."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from wgnn_core.datasets.own.archive import opened
from wgnn_core.datasets.own.caps import Caps
from wgnn_core.datasets.own.content import Change, Content, File, check_names, foreign, shown
from wgnn_core.datasets.own.findings import listed, plural
from wgnn_core.errors import WGNNError
from wgnn_core.graph import IntArray, Split

PARTS = ("train", "val", "test")
CSR = ("data", "indices", "indptr", "shape")
GNN_BENCHMARK = tuple(f"adj_{part}" for part in CSR)
HETEROPHILOUS = ("edges", "node_features", "node_labels")
PLAIN = ("edge_index", "y")
KNOWN = {
    *GNN_BENCHMARK, *(f"attr_{part}" for part in CSR), "attr_matrix", "labels",
    *HETEROPHILOUS, *(f"{part}_masks" for part in PARTS),
    *PLAIN, "x", *(f"{part}_mask" for part in PARTS),
    "class_names", "node_names",
}  # fmt: skip
OPTIONAL = {"class_names", "node_names"}


def from_npz(file: File, caps: Caps) -> Content:
    """Read the gnn-benchmark layout, the heterophilous-graphs layout or the plain one."""
    with opened(file, "npz", caps) as archive:
        arrays, left = _members(file.name, archive, caps)
    for kind, needed, read in (
        ("npz, gnn-benchmark layout", (*GNN_BENCHMARK, "labels"), _gnn_benchmark),
        ("npz, heterophilous-graphs layout", HETEROPHILOUS, _heterophilous),
        ("npz, plain layout", PLAIN, _plain),
    ):
        if all(name in arrays for name in needed):
            return read(file.name, kind, arrays, left, caps)
    there = ", ".join(sorted(shown(name) for name in arrays)) or "none that are known"
    raise WGNNError(
        f"{file.name} has the arrays {there}; a graph needs edge_index and y, or edges, "
        "node_features and node_labels, or adj_data, adj_indices, adj_indptr, adj_shape and labels."
    )


def content_of(
    name: str,
    kind: str,
    edges: Any,
    x: Any,
    y: Any,
    masks: Mapping[str, Any],
    caps: Caps,
    *,
    directed: bool = True,
    class_names: tuple[str, ...] | None = None,
    node_names: tuple[str, ...] | None = None,
    left: list[Change] | None = None,
) -> Content:
    """Check arrays that came without ids (node i is row i) and put them together.

    Args:
        name: Source, for messages.
        kind: Format, in words.
        edges: Pairs, ``[M, 2]``.
        x: Features ``[N, F]``, or None.
        y: Labels ``[N]`` or ``[N, 1]``.
        masks: ``train``, ``val``, ``test`` as ``[S, N]``, or nothing.
        caps: Largest sizes.
        directed: Whether each direction is listed by itself.
        class_names: Names of the labels 0, 1, 2, ...
        node_names: Names of the nodes.
        left: Changes so far.
    """
    y = np.asarray(y)
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if y.ndim != 1 or y.dtype.kind not in "iufbU" or len(y) == 0:
        raise WGNNError(
            f"{name}: the labels have shape {y.shape} of {y.dtype}; one label per node is needed."
        )
    n = len(y)
    caps.check("nodes", n, name)
    if x is not None:
        x = x if sparse.issparse(x) else np.asarray(x)
        if x.ndim != 2 or x.shape[0] != n or x.dtype.kind not in "iufb":
            raise WGNNError(
                f"{name}: the features have shape {x.shape} of {x.dtype}, but there are {n} "
                "labels; each node needs one row of numbers."
            )
        caps.check("features", x.shape[1], name)
        with np.errstate(over="ignore"):  # before SciPy, which knows no half precision
            x = sparse.csr_array(x.astype(np.float32, copy=False))
        if not np.isfinite(x.data).all():
            raise WGNNError(f"{name}: a feature is infinite or not a number; give finite ones.")
        x = x if x.shape[1] else None
    if node_names is not None and len(node_names) != n:
        raise WGNNError(f"{name}: {len(node_names)} node names for {n} nodes; give one for each.")
    return Content(
        source=name,
        kind=kind,
        understood=(),
        num_nodes=n,
        edges=_pairs(name, edges, n, caps),
        directed=directed,
        table=pd.DataFrame({"y": y}),
        x=x,
        splits=_splits(name, masks, n, caps),
        ids=node_names,
        class_names=class_names,
        changes=tuple(left or ()),
    )


def _pairs(name: str, edges: Any, n: int, caps: Caps) -> IntArray:
    pairs = np.asarray(edges)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise WGNNError(
            f"{name}: the edges have shape {pairs.shape} of {pairs.dtype}; pairs of node numbers "
            "are needed."
        )
    caps.check("edges", len(pairs), name)
    outside = ((pairs < 0) | (pairs >= n)).any(axis=1)
    if outside.any():
        row = int(outside.argmax())
        raise WGNNError(
            f"{name}: edge {row} joins {pairs[row, 0]} and {pairs[row, 1]}, but the nodes are "
            f"numbered 0 to {n - 1}; ids that are not row numbers need a table of nodes."
        )
    return pairs.astype(np.int64)


def _splits(name: str, masks: Mapping[str, Any], n: int, caps: Caps) -> tuple[Split, ...]:
    if not masks:
        return ()
    lacking = [part for part in PARTS if part not in masks]
    if lacking:
        raise WGNNError(
            f"{name} has a mask for {', '.join(masks)} but none for {', '.join(lacking)}; give "
            "all three or none."
        )
    found = {part: np.asarray(masks[part]) for part in PARTS}
    shapes = {mask.shape for mask in found.values()}
    fits = len(shapes) == 1 and next(iter(shapes))[1:] == (n,) and len(next(iter(shapes))) == 2
    if not fits or any(mask.dtype.kind not in "biu" for mask in found.values()):
        listed = ", ".join(str(mask.shape) for mask in found.values())
        raise WGNNError(f"{name}: the masks have shapes {listed}; give one value for each node.")
    caps.check("splits", len(found["train"]), name)
    return tuple(
        Split(*(found[part][i].astype(bool) for part in PARTS)) for i in range(len(found["train"]))
    )


def _members(
    name: str, archive: zipfile.ZipFile, caps: Caps
) -> tuple[dict[str, Any], list[Change]]:
    """The known arrays; each one's header is checked before room is made for it."""
    arrays: dict[str, Any] = {}
    passed = []
    for member in archive.infolist():
        key = member.filename.removesuffix(".npy")
        if key not in KNOWN:
            passed.append(key)
            continue
        with foreign(name, "npz"), archive.open(member) as stream:
            version = np.lib.format.read_magic(stream)
            read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
                version, np.lib.format.read_array_header_2_0
            )
            shape, _, dtype = read(stream)
        if dtype.hasobject:
            if key in OPTIONAL:  # published files have them; they are names only
                passed.append(key)
                continue
            raise WGNNError(
                f"{name}: the array {shown(key)} holds pickled Python objects, which are never "
                "opened; save it as numbers."
            )
        _check_size(name, key, shape, dtype, caps)
        with foreign(name, "npz"), archive.open(member) as stream:
            array = np.lib.format.read_array(stream, allow_pickle=False)
        _check_text(name, key, array)
        arrays[key] = array.astype(array.dtype.newbyteorder("="), copy=False)  # for pandas
    left = []
    if passed:
        text = f"{plural(len(passed), 'array')} not used: {listed(passed)}."
        left.append(Change("arrays left out", len(passed), text))
    return arrays, left


def _check_text(name: str, key: str, array: Any) -> None:
    """NumPy makes Python strings of any four bytes; some are no characters and break Python."""
    if array.dtype.kind != "U" or array.size == 0:
        return
    codes = np.ascontiguousarray(array).view(f"{array.dtype.str[0]}u4")
    if codes.size and codes.max() > sys.maxunicode:
        raise WGNNError(f"{name}: the array {shown(key)} holds text that is not Unicode.")


def _check_size(name: str, key: str, shape: tuple[int, ...], dtype: Any, caps: Caps) -> None:
    rows, columns = (*shape, 1, 1)[:2]
    where = f"{name}: the array {shown(key)}"
    if key in ("edge_index", "edges"):
        caps.check("edges", max(rows, columns), where)
    elif key in ("x", "node_features", "attr_matrix"):
        caps.check("nodes", rows, where)
        caps.check("features", columns, where)
        caps.check("values", rows * columns, where)
    elif key in ("y", "labels", "node_labels", "node_names", "class_names"):
        caps.check("nodes", rows, where)
    elif key.endswith("mask") or key.endswith("masks"):
        caps.check("nodes", max(rows, columns), where)
    elif key.startswith("adj"):
        caps.check("edges", rows - 1, where)
    else:
        caps.check("values", rows - 1, where)
    caps.check("bytes", int(np.prod(shape, dtype=object)) * dtype.itemsize, where)


def _gnn_benchmark(
    name: str, kind: str, arrays: dict[str, Any], left: list[Change], caps: Caps
) -> Content:
    adjacency = _csr(name, "adj", arrays, caps)
    x = arrays.get("attr_matrix")
    if "attr_data" in arrays:
        x = _csr(name, "attr", arrays, caps)
    n = adjacency.shape[0]
    if adjacency.shape[1] != n or len(np.atleast_1d(arrays["labels"])) != n:
        raise WGNNError(
            f"{name}: the adjacency matrix has shape {adjacency.shape}, but there are "
            f"{np.size(arrays['labels'])} labels; all must agree."
        )
    pairs = np.stack(adjacency.nonzero(), axis=1).astype(np.int64)
    return content_of(
        name, kind, pairs, x, arrays["labels"], {}, caps,
        class_names=_names(name, "class_names", arrays, caps),
        node_names=_names(name, "node_names", arrays, caps), left=left,
    )  # fmt: skip


def _heterophilous(
    name: str, kind: str, arrays: dict[str, Any], left: list[Change], caps: Caps
) -> Content:
    masks = {p: np.atleast_2d(arrays[f"{p}_masks"]) for p in PARTS if f"{p}_masks" in arrays}
    return content_of(
        name, kind, arrays["edges"], arrays["node_features"], arrays["node_labels"], masks, caps,
        directed=False,  # the collection lists each undirected edge once
        class_names=_names(name, "class_names", arrays, caps), left=left,
    )  # fmt: skip


def _plain(name: str, kind: str, arrays: dict[str, Any], left: list[Change], caps: Caps) -> Content:
    edges = arrays["edge_index"]
    if edges.ndim == 2 and edges.shape[0] == 2:
        edges = edges.T
    masks = {p: per_split(arrays[f"{p}_mask"]) for p in PARTS if f"{p}_mask" in arrays}
    return content_of(
        name, kind, edges, arrays.get("x"), arrays["y"], masks, caps,
        class_names=_names(name, "class_names", arrays, caps),
        node_names=_names(name, "node_names", arrays, caps), left=left,
    )  # fmt: skip


def per_split(mask: Any) -> Any:
    """A PyG mask, ``[N]`` or ``[N, S]``, as ``[S, N]``."""
    return mask[None] if mask.ndim == 1 else mask.T


def _csr(name: str, key: str, arrays: dict[str, Any], caps: Caps) -> sparse.csr_array:
    lacking = [f"{key}_{part}" for part in CSR if f"{key}_{part}" not in arrays]
    if lacking:
        raise WGNNError(f"{name} lacks {', '.join(lacking)}; a sparse matrix needs all four.")
    shape = np.asarray(arrays[f"{key}_shape"])
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape < 0).any():
        raise WGNNError(f"{name}: {key}_shape is {shown(shape.tolist())}; give two whole numbers.")
    rows, columns = (int(size) for size in shape)
    caps.check("nodes", rows, f"{name}: {key}_shape")
    caps.check("features" if key == "attr" else "nodes", columns, f"{name}: {key}_shape")
    data, indices, indptr = (arrays[f"{key}_{part}"] for part in CSR[:3])
    return checked_csr(f"{name}: {key}", data, indices, indptr, (rows, columns))


def checked_csr(
    where: str, data: Any, indices: Any, indptr: Any, shape: tuple[int, int]
) -> sparse.csr_array:
    """A sparse matrix of arrays that nobody vouches for.

    SciPy's own check passes over pointers that rise and fall back to zero, and then writes outside
    of its memory.
    """
    rows, columns = shape
    flat = all(part.ndim == 1 for part in (data, indices, indptr))
    whole = all(part.dtype.kind in "iu" for part in (indices, indptr))
    if not (flat and whole and data.dtype.kind in "iufb" and len(data) == len(indices)):
        raise WGNNError(f"{where} is no sparse matrix: it needs as many indices as values.")
    pointer = indptr.astype(np.int64)
    rising = len(pointer) == rows + 1 and (pointer[1:] >= pointer[:-1]).all()
    if not rising or pointer[0] != 0 or pointer[-1] != len(indices):
        raise WGNNError(
            f"{where} is no sparse matrix: indptr must rise from 0 to {len(indices)} over "
            f"{rows} rows."
        )
    if len(indices) and (indices.min() < 0 or indices.max() >= columns):
        raise WGNNError(f"{where} is no sparse matrix: its columns are 0 to {columns - 1}.")
    return sparse.csr_array((data, indices.astype(np.int64), pointer), shape=shape)


def _names(name: str, key: str, arrays: dict[str, Any], caps: Caps) -> tuple[str, ...] | None:
    found = arrays.get(key)
    if found is None or found.ndim != 1 or found.dtype.kind != "U":
        return None
    with foreign(name, "npz"):
        names = tuple(str(value).strip() for value in found)
    check_names(names, key.removesuffix("s").replace("_", " "), name, caps)
    return names
