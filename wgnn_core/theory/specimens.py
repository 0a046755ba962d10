"""A specimen of the gallery as a `Graph`: its edges may be changed by hand, its nodes stay put.

As a text it is ``gallery:barbell``, or with changed edges ``gallery:barbell,-5-6,+0-11``: pages and
commands name it so.
"""

from __future__ import annotations

import re

import networkx as nx
import numpy as np
from scipy import sparse

from wgnn_core.errors import WGNNError
from wgnn_core.graph import BoolArray, FloatArray, Graph, Split
from wgnn_core.theory.dirichlet import Signal
from wgnn_core.theory.gallery import Pairs, Specimen, specimen

PREFIX = "gallery:"
SIDES = ("V₀", "V₁")
"""The classes of a specimen: the sides of Theorem 2."""
CHANGE = re.compile(r"([+-])(\d{1,6})-(\d{1,6})")
MOST_CHANGES = 2000


def is_specimen(text: str) -> bool:
    """Whether a name is that of a specimen and not of a dataset."""
    return text.lower().startswith(PREFIX)


def specimen_of(text: str) -> Specimen:
    """The specimen of a text, with the edges that it had before they were changed."""
    return specimen(text.lower().removeprefix(PREFIX).partition(",")[0])


def specimen_graph(text: str) -> Graph:
    """The graph that a text names: observed nodes are its training nodes, its sides the classes.

    Raises:
        WGNNError: There is no such specimen, or a change is none.
    """
    item = specimen_of(text)
    changes = text.removeprefix(PREFIX).partition(",")[2]
    edges = np.array(changed_edges(item, changes), dtype=np.int64).reshape(-1, 2)
    observed = item.mask(item.zeros) | item.mask(item.ones)
    nobody = np.zeros(item.num_nodes, dtype=np.bool_)
    name = item.title + " with changed edges" * bool(changes)
    # not by `make_graph`: nothing is trained here, so validation and test sets may be empty
    return Graph(
        name=name,
        x=sparse.csr_array(np.ones((item.num_nodes, 1), dtype=np.float32)),
        edges=edges,
        y=item.mask(item.upper).astype(np.int64),
        class_names=SIDES,
        splits=(Split(observed, nobody, ~observed),),
        origin=(text_of(item, changes), ()),
        title=name,
    )


def text_of(item: Specimen, changes: str = "") -> str:
    """The text of a specimen with these changes."""
    return f"{PREFIX}{item.name}" + f",{changes}" * bool(changes)


def changed_edges(item: Specimen, changes: str) -> Pairs:
    """The edges after changes such as ``-5-6,+0-11``: minus drops an edge, plus adds one.

    Raises:
        WGNNError: A change cannot be read, names no node, drops what is not there, or adds what is.
    """
    edges = set(item.edges)
    parts = [part.strip() for part in changes.split(",") if part.strip()]
    if len(parts) > MOST_CHANGES:
        raise WGNNError(f"{len(parts)} edges are changed; at most {MOST_CHANGES} can be.")
    for part in parts:
        found = CHANGE.fullmatch(part)
        if found is None:
            raise WGNNError(f"the change {part[:20]!r} must look like -5-6 or +0-11.")
        u, v = sorted((int(found[2]), int(found[3])))
        _check_pair(item, u, v)
        if (found[1] == "+") == ((u, v) in edges):
            there = "have an edge already" if found[1] == "+" else "have no edge"
            raise WGNNError(f"the change {part} cannot be made: nodes {u} and {v} {there}.")
        edges ^= {(u, v)}
    return tuple(sorted(edges))


def flipped(item: Specimen, changes: str, u: int, v: int) -> str:
    """The changes after the edge between u and v was dropped, or added if there was none."""
    _check_pair(item, u, v)
    now = set(changed_edges(item, changes)) ^ {(min(u, v), max(u, v))}
    before = set(item.edges)
    signed = [f"-{a}-{b}" for a, b in sorted(before - now)]
    return ",".join([*signed, *(f"+{a}-{b}" for a, b in sorted(now - before))])


def places(item: Specimen) -> FloatArray:
    """Coordinates of its nodes, ``[N, 2]``: O_0 at the left, O_1 at the right.

    They are those of the edges it has in the gallery, so a change moves nothing.
    """
    if item.xy:
        return np.array(item.xy, dtype=np.float32)
    graph = nx.empty_graph(item.num_nodes)
    graph.add_edges_from(item.edges)
    xy = np.zeros((item.num_nodes, 2))
    right = 0.0
    for members in sorted(map(sorted, nx.connected_components(graph))):
        found = nx.kamada_kawai_layout(graph.subgraph(members))
        steps = [np.linalg.norm(found[u] - found[v]) for u, v in graph.subgraph(members).edges]
        # an edge is one unit long on average: components have the same scale
        piece = np.array([found[v] for v in members]) / (np.mean(steps) if steps else 1)
        piece = _turned(piece, np.isin(members, item.zeros), np.isin(members, item.ones))
        piece += [right - piece[:, 0].min(), -piece[:, 1].mean()]
        right = piece[:, 0].max() + 1
        xy[members] = piece
    return xy.astype(np.float32)


def _turned(xy: Signal, zeros: BoolArray, ones: BoolArray) -> Signal:
    """The same points with the way from O_0 to O_1 to the right."""
    if not zeros.any() or not ones.any():
        return xy
    x, y = xy[ones].mean(axis=0) - xy[zeros].mean(axis=0)
    length = float(np.hypot(x, y))
    if length < 1e-9:
        return xy
    return np.asarray(xy @ (np.array([[x, -y], [y, x]]) / length))


def _check_pair(item: Specimen, u: int, v: int) -> None:
    for node in (u, v):
        if not 0 <= node < item.num_nodes:
            raise WGNNError(
                f"{item.title} has no node {node}; its nodes are 0 to {item.num_nodes - 1}."
            )
    if u == v:
        raise WGNNError(f"an edge joins two nodes; {u} and {v} are the same.")
