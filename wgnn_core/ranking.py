"""Problem 1: order the test nodes so that the first ones are predicted best.

A ranker gives every node a score, larger meaning "trust first"; `order` alone turns scores into
an order, so ties are broken the same way everywhere. `SCORES` holds the scores that look at the
softmax alone, which Algorithms 1 and 2 can use in place of w; `RANKERS` adds those of Problem 1
that look at more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph
from scipy.special import entr

from wgnn_core.errors import WGNNError
from wgnn_core.fraction import ceil_fraction
from wgnn_core.graph import BoolArray, FloatArray, Graph, IntArray, Split
from wgnn_core.nonuniformity import check_distributions, nonuniformity

Scores = npt.NDArray[Any]
Float64Array = npt.NDArray[np.float64]

RANDOM_STREAM = 0x52414E4B
TRAINING_CHUNK = 512


def score(name: str, prob: FloatArray, seed: int) -> Scores:
    """How far each prediction is trusted, larger meaning more: the scores of Algorithms 1 and 2.

    Args:
        name: A key of `SCORES`.
        prob: Softmax probabilities of the trained model, ``[N, C]``.
        seed: Read by "random" alone.

    Returns:
        One finite number per node, ``[N]``.
    """
    if name not in SCORES:
        raise WGNNError(f"The ranker is {name!r}; it must be one of {', '.join(SCORES)}.")
    check_distributions(prob)
    return SCORES[name](prob, seed)


def _w(prob: FloatArray, seed: int) -> Scores:
    return nonuniformity(prob)


def _margin(prob: FloatArray, seed: int) -> Scores:
    top_two = np.partition(prob, -2, axis=-1)[:, -2:]
    return np.asarray(top_two[:, 1] - top_two[:, 0])


def _max_softmax(prob: FloatArray, seed: int) -> Scores:
    return np.asarray(prob.max(axis=-1))


def _entropy(prob: FloatArray, seed: int) -> Scores:
    # check_distributions forgives rounding below 0, where the entropy would be infinite
    return -np.asarray(entr(prob.clip(min=0)).sum(axis=-1))


def _random(prob: FloatArray, seed: int) -> Scores:
    return np.random.default_rng([seed, RANDOM_STREAM]).random(len(prob))


SCORES: dict[str, Callable[[FloatArray, int], Scores]] = {
    "w": _w,
    "margin": _margin,
    "max-softmax": _max_softmax,
    "entropy": _entropy,
    "random": _random,
}
"""From (prob ``[N, C]``, seed) to a score ``[N]``; larger means more trusted."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a ranker may look at. `correct` is None for every ranker but the oracle."""

    graph: Graph
    split: Split
    prob: FloatArray
    seed: int
    correct: BoolArray | None = None


@dataclass(frozen=True)
class Ranker:
    """A way to score all nodes, with its title for pages and legends."""

    title: str
    score: Callable[[Evidence], Scores]
    sees_correct: bool = False

    @property
    def short(self) -> str:
        """The title without what follows a colon, for a legend."""
        return self.title.partition(":")[0]


def rank(
    name: str,
    graph: Graph,
    split: Split,
    prob: FloatArray,
    seed: int,
    correct: BoolArray | None = None,
) -> IntArray:
    """The test nodes in the order of ranker `name`, best first (Problem 1).

    Args:
        name: A key of `RANKERS`.
        graph: The graph; only the labels of the training nodes are read (by M1).
        split: Training set R and test set T.
        prob: Softmax probabilities of the trained model, ``[N, C]``.
        seed: Seed of the random ranker.
        correct: Which of the N predictions are right, ``[N]``; handed to the oracle alone.

    Returns:
        Node numbers of T, best first; ties in order of node number.
    """
    if name not in RANKERS:
        raise WGNNError(f"The ranker is {name!r}; it must be one of {', '.join(RANKERS)}.")
    check_distributions(prob)
    ranker = RANKERS[name]
    evidence = Evidence(graph, split, prob, seed)
    if ranker.sees_correct:
        evidence = replace(evidence, correct=correct)
    return order(ranker.score(evidence), split.test)


def order(score: Scores, mask: BoolArray) -> IntArray:
    """The nodes of `mask` by decreasing score; ties in order of node number."""
    nodes = np.flatnonzero(mask)
    chosen = score[nodes]
    if np.isnan(chosen).any():
        bad = int(nodes[np.isnan(chosen)][0])
        raise WGNNError(f"The score of node {bad} is nan; a node can be ranked by numbers only.")
    return nodes[np.argsort(-chosen, kind="stable")]


def nearest_training_nodes(
    adjacency: sparse.csr_array, train: BoolArray, labels: IntArray
) -> tuple[Float64Array, Float64Array]:
    """The pair (f1, f2) of method M1 for every node.

    f1(v) is the hop distance from v to the training set R, f2(v) is one minus the share of the
    most frequent label among all training nodes at that distance. The set of nearest training
    nodes of v is the union of those sets over the neighbours of v that are one hop nearer to R,
    so one sweep over the distances finds all of them. The sets are boolean rows over
    `TRAINING_CHUNK` training nodes at a time, which bounds the memory by N x chunk.

    Args:
        adjacency: Symmetric adjacency matrix, ``[N, N]``.
        train: Training set R, not empty.
        labels: Class numbers; read on R only.

    Returns:
        f1, with inf where no training node can be reached, and f2, with nan there.
    """
    sources = np.flatnonzero(train)
    f1 = csgraph.dijkstra(adjacency, indices=sources, unweighted=True, min_only=True)
    num_classes = int(labels[sources].max()) + 1
    counts = np.zeros((len(f1), num_classes))
    levels = _descents(adjacency, f1)
    for start in range(0, len(sources), TRAINING_CHUNK):
        chunk = sources[start : start + TRAINING_CHUNK]
        one_hot = np.eye(num_classes)[labels[chunk]]
        nearest = sparse.csr_array(
            (np.ones(len(chunk), dtype=bool), (np.searchsorted(sources, chunk), range(len(chunk)))),
            shape=(len(sources), len(chunk)),
        )
        counts[sources] += nearest @ one_hot
        for nodes, descent in levels:
            nearest = descent @ nearest
            if nearest.nnz == 0:
                break
            counts[nodes] += nearest @ one_hot
    with np.errstate(invalid="ignore"):  # 0/0 = nan where nothing is reachable
        f2 = 1 - counts.max(axis=1) / counts.sum(axis=1)
    return f1, f2


def _descents(
    adjacency: sparse.csr_array, f1: Float64Array
) -> list[tuple[IntArray, sparse.csr_array]]:
    """For each distance d = 1, 2, ...: its nodes, and their adjacency to the nodes at d - 1."""
    by_distance = np.argsort(f1, kind="stable")
    reachable = int(np.isfinite(f1).sum())
    depth = int(f1[by_distance[reachable - 1]])
    ends = np.searchsorted(f1[by_distance[:reachable]], np.arange(depth + 1), side="right")
    sorted_adjacency = adjacency.astype(bool)[by_distance][:, by_distance]
    starts = np.concatenate([[0], ends])
    return [
        (
            by_distance[starts[d] : starts[d + 1]],
            sorted_adjacency[starts[d] : starts[d + 1], starts[d - 1] : starts[d]],
        )
        for d in range(1, depth + 1)
    ]


def _m1(evidence: Evidence) -> Scores:
    f1, f2 = nearest_training_nodes(
        evidence.graph.adjacency,
        evidence.split.train,
        evidence.graph.visible_labels(evidence.split),
    )
    # f1 is whole and f2 < 1, so the sum orders like the pair (f1, f2), lexicographically.
    return -np.where(np.isfinite(f1), f1 + f2, np.inf)


def _of_softmax(name: str) -> Callable[[Evidence], Scores]:
    return lambda evidence: SCORES[name](evidence.prob, evidence.seed)


def _oracle(evidence: Evidence) -> Scores:
    if evidence.correct is None:
        raise WGNNError("The oracle ranks by correctness; give it `correct`, one value per node.")
    return evidence.correct.astype(np.float64)


RANKERS: dict[str, Ranker] = {
    "m1": Ranker("M1: distance to the training set", _m1),
    "m2": Ranker("M2: label non-uniformity w", _of_softmax("w")),
    "max-softmax": Ranker("Max softmax: the largest probability", _of_softmax("max-softmax")),
    "margin": Ranker("Margin: between the two largest probabilities", _of_softmax("margin")),
    "entropy": Ranker("Entropy: the smaller, the surer", _of_softmax("entropy")),
    "random": Ranker("Random order", _of_softmax("random")),
    "oracle": Ranker("Oracle: correct nodes first", _oracle, sees_correct=True),
}


def accuracy_coverage(correct: BoolArray, alphas: npt.ArrayLike) -> Float64Array:
    """Accuracy in percent on the first ceil(alpha |T|) nodes, for each alpha (Problem 1).

    Args:
        correct: Whether each test node is predicted right, in rank order.
        alphas: Coverages in (0, 1].
    """
    hits = np.cumsum(_nonempty(correct))
    coverages = np.atleast_1d(np.asarray(alphas, dtype=np.float64)).tolist()
    sizes = np.array([ceil_fraction(alpha, len(hits)) for alpha in coverages], dtype=np.int64)
    return np.asarray(100 * hits[sizes - 1] / sizes)


def aurc(correct: BoolArray) -> float:
    """Area under the risk-coverage curve, between 0 and 1; smaller is better.

    The mean over k = 1..n of the error rate among the first k nodes (Geifman, Uziel and
    El-Yaniv, "Bias-Reduced Uncertainty Estimation for Deep Neural Classifiers", ICLR 2019).

    Args:
        correct: Whether each test node is predicted right, in rank order.
    """
    errors = np.cumsum(~_nonempty(correct))
    return float(np.mean(errors / np.arange(1, len(correct) + 1)))


def augrc(correct: BoolArray) -> float:
    """Area under the generalised risk-coverage curve; smaller is better, at most 1/2.

    The generalised risk at coverage k/n is the share of all n nodes that are both among the
    first k and wrong; the area is taken with the trapezoidal rule from (0, 0) (Traub et al.,
    "Overcoming Common Flaws in the Evaluation of Selective Classification Systems", NeurIPS
    2024). It equals (1 - AUROC) acc (1 - acc) + (1 - acc)^2 / 2, with AUROC that of telling
    right from wrong predictions.

    Args:
        correct: Whether each test node is predicted right, in rank order.
    """
    risk = np.concatenate([[0], np.cumsum(~_nonempty(correct))]) / len(correct)
    return float(np.trapezoid(risk, dx=1 / len(correct)))


def _nonempty(correct: BoolArray) -> BoolArray:
    if len(correct) == 0:
        raise WGNNError("There are 0 ranked nodes; a curve needs at least 1.")
    return np.asarray(correct, dtype=np.bool_)
