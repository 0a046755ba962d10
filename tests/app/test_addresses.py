"""Five hundred hostile query strings: every page answers, and says what it left out."""

from __future__ import annotations

import random
from typing import Any

import pytest

from ui.pages import PAGES

STRINGS = 500
PARTS = (
    "<script>alert(1)</script>", "javascript:alert(1)", "../../../etc/passwd", "%2e%2e%2f", "\x00",
    "\x1b[2J", "' OR 1=1 --", "${7*7}", "{{7*7}}", "$\\frac{1}{0}$", "[x](javascript:x)", "\u202e",
    "NaN", "nan", "inf", "-inf", "1e400", "-1", "0", "0.5", "1" * 300, str(2**63), "٣", "true",
    "None", "null", "[]", "{}", '{"a": 1}', "[1,2", "a,b,c", ",", " ", "", "Cora", "Karate club",
    "Digits", "gcn", "GCN", "csbm", "predictions:x", "_", "__class__", "☃" * 50,
    "=cmd|' /C calc'!A0",
)  # fmt: skip


def strings() -> list[str]:
    rng = random.Random(500)
    return [
        "".join(rng.choice(PARTS) for _ in range(rng.choice((1, 1, 1, 2, 3))))
        for _ in range(STRINGS)
    ]


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_hostile_query_strings(page: str, visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    place = [one.name for one in PAGES].index(page)
    mine = strings()[place :: len(PAGES)]
    first = visit(page, dataset="Karate club")
    kinds = (
        "number_input",
        "selectbox",
        "slider",
        "multiselect",
        "text_input",
        "checkbox",
        "radio",
    )
    names = [widget.key for kind in kinds for widget in first.get(kind) if widget.key]
    names += ["dataset", "model", "seeds", "eta0", "csbm_nodes", "csbm_features", "nosuch"]
    rng = random.Random(page)
    while mine:
        given = {name: mine.pop() for name in rng.sample(names, min(12, len(names))) if mine}
        if len(mine) % 2:  # the other widgets are those of this graph
            given["dataset"] = "Karate club"
        app = visit(page, **given)  # asserts that there is no exception
        if len(mine) % 5 == 0:
            assert not app.run().exception, given


def test_a_graph_that_is_not_there_is_left_out_and_named(visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    app = visit("dataset", dataset="nosuch")
    assert not app.run().exception
    assert app.session_state["dataset"] is not None


@pytest.mark.parametrize("value", ["inf", "-inf", "1e400", "nan"])
def test_a_number_without_end_is_left_out_and_named(value: str, visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    app = visit("dataset", dataset="Karate club", gcn_hidden=value)
    assert any(f"hidden = {value}" in info.value.replace("\\", "") for info in app.info)
