"""Airport and Disease from the files of the hyperbolic GCN repository.

That repository's own split leaks: it treats labels as binary, so on Airport many nodes are in
both training and test set. Here the splits are plain stratified draws of the paper's shares.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from wgnn_core.datasets.known import DatasetSpec
from wgnn_core.datasets.splits import ten_stratified_splits
from wgnn_core.datasets.unpickling import safe_unpickle
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph, make_graph

POPULATION_BINS = (7 / 7, 8 / 7, 9 / 7)
MAX_UNPACKED = 100_000_000


def parse_airport(spec: DatasetSpec, files: Mapping[str, bytes]) -> Graph:
    """Read the pickled graph: columns 0 to 3 of `feat` are features, column 4 in bins the class."""
    graph = safe_unpickle(files["airport.p"])
    number = {node: i for i, node in enumerate(graph.nodes)}
    feat = np.array([feat for _, feat in graph.nodes(data="feat")])
    y = np.digitize(feat[:, 4], POPULATION_BINS)
    edges = np.array([(number[u], number[v]) for u, v in graph.edges], dtype=np.int64)
    return make_graph(spec.name, feat[:, :4], edges, y, ten_stratified_splits(y, 0.70, 0.15))


def parse_disease(spec: DatasetSpec, files: Mapping[str, bytes]) -> Graph:
    """Read the tree, the labels and the user's features file, whose checksum is not known."""
    edges = np.loadtxt(io.BytesIO(files["disease_nc.edges.csv"]), delimiter=",", dtype=np.int64)
    y = np.load(io.BytesIO(files["disease_nc.labels.npy"]), allow_pickle=False).astype(np.int64)
    x = _unchecked_features(files["disease_nc.feats.npz"])
    return make_graph(spec.name, x, edges, y, ten_stratified_splits(y, 0.30, 0.10))


def parse_disease_lp(spec: DatasetSpec, files: Mapping[str, bytes]) -> Graph:
    """Read the tree made for link prediction; it has labels too, and no published split."""
    edges = np.loadtxt(io.BytesIO(files["disease_lp.edges.csv"]), delimiter=",", dtype=np.int64)
    y = np.load(io.BytesIO(files["disease_lp.labels.npy"]), allow_pickle=False).astype(np.int64)
    x = sparse.load_npz(io.BytesIO(files["disease_lp.feats.npz"]))
    return make_graph(spec.name, x, edges, y, ten_stratified_splits(y, 0.30, 0.10))


def _unchecked_features(content: bytes) -> sparse.csr_array:
    """A SciPy sparse matrix, read without pickle and only if it unpacks to a sensible size."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > MAX_UNPACKED:
            raise ValueError(f"it unpacks to {unpacked} bytes, more than {MAX_UNPACKED}")
        return sparse.csr_array(sparse.load_npz(io.BytesIO(content)))
    except (ValueError, OSError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise WGNNError(
            f"The file disease_nc.feats.npz is not a sparse matrix as SciPy saves it: {error}."
        ) from error
