import dataclasses
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from wgnn_core import ranking
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Split, make_graph
from wgnn_core.nonuniformity import nonuniformity
from wgnn_core.ranking import (
    RANKERS,
    SCORES,
    Ranker,
    accuracy_coverage,
    augrc,
    aurc,
    nearest_training_nodes,
    order,
    rank,
    score,
)


def random_graph(seed, nodes=24, edges=30, classes=3, train=8):
    rng = np.random.default_rng(seed)
    members = rng.permutation(nodes)
    masks = [np.isin(np.arange(nodes), part) for part in np.split(members, [train, train + 3])]
    pairs = np.array(nx.gnm_random_graph(nodes, edges, seed=seed).edges).reshape(-1, 2)
    y = rng.integers(0, classes, nodes)
    names = [str(c) for c in range(classes)]
    return make_graph("random", np.eye(nodes), pairs, y, [Split(*masks)], names)


def random_prob(graph, seed=0):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(graph.num_classes), graph.num_nodes).astype(np.float32)


def as_networkx(graph):
    g = nx.Graph(graph.edges.tolist())
    g.add_nodes_from(range(graph.num_nodes))
    return g


def brute_force_m1(graph, split):
    """(f1, f2) from all-pairs distances, straight from the definition."""
    distances = dict(nx.all_pairs_shortest_path_length(as_networkx(graph)))
    pairs = []
    for v in range(graph.num_nodes):
        reach = {r: distances[v][r] for r in np.flatnonzero(split.train) if r in distances[v]}
        if not reach:
            pairs.append((np.inf, np.nan))
            continue
        f1 = min(reach.values())
        argmin = [graph.y[r] for r, d in reach.items() if d == f1]
        pairs.append((f1, 1 - Counter(argmin).most_common(1)[0][1] / len(argmin)))
    return np.array(pairs).T


@given(
    seed=st.integers(0, 2**32 - 1),
    nodes=st.integers(12, 30),
    density=st.floats(0, 3),
    train=st.integers(1, 8),
    chunk=st.sampled_from([1, 2, 3, 512]),
)
def test_m1_equals_the_definition(seed, nodes, density, train, chunk):
    graph = random_graph(seed, nodes, int(density * nodes), train=train)
    split = graph.split(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "TRAINING_CHUNK", chunk)
        f1, f2 = nearest_training_nodes(graph.adjacency, split.train, graph.y)
    expected_f1, expected_f2 = brute_force_m1(graph, split)
    np.testing.assert_array_equal(f1, expected_f1)
    np.testing.assert_allclose(f2, expected_f2, atol=1e-12)


def test_m1_counts_nodes_and_not_paths():
    # 0 and 1 are training nodes at distance 2 from 5; 0 is reached over two paths, 1 over one.
    graph = make_graph(
        "paths",
        np.eye(7),
        [(0, 2), (0, 3), (1, 4), (2, 5), (3, 5), (4, 5)],
        [0, 1, 0, 0, 0, 0, 0],
        [Split(*(np.isin(np.arange(7), part) for part in ([0, 1], [6], [2, 3, 4, 5])))],
    )
    f1, f2 = nearest_training_nodes(graph.adjacency, graph.split(0).train, graph.y)
    assert (f1[5], f2[5]) == (2, 0.5)
    assert np.isinf(f1[6])
    assert np.isnan(f2[6])


@given(seed=st.integers(0, 2**32 - 1))
def test_m1_order_is_lexicographic_with_unreachable_nodes_last(seed):
    graph = random_graph(seed, edges=20)
    split = graph.split(0)
    f1, f2 = brute_force_m1(graph, split)
    expected = sorted(
        np.flatnonzero(split.test),
        key=lambda v: (f1[v], 0 if np.isinf(f1[v]) else round(f2[v], 9), v),
    )
    assert rank("m1", graph, split, random_prob(graph), 0).tolist() == expected


DEFINITIONS = {
    "w": lambda p: sum(abs(x - 1 / len(p)) for x in p),
    "max-softmax": max,
    "margin": lambda p: sorted(p)[-1] - sorted(p)[-2],
    "entropy": lambda p: sum(x * np.log(x) for x in p),
}


RANKER_OF = {"w": "m2"}
"""Problem 1 calls w by the paper's name of the method; the others have one name."""


@pytest.mark.parametrize("name", DEFINITIONS)
def test_scores_follow_their_definition_and_rankers_follow_the_scores(name):
    graph = random_graph(3, classes=4)
    prob = random_prob(graph).astype(np.float64)
    expected = [DEFINITIONS[name](row.tolist()) for row in prob]
    np.testing.assert_allclose(score(name, prob, 0), expected, atol=1e-12)
    ranked = rank(RANKER_OF.get(name, name), graph, graph.split(0), prob, 0)
    np.testing.assert_array_equal(ranked, order(score(name, prob, 0), graph.split(0).test))


def test_scores_differ_from_each_other():
    graph = random_graph(3, nodes=60, edges=80, classes=5)
    everywhere = np.ones(60, dtype=bool)
    orders = {tuple(order(score(n, random_prob(graph), 0), everywhere)) for n in SCORES}
    assert len(orders) == len(SCORES) == len(DEFINITIONS) + 1


@pytest.mark.parametrize("name", [n for n in SCORES if n != "random"])
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_a_sure_node_is_trusted_most_and_an_undecided_one_least(name, classes):
    sure, undecided = np.eye(classes)[0], np.full(classes, 1 / classes)
    between = 0.6 * sure + 0.4 * undecided
    prob = np.stack([undecided, sure, between]).astype(np.float32)
    assert np.argsort(score(name, prob, 0)).tolist() == [0, 2, 1]


@pytest.mark.parametrize("name", SCORES)
def test_every_score_is_a_finite_number_per_node(name):
    prob = np.array([[1, 0], [1 + 1e-8, -1e-8], [0.5, 0.5]], dtype=np.float32)
    scores = score(name, prob, 3)
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()


def test_random_scores_depend_on_the_seed_and_the_number_of_nodes_alone():
    first, second = np.full((9, 2), 0.5, np.float32), np.tile([0.2, 0.8], (9, 1)).astype(np.float32)
    np.testing.assert_array_equal(score("random", first, 4), score("random", second, 4))
    assert (score("random", first, 4) != score("random", first, 5)).all()


def test_scores_refuse_unknown_names_and_logits():
    with pytest.raises(WGNNError, match="'m1'; it must be one of w, margin, max-softmax, entropy"):
        score("m1", np.full((2, 2), 0.5, dtype=np.float32), 0)
    with pytest.raises(WGNNError, match="sum to 1"):
        score("margin", np.array([[3.0, -1.0]], dtype=np.float32), 0)


@pytest.mark.parametrize("name", RANKERS)
def test_every_ranker_orders_exactly_the_test_nodes_and_repeats(name):
    graph = random_graph(5)
    prob, correct = random_prob(graph), np.arange(graph.num_nodes) % 2 == 0
    first, second = (rank(name, graph, graph.split(0), prob, 7, correct) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(np.sort(first), np.flatnonzero(graph.split(0).test))
    assert RANKERS[name].title


@pytest.mark.parametrize("name", [n for n in RANKERS if n != "oracle"])
def test_no_ranker_but_the_oracle_sees_labels_outside_the_training_set(name):
    graph = random_graph(6)
    split = graph.split(0)
    changed = np.where(split.train, graph.y, (graph.y + 1) % 3)
    other = dataclasses.replace(graph, y=changed)
    prob, correct = random_prob(graph), np.arange(graph.num_nodes) % 2 == 0
    np.testing.assert_array_equal(
        rank(name, graph, split, prob, 1, correct), rank(name, other, split, prob, 1, ~correct)
    )


@pytest.mark.parametrize("sees_correct", [True, False])
def test_correctness_is_handed_only_to_a_ranker_that_declares_it(monkeypatch, sees_correct):
    seen = []

    def spy(evidence):
        seen.append(evidence.correct is not None)
        return np.zeros(evidence.graph.num_nodes)

    monkeypatch.setitem(RANKERS, "spy", Ranker("spy", spy, sees_correct=sees_correct))
    graph = random_graph(6)
    rank("spy", graph, graph.split(0), random_prob(graph), 0, np.ones(graph.num_nodes, dtype=bool))
    assert seen == [sees_correct]
    assert [name for name, r in RANKERS.items() if r.sees_correct and name != "spy"] == ["oracle"]


def test_random_ranker_depends_on_the_seed_alone():
    graph = random_graph(6)
    orders = [
        rank("random", graph, graph.split(0), random_prob(graph, s), seed).tolist()
        for s, seed in [(0, 1), (9, 1), (0, 2)]
    ]
    assert orders[0] == orders[1] != orders[2]


def test_order_breaks_ties_by_node_number():
    score = np.array([1.0, 2.0, 1.0, 2.0, 1.0, 9.0])
    mask = np.array([True, True, True, True, True, False])
    assert order(score, mask).tolist() == [1, 3, 0, 2, 4]


def test_order_refuses_nan():
    with pytest.raises(WGNNError, match="node 2 is nan"):
        order(np.array([0, 1, np.nan]), np.array([True, True, True]))


def test_unknown_ranker_and_blind_oracle_are_refused():
    graph = random_graph(1)
    with pytest.raises(WGNNError, match="'m3'; it must be one of m1, m2"):
        rank("m3", graph, graph.split(0), random_prob(graph), 0)
    with pytest.raises(WGNNError, match="oracle"):
        rank("oracle", graph, graph.split(0), random_prob(graph), 0)


outcomes = st.lists(st.booleans(), min_size=1, max_size=40).map(np.array)


@given(outcomes, st.lists(st.integers(1, 100), min_size=1, max_size=6))
@example(np.array([True] * 7 + [False] * 93), [7])  # 0.07 * 100 is just above 7 in floats
def test_accuracy_coverage_equals_a_loop(correct, percents):
    expected = []
    for percent in percents:
        size = -(-percent * len(correct) // 100)
        expected.append(100 * sum(bool(c) for c in correct[:size]) / size)
    alphas = np.array(percents) / 100
    np.testing.assert_allclose(accuracy_coverage(correct, alphas), expected)


def test_full_coverage_is_the_accuracy_and_order_does_not_matter_there():
    correct = np.array([True, False, True, True])
    assert accuracy_coverage(correct, [1.0])[0] == 75
    assert accuracy_coverage(correct[::-1], [1.0])[0] == 75


@pytest.mark.parametrize("alpha", [0.0, -0.5, 1.01, np.nan])
def test_alpha_out_of_range_is_refused(alpha):
    with pytest.raises(WGNNError, match=f"alpha is {alpha}"):
        accuracy_coverage(np.array([True]), [0.5, alpha])


@pytest.mark.parametrize("curve", [aurc, augrc, lambda c: accuracy_coverage(c, [1.0])])
def test_curves_of_nothing_are_refused(curve):
    with pytest.raises(WGNNError, match="0 ranked nodes"):
        curve(np.array([], dtype=bool))


@given(outcomes)
def test_aurc_equals_a_loop(correct):
    risks = [np.mean(~correct[:k]) for k in range(1, len(correct) + 1)]
    assert aurc(correct) == pytest.approx(np.mean(risks))


@given(outcomes)
def test_augrc_equals_its_closed_form(correct):
    accuracy = correct.mean()
    confidence = -np.arange(len(correct))
    mixed = 0 < accuracy < 1
    auroc = roc_auc_score(correct, confidence) if mixed else 1.0
    expected = (1 - auroc) * accuracy * (1 - accuracy) + (1 - accuracy) ** 2 / 2
    assert augrc(correct) == pytest.approx(expected)


@pytest.mark.parametrize("area", [aurc, augrc])
@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("seed", range(5))
def test_oracle_is_best_and_its_reverse_worst(area, name, seed):
    graph = random_graph(seed)
    split, prob = graph.split(0), random_prob(graph, seed)
    correct = prob.argmax(axis=1) == graph.y
    best = correct[rank("oracle", graph, split, prob, seed, correct)]
    value = area(correct[rank(name, graph, split, prob, seed, correct)])
    assert area(best) <= value <= area(best[::-1])
    assert area(best) < area(best[::-1])


def test_m2_is_w():
    graph = random_graph(2)
    prob = random_prob(graph)
    expected = order(nonuniformity(prob), graph.split(0).test)
    np.testing.assert_array_equal(rank("m2", graph, graph.split(0), prob, 0), expected)
