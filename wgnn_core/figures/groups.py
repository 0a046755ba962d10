"""Sets of nodes by name, the same words on every page and every command line."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wgnn_core.boundary import class_boundary
from wgnn_core.errors import WGNNError
from wgnn_core.figures.scene import Scene
from wgnn_core.figures.text import NO_LABEL, label, labels, share
from wgnn_core.fraction import ceil_fraction
from wgnn_core.graph import BoolArray, Graph, IntArray, Split
from wgnn_core.intervention import Plan
from wgnn_core.ranking import rank
from wgnn_core.wgnn import carried

BELOW, ABOVE, TRUSTED = "below the threshold", "above the threshold", "trusted"
MOST_NEAR = 300
"""Nodes of a neighbourhood that are drawn."""


def node_groups(
    graph: Graph,
    split: Split,
    first: IntArray | None = None,
    plan: Plan | None = None,
    second: IntArray | None = None,
) -> dict[str, BoolArray]:
    """Named sets of nodes: all, the split, the boundary, the classes, and what models add.

    Args:
        graph: The graph.
        split: Training, validation and test nodes.
        first: Predictions of the base model, ``[N]``.
        plan: What Algorithms 1 and 2 decided.
        second: Predictions of the model retrained by `plan`, ``[N]``.
    """
    groups: dict[str, BoolArray] = {}
    right = None if first is None else first == graph.y
    if right is not None and first is not None and plan is not None and second is not None:
        now = carried(first, second, plan) == graph.y
        groups["fixed nodes"] = split.test & ~right & now
        groups["broken nodes"] = split.test & right & ~now
    groups["all nodes"] = np.ones(graph.num_nodes, dtype=bool)
    groups |= {"train": split.train, "validation": split.val, "test": split.test}
    if right is not None:
        groups["correct test nodes"] = split.test & right
        groups["wrong test nodes"] = split.test & ~right
    groups["class boundary"] = class_boundary(graph.edges, graph.y, graph.num_nodes)
    if plan is not None:
        groups["added to R′"] = plan.supplement.added
        groups["V′ (least w)"] = plan.edge_drop.least
        groups["near a dropped edge"] = ends(graph, plan.edge_drop.dropped)
    if graph.unlabelled.any():
        groups[NO_LABEL] = graph.unlabelled
    names = labels(graph.class_names)
    groups |= {f"true class: {name}": graph.y == k for k, name in enumerate(names)}
    if first is not None:
        groups |= {f"predicted class: {name}": first == k for k, name in enumerate(names)}
    return groups


def marked(scene: Scene) -> BoolArray | None:
    """The nodes that the choices of a node map mark; None if they mark none."""
    choice, graph = scene.choices, scene.graph
    if not choice.mark:
        return None
    numbers = choice.mark.split(",")
    if all(part.strip().isdecimal() for part in numbers):
        mask = np.zeros(graph.num_nodes, dtype=bool)
        for part in numbers:
            mask[checked_node(graph, int(part))] = True
        return mask
    if choice.mark in (BELOW, ABOVE):
        if choice.threshold is None:
            raise WGNNError(f"nodes {choice.mark} are to be marked; say where it is (threshold).")
        small: BoolArray = _of_a_run(scene).outcome[1] < choice.threshold
        return small if choice.mark == BELOW else ~small
    if choice.mark == TRUSTED:
        base = _of_a_run(scene).base
        prob = base.prob[scene.position]
        right = prob.argmax(-1) == graph.y
        order = rank(choice.trusted_by, graph, scene.split, prob, scene.seed, right)
        return np.isin(
            np.arange(graph.num_nodes), order[: ceil_fraction(choice.coverage, len(order))]
        )
    found = groups_of(scene)
    if choice.mark not in found:
        raise WGNNError(
            f"no nodes are called {label(choice.mark)!r}; there are {', '.join(found)}, "
            f"{BELOW}, {ABOVE}, {TRUSTED}, or numbers of nodes: 0,5,17."
        )
    return found[choice.mark]


def groups_of(scene: Scene) -> dict[str, BoolArray]:
    """`node_groups` with all that is known in a scene."""
    if not scene.runs:
        return node_groups(scene.graph, scene.split)
    first = scene.base.predicted[scene.position]
    if scene.choices.at is None:
        return node_groups(scene.graph, scene.split, first)
    return node_groups(scene.graph, scene.split, first, scene.plan, scene.outcome[0])


def _of_a_run(scene: Scene) -> Scene:
    if not scene.runs:
        raise WGNNError(f"nodes {scene.choices.mark} need a trained model, and no run is given.")
    return scene


def ends(graph: Graph, edges: BoolArray) -> BoolArray:
    """Nodes at an end of the edges of a mask."""
    found = np.zeros(graph.num_nodes, dtype=bool)
    found[graph.edges[edges]] = True
    return found


def ego(graph: Graph, node: int, hops: int) -> IntArray:
    """The node, then others by distance up to `hops`."""
    reached = np.zeros(graph.num_nodes, dtype=bool)
    reached[node] = True
    order, last = [np.array([node])], np.array([node])
    for _ in range(hops):
        around = np.unique(graph.adjacency[last].indices)
        last = around[~reached[around]]
        reached[last] = True
        order.append(last)
    return np.concatenate(order).astype(np.int64)


def induced(graph: Graph, nodes: IntArray) -> IntArray:
    """Edges inside `nodes` as positions in it, ``[e, 2]``."""
    place = np.full(graph.num_nodes, -1)
    place[nodes] = np.arange(len(nodes))
    pairs = place[graph.edges]
    return np.asarray(pairs[(pairs >= 0).all(axis=1)])


def checked_node(graph: Graph, node: int) -> int:
    """`node`, if the graph has it."""
    if not 0 <= node < graph.num_nodes:
        raise WGNNError(
            f"{graph.name} has no node {node}; nodes are numbered 0 to {graph.num_nodes - 1}."
        )
    return node


def true_classes(graph: Graph, nodes: IntArray) -> list[str]:
    """The class of each of `nodes` as it is shown; that of an unlabelled node is `NO_LABEL`."""
    names = [*labels(graph.class_names), NO_LABEL]  # UNLABELLED, -1, is the last one
    return [names[k] for k in graph.y[nodes]]


def verdicts(graph: Graph, predicted: IntArray) -> npt.NDArray[np.object_]:
    """``correct``, ``wrong`` or `NO_LABEL` for the prediction of every node, ``[N]``."""
    judged = np.where(predicted == graph.y, "correct", "wrong").astype(object)
    judged[graph.unlabelled] = NO_LABEL
    return judged


def label_quality(graph: Graph, added: BoolArray, predicted: IntArray) -> str:
    """How many of the nodes that join R′ do so with the right label, and of how many nobody knows.

    Args:
        graph: The graph.
        added: The nodes that join, ``[N]``.
        predicted: Predictions of the base model, ``[N]``.
    """
    known, unknown = added & ~graph.unlabelled, int((added & graph.unlabelled).sum())
    told = []
    if known.any():
        told.append(f"{share(100 * (predicted == graph.y)[known].mean())} labelled right")
    if unknown:
        told.append(f"{unknown:,} without label")
    return ", ".join(told) or "no node"


def node_name(graph: Graph, node: int) -> str:
    return label(graph.node_names[node]) if graph.node_names else f"node {node}"
