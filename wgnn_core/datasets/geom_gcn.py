"""Texas and Chameleon from the tables and masks of Geom-GCN; Chameleon without duplicates."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np

from wgnn_core.datasets.known import DatasetSpec
from wgnn_core.graph import Graph, Split, make_graph


def parse_geom_gcn(spec: DatasetSpec, files: Mapping[str, bytes]) -> Graph:
    """Read the node table, the edge table and the masks.

    Links are directed in the file; here, as in the paper, the graph is undirected and simple.
    """
    table = files["out1_node_feature_label.txt"].decode().splitlines()[1:]
    columns = [line.split("\t") for line in table]
    node = np.array([int(number) for number, _, _ in columns])
    features = np.fromstring(",".join(values for _, values, _ in columns), sep=",", dtype=np.int64)
    labels = np.array([int(label) for _, _, label in columns])
    order = np.argsort(node)
    edges = np.loadtxt(io.BytesIO(files["out1_graph_edges.txt"]), dtype=np.int64, skiprows=1)
    return make_graph(
        spec.name,
        features.reshape(len(node), -1)[order],
        edges,
        labels[order],
        [_split(files[f"{spec.name}_split_0.6_0.2_{i}.npz"]) for i in range(10)],
    )


def parse_filtered(spec: DatasetSpec, files: Mapping[str, bytes]) -> Graph:
    """Read the one file of the graph whose duplicate nodes Platonov et al. (2023) took out."""
    (content,) = files.values()
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        masks = zip(*(arrays[f"{part}_masks"] for part in ("train", "val", "test")), strict=True)
        return make_graph(
            spec.name,
            arrays["node_features"],
            arrays["edges"],
            arrays["node_labels"],
            [Split(*three) for three in masks],
        )


def _split(content: bytes) -> Split:
    with np.load(io.BytesIO(content), allow_pickle=False) as masks:
        return Split(*(masks[f"{part}_mask"].astype(bool) for part in ("train", "val", "test")))
