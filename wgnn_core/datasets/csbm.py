"""The contextual stochastic block model: a graph with classes, homophily and signal at will."""

from __future__ import annotations

import numpy as np

from wgnn_core.datasets.splits import per_class_split
from wgnn_core.errors import WGNNError
from wgnn_core.graph import FloatArray, Graph, IntArray, make_graph

MAX_FEATURE_VALUES = 100_000_000
MAX_EDGES = 20_000_000


def csbm(
    nodes: int,
    classes: int,
    features: int,
    average_degree: float,
    homophily: float,
    separation: float,
    seed: int,
) -> Graph:
    """Draw one graph.

    Classes are of equal size (to one node). Of the ``nodes * average_degree / 2`` edges a share
    `homophily` (to rounding) is drawn uniformly from the pairs of one class, the rest uniformly
    from the pairs of two classes, all without repetition. Features are Gaussian with unit
    variance around a class mean of length `separation` in a random direction.

    Raises:
        WGNNError: More edges of a kind are asked for than there are pairs, or more values than
            fit into memory.
    """
    if nodes < 4 * classes:
        raise WGNNError(
            f"csbm: {nodes} nodes are too few for {classes} classes; at least {4 * classes} are "
            "needed, 4 of each class."
        )
    if nodes * features > MAX_FEATURE_VALUES:
        raise WGNNError(
            f"csbm: {nodes} nodes with {features} features are {nodes * features} values; "
            f"at most {MAX_FEATURE_VALUES} are allowed."
        )
    num_edges = round(nodes * average_degree / 2)
    if num_edges > MAX_EDGES:
        raise WGNNError(f"csbm: {num_edges} edges are asked for; at most {MAX_EDGES} are allowed.")
    rng = np.random.default_rng(seed)
    sizes = np.bincount(np.arange(nodes) % classes)
    num_same = round(homophily * num_edges)
    edges = np.concatenate(
        [
            _pairs_within(rng, sizes, num_same),
            _pairs_across(rng, sizes, num_edges - num_same),
        ]
    )
    # Nodes were numbered class by class to draw the pairs; hide that order.
    order = rng.permutation(nodes)
    y = np.empty(nodes, dtype=np.int64)
    y[order] = np.repeat(np.arange(classes), sizes)
    per_class = min(20, nodes // (4 * classes))
    num_val = min(500, nodes // 4)
    return make_graph(
        "csbm",
        _gaussian_features(rng, y, features, separation),
        order[edges],
        y,
        [per_class_split(y, per_class, num_val, seed=seed)],
        class_names=[str(c) for c in range(classes)],
    )


def _gaussian_features(
    rng: np.random.Generator, y: IntArray, features: int, separation: float
) -> FloatArray:
    means = rng.standard_normal((int(y.max()) + 1, features), dtype=np.float32)
    means *= separation / np.linalg.norm(means, axis=1, keepdims=True)
    noise = rng.standard_normal((len(y), features), dtype=np.float32)
    noise += means[y]
    return noise


def _pairs_within(rng: np.random.Generator, sizes: IntArray, count: int) -> IntArray:
    """`count` distinct pairs of nodes of one class, uniformly, nodes numbered class by class."""
    blocks = sizes * (sizes - 1) // 2
    block, rank = _draw_ranks(rng, blocks, count, "within a class")
    # Pair (i, j), j < i, has rank i (i - 1) / 2 + j; the root is exact enough to be off by one.
    i = ((1 + np.sqrt(1 + 8 * rank.astype(np.float64))) / 2).astype(np.int64)
    i -= i * (i - 1) // 2 > rank
    i += (i + 1) * i // 2 <= rank
    starts = np.cumsum(sizes) - sizes
    pairs: IntArray = np.stack([i, rank - i * (i - 1) // 2], axis=1) + starts[block][:, None]
    return pairs


def _pairs_across(rng: np.random.Generator, sizes: IntArray, count: int) -> IntArray:
    """`count` distinct pairs of nodes of two classes, uniformly, nodes numbered class by class."""
    first, second = np.triu_indices(len(sizes), k=1)
    block, rank = _draw_ranks(rng, sizes[first] * sizes[second], count, "between classes")
    i, j = np.divmod(rank, sizes[second[block]])
    starts = np.cumsum(sizes) - sizes
    return np.stack([starts[first[block]] + i, starts[second[block]] + j], axis=1)


def _draw_ranks(
    rng: np.random.Generator, blocks: IntArray, count: int, where: str
) -> tuple[IntArray, IntArray]:
    """Draw from all pairs of all blocks without repetition: the block and the rank in it."""
    available = int(blocks.sum())
    if count > available:
        raise WGNNError(
            f"csbm: {count} edges {where} are asked for, but there are only {available} such "
            "pairs; lower average_degree or change homophily."
        )
    ranks = rng.choice(available, count, replace=False, shuffle=False)
    ends = np.cumsum(blocks)
    block = np.searchsorted(ends, ranks, side="right")
    return block, ranks - (ends - blocks)[block]
