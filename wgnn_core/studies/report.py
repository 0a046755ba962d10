"""``docs/REPRODUCTION.md``, made of the shipped results and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wgnn_core.figures.text import signed
from wgnn_core.studies import STUDIES
from wgnn_core.studies.plan import Study
from wgnn_core.studies.records import (
    CANDIDATES,
    DIRECTION,
    NOT,
    REPRODUCED,
    RULE,
    Claim,
    Record,
    by_column,
)
from wgnn_core.studies.saved import Saved, command, shipped, verdict_of_all
from wgnn_core.studies.tables import grids

HEAD = """\
# The paper, reproduced

Made by `wgnn study --report docs/REPRODUCTION.md` from the files in `wgnn_core/studies/results/`, \
each written by `wgnn study NAME --save wgnn_core/studies/results`; nothing here is written by hand.

**How to read it.** *base* is our base model, *tally* wGNN with η chosen on validation accuracy, \
scored as the paper's text says (nodes that joined keep their first prediction), *retrained* the \
gain of the retrained model's own predictions, which is what the authors' code reports. \
*test-chosen* is the gain with the η that is best on test accuracy: **not a result**, but what the \
authors' code searches for. {candidates} *shared* is the gain with one η for all splits. \
Accuracies are in percent, gains in points, n \
counts seeds, ± is a sample standard deviation. At η₀ = 1 the tally is the base model exactly.

**Verdicts.** {rule}
"""


def report() -> str:
    """The whole report as Markdown."""
    found = {name: shipped(name) for name in STUDIES}
    there = {name: saved for name, saved in found.items() if saved is not None}
    lines = [HEAD.format(rule=RULE, candidates=CANDIDATES), *_verdict(), *_summary(there)]
    for name, declared in STUDIES.items():
        saved = found[name]
        lines += ["", f"## {declared.title}", "", f"The paper: {declared.says}", ""]
        if saved is None:
            lines += [f"*Not run.* `wgnn study {name}` runs it."]
        else:
            lines += _item(declared, saved)
    return "\n".join(lines) + "\n"


def _verdict() -> Iterator[str]:
    yield "## The verdict"
    yield ""
    whole = verdict_of_all()
    yield "| question | answer | verdict |"
    yield "|---|---|---|"
    for question, found in whole.items():
        for title, claim in found:
            answer = f"{title.split(':')[0]}: {claim.short}"
            yield "| " + " | ".join(map(_cell, (question, answer, claim.verdict))) + " |"
    yield ""
    for question, found in whole.items():
        yield f"**{question}**"
        yield ""
        for title, claim in found:
            yield f"- {title}: *{claim.verdict}*. {claim.says} Found: {claim.found}"
        yield ""


def _summary(found: dict[str, Saved]) -> Iterator[str]:
    yield "## Item by item"
    yield ""
    yield "| item | cells run | reproduced | same direction | not reproduced | not run |"
    yield "|---|---|---|---|---|---|"
    for name, declared in STUDIES.items():
        if name not in found:
            yield f"| {declared.title} | 0 | | | | all |"
            continue
        saved = found[name].found
        judged: Sequence[Record | Claim] = [
            r for r in saved.records if r.published.gain is not None
        ] or saved.claims
        counts = [sum(one.verdict == v for one in judged) for v in (REPRODUCED, DIRECTION, NOT)]
        told = " | ".join(str(count) for count in counts)
        if not saved.records:  # a table of sizes has words of its own
            same = sum(claim.verdict == "same" for claim in saved.claims)
            told = f"{same} the same | | {len(saved.claims) - same} differ"
        yield f"| {declared.title} | {len(saved.records)} | {told} | {len(saved.missing)} |"


def _item(declared: Study, saved: Saved) -> Iterator[str]:
    found = saved.found
    cores = saved.machine["cores"]
    made = ", ".join(f"{name} {number}" for name, number in saved.versions.items())
    size = "quick size (three seeds, a coarse grid)" if found.size == "quick" else "full size"
    if found.records:
        yield f"*{size.capitalize()}, {saved.date}, {cores} cores, {made}.*"
        yield ""
        yield from _records(declared, found.records)
        yield ""
    if found.claims:
        asked = "asked" if declared.beyond else "the paper says"
        yield f"| {asked} | found here | verdict | rule |"
        yield "|---|---|---|---|"
        for claim in found.claims:
            cells = (claim.says, claim.found, claim.verdict, claim.rule)
            yield "| " + " | ".join(map(_cell, cells)) + " |"
        yield ""
    notes = {(r.row, r.column): r.published.note for r in found.records if r.published.note}
    for (row, column), note in notes.items():
        yield f"- {row} on {column}: {note}."
    if found.missing:
        yield from ("", f"Not run ({len(found.missing)} cells):", "")
        for one in by_column(found.missing):
            again = command(declared, "", one.column)
            yield f"- {one.row} on {one.column}: {one.why}. `{again}`"


def _records(declared: Study, records: Sequence[Record]) -> Iterator[str]:
    several = any(r.splits > 1 for r in records)
    searched = any(r.best for r in records)
    printed = any(r.published.method for r in records)
    retrained = any(r.retrained for r in records)
    several &= any(r.shared for r in records)
    names = ["base", "tally"]
    if not retrained:  # nothing was retrained: two ways to do a thing
        names = [_shared(r.reference for r in records), _shared(r.method for r in records)]
    heads = [*declared.axes, "n", *names, "gain", "p", "p Holm", "p Wilcoxon"]
    heads += ["retrained"] * retrained + ["shared"] * several
    letters = grids(records)
    lettered = searched and len(letters) > 1
    heads += ["test-chosen (not a result)", "η"] * searched + ["searched"] * lettered
    heads += ["published base", "published", "published gain", "verdict"] * printed
    yield "| " + " | ".join(heads) + " |"
    yield "|---" * len(heads) + "|"
    for r in records:
        told = _row(r, retrained, several, searched)
        told += [letters[r.grid]] * lettered + _printed(r) * printed
        yield "| " + " | ".join(map(_cell, told)) + " |"
    yield ""
    tests: dict[str, dict[str, None]] = {}
    for r in records:
        tests.setdefault(r.comparison.test, {})[r.graph] = None
    yield "Tests: " + "; ".join(f"{t} on {', '.join(g)}" for t, g in tests.items()) + "."
    keys = [f"({letter}) {grid}" if lettered else grid for grid, letter in letters.items()]
    yield f"Searched: {'; '.join(keys)}."


def _shared(names: Iterable[str]) -> str:
    """The names, each once."""
    return " / ".join(dict.fromkeys(names))


def _row(r: Record, retrained: bool, several: bool, searched: bool) -> list[str]:
    c = r.comparison
    holm = "" if r.holm is None else f"{r.holm:.2g}"
    told = [
        r.row,
        r.column,
        str(r.n),
        spread_text(c.base_mean, c.base_std),
        spread_text(c.other_mean, c.other_std),
        signed(c.difference),
        number(c.pvalue),
        holm,
        number(c.wilcoxon_pvalue),
    ]
    told += [_gain(r, "retrained")] * retrained + [_gain(r, "shared")] * several
    if searched:
        told += [_gain(r, "best"), r.eta.replace(",", ", ")]  # a narrow column may break it
    return told


def _printed(r: Record) -> list[str]:
    base, method = (
        "" if pair is None else f"{pair[0]:.2f} ± {pair[1]:.2f}"
        for pair in (r.published.base, r.published.method)
    )
    gain = "" if r.published.gain is None else signed(r.published.gain)
    return [base, method, gain, r.verdict]


def _gain(r: Record, name: str) -> str:
    scores = r.scores.get(name)
    return "" if scores is None else signed(r.against(scores).difference)


def spread_text(mean: float, deviation: float) -> str:
    return f"{mean:.2f}" if deviation != deviation else f"{mean:.2f} ± {deviation:.2f}"


def number(p: float) -> str:
    return "" if p != p else f"{p:.2g}"


def _cell(text: str) -> str:
    """Without what ends a cell or a line; a number keeps its spread on its line."""
    return (
        text.replace("|", "\\|")
        .replace("\n", " ")
        .replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}")
    )
