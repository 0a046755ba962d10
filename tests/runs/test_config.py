from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core import search
from wgnn_core.datasets import spec
from wgnn_core.errors import WGNNError
from wgnn_core.runs import config as module
from wgnn_core.runs.config import RunConfig

HOMOPHILY = next(p.default for p in spec("csbm").parameters if p.name == "homophily")
FRACTION = st.integers(0, 100).map(lambda i: i / 100)
TRIPLE = st.tuples(FRACTION, FRACTION, FRACTION)


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
        replace(config, seeds=3),  # type: ignore[arg-type]
        replace(config, etas=config.etas * 2),
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
        replace(config, seeds=(0, 1, 3)),
        replace(config, etas=config.etas[:2]),
        replace(config, etas=()),
        replace(config, etas=(), search="two-stage"),
        replace(config, etas=(), search="two-stage", steps=(0.5,)),
        replace(config, pool="test"),
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


@given(st.lists(TRIPLE, max_size=6), st.lists(st.integers(0, 99), min_size=1, unique=True))
def test_json_round_trip(etas: list[tuple[float, float, float]], seeds: list[int]) -> None:
    config = RunConfig("digits", hyper=(("epochs", 3),), seeds=tuple(seeds), etas=tuple(etas))
    assert RunConfig.from_json(json.loads(json.dumps(config.to_json()))) == config


@given(st.lists(TRIPLE, max_size=12), st.integers(1, 5))
def test_trainings_are_counted_once_each(
    etas: list[tuple[float, float, float]], seeds: int
) -> None:
    config = RunConfig("digits", seeds=tuple(range(seeds)), etas=tuple(etas))
    different = {(a, 0, 0) if 0 in (b, c) else (a, b, c) for a, b, c in etas} - {(0, 0, 0)}
    assert config.trainings == seeds * (1 + len(different))


def test_trainings_of_a_two_stage_search(config: RunConfig) -> None:
    steps = (0.3, 0.6)
    two = replace(config, etas=(), search="two-stage", steps=steps)
    direct = search.two_stage(two.graph(), two.base_model, two.seeds, steps=steps)
    assert two.trainings == direct.trainings == 3 * (1 + 4 + 2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dataset": "coral"}, "no dataset 'coral'"),
        ({"model": "gnc"}, "no model 'gnc'"),
        ({"hyper": (("epoch", 5),)}, "did you mean epochs"),
        ({"seeds": ()}, "seeds"),
        ({"etas": ((0.1, 0.2),)}, "three numbers"),
        ({"etas": ((0.1, 0.2, 1.5),)}, "eta2"),
        ({"pool": "train"}, "pool is 'train'"),
        ({"search": "random"}, "search is 'random'"),
        ({"search": "two-stage"}, "finds its etas itself"),
        ({"parameters": (("colour", 1),)}, "no parameter 'colour'"),
    ],
)
def test_bad_values_are_named(config: RunConfig, change: dict[str, object], words: str) -> None:
    with pytest.raises(WGNNError, match=words):
        _ = replace(config, **change).run_id  # type: ignore[arg-type]
