"""An epidemic on a tree, with the sizes of the paper's Disease graph."""

from __future__ import annotations

import networkx as nx
import numpy as np
import numpy.typing as npt

from wgnn_core.datasets.splits import ten_stratified_splits
from wgnn_core.graph import BoolArray, Graph, IntArray, make_graph

NODES = 1044
FEATURES = 1000
INFECTED_SHARE = 0.2
"""Disease has 211 infected of 1044; imported cases are added until this share has fallen ill."""

SUSCEPTIBILITY = (0.3, 0.9)
"""Shape of a beta distribution: most people are hardly susceptible, some are very."""

INHERITED = 0.7
"""Share of people who have their parent's susceptibility, as it runs in families."""

RECOVERY = 0.3
RISK_FEATURES = 100
BASE_RATE = 0.01
RISK_RATE = 0.2


def disease_sim(seed: int) -> Graph:
    """Draw a tree and let an SIR epidemic run over it; the label says who ever fell ill.

    Each person has a susceptibility in [0, 1]. At each step an infected person infects each
    neighbour who was never ill with that neighbour's susceptibility as probability, and recovers
    with probability `RECOVERY`. The first `RISK_FEATURES` of the binary features are more
    frequent in the susceptible, the others are noise.
    """
    rng = np.random.default_rng(seed)
    tree = nx.random_labeled_tree(NODES, seed=seed)
    edges = np.array(tree.edges, dtype=np.int64)
    susceptibility = rng.beta(*SUSCEPTIBILITY, NODES)
    inherits = rng.random(NODES) < INHERITED
    for parent, child in nx.bfs_edges(tree, 0):
        if inherits[child]:
            susceptibility[child] = susceptibility[parent]
    y = _epidemic(rng, edges, susceptibility).astype(np.int64)
    rate = np.full((NODES, FEATURES), BASE_RATE)
    rate[:, :RISK_FEATURES] += RISK_RATE * susceptibility[:, None]
    x = (rng.random((NODES, FEATURES)) < rate).astype(np.float32)
    return make_graph(
        "disease-sim",
        x,
        edges,
        y,
        ten_stratified_splits(y, 0.3, 0.1),
        class_names=("healthy", "infected"),
    )


def _epidemic(
    rng: np.random.Generator, edges: IntArray, susceptibility: npt.NDArray[np.float64]
) -> BoolArray:
    """Who was ever infected, after enough outbreaks from imported cases."""
    n = len(susceptibility)
    source, target = np.concatenate([edges, edges[:, ::-1]]).T
    ever = np.zeros(n, dtype=np.bool_)
    while ever.sum() < INFECTED_SHARE * n:
        chance = np.where(ever, 0.0, susceptibility)
        infected = np.zeros(n, dtype=np.bool_)
        infected[rng.choice(n, p=chance / chance.sum())] = True
        ever |= infected
        while infected.any():
            contact = infected[source] & ~ever[target]
            hit = rng.random(len(source)) < susceptibility[target]
            fresh = np.zeros(n, dtype=np.bool_)
            fresh[target[contact & hit]] = True
            infected = (infected & (rng.random(n) >= RECOVERY)) | fresh
            ever |= fresh
    return ever
