"""Self-training: how many nodes, which ones, and that nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax

from wgnn_core import datasets
from wgnn_core.comparators import make_method
from wgnn_core.comparators.self_training import (
    most_confident,
    most_confident_share,
    original_quota,
)
from wgnn_core.errors import WGNNError
from wgnn_core.replicas.engine import train_all
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.wgnn import train_base


def walk(prob, candidates, quota):
    """The original's rule: by falling confidence, while the class has room."""
    room, added = list(quota), np.zeros(len(prob), dtype=bool)
    for node in np.argsort(-prob.max(1), kind="stable"):
        k = prob[node].argmax()
        if candidates[node] and room[k] > 0:
            added[node], room[k] = True, room[k] - 1
    return added


@pytest.mark.parametrize("seed", range(5))
def test_reference(seed) -> None:
    rng = np.random.default_rng(seed)
    prob = rng.dirichlet(np.ones(3), 60).astype(np.float32)
    candidates, quota = rng.random(60) < 0.7, np.array([4, 0, 100])
    ours = most_confident(prob, candidates, quota)
    np.testing.assert_array_equal(ours, walk(prob, candidates, quota))
    assert ours.any()


@pytest.mark.parametrize("share", [0.0, 0.29, 1.0])
def test_a_share_of_all_candidates(share) -> None:
    rng = np.random.default_rng(0)
    prob = rng.dirichlet(np.ones(3), 200).astype(np.float32)
    candidates = np.arange(200) % 2 == 0
    added = most_confident_share(prob, candidates, share)
    assert added.sum() == round(share * 100)
    assert not (added & ~candidates).any()
    left = candidates & ~added
    if added.any() and left.any():
        assert prob[added].max(1).min() >= prob[left].max(1).max()


def test_share_replaces_the_count_rule(csbm_small) -> None:
    model = make_method("self-training", preset="share", epochs=10)
    split = csbm_small.split(0)
    candidates = ~split.train & ~split.val
    assert train_base(csbm_small, model, 1).joined == int(0.6 * candidates.sum())
    with pytest.raises(WGNNError, match="per_class is 5 and share is 0"):
        make_method("self-training", per_class=5, share=0.5)


def test_the_original_count_rule(csbm_small) -> None:
    degree = 2 * csbm_small.num_edges / csbm_small.num_nodes
    eta = 300 / degree**2
    sizes = np.array([10, 20, 30])
    expected = [int(3 * eta * s / 60) for s in sizes]
    np.testing.assert_array_equal(original_quota(csbm_small, sizes), expected)


@pytest.mark.dataset
@pytest.mark.parametrize(("name", "each"), [("cora", 76), ("citeseer", 222), ("pubmed", 975)])
def test_counts_on_the_benchmarks(raw_data, name, each) -> None:
    """CiteSeer's raw list of edges, with its loops and repetitions, would give 216."""
    graph = datasets.load(name)
    sizes = np.bincount(graph.y[graph.split(0).train])
    np.testing.assert_array_equal(original_quota(graph, sizes), each)


def test_pseudo_labels_come_from_the_base_model_and_spare_validation(csbm_small, adapted) -> None:
    model = make_method("self-training", per_class=5, epochs=20)
    seeds = np.array([0, 3])
    plain = make_method("gcn", decay_all=True, epochs=20)
    first = train_all(plain, csbm_small, Trainings.of_seeds(csbm_small, seeds))
    trainings = adapted(model, csbm_small, seeds)
    for k, seed in enumerate(seeds):
        split = csbm_small.split(int(seed))
        added = (trainings.weight[k] > 0) & ~split.train
        assert added.sum() == 15
        assert not (added & split.val).any()
        prob = softmax(first.logits[k], axis=-1)
        np.testing.assert_array_equal(trainings.labels[k][added], prob.argmax(1)[added])
        np.testing.assert_array_equal(trainings.val[k], split.val)


def test_the_number_of_added_nodes_is_reported(csbm_small) -> None:
    model = make_method("self-training", per_class=5, epochs=10)
    np.testing.assert_array_equal(train_base(csbm_small, model, 2).joined, [15, 15])
    renode = make_method("renode", epochs=5)
    np.testing.assert_array_equal(train_base(csbm_small, renode, 2).joined, 0)


def test_progress_counts_both_trainings(csbm_small) -> None:
    model, seen = make_method("self-training", per_class=5, epochs=10), []
    train_base(csbm_small, model, 2, progress=lambda event: not seen.append(event.done))
    assert seen[-1] == 2
    assert max(seen) == 2


def test_test_labels_play_no_part(csbm_small) -> None:
    model = make_method("self-training", per_class=5, epochs=10)
    test = csbm_small.split(0).test
    other = replace(csbm_small, y=np.where(test, (csbm_small.y + 1) % 3, csbm_small.y))
    a, b = (train_base(graph, model, 1) for graph in (csbm_small, other))
    assert a.val == b.val
    assert a.test != b.test
