"""What a statement says of itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wgnn_core.theory.statement import (
    Hypothesis,
    Statement,
    Term,
    compare,
    sides,
    symbols,
    verdict,
)


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


def test_the_verdict_tells_every_case_apart() -> None:
    lost, nan = (Hypothesis("a", False),), Term("r", float("nan"))
    holds = statement()
    cases = {
        holds: "holds here, and so does the conclusion",
        replace(holds, hypotheses=lost): "does not hold here; the conclusion does all the same",
        replace(holds, hypotheses=lost, holds=False): "the conclusion does not either",
        replace(holds, holds=False, proved=False): "it is a rule of thumb",
        replace(holds, holds=False): "too close to show",
        replace(holds, decided=False): "only bounds are known",
        replace(holds, holds=False, right=nan): "a side of it is not defined",
    }
    for one, said in cases.items():
        assert said in verdict(one) and verdict(one).endswith(".")
    assert len({verdict(one) for one in cases}) == len(cases)


def test_sides_in_words() -> None:
    assert sides(statement()) == "l (1) <= r (2)"
    assert sides(replace(statement(), holds=False)) == "l (1) should be <= r (2)"
    zero = replace(statement(), right=Term("zero", 0.0), left=Term("x", float("nan")))
    assert sides(zero) == "x (undefined) <= 0"


def test_symbols() -> None:
    assert symbols("A(V1) - max(b |Gamma(O1)|, a |Gamma(O0)|)") == (
        "A(V₁) − max(b |Γ(O₁)|, a |Γ(O₀)|)"
    )
    assert symbols("C / c1, V' and 10 of U0") == "C / c₁, V′ and 10 of U₀"
