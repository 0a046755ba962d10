"""One graph with string ids in random order, and a writer for each format."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import torch
from scipy import sparse
from torch_geometric.data import Data

from wgnn_core.graph import Graph, Split, make_graph

NODES, EDGES, FEATURES, CLASSES = 60, 150, 4, ("cat", "dog", "eel")
PARTS = ("train", "val", "test")


def original(seed: int = 7) -> Graph:
    rng = np.random.default_rng(seed)
    y = np.arange(NODES) % len(CLASSES)
    part = rng.permutation(NODES) % 3
    x = rng.random((NODES, FEATURES)).round(3) * (rng.random((NODES, FEATURES)) < 0.7)
    x[:, 0] += 1  # no row is all zero
    ids = [f"n{number:03}" for number in rng.permutation(NODES) * 7]
    pairs = rng.integers(0, NODES, (EDGES, 2))
    split = Split(*(part == i for i in range(3)))
    return make_graph("original", x, pairs[pairs[:, 0] != pairs[:, 1]], y, [split], CLASSES, ids)


def shuffled_edges(g: Graph) -> list[tuple[str, str]]:
    rng = np.random.default_rng(3)
    pairs = [(g.node_names[u], g.node_names[v]) for u, v in rng.permutation(g.edges)]
    return [(v, u) if rng.random() < 0.5 else (u, v) for u, v in pairs]


def node_frame(g: Graph, *, sparse_column: bool = False) -> pd.DataFrame:
    x = g.x.toarray()
    where = np.where(g.split(0).train, "train", np.where(g.split(0).val, "val", "test"))
    frame = pd.DataFrame({"label": [CLASSES[k] for k in g.y], "id": g.node_names, "split": where})
    if sparse_column:
        rows = [np.flatnonzero(row) for row in x]
        frame["words"] = [" ".join(f"{j}:{x[i, j]}" for j in r) for i, r in enumerate(rows)]
    else:
        for j in range(FEATURES):
            frame[f"f{j}"] = x[:, j]
    return frame.sample(frac=1, random_state=1)


def edge_frame(g: Graph) -> pd.DataFrame:
    return pd.DataFrame(shuffled_edges(g), columns=["source", "target"])


def network(g: Graph) -> nx.Graph:
    out = nx.Graph()
    for row in node_frame(g).to_dict("records"):
        out.add_node(row.pop("id"), **{key.replace("label", "class"): v for key, v in row.items()})
    out.add_edges_from(shuffled_edges(g))
    return out


def write(g: Graph, kind: str, folder: Path) -> list[Path]:
    """Write the graph in one format; the paths are what `own.read` takes."""
    if kind in ("csv", "semicolon", "tab", "sparse csv", "utf-16", "headerless", "parquet", "zip"):
        return _tables(g, kind, folder)
    path = folder / f"graph.{kind.split()[0]}"
    if kind == "graphml":
        nx.write_graphml(network(g), path)
    elif kind == "gexf":
        nx.write_gexf(network(g), path)
    elif kind == "gml":
        numbered = nx.convert_node_labels_to_integers(network(g), label_attribute="name")
        nx.write_gml(numbered, path)
    elif kind == "pt":
        torch.save(g.to_pyg(), path)
    else:
        np.savez(path, **arrays(g, kind))
    return [path]


def arrays(g: Graph, kind: str) -> dict[str, np.ndarray]:
    x, split = g.x.toarray(), g.split(0)
    if kind == "npz gnn-benchmark":
        out = {"labels": g.y, "class_names": np.array(CLASSES)}
        for key, matrix in (("adj", g.adjacency), ("attr", sparse.csr_array(x))):
            parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
            out |= {f"{key}_{part}": value for part, value in parts.items()}
            out[f"{key}_shape"] = np.array(matrix.shape)
        return out
    masks = {part: getattr(split, part) for part in PARTS}
    if kind == "npz heterophilous":
        out = {"node_features": x, "node_labels": g.y, "edges": g.edges}
        return out | {f"{part}_masks": mask[None] for part, mask in masks.items()}
    both = np.concatenate([g.edges, g.edges[:, ::-1]]).T
    out = {"x": x, "y": g.y, "edge_index": both, "node_names": np.array(g.node_names)}
    return out | {f"{part}_mask": mask for part, mask in masks.items()}


def _tables(g: Graph, kind: str, folder: Path) -> list[Path]:
    edges, nodes = edge_frame(g), node_frame(g, sparse_column=kind == "sparse csv")
    if kind == "parquet":
        edges.to_parquet(folder / "edges.parquet", index=False)
        nodes.to_parquet(folder / "nodes.parquet", index=False)
        return [folder / "edges.parquet", folder / "nodes.parquet"]
    sep = {"semicolon": ";", "tab": "\t"}.get(kind, ",")
    how = {"sep": sep, "index": False, "encoding": "utf-16" if kind == "utf-16" else "utf-8"}
    edges.to_csv(folder / "edges.csv", header=kind != "headerless", **how)
    nodes.to_csv(folder / "nodes.csv", **how)
    if kind != "zip":
        return [folder / "nodes.csv", folder / "edges.csv"]
    with zipfile.ZipFile(folder / "graph.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("edges.csv", "nodes.csv"):
            archive.write(folder / name, f"mine/{name}")
    return [folder / "graph.zip"]


FORMATS = (
    "csv", "semicolon", "tab", "sparse csv", "utf-16", "headerless", "parquet", "zip",
    "graphml", "gexf", "gml", "npz gnn-benchmark", "npz heterophilous", "npz plain", "pt",
)  # fmt: skip


def as_data(g: Graph) -> Data:
    return g.to_pyg()


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()
