"""Amazon Photo and Coauthor CS from one ``.npz`` file each."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from wgnn_core.datasets.known import DatasetSpec
from wgnn_core.datasets.splits import SPLIT_SEED, authors_split, per_class_split
from wgnn_core.graph import Graph, make_graph


def parse_gnn_benchmark(spec: DatasetSpec, files: Mapping[str, bytes]) -> Graph:
    """Read adjacency, features and labels; Photo is cut to its largest component, as in Table 4.

    ``photo_1234`` and ``cs_1234`` are the whole graphs with the one split of the authors' release,
    in the order of the file (their loader may have ordered the nodes in another way).

    Features are made 0/1 as in PyG's reader: CS stores counts of keywords, of which only the
    presence is used (Photo is 0/1 already).
    """
    (content,) = files.values()
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        adjacency, x = (
            sparse.csr_array(
                (arrays[f"{key}_data"], arrays[f"{key}_indices"], arrays[f"{key}_indptr"]),
                shape=tuple(arrays[f"{key}_shape"]),
            )
            for key in ("adj", "attr")
        )
        y = arrays["labels"]
    x = (x > 0).astype(np.float32)
    if spec.name == "photo":
        _, component = connected_components(adjacency, directed=False)
        keep = np.flatnonzero(component == np.bincount(component).argmax())
        adjacency, x, y = adjacency[keep][:, keep], x[keep], y[keep]
    if spec.name.endswith(f"_{SPLIT_SEED}"):
        split = authors_split(y, 20, 500, 1000, SPLIT_SEED)
    else:
        split = per_class_split(y, per_class=20, num_val=500, num_test=1000)
    edges = np.stack(adjacency.nonzero(), axis=1)
    return make_graph(spec.name, x, edges, y, [split], spec.class_names)
