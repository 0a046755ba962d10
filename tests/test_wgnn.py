"""The pipeline: what is retrained on what, how it is scored, and that nothing leaks."""

from dataclasses import replace

import numpy as np
import pytest

from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph, Split
from wgnn_core.models import make_model
from wgnn_core.nonuniformity import nonuniformity
from wgnn_core.wgnn import (
    Base,
    Etas,
    WGNNResult,
    check_seeds,
    make_plan,
    plan_trainings,
    run_wgnn,
    tally,
    train_base,
)

MODEL = make_model("gcn", epochs=30)


@pytest.fixture(scope="module")
def base(csbm_small: Graph) -> Base:
    return train_base(csbm_small, MODEL, 3)


@pytest.fixture(scope="module")
def result(csbm_small: Graph, base: Base) -> WGNNResult:
    return run_wgnn(csbm_small, MODEL, 0.5, 0.6, 0.5, ablation=True, base=base)


def test_all_etas_zero_is_the_base_model(csbm_small: Graph, base: Base) -> None:
    same = run_wgnn(csbm_small, MODEL, 0, 0, 0, base=base)
    np.testing.assert_array_equal(same.wgnn.prob, base.prob)
    np.testing.assert_array_equal(same.wgnn.test, base.test)
    assert same.comparison().difference == 0


def test_same_config_and_seed_give_the_same_numbers(csbm_small: Graph, result: WGNNResult) -> None:
    again = run_wgnn(csbm_small, MODEL, 0.5, 0.6, 0.5, 3, ablation=True)
    for name, scores in result.variants.items():
        np.testing.assert_array_equal(scores.prob, again.variants[name].prob)


@pytest.mark.parametrize("name", ["gcn", "gat", "dropedge"])
def test_a_seed_gives_the_same_numbers_alone(csbm_small: Graph, name: str) -> None:
    """Although replicas with other training sets R' are in the batch."""
    model = make_model(name, epochs=20)
    many = run_wgnn(csbm_small, model, 0.5, 0.6, 0.5, 3)
    alone = run_wgnn(csbm_small, model, 0.5, 0.6, 0.5, [2])
    np.testing.assert_array_equal(alone.wgnn.prob[0], many.wgnn.prob[2])


def test_tally_by_hand(csbm_small: Graph, result: WGNNResult) -> None:
    """Added nodes count with their first prediction, the others with the second."""
    for k, seed in enumerate(result.base.seeds):
        first, second = result.base.prob[k].argmax(-1), result.wgnn.prob[k].argmax(-1)
        added = result.wgnn.plans[k].supplement.added
        nodes = np.flatnonzero(csbm_small.split(int(seed)).test)
        right = [(first if added[v] else second)[v] == csbm_small.y[v] for v in nodes]
        assert result.wgnn.test[k] == pytest.approx(100 * np.mean(right))
        own = [second[v] == csbm_small.y[v] for v in nodes]
        assert result.wgnn.test_retrained[k] == pytest.approx(100 * np.mean(own))


def test_the_two_tallies_differ_only_on_added_nodes(csbm_small: Graph) -> None:
    y, test = csbm_small.y, csbm_small.split(0).test
    wrong = (y + 1) % csbm_small.num_classes
    everything, nothing = test.copy(), np.zeros_like(test)
    assert tally(csbm_small, 0, y, wrong, everything) == (100.0, 0.0)
    assert tally(csbm_small, 0, y, wrong, nothing) == (0.0, 0.0)


def test_ablation_uses_one_algorithm_each(result: WGNNResult) -> None:
    for plan in result.variants["wgnn1"].plans:
        assert plan.supplement.added.any()
        assert plan.edge_drop.kept.all()
    for plan in result.variants["wgnn2"].plans:
        assert not plan.supplement.added.any()
        assert plan.edge_drop.dropped.any()


def test_plans_and_retraining_do_not_depend_on_test_labels(csbm_small: Graph, base: Base) -> None:
    """With every test label replaced, plans and trainings stay what they were."""
    split = csbm_small.split(0)
    lie = np.where(split.test, (csbm_small.y + 1) % csbm_small.num_classes, csbm_small.y)
    liar = replace(csbm_small, y=lie)
    other = train_base(liar, MODEL, 3)
    np.testing.assert_array_equal(other.prob, base.prob)
    etas = Etas(0.5, 0.6, 0.5)
    plans = [[make_plan(b, run, etas) for run in range(3)] for b in (base, other)]
    honest, lied = (
        plan_trainings(b, range(3), p) for b, p in zip((base, other), plans, strict=True)
    )
    np.testing.assert_array_equal(honest.labels, lied.labels)
    np.testing.assert_array_equal(honest.weight, lied.weight)
    np.testing.assert_array_equal(honest.kept_edges, lied.kept_edges)


def test_pool_test_drops_only_between_test_nodes(csbm_small: Graph, base: Base) -> None:
    plan = make_plan(base, 0, Etas(0, 1.0, 1.0), "test")
    test = csbm_small.split(0).test
    assert plan.edge_drop.dropped.any()
    assert test[csbm_small.edges[plan.edge_drop.dropped]].all()


def test_run_i_uses_split_i(csbm_small: Graph) -> None:
    first = csbm_small.split(0)
    turned = Split(first.train, first.test, first.val)
    two = replace(csbm_small, splits=(first, turned))
    both = train_base(two, MODEL, 2)
    second = train_base(replace(csbm_small, splits=(turned,)), MODEL, [1])
    np.testing.assert_array_equal(both.prob[1], second.prob[0])
    assert both.test[1] == second.test[0]


def test_pseudo_label_accuracy_by_hand(csbm_small: Graph, result: WGNNResult) -> None:
    expected = []
    for predicted, plan in zip(result.base.predicted, result.wgnn.plans, strict=True):
        nodes = np.flatnonzero(plan.supplement.added)
        expected.append(100 * np.mean([predicted[v] == csbm_small.y[v] for v in nodes]))
    assert result.pseudo_label_accuracy() == pytest.approx(expected)


def test_w_is_that_of_the_base_probabilities(base: Base) -> None:
    np.testing.assert_array_equal(base.w, nonuniformity(base.prob))
    np.testing.assert_allclose(base.prob.sum(-1), 1, rtol=1e-5)


@pytest.mark.parametrize("seeds", [0, -1, 1001, [], [1, 1], [-2]])
def test_bad_seeds_are_refused(seeds: int | list[int]) -> None:
    with pytest.raises(WGNNError, match=r"seeds? (asked|are)"):
        check_seeds(seeds)


def test_bad_pool_is_refused_before_training(csbm_small: Graph) -> None:
    with pytest.raises(WGNNError, match="'all' or 'test'"):
        run_wgnn(csbm_small, MODEL, 0.1, 0.1, 0.1, 1, pool="train")  # type: ignore[arg-type]
