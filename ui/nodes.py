"""One vocabulary for nodes, the same words on every page; pure functions on masks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wgnn_core.boundary import class_boundary
from wgnn_core.figures.text import label, labels
from wgnn_core.graph import BoolArray, Graph, IntArray, Split
from wgnn_core.wgnn import Plan


def node_groups(
    graph: Graph, split: Split, predicted: IntArray | None = None, plan: Plan | None = None
) -> dict[str, BoolArray]:
    """Named sets of nodes: all, the split, boundary, classes, and what a model and a plan add."""
    groups: dict[str, BoolArray] = {"all nodes": np.ones(graph.num_nodes, dtype=bool)}
    groups |= {"train": split.train, "validation": split.val, "test": split.test}
    if predicted is not None:
        right = predicted == graph.y
        groups |= {
            "correct test nodes": split.test & right,
            "wrong test nodes": split.test & ~right,
        }
    groups["class boundary"] = class_boundary(graph.edges, graph.y, graph.num_nodes)
    if plan is not None:
        groups["added to R′"] = plan.supplement.added
        groups["V′ (least w)"] = plan.edge_drop.least
        groups["near a dropped edge"] = ends(graph, plan.edge_drop.dropped)
    names = labels(graph.class_names)
    groups |= {f"true class: {name}": graph.y == k for k, name in enumerate(names)}
    if predicted is not None:
        groups |= {f"predicted class: {name}": predicted == k for k, name in enumerate(names)}
    return groups


def ends(graph: Graph, edges: BoolArray) -> BoolArray:
    """Nodes at an end of the edges of a mask."""
    found = np.zeros(graph.num_nodes, dtype=bool)
    found[graph.edges[edges]] = True
    return found


def ego(graph: Graph, node: int, hops: int, most: int = 300) -> IntArray:
    """The node, then others by distance up to `hops`, at most `most` of them."""
    reached = np.zeros(graph.num_nodes, dtype=bool)
    reached[node] = True
    order, last = [np.array([node])], np.array([node])
    for _ in range(hops):
        around = np.unique(graph.adjacency[last].indices)
        last = around[~reached[around]]
        reached[last] = True
        order.append(last)
    return np.concatenate(order)[:most].astype(np.int64)


def induced(graph: Graph, nodes: IntArray) -> npt.NDArray[np.int64]:
    """Edges inside `nodes` as positions in it, ``[e, 2]``."""
    place = np.full(graph.num_nodes, -1)
    place[nodes] = np.arange(len(nodes))
    pairs = place[graph.edges]
    return np.asarray(pairs[(pairs >= 0).all(axis=1)])


def node_name(graph: Graph, node: int) -> str:
    return label(graph.node_names[node]) if graph.node_names else f"node {node}"
