"""The verdict on the whole paper: claims that answer its questions, by hand-made records."""

from __future__ import annotations

from dataclasses import replace

from wgnn_core.studies import appendix, m1_m2, table_3, tallies
from wgnn_core.studies.records import (
    AHEAD,
    DIRECTION,
    HELPS,
    NOT,
    QUESTIONS,
    REPRODUCED,
    TRUST,
    WHICH,
    Claim,
    Record,
    answers,
)
from wgnn_core.studies.report import report
from wgnn_core.studies.saved import verdict_of_all


def record(row: str, column: str, method: str, base: float, score: float) -> Record:
    return Record(
        row, column, column, "GCN", method, ("a",), "nothing",
        base=(base, base + 1), tally=(score, score + 1), val=(0.0, 0.0), cell=("GCN", column),
    )  # fmt: skip


def parts(column: str, both: float, first: float, second: float) -> list[Record]:
    scores = {"wGNN": both, "wGNN1": first, "wGNN2": second}
    return [record(f"GCN, {name}", column, name, 50.0, 50 + gain) for name, gain in scores.items()]


def sure(records: list[Record]) -> list[Record]:
    """The same gains on ten seeds that differ little."""
    made = []
    for r in records:
        gain = r.tally[0] - r.base[0]
        base = tuple(50.0 + i / 10 for i in range(10))
        tally = tuple(b + gain + (-1) ** i / 100 for i, b in enumerate(base))
        made.append(replace(r, base=base, tally=tally))
    return made


def test_what_each_algorithm_alone_gives() -> None:
    two = parts("A", 3, 2, 1) + parts("B", 1, 2, 0)
    (unsure,) = table_3.shares(two)
    assert unsure.verdict == DIRECTION and unsure.answers == WHICH
    assert "wGNN1 +2.00, wGNN2 +0.50, both together +2.00" in unsure.found
    assert "cells run: 2" in unsure.found
    assert "wGNN1 gains nowhere and loses nowhere" in unsure.found
    (said,) = table_3.shares(sure(two))
    assert said.verdict == REPRODUCED
    assert "wGNN1 gains with GCN on A (+2.00), GCN on B (+2.00) and loses nowhere" in said.found
    (half,) = table_3.shares(sure([*two, *parts("C", 1, 2, -0.5)]))
    assert half.verdict == DIRECTION  # wGNN2 gains on one of three
    assert "wGNN2 gains with GCN on A (+1.00) and loses with GCN on C (−0.50)" in half.found
    (worse,) = table_3.shares(sure(parts("A", 1, 1, -1)))
    assert worse.verdict == DIRECTION
    (other,) = table_3.shares(sure(parts("A", 1, 0.5, 1)))
    assert other.verdict == NOT


def test_both_together_are_at_least_as_good_if_no_mean_is_below() -> None:
    level = table_3.claims(parts("A", 2, 2, 1))
    assert [claim.verdict for claim in level[:2]] == [REPRODUCED, REPRODUCED]
    mixed = table_3.claims(parts("A", 2, 2, 1) + parts("B", 2, 3, 1) + parts("C", 2, 1, 1))
    assert [claim.verdict for claim in mixed[:2]] == [DIRECTION, REPRODUCED]
    assert "not below in 2 of 3" in mixed[0].found
    assert table_3.claims(parts("A", 1, 2, 1) + parts("B", 1, 1, 1))[0].verdict == NOT


def test_a_cell_without_all_parts_says_nothing_of_them() -> None:
    assert table_3.shares(parts("A", 1, 1, 1)[:2]) == []
    assert "cells run: 1" in table_3.shares(parts("A", 1, 1, 1) + parts("B", 9, 9, 9)[:2])[0].found


def test_rivals_are_counted_where_both_were_run() -> None:
    rivals = [record("Renode", "A", "ReNode", 50, 52), record("PTDNet", "A", "PTDNet", 50, 54)]
    said = appendix.claims([*parts("A", 3, 2, 1), *rivals, record("PTDNet", "B", "PTDNet", 50, 1)])
    assert said[0].answers == AHEAD and said[0].verdict == NOT
    assert "ahead in 1 of 2 comparisons, with p < 0.05 in 0" in said[0].found
    assert "PTDNet on A +1.00" in said[0].found
    surely = appendix.claims(sure([*parts("A", 3, 2, 1), *rivals]))
    assert "with p < 0.05 in 1, and behind with p < 0.05 in 1;" in surely[0].found
    all_behind = appendix.claims([*parts("A", 3, 2, 1), rivals[0]])
    assert all_behind[0].verdict == REPRODUCED
    assert appendix.claims(rivals) == []


def test_losses_of_a_table_are_counted_like_gains() -> None:
    gained, lost = parts("A", 3, 2, 1), parts("B", -1, -2, 0)
    (said,) = tallies.gains([*gained, *sure(lost)])
    assert said.answers == HELPS and said.verdict == NOT
    assert "cells run: 6; gain above 0: 3; of these p < 0.05: 0;" in said.found
    assert "Below 0: 2; of these p < 0.05: 2; after Holm's correction: 2." in said.found
    assert said.short == "of 6 cells 3 gain (0 with p < 0.05) and 2 lose (2 with p < 0.05)"
    (good,) = tallies.gains(sure(gained))
    assert good.verdict == REPRODUCED and "correction over the table: 3." in good.found
    (most,) = tallies.gains([*sure(gained), lost[0]])
    assert most.verdict == DIRECTION
    assert tallies.gains([]) == []


def test_every_answer_is_there_in_short() -> None:
    for told in verdict_of_all().values():
        for _, claim in told:
            assert claim.short and len(claim.short) < 130


def test_one_claim_about_all_graphs() -> None:
    def at(alpha: str, graph: str, gain: float) -> Record:
        return replace(record(alpha, graph, "M2 (w)", 50, 50 + gain), reference="M1 (distance)")

    good = [at("α = 0.1", "A", 1), at("α = 0.9", "A", 2)]
    assert m1_m2.claims(good)[-1].verdict == REPRODUCED
    mixed = [*good, at("α = 0.1", "B", -1), at("α = 0.9", "B", 3), at("α = 0.1", "C", -1)]
    last = m1_m2.claims(mixed)[-1]
    assert last.answers == TRUST and last.verdict == DIRECTION
    assert "on 1 of 3 graphs" in last.found and "on 2." in last.found


def test_toldcome_in_the_order_of_the_questions() -> None:
    late, early, none = (
        Claim("says", "rule", "found", NOT, question)
        for question in (QUESTIONS[-1], QUESTIONS[0], "")
    )
    told = answers({"one": [late, none], "two": [early]})
    assert list(told.items()) == [
        (QUESTIONS[0], [("two", early)]),
        (QUESTIONS[-1], [("one", late)]),
    ]


def test_the_report_opens_with_the_verdict_of_the_files() -> None:
    text = report()
    opening = text[text.index("## The verdict") : text.index("## Item by item")]
    told = verdict_of_all()
    assert len(told) >= 4
    for question, found in told.items():
        assert f"**{question}**" in opening
        for title, claim in found:
            assert f"- {title}: *{claim.verdict}*." in opening and claim.found in opening
            assert f": {claim.short} | {claim.verdict} |" in opening
