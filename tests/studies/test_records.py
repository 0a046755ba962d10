"""The verdict rule in numbers, Holm over a table, and records as JSON."""

from __future__ import annotations

import json

import pytest

from wgnn_core.statistics import compare, holm
from wgnn_core.studies.published import Published
from wgnn_core.studies.records import (
    DIRECTION,
    NOT,
    REPRODUCED,
    UNPUBLISHED,
    Missing,
    Record,
    by_column,
    verdict,
    with_holm,
)

BASE = (80.0, 81.0, 80.5, 80.2)


def record(gain: float, noise: float = 0.1, **given: object) -> Record:
    tally = tuple(b + gain + noise * (-1) ** i for i, b in enumerate(BASE))
    told: dict[str, object] = {
        "row": "GCN", "column": "Cora", "graph": "Cora", "reference": "GCN", "method": "wGNN",
        "runs": ("a",), "grid": "none", "base": BASE, "tally": tally, "val": tally,
    }  # fmt: skip
    return Record(**told | given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gain", "noise", "published", "word"),
    [
        (2.0, 0.1, 2.5, REPRODUCED),
        (1.25, 0.1, 2.5, REPRODUCED),  # half of it
        (1.2, 0.1, 2.5, DIRECTION),  # sure, but less than half
        (2.0, 6.0, 2.5, DIRECTION),  # large, but not sure
        (0.0, 0.1, 2.5, NOT),
        (-1.0, 0.1, 2.5, NOT),
        (-1.0, 0.1, -1.0, REPRODUCED),  # a published loss
        (1.0, 0.1, -1.0, NOT),
        (1.0, 0.1, None, UNPUBLISHED),
    ],
)
def test_verdict(gain: float, noise: float, published: float | None, word: str) -> None:
    one = record(gain, noise)
    assert verdict(compare(one.base, one.tally), published) == word


def test_etas_in_words() -> None:
    told = [record(1.0, etas=etas).eta for etas in ((), ("0.5,0,0",) * 2, ("0.5,0,0", "1,0,0"))]
    assert told == ["", "0.5,0,0", "one per split"]


def test_one_seed_is_never_sure() -> None:
    assert verdict(compare([80.0], [90.0]), 5.0) == DIRECTION


def test_overlapping_splits_weaken_a_verdict() -> None:
    printed = Published((80.0, 1.0), (81.0, 1.0))
    assert record(1.0, 0.4, published=printed).verdict == REPRODUCED
    assert record(1.0, 0.4, published=printed, overlap=2.0).verdict == DIRECTION


def test_holm_is_over_the_table() -> None:
    table = with_holm([record(0.2), record(0.15), record(0.0, 0.0)])
    expected = holm([one.comparison.pvalue for one in table])
    assert [one.holm for one in table[:2]] == pytest.approx(list(expected[:2]))
    assert table[2].holm is None  # no difference at all is no test


def test_json_round_trip_keeps_every_field_and_tells_what_follows() -> None:
    one = record(
        1.0, best=BASE, etas=("0.7,0.6,0.5",), cell=("GCN", "Cora"), holm=0.25,
        published=Published((80.0, 1.0), None, "a note"),
    )  # fmt: skip
    told = json.loads(json.dumps(one.to_json()))
    assert Record.from_json(told) == one
    assert told["numbers"]["tally"]["gain"] == pytest.approx(1.0)
    assert told["numbers"]["best"]["gain"] == 0 and told["numbers"]["best"]["p"] is None
    assert told["verdict"] == one.verdict and told["n"] == 4


def test_rows_with_one_reason_are_told_together() -> None:
    missing = [Missing("A", "x", "why"), Missing("B", "x", "why"), Missing("A", "y", "why")]
    assert by_column(missing) == [Missing("A, B", "x", "why"), Missing("A", "y", "why")]
