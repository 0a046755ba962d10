from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from wgnn_core.runs.events import Ended, Event, Hello, Order, Started, from_line, to_line
from wgnn_core.runs.summaries import State

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "str": st.text(),
    "int": st.integers(),
    "int | None": st.none() | st.integers(),
    "float": st.floats(allow_nan=False),
    "State": st.sampled_from(get_args(State)),
}


def made(kind: type) -> st.SearchStrategy[Any]:
    return st.builds(kind, **{item.name: VALUES[str(item.type)] for item in fields(kind)})


@given(st.one_of(*map(made, (*get_args(Event), *get_args(Order)))))
def test_a_line_is_read_back_as_what_was_written(message: Event | Order) -> None:
    line = to_line(message)
    assert line.endswith("\n") and line.count("\n") == 1, "one line each, whatever a message says"
    assert line.isascii()
    again = from_line(line)
    assert type(again) is type(message)
    assert again == message


def test_special_values() -> None:
    for message in (
        Hello("/home", "/a\nb", "1:2:x", float("inf")),
        Started("r", None),
        Ended("r", "failed", "ü\u2028\x00"),
    ):
        assert from_line(to_line(message)) == message
