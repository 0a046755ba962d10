"""What a statement says of itself."""

from __future__ import annotations

import pytest

from wgnn_core.theory.statement import Hypothesis, Statement, Term, compare


def statement(*hypotheses: Hypothesis) -> Statement:
    return Statement(
        "Title", "Words.", hypotheses, Term("l", 1.0), "<=", Term("r", 2.0), True,
        terms=(Term("t", 3.0),),
    )  # fmt: skip


def test_only_needed_hypotheses_decide_whether_it_applies() -> None:
    assert statement().applies
    assert statement(Hypothesis("a", True), Hypothesis("b", False, needed=False)).applies
    assert not statement(Hypothesis("a", True), Hypothesis("b", False)).applies


def test_terms_are_found_by_name() -> None:
    assert [statement().term(name) for name in "lrt"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("left", "relation", "right", "expected"),
    [
        (1.0, "=", 1.0 + 1e-12, True),
        (1.0, "=", 1.1, False),
        (1.0 + 1e-12, "<=", 1.0, True),
        (1.1, "<=", 1.0, False),
        (0.0, "<", 1e-300, True),
        (0.0, "<", 0.0, False),
        (float("nan"), "=", float("nan"), False),
        (float("nan"), "<=", 1.0, False),
    ],
)
def test_relations(left: float, relation, right: float, expected: bool) -> None:
    assert compare(left, relation, right, 1e-9) == expected
