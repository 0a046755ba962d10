"""The one value of wGNN: what it means, what comes to the same, what its knobs decide."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core.edgedrop import drop_edges
from wgnn_core.errors import WGNNError
from wgnn_core.fields import knobs
from wgnn_core.graph import Graph
from wgnn_core.intervention import (
    ETAS,
    SAME,
    VARIANTS,
    Base,
    Intervention,
    edge_models,
    make_plan,
)
from wgnn_core.models import MODELS, make_model
from wgnn_core.ranking import SCORES, order, score
from wgnn_core.wgnn import Trial, retrain, train_base

MODEL = make_model("gcn", epochs=15)
ETA = st.sampled_from([0.0, 0.3, 1.0]) | st.floats(0.0, 1.0)
INTERVENTIONS = st.builds(
    Intervention,
    *(ETA for _ in ETAS),
    **{knob.name: st.sampled_from(knob.choices) for knob in knobs(Intervention) if knob.choices},
)
OTHERS: dict[str, Any] = {
    "pool": "test", "ranker": "margin", "edge_ranker": "entropy", "edge_model": "gat",
}  # fmt: skip


@pytest.fixture(scope="module")
def base(csbm_small: Graph) -> Base:
    other = train_base(csbm_small, make_model("gat", epochs=10), 2)
    return replace(train_base(csbm_small, MODEL, 2), edge_models={"gat": other})


def trained(base: Base, asked: Intervention) -> tuple[np.ndarray, np.ndarray]:
    """Predictions and w of both seeds."""
    found = list(retrain(base, [Trial(asked, position) for position in (0, 1)]))
    return np.stack([o.predicted for o in found]), np.stack([o.w for o in found])


def test_every_knob_is_tried_here() -> None:
    assert {knob.name for knob in knobs(Intervention)} == {*ETAS, *OTHERS}


@given(INTERVENTIONS)
def test_canonical_is_one_for_all_that_are_equal(asked: Intervention) -> None:
    plain = asked.canonical
    assert plain.canonical == plain
    assert (plain.is_base, plain.drops_edges) == (asked.is_base, asked.drops_edges)
    assert plain == Intervention() or not plain.is_base
    if asked.eta0 == 0:
        assert plain.ranker == "w"
    if not asked.drops_edges:
        assert replace(plain, eta0=0.0, ranker="w") == Intervention()
    assert plain.variant == asked.variant


@pytest.mark.parametrize("etas", [(0.5, 0.6, 0.5), (0.5, 0.0, 0.5), (0.5, 0.6, 0), (0, 0.6, 0.5)])
def test_canonical_trains_the_same_bits(base: Base, etas: tuple[float, float, float]) -> None:
    asked = Intervention(*etas, **OTHERS)
    for mine, theirs in zip(trained(base, asked), trained(base, asked.canonical), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("name", OTHERS)
def test_each_knob_changes_the_training_and_is_kept(base: Base, name: str) -> None:
    plain = Intervention(0.5, 0.6, 0.5)
    other = replace(plain, **{name: OTHERS[name]})
    assert other.canonical == other
    assert not np.array_equal(trained(base, plain)[1], trained(base, other)[1])


@given(INTERVENTIONS)
def test_parts(asked: Intervention) -> None:
    one, two = asked.of("wgnn1"), asked.of("wgnn2")
    assert one.etas == (asked.eta0, 0, 0)
    assert two.etas == (0, asked.eta1, asked.eta2)
    assert asked.of("wgnn") == asked
    assert one.others == two.others == asked.others
    assert asked.at(0.1, 0.2, 0.3).etas == (0.1, 0.2, 0.3)
    assert asked.at(*asked.etas) == asked
    if not asked.is_base:
        assert asked.of(asked.variant).canonical == asked.canonical
    assert asked.name == ("base model" if asked.is_base else VARIANTS[asked.variant])


@pytest.mark.parametrize(
    ("asked", "text", "command"),
    [
        (Intervention(0.8, 0.3, 0.4), "η₀ = 0.8, η₁ = 0.3, η₂ = 0.4", "0.8,0.3,0.4"),
        (Intervention(), "η₀ = 0, η₁ = 0, η₂ = 0", "0,0,0"),
        (
            Intervention(1, 0.3, 0.4, "test", edge_ranker="random", edge_model="gat"),
            "η₀ = 1, η₁ = 0.3, η₂ = 0.4, pool test, edge ranker random, edge model gat",
            "1,0.3,0.4,pool=test,edge_ranker=random,edge_model=gat",
        ),
    ],
)
def test_text(asked: Intervention, text: str, command: str) -> None:
    assert asked.text == text
    assert str(asked) == command


@given(INTERVENTIONS)
def test_what_is_written_is_read_back(asked: Intervention) -> None:
    assert Intervention.read(str(asked)) == asked


@pytest.mark.parametrize(
    ("given_values", "sentence"),
    [
        ({"eta0": 1.5}, "eta0 is 1.5; it must lie between 0 and 1."),
        ({"eta2": float("nan")}, "eta2 is nan; it must lie between 0 and 1."),
        ({"pool": "train"}, "pool is 'train'; it must be one of all, test."),
        ({"ranker": "m1"}, f"ranker is 'm1'; it must be one of {', '.join(SCORES)}."),
        ({"edge_ranker": "W"}, f"edge_ranker is 'W'; it must be one of {', '.join(SCORES)}."),
        (
            {"edge_model": "gnc"},
            f"edge_model is 'gnc'; it must be one of same, {', '.join(MODELS)}.",
        ),
    ],
)
def test_a_wrong_value_is_refused_with_a_sentence(
    given_values: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(WGNNError) as caught:
        Intervention(**given_values)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("text", ["", "0.1,0.2", "0.1,0.2,0.3,0.4", "0,0,0,eta0=1", "0,0,0,luck=1"])
def test_a_text_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(WGNNError, match=r"is no intervention|must be a number"):
        Intervention.read(text)


def test_every_ranker_gives_another_order(csbm_small: Graph, base: Base) -> None:
    test = csbm_small.split(0).test
    orders = {name: order(score(name, base.prob[0], 0), test).tolist() for name in SCORES}
    for one, two in combinations(orders, 2):
        assert orders[one] != orders[two], (one, two)


@pytest.mark.parametrize("name", SCORES)
def test_algorithm_1_adds_the_first_and_algorithm_2_forms_v_of_the_last(
    csbm_small: Graph, base: Base, name: str
) -> None:
    split, n = csbm_small.split(1), csbm_small.num_nodes
    trust = score(name, base.prob[1], 1)
    plan = make_plan(base, 1, Intervention(0.4, 0.3, 0.5, ranker=name, edge_ranker=name))
    first = order(trust, split.test)
    added = np.flatnonzero(plan.supplement.added)
    assert set(added) == set(first[: int(0.4 * len(first))])
    np.testing.assert_array_equal(plan.supplement.labels[added], base.predicted[1][added])
    least = np.argsort(trust, kind="stable")[: int(0.3 * n)]
    assert set(np.flatnonzero(plan.edge_drop.least)) == set(least)
    split_knobs = make_plan(base, 1, Intervention(0.4, 0.3, 0.5, edge_ranker=name))
    np.testing.assert_array_equal(split_knobs.edge_drop.kept, plan.edge_drop.kept)


def test_the_edge_model_makes_g_and_nothing_else(csbm_small: Graph, base: Base) -> None:
    asked = Intervention(0.4, 0.3, 0.5, edge_model="gat")
    own = replace(asked, edge_model=SAME)
    gat = base.edge_models["gat"]
    for position in (0, 1):
        mixed, plain = make_plan(base, position, asked), make_plan(base, position, own)
        of_gat = make_plan(gat, position, own)
        np.testing.assert_array_equal(mixed.edge_drop.kept, of_gat.edge_drop.kept)
        by_hand = drop_edges(
            csbm_small.edges, csbm_small.num_nodes, gat.w[position], 0.3, 0.5, position
        )
        np.testing.assert_array_equal(mixed.edge_drop.kept, by_hand.kept)
        assert not np.array_equal(mixed.edge_drop.kept, plain.edge_drop.kept)
        np.testing.assert_array_equal(mixed.supplement.added, plain.supplement.added)


def test_only_models_that_drop_edges_are_asked(base: Base) -> None:
    gat, gcn = Intervention(0.5, 0.3, 0.4, edge_model="gat"), Intervention(edge_model="gcn")
    assert edge_models((gat, gcn, gat.of("wgnn1"), Intervention(0.5, 0.3, 0.4))) == ("gat",)
    with pytest.raises(WGNNError, match="the edge model gcn is not trained for these seeds"):
        make_plan(base, 0, replace(gat, edge_model="gcn"))


def test_least_nodes_are_chosen_also_where_no_edge_goes(digits: Graph) -> None:
    base = train_base(digits, make_model("gcn", "digits", epochs=3), [0])
    idle = make_plan(base, 0, Intervention(0.0, 0.3, 0.0, edge_model="gat"))
    assert idle.edge_drop.least.sum() == int(0.3 * digits.num_nodes)
    assert not idle.edge_drop.dropped.any()
    drops = make_plan(base, 0, Intervention(0.0, 0.3, 0.4))
    assert (drops.edge_drop.least == idle.edge_drop.least).all()
