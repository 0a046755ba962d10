"""PyG `Data`, as an object or saved in a ``.pt`` file. Such a file is a pickle: only the classes
listed here, and those that torch and PyG call safe themselves, are ever built from it, and there is
no way around the list."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from wgnn_core.datasets.own.archive import opened
from wgnn_core.datasets.own.arrays import PARTS, checked_csr, content_of, per_split
from wgnn_core.datasets.own.caps import Caps
from wgnn_core.datasets.own.content import Change, Content, File, foreign, shown
from wgnn_core.datasets.own.findings import listed, plural
from wgnn_core.errors import WGNNError

_listing = threading.Lock()
"""torch has one list for all threads."""

USED = ("x", "edge_index", "y", *(f"{part}_mask" for part in PARTS))


def from_pt(file: File, caps: Caps) -> Content:
    """Read a `Data`, or a dictionary of its tensors, from a file of `torch.save`."""
    import torch
    from torch_geometric.data.data import Data, DataEdgeAttr, DataTensorAttr
    from torch_geometric.data.storage import GlobalStorage

    with opened(file, "a file of torch.save", caps) as archive:
        if not any(name.endswith("data.pkl") for name in archive.namelist()):
            raise WGNNError(f"{file.name} is not a file of torch.save; it lacks data.pkl.")
    listed_here = (Data, DataEdgeAttr, DataTensorAttr, GlobalStorage)
    try:
        with foreign(file.name, "a PyG Data"), _listing:
            # Leaving `safe_globals` takes its classes off torch's list, also those that were there.
            there = torch.serialization.get_safe_globals()
            missing = [kind for kind in listed_here if kind not in there]
            with torch.serialization.safe_globals(missing):
                stream = io.BytesIO(file.content)
                found = torch.load(stream, weights_only=True, map_location="cpu")
    except WGNNError as error:
        asked = re.search(r"GLOBAL ([\w.]+)", str(error.__cause__))
        if asked is None:
            raise
        raise WGNNError(
            f"{file.name} asks for {asked[1]}, which is not on the list of what a .pt file may "
            "hold (a PyG Data or a dictionary of tensors); it was not opened."
        ) from error
    if isinstance(found, tuple) and len(found) in (2, 3) and isinstance(found[0], Mapping | Data):
        found = _only_graph(file.name, *found[:2])
    return from_data(found, caps, file.name, "PyG Data in a .pt file")


def _only_graph(name: str, data: Any, slices: Any) -> Any:
    """What `InMemoryDataset` saves is the data of all graphs and the slices that part them."""
    parts = slices.values() if isinstance(slices, Mapping) else ()
    count = max((len(part) - 1 for part in parts if np.ndim(part) == 1), default=1)
    if count > 1:
        raise WGNNError(f"{name} holds {count} graphs; one graph is needed.")
    return data


def from_data(data: Any, caps: Caps, name: str = "data", kind: str = "PyG Data") -> Content:
    """From a `Data` or a mapping with edge_index, y and, if any, x and the three masks."""
    values = _attributes(data, name)
    lacking = [key for key in ("edge_index", "y") if values.get(key) is None]
    if lacking:
        there = ", ".join(sorted(shown(key) for key in values)[:10]) or "nothing"
        raise WGNNError(f"{name} lacks {' and '.join(lacking)}; it has {there}.")
    arrays = {key: _array(name, key, values[key], caps) for key in USED if _given(values, key)}
    edges = arrays["edge_index"]
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise WGNNError(f"{name}: edge_index has shape {tuple(edges.shape)}; it must be (2, E).")
    masks = {part: arrays[f"{part}_mask"] for part in PARTS if f"{part}_mask" in arrays}
    for part, mask in masks.items():
        if mask.ndim not in (1, 2):
            raise WGNNError(f"{name}: {part}_mask has shape {mask.shape}; give [N] or [N, splits].")
    other = [str(key) for key in values if key not in USED]
    left = []
    if other:
        text = f"{plural(len(other), 'attribute')} not used: {listed(other)}."
        left.append(Change("attributes left out", len(other), text))
    return content_of(
        name,
        kind,
        edges.T,
        arrays.get("x"),
        arrays["y"],
        {part: per_split(mask) for part, mask in masks.items()},
        caps,
        left=left,
    )


def _attributes(data: Any, name: str) -> Mapping[str, Any]:
    if isinstance(data, Mapping):
        return {str(key): value for key, value in data.items()}
    from torch_geometric.data import Data

    if not isinstance(data, Data):
        raise WGNNError(
            f"{name} holds a {type(data).__name__}; a PyG Data (one graph, one kind of node) is "
            "needed."
        )
    with foreign(name, "a PyG Data"):
        return dict(data.to_dict())


def _given(values: Mapping[str, Any], key: str) -> bool:
    return values.get(key) is not None


def _array(name: str, key: str, value: Any, caps: Caps) -> Any:
    """A tensor as an array; a view that repeats few numbers is refused before it is written out."""
    import torch

    if isinstance(value, np.ndarray):
        return value
    if not isinstance(value, torch.Tensor):
        raise WGNNError(f"{name}: {key} is a {type(value).__name__}; a tensor is needed.")
    where, shape = f"{name}: {key}", tuple(value.shape)
    rows, columns = (*shape, 1, 1)[:2]
    if len(shape) > 2:
        raise WGNNError(f"{where} has shape {shape}; at most two dimensions are read.")
    if key == "edge_index":
        caps.check("edges", columns, where)
    else:
        caps.check("nodes", rows, where)
    if key == "x":
        caps.check("features", columns, where)
    value = value.detach().cpu()
    if value.layout != torch.strided:
        if value.layout not in (torch.sparse_coo, torch.sparse_csr) or key != "x":
            raise WGNNError(f"{where} has the layout {value.layout}; give it dense.")
        return _sparse(where, value, (rows, columns))
    if key == "x":
        caps.check("values", rows * columns, where)
    with foreign(name, "a PyG Data"):
        return (value.float() if value.dtype == torch.bfloat16 else value).numpy()


def _sparse(where: str, value: Any, shape: tuple[int, int]) -> sparse.csr_array:
    """A sparse tensor; torch does not look whether its indices lie inside."""
    import torch

    if value.layout == torch.sparse_csr:
        parts = (value.values(), value.col_indices(), value.crow_indices())
        data, indices, indptr = (part.numpy() for part in parts)
        return checked_csr(where, data, indices, indptr, shape)
    index, data = value._indices().numpy(), value._values().numpy()
    outside = (index < 0).any() or (index >= np.array(shape)[:, None]).any()
    if index.shape != (2, data.size) or data.ndim != 1 or outside:
        raise WGNNError(f"{where} is no sparse matrix: an index lies outside of {shape}.")
    return sparse.csr_array(sparse.coo_array((data, (index[0], index[1])), shape=shape))
