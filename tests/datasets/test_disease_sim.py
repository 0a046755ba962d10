from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from wgnn_core import datasets
from wgnn_core.datasets.disease_sim import _epidemic


@pytest.mark.parametrize("seed", range(5))
def test_sizes_tree_and_classes(seed):
    graph = datasets.load("disease-sim", seed=seed)
    assert (graph.num_nodes, graph.num_edges, graph.num_features) == (1044, 1043, 1000)
    assert nx.is_tree(nx.from_edgelist(graph.edges.tolist()))
    assert 0.2 <= graph.y.mean() <= 0.35
    split = graph.split(0)
    assert (split.train.sum(), split.val.sum(), split.test.sum()) == (313, 104, 627)
    assert len(graph.splits) == 10


def test_smoothed_features_beat_the_majority_and_raw_ones():
    """One linear layer on features averaged over two hops, which is what a GCN can do at least."""
    gains, over_raw = [], []
    for seed in range(3):
        graph = datasets.load("disease-sim", seed=seed)
        split = graph.split(0)
        loops = graph.adjacency + sparse.eye_array(graph.num_nodes)
        scale = sparse.diags_array(1 / np.sqrt(loops.sum(axis=1)))
        step = scale @ loops @ scale
        scores = []
        for x in (graph.x, step @ step @ graph.x):
            model = LogisticRegression(max_iter=3000).fit(x[split.train], graph.y[split.train])
            scores.append(model.score(x[split.test], graph.y[split.test]))
        gains.append(scores[1] - (1 - graph.y[split.test].mean()))
        over_raw.append(scores[1] - scores[0])
    assert np.mean(gains) > 0.04
    assert np.mean(over_raw) > 0.02


def test_the_immune_never_fall_ill_and_certain_infection_spreads_everywhere():
    path = np.array([(i, i + 1) for i in range(9)])
    susceptibility = np.array([1.0] * 5 + [0.0] + [1.0] * 4)
    ever = _epidemic(np.random.default_rng(0), path, susceptibility)
    assert not ever[5]
    assert ever[:5].all() or ever[6:].all()
