"""What a declared setting says about itself, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core.comparators import METHODS, make_method
from wgnn_core.errors import WGNNError
from wgnn_core.fields import changed, check_fields, hyper, knobs, parse, text_of, words
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig


@dataclass(frozen=True)
class Sample:
    """One field of every kind."""

    count: int = hyper(3, "how many", 1, 10)
    share: float = hyper(0.5, "which share", 0.0, 1.0, title="The share", flag="--part")
    loud: bool = hyper(False, "aloud")
    tone: str = hyper("low", "which tone", choices=("low", "high"))
    word: str = hyper("a", "any word")
    nickname: str | None = hyper(None, "another name")
    places: tuple[int, ...] = hyper((1, 2), "where", 0, 99)
    shares: tuple[float, ...] = hyper((0.5,), "which shares", 0.0, 1.0)
    undeclared: int = 7


SAMPLES = st.builds(
    Sample,
    count=st.integers(1, 10),
    share=st.floats(0.0, 1.0),
    loud=st.booleans(),
    tone=st.sampled_from(["low", "high"]),
    word=st.text(min_size=1),
    nickname=st.none() | st.text(min_size=1),
    places=st.lists(st.integers(0, 99), min_size=1).map(tuple),
    shares=st.lists(st.floats(0.0, 1.0), min_size=1).map(tuple),
)


def read(cls: type, said: list[str]) -> dict[str, Any]:
    """What a command line would make of the words."""
    by_flag = {knob.flag: knob for knob in knobs(cls)}
    return {
        by_flag[flag].name: parse(by_flag[flag], text)
        for flag, text in zip(said[::2], said[1::2], strict=True)
    }


def test_a_knob_says_what_was_declared() -> None:
    found = {knob.name: knob for knob in knobs(Sample)}
    assert "undeclared" not in found
    assert [found[name].kind for name in ("count", "share", "loud", "tone")] == [
        int, float, bool, str,
    ]  # fmt: skip
    assert (found["places"].kind, found["places"].several) == (int, True)
    assert (found["nickname"].kind, found["nickname"].default) == (str, None)
    assert (found["share"].title, found["share"].flag) == ("The share", "--part")
    assert (found["count"].title, found["count"].flag) == ("Count", "--count")
    assert found["tone"].choices == ("low", "high")
    check_fields(Sample())


def test_a_class_without_postponed_annotations_says_the_same() -> None:
    """As the example of CONTRIBUTING.md."""
    made: dict[str, Any] = {}
    source = "from dataclasses import dataclass\nfrom wgnn_core.fields import hyper\n"
    source += "@dataclass(frozen=True)\nclass Plain:\n"
    source += "    count: int = hyper(3, 'h', 1, 10)\n    share: float = hyper(0.5, 'h', 0, 1)\n"
    source += "    loud: bool = hyper(False, 'h')\n    places: tuple[int, ...] = hyper((1,), 'h')\n"
    source += "    nickname: str | None = hyper(None, 'h')\n"
    exec(compile(source, "plain", "exec", dont_inherit=True), made)
    kinds = [(knob.kind, knob.several) for knob in knobs(made["Plain"])]
    assert kinds == [(int, False), (float, False), (bool, False), (int, True), (str, False)]


@given(SAMPLES)
def test_words_are_read_back_as_the_same_value(value: Sample) -> None:
    assert Sample(**read(Sample, words(value))) == value
    assert Sample(**read(Sample, words(value, every=True))) == value
    assert read(Sample, words(value)).keys() == changed(value).keys()


@given(SAMPLES)
def test_text_is_read_back_as_the_same_value(value: Sample) -> None:
    for knob in knobs(Sample):
        given_value = getattr(value, knob.name)
        if given_value is not None:
            again = parse(knob, text_of(given_value))
            assert again == given_value
            assert type(again) is type(given_value)


def test_words_say_only_what_differs() -> None:
    assert words(Sample()) == []
    assert words(Sample(count=4, loud=True, places=(7,), share=1.0)) == [
        "--count", "4", "--part", "1", "--loud", "true", "--places", "7,",
    ]  # fmt: skip
    assert len(words(Sample(), every=True)) == 2 * (len(knobs(Sample)) - 1)  # None has no words


@pytest.mark.parametrize("name", METHODS)
def test_words_of_a_model_are_read_back(name: str) -> None:
    model = make_method(name)
    assert type(model)(**read(type(model), words(model, every=True))) == model
    assert changed(replace(model, epochs=17)) == {"epochs": 17}


def test_words_of_a_run_are_read_back() -> None:
    run = RunConfig("karate", model="gat", seeds=(7,), search="two-stage", steps=(0.25, 1.0))
    assert words(run)[-4:] == ["--search", "two-stage", "--search-steps", "0.25,1"]
    assert RunConfig(**read(RunConfig, words(run))) == run
    asked = Intervention(0.1, 1.0, 1 / 3, "test", "margin", edge_model="gat")
    assert Intervention(**read(Intervention, words(asked))) == asked


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"count": 11}, "count is 11; it must lie between 1 and 10."),
        ({"count": 2.0}, "count is 2.0; it must be a whole number."),
        ({"count": True}, "count is True; it must be a whole number."),
        ({"count": None}, "count is None; it must be a whole number."),
        ({"share": "x"}, "share is 'x'; it must be a number."),
        ({"share": float("nan")}, "share is nan; it must lie between 0 and 1."),
        ({"loud": 1}, "loud is 1; it must be true or false."),
        ({"loud": "true"}, "loud is 'true'; it must be true or false."),
        ({"tone": "loud"}, "tone is 'loud'; it must be one of low, high."),
        ({"tone": None}, "tone is None; it must be one of low, high."),
        ({"places": (1, 100)}, "places is 100; it must lie between 0 and 99."),
        ({"shares": (0.5, -1.0)}, "shares is -1.0; it must lie between 0 and 1."),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(WGNNError) as caught:
        check_fields(Sample(**change))
    assert str(caught.value) == sentence
    with pytest.raises(WGNNError) as caught:
        check_fields(Sample(**change), "sample")
    assert str(caught.value) == f"sample: {sentence}"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("count", "2.5", "--count is '2.5'; it must be a whole number."),
        ("share", "", "--part is ''; it must be a number."),
        ("loud", "yes", "--loud is 'yes'; it must be true or false."),
        ("places", "1,,2", "--places is '1,,2'; it must be a whole number."),
        ("shares", ",", "--shares is ','; it must be a number."),
    ],
)
def test_a_text_that_writes_no_value_is_named(name: str, text: str, sentence: str) -> None:
    knob = next(knob for knob in knobs(Sample) if knob.name == name)
    with pytest.raises(WGNNError) as caught:
        parse(knob, text)
    assert str(caught.value) == sentence
