"""The pipeline written out once more, one seed after another: what runs are compared with.

It shares the engine and Algorithms 1 and 2 with the library, and nothing of what the library does
between and around them: no plans, no trials, no cells, no store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from wgnn_core.edgedrop import drop_edges
from wgnn_core.graph import Graph
from wgnn_core.nonuniformity import nonuniformity
from wgnn_core.replicas.engine import train_all
from wgnn_core.replicas.model import Model
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.supplement import supplement

Etas = tuple[float, float, float]


@dataclass
class ByHand:
    """The base model and wGNN for one seed; accuracies in percent."""

    base_val: float
    base_test: float
    first: np.ndarray
    base_prob: np.ndarray
    val: float
    test: float
    test_retrained: float
    second: np.ndarray
    w: np.ndarray
    added: list[int]
    dropped: int
    pseudo_right: int


def softmax(logits: np.ndarray) -> np.ndarray:
    power = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(power / power.sum(-1, keepdims=True))


def wgnn_by_hand(graph: Graph, model: Model, seed: int, etas: Etas, pool: str = "all") -> ByHand:
    """Base model, w, R' and G', retraining and tally for one seed."""
    split = graph.split(seed)
    plain = Trainings.of_seeds(graph, np.array([seed]))
    base = train_all(model, graph, plain)
    prob = softmax(base.logits[0])
    first, w = prob.argmax(-1), nonuniformity(prob)
    joined = supplement(w, first, split.train, split.test, etas[0])
    among = split.test if pool == "test" else None
    cut = drop_edges(graph.edges, graph.num_nodes, w, etas[1], etas[2], seed, among)
    weight, labels = plain.weight.copy(), plain.labels.copy()
    for node in np.flatnonzero(joined.added):
        weight[0, node], labels[0, node] = 1.0, first[node]
    again = Trainings(plain.seeds, labels, weight, plain.val, cut.kept[None])
    retrained = train_all(model, graph, again)
    second = retrained.logits[0].argmax(-1)
    nodes = [int(v) for v in np.flatnonzero(split.test)]
    added = [v for v in nodes if joined.added[v]]
    kept_first = [(first if v in added else second)[v] for v in nodes]
    return ByHand(
        base_val=float(base.val_accuracy[0]),
        base_test=_percent(graph, nodes, [first[v] for v in nodes]),
        first=first,
        base_prob=prob,
        val=float(retrained.val_accuracy[0]),
        test=_percent(graph, nodes, kept_first),
        test_retrained=_percent(graph, nodes, [second[v] for v in nodes]),
        second=second,
        w=nonuniformity(softmax(retrained.logits[0])),
        added=added,
        dropped=int((~cut.kept).sum()),
        pseudo_right=sum(bool(first[v] == graph.y[v]) for v in added),
    )


def _percent(graph: Graph, nodes: list[int], predicted: Sequence[Any]) -> float:
    right = sum(bool(p == graph.y[v]) for v, p in zip(nodes, predicted, strict=True))
    return 100 * right / len(nodes)


@dataclass
class TwoStages:
    """Mean validation accuracy of every triple that was tried, and the triple that won."""

    first: dict[Etas, float]
    second: dict[Etas, float]
    chosen: Etas


def two_stages_by_hand(
    graph: Graph, model: Model, seeds: Sequence[int], steps: Sequence[float]
) -> TwoStages:
    """The authors' greedy search: the graph first, then eta0 on it; ties to the smallest etas."""

    def mean(etas: Etas) -> float:
        found = [wgnn_by_hand(graph, model, seed, etas) for seed in seeds]
        return float(np.mean([f.val if any(etas) else f.base_val for f in found]))

    graphs: list[Etas] = [(0.0, 0.0, 0.0), *((0.0, a, b) for a, b in product(steps, steps))]
    first = {etas: mean(etas) for etas in graphs}
    best = min(first, key=lambda etas: (-first[etas], etas))
    second = {(eta0, *best[1:]): mean((eta0, *best[1:])) for eta0 in steps}
    last = {best: first[best]} | second
    return TwoStages(first, second, min(last, key=lambda etas: (-last[etas], etas)))
