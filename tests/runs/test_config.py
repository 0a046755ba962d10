from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core.datasets import spec
from wgnn_core.errors import WGNNError
from wgnn_core.fields import knobs
from wgnn_core.intervention import Intervention
from wgnn_core.runs import config as module
from wgnn_core.runs.config import RunConfig

HOMOPHILY = next(p.default for p in spec("csbm").parameters if p.name == "homophily")
FRACTION = st.integers(0, 100).map(lambda i: i / 100)
INTERVENTION = st.builds(
    Intervention,
    FRACTION,
    FRACTION,
    FRACTION,
    **{knob.name: st.sampled_from(knob.choices) for knob in knobs(Intervention) if knob.choices},
)
KNOBS: tuple[dict[str, Any], ...] = (
    {"pool": "test"},
    {"ranker": "margin"},
    {"edge_ranker": "margin"},
    {"edge_model": "gat"},
)


def test_writing_out_what_holds_anyway_does_not_change_the_id(config: RunConfig) -> None:
    full = config.resolve()
    assert dict(full.hyper)["hidden"] == 16  # the default of GCN, never mentioned
    assert full.resolve() == full
    same = [
        full,
        replace(config, device="cpu"),
        replace(config, parameters=tuple(reversed(config.parameters))),
        replace(config, parameters=(*config.parameters, ("homophily", HOMOPHILY))),
        replace(config, hyper=(("epochs", 5), ("weight_decay", 5e-4), ("lr", 0.01))),
        replace(config, hyper=(*config.hyper, ("keep", "best"))),
        replace(config, seeds=3),  # type: ignore[arg-type]
        replace(config, interventions=config.interventions * 2),
        replace(config, dataset="CSBM"),
        RunConfig.from_json(json.loads(json.dumps(config.to_json()))),
    ]
    assert {c.run_id for c in same} == {config.run_id}


def test_whatever_changes_a_number_changes_the_id(
    config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [
        replace(config, parameters=(*config.parameters, ("homophily", 0.6))),
        replace(config, model="gat"),
        replace(config, hyper=(("epochs", 6),)),
        replace(config, hyper=(*config.hyper, ("keep", "last"))),
        replace(config, seeds=(0, 1, 3)),
        replace(config, interventions=config.interventions[:2]),
        replace(config, interventions=()),
        replace(config, interventions=(), search="two-stage"),
        replace(config, interventions=(), search="two-stage", steps=(0.5,)),
        replace(config, interventions=(Intervention(pool="test"),), search="two-stage"),
        *(
            replace(config, interventions=tuple(replace(i, **knob) for i in config.interventions))
            for knob in KNOBS
        ),
        *(
            replace(config, interventions=(replace(first, **knob), *others))
            for first, *others in [config.interventions]
            for knob in KNOBS
        ),
    ]
    ids = {c.run_id for c in [config, *others]}
    monkeypatch.setattr(module, "versions", lambda: {"torch": "0"})
    ids.add(replace(config).run_id)
    assert len(ids) == len(others) + 2


def test_the_id_follows_the_content_of_the_dataset(
    config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = config.run_id
    other = replace(config, parameters=(*config.parameters, ("homophily", 0.6))).graph()
    monkeypatch.setattr(module, "_graph", lambda *_: other)
    assert replace(config).run_id != before


def test_a_preset_is_the_hyperparameters_it_stands_for(config: RunConfig) -> None:
    plain = replace(config, hyper=())
    for name, values in type(plain.base_model).presets.items():
        by_name, by_hand = replace(plain, preset=name), replace(plain, hyper=tuple(values.items()))
        assert by_name.run_id == by_hand.run_id != plain.run_id


@given(st.lists(INTERVENTION, max_size=6), st.lists(st.integers(0, 99), min_size=1, unique=True))
def test_json_round_trip(asked: list[Intervention], seeds: list[int]) -> None:
    config = RunConfig(
        "digits", hyper=(("epochs", 3),), seeds=tuple(seeds), interventions=tuple(asked)
    )
    assert RunConfig.from_json(json.loads(json.dumps(config.to_json()))) == config


@pytest.mark.parametrize("pool", ["all", "test"])
def test_a_config_from_when_etas_and_pool_were_fields_is_read(pool: str) -> None:
    old = {"dataset": "karate", "seeds": [0, 1], "pool": pool}
    listed = RunConfig.from_json(old | {"search": "list", "etas": [[0.5, 0.2, 0.1], [0.5, 0, 0]]})
    assert listed.interventions == (
        Intervention(0.5, 0.2, 0.1, pool=pool),
        Intervention(0.5, pool=pool),
    )
    searched = RunConfig.from_json(old | {"search": "two-stage", "etas": [], "steps": [0.5]})
    assert searched.like == Intervention(pool=pool)
    assert searched.search == "two-stage"


@pytest.mark.parametrize(
    "values",
    [{"etas": [[0.1]]}, {"interventions": [{"eta9": 1}]}, {"interventions": 3}, {"seeds": None}],
)
def test_what_is_no_config_is_refused_with_a_sentence(values: dict[str, Any]) -> None:
    with pytest.raises(WGNNError, match="no configuration of a run"):
        RunConfig.from_json({"dataset": "karate"} | values)


@given(st.lists(INTERVENTION, max_size=12), st.integers(1, 5))
def test_trainings_are_counted_once_each(asked: list[Intervention], seeds: int) -> None:
    config = RunConfig("digits", seeds=tuple(range(seeds)), interventions=tuple(asked))
    different, models = set(), set()
    for i in asked:
        first = (i.eta0, i.ranker) if i.eta0 else None
        edges = (i.eta1, i.eta2, i.pool, i.edge_ranker, i.edge_model) if i.eta1 * i.eta2 else None
        different.add((first, edges))
        models.add(i.edge_model if edges else "same")
    different.discard((None, None))
    assert config.trainings == seeds * (1 + len(models - {"same"}) + len(different))


def test_trainings_of_a_two_stage_search(config: RunConfig) -> None:
    two = replace(config, interventions=(), search="two-stage", steps=(0.3, 0.6))
    assert two.trainings == 3 * (1 + 4 + 2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dataset": "coral"}, "no dataset 'coral'"),
        ({"model": "gnc"}, "no model 'gnc'"),
        ({"hyper": (("epoch", 5),)}, "did you mean epochs"),
        ({"seeds": ()}, "seeds"),
        ({"steps": (0.5, 1.5)}, "steps is 1.5; it must lie between 0 and 1"),
        ({"search": "random"}, "search is 'random'"),
        ({"search": "two-stage"}, "finds its etas itself"),
        ({"parameters": (("colour", 1),)}, "no parameter 'colour'"),
    ],
)
def test_bad_values_are_named(config: RunConfig, change: dict[str, object], words: str) -> None:
    with pytest.raises(WGNNError, match=words):
        _ = replace(config, **change).run_id  # type: ignore[arg-type]
