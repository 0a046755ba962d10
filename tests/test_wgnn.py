"""The pipeline: what is retrained on what, how it is scored, and that nothing leaks."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.by_hand import wgnn_by_hand
from wgnn_core.edgedrop import EdgeDrop
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph, Split
from wgnn_core.intervention import Base, Intervention, Plan, make_plan
from wgnn_core.models import make_model
from wgnn_core.nonuniformity import nonuniformity
from wgnn_core.replicas.engine import EngineOptions
from wgnn_core.replicas.model import Model
from wgnn_core.supplement import Supplement
from wgnn_core.wgnn import (
    Outcome,
    Trial,
    accuracy,
    base_row,
    carried,
    check_seeds,
    retrain,
    train_base,
)

MODEL = make_model("gcn", epochs=30)
FULL = Intervention(0.5, 0.6, 0.5)


@pytest.fixture(scope="module")
def base(csbm_small: Graph) -> Base:
    return train_base(csbm_small, MODEL, 3)


@pytest.fixture(scope="module")
def outcomes(base: Base) -> list[Outcome]:
    return wgnn(base, FULL)


def wgnn(base: Base, intervention: Intervention) -> list[Outcome]:
    """One outcome for each seed of the base model."""
    return list(retrain(base, [Trial(intervention, i) for i in range(len(base.seeds))]))


def assert_equal(mine: Sequence[Outcome], theirs: Sequence[Outcome]) -> None:
    for a, b in zip(mine, theirs, strict=True):
        assert replace(a.row, position=0) == replace(b.row, position=0)
        np.testing.assert_array_equal(a.predicted, b.predicted)
        np.testing.assert_array_equal(a.w, b.w)


@pytest.mark.parametrize("asked", [Intervention(), Intervention(0.0, 0.7, 0.0)])
def test_without_change_the_base_model_comes_out_again(base: Base, asked: Intervention) -> None:
    """So nobody trains it: its row says what this training would."""
    for position, outcome in enumerate(wgnn(base, asked)):
        np.testing.assert_array_equal(outcome.predicted, base.predicted[position])
        np.testing.assert_array_equal(outcome.w, base.w[position])
        assert replace(outcome.row, intervention=Intervention()) == base_row(base, position)


@pytest.mark.parametrize("variant", ["wgnn", "wgnn1", "wgnn2"])
@pytest.mark.parametrize("pool", ["all", "test"])
def test_equal_to_the_pipeline_by_hand(
    csbm_small: Graph, base: Base, variant: str, pool: str
) -> None:
    asked = replace(FULL.of(variant), pool=pool)  # type: ignore[arg-type]
    for position, outcome in enumerate(wgnn(base, asked)):
        theirs = wgnn_by_hand(csbm_small, MODEL, position, asked.etas, pool)
        np.testing.assert_allclose(base.prob[position], theirs.base_prob, atol=1e-6)
        assert base.val[position] == theirs.base_val
        assert base.test[position] == pytest.approx(theirs.base_test)
        assert outcome.row.val == theirs.val
        assert outcome.row.test == pytest.approx(theirs.test)
        assert outcome.row.test_retrained == pytest.approx(theirs.test_retrained)
        assert outcome.row.edges_dropped == theirs.dropped
        assert outcome.row.pseudo_labels == len(theirs.added)
        assert outcome.row.pseudo_right == theirs.pseudo_right
        np.testing.assert_array_equal(outcome.predicted, theirs.second)
        np.testing.assert_allclose(outcome.w, theirs.w, atol=1e-5)


def test_same_config_and_seed_give_the_same_numbers(
    csbm_small: Graph, outcomes: list[Outcome]
) -> None:
    assert_equal(outcomes, wgnn(train_base(csbm_small, MODEL, 3), FULL))


@pytest.mark.parametrize("name", ["gcn", "gat", "dropedge"])
def test_a_seed_gives_the_same_numbers_alone(csbm_small: Graph, name: str) -> None:
    """Although replicas with other training sets R' are in the batch."""
    model = make_model(name, epochs=20)
    many = wgnn(train_base(csbm_small, model, 3), FULL)
    assert_equal(wgnn(train_base(csbm_small, model, [2]), FULL), many[2:])


def test_order_and_cut_of_trials_change_nothing(base: Base) -> None:
    asked = [Intervention(a, b, b) for a in (0.2, 0.6) for b in (0.3, 0.7)]
    trials = [Trial(one, position) for one in asked for position in range(3)]
    forward = list(retrain(base, trials))
    backward = list(retrain(base, trials[::-1], EngineOptions(threads=1)))
    assert [o.row for o in forward] == [o.row for o in backward[::-1]]
    assert [(o.row.intervention, o.row.position) for o in forward] == [
        (t.intervention, t.position) for t in trials
    ]


def test_the_two_tallies_differ_only_on_added_nodes(csbm_small: Graph) -> None:
    y, test = csbm_small.y, csbm_small.split(0).test
    wrong = (y + 1) % csbm_small.num_classes
    for added, expected in ((test, 100.0), (np.zeros_like(test), 0.0)):
        mask = np.zeros(csbm_small.num_edges, dtype=bool)
        plan = Plan(Supplement(added, added, y), EdgeDrop(mask, mask, mask, test))
        assert accuracy(csbm_small, 0, carried(y, wrong, plan)) == expected
    assert accuracy(csbm_small, 0, wrong) == 0.0


def test_ablation_uses_one_algorithm_each(base: Base) -> None:
    for position in range(3):
        first = make_plan(base, position, FULL.of("wgnn1"))
        assert first.supplement.added.any()
        assert first.edge_drop.kept.all()
        second = make_plan(base, position, FULL.of("wgnn2"))
        assert not second.supplement.added.any()
        assert second.edge_drop.dropped.any()


def test_plans_and_retraining_do_not_depend_on_test_labels(
    csbm_small: Graph, base: Base, outcomes: list[Outcome]
) -> None:
    """With every test label replaced, plans, trainings and predictions stay what they were."""
    split = csbm_small.split(0)
    lie = np.where(split.test, (csbm_small.y + 1) % csbm_small.num_classes, csbm_small.y)
    other = train_base(replace(csbm_small, y=lie), MODEL, 3)
    np.testing.assert_array_equal(other.prob, base.prob)
    for position, (honest, lied) in enumerate(zip(outcomes, wgnn(other, FULL), strict=True)):
        plans = [make_plan(b, position, FULL) for b in (base, other)]
        np.testing.assert_array_equal(plans[0].supplement.labels, plans[1].supplement.labels)
        np.testing.assert_array_equal(plans[0].supplement.added, plans[1].supplement.added)
        np.testing.assert_array_equal(plans[0].edge_drop.kept, plans[1].edge_drop.kept)
        np.testing.assert_array_equal(honest.w, lied.w)
        np.testing.assert_array_equal(honest.predicted, lied.predicted)
        assert honest.row.val == lied.row.val
        assert honest.row.test != lied.row.test


def test_pool_test_drops_only_between_test_nodes(csbm_small: Graph, base: Base) -> None:
    plan = make_plan(base, 0, Intervention(0.0, 1.0, 1.0, pool="test"))
    test = csbm_small.split(0).test
    assert plan.edge_drop.dropped.any()
    assert test[csbm_small.edges[plan.edge_drop.dropped]].all()
    everywhere = make_plan(base, 0, Intervention(0.0, 1.0, 1.0))
    assert not test[csbm_small.edges[everywhere.edge_drop.dropped]].all()


def test_seed_i_uses_split_i(csbm_small: Graph) -> None:
    first = csbm_small.split(0)
    turned = Split(first.train, first.test, first.val)
    two = replace(csbm_small, splits=(first, turned))
    both = train_base(two, MODEL, 2)
    second = train_base(replace(csbm_small, splits=(turned,)), MODEL, [1])
    np.testing.assert_array_equal(both.prob[1], second.prob[0])
    assert both.test[1] == second.test[0]
    assert_equal(wgnn(both, FULL)[1:], wgnn(second, FULL))


def test_w_is_that_of_the_base_probabilities(base: Base) -> None:
    np.testing.assert_array_equal(base.w, nonuniformity(base.prob))
    np.testing.assert_allclose(base.prob.sum(-1), 1, rtol=1e-5)


@pytest.mark.parametrize("seeds", [0, -1, 1001, [], [1, 1], [-2]])
def test_bad_seeds_are_refused(seeds: int | list[int]) -> None:
    with pytest.raises(WGNNError, match=r"seeds? (asked|are)"):
        check_seeds(seeds)


def test_nothing_to_retrain_trains_nothing(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "adapt", None)
    assert list(retrain(base, [])) == []
