"""What a study finds: records (one method against its reference, seed by seed) and claims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from wgnn_core.statistics import Comparison, compare, holm
from wgnn_core.studies.published import Published

Seeds = tuple[float, ...]
"""Accuracies in percent, one per seed."""

REPRODUCED, DIRECTION, NOT = "reproduced", "same direction", "not reproduced"
UNPUBLISHED = "no published figure"
SHARE, LEVEL = 0.5, 0.05
RULE = (
    f"{REPRODUCED.capitalize()}: our gain has the sign of the published one, p < {LEVEL:g}, and it "
    f"is at least {SHARE:.0%} of the published gain. {DIRECTION.capitalize()}: it has that sign, "
    f"but p or size falls short. {NOT.capitalize()}: it has not. Ours is the gain of the paper's "
    "tally with η chosen on validation; p is of the paired t-test, corrected (Nadeau and Bengio) "
    "where seeds are on several splits, and before Holm's correction, which stands beside it."
).replace("%", " %")
"""The verdict rule of every cell, in words; `verdict` is the same in numbers."""
CANDIDATES = (
    "On several splits each split chooses its own η. The candidates of a search in two stages, or "
    "of one that takes η₁ and η₂ from GCN, are shared by all splits: these η₁ and η₂ come from the "
    "validation nodes of all splits together, some of which are test nodes of this one. That part "
    "of the search may flatter wGNN a little; the final choice sees no test label of its split."
)
"""What is not split by split in the searches of a study."""
HELPS = "Does wGNN help?"
HOW_MUCH = "How much of the published gain is there, and what does choosing η on test add?"
WHICH = "Which of the two algorithms does it?"
AHEAD = "Is it ahead of other methods?"
TRUST = "Does w tell which predictions can be trusted?"
IS_IT_W = "Is it w that makes Algorithm 1 work?"
QUESTIONS = (HELPS, HOW_MUCH, WHICH, AHEAD, TRUST, IS_IT_W)
"""What one wants to know of the whole paper, in order."""


@dataclass(frozen=True)
class Record:
    """A method against its reference on one graph.

    Attributes:
        row: First name of the cell in its table: a model, a method, a value of eta0.
        column: Second name: a graph, a value of eta1 = eta2.
        graph: Title of the graph.
        reference: What `base` is.
        method: What the scores are.
        runs: Ids of the runs it was made of.
        cell: Row and column of the cell of its study, for the command that runs it again.
        grid: What was searched, or that nothing was.
        etas: The etas of the scores: one for all seeds, or one per split.
        base: Test accuracy of the reference.
        tally: Test accuracy of the method by the paper's tally.
        retrained: That of the retrained model's own predictions; empty where there is none.
        val: Validation accuracy of the method.
        shared: As `tally` with one eta for all splits; empty where there is one split.
        shared_etas: That eta.
        best: As `tally` with the eta that is best on *test*: not a result.
        best_etas: That eta.
        best_retrained: As `best`, eta and score by the retrained model's predictions.
        splits: How many splits the seeds are on.
        overlap: Of these splits, see `statistics.compare`.
        published: What the paper prints.
        holm: The p-value after Holm's correction over the table.
    """

    row: str
    column: str
    graph: str
    reference: str
    method: str
    runs: tuple[str, ...]
    grid: str
    base: Seeds
    tally: Seeds
    val: Seeds
    etas: tuple[str, ...] = ()
    retrained: Seeds = ()
    shared: Seeds = ()
    shared_etas: str = ""
    best: Seeds = ()
    best_etas: str = ""
    best_retrained: Seeds = ()
    splits: int = 1
    overlap: float = 0.0
    published: Published = field(default_factory=Published)
    holm: float | None = None
    cell: tuple[str, str] = ("", "")

    @property
    def n(self) -> int:
        return len(self.base)

    def against(self, scores: Seeds) -> Comparison:
        """Some scores against the reference."""
        return compare(self.base, scores, self.overlap)

    @property
    def comparison(self) -> Comparison:
        return self.against(self.tally)

    @property
    def eta(self) -> str:
        """The etas in words; empty for a method that has none."""
        if len(set(self.etas)) > 1:
            return "one per split"
        return self.etas[0] if self.etas else ""

    @property
    def verdict(self) -> str:
        return verdict(self.comparison, self.published.gain)

    def to_json(self) -> dict[str, Any]:
        """Fields, then everything that follows from them, for readers of the file."""
        own = {item.name: getattr(self, item.name) for item in fields(self)}
        told = {
            "base": list(self.published.base or ()),
            "method": list(self.published.method or ()),
        }
        return own | {
            "published": told | {"note": self.published.note, "gain": self.published.gain},
            "n": self.n,
            "verdict": self.verdict,
            "numbers": {name: _numbers(self.against(s)) for name, s in self.scores.items()},
        }

    @property
    def scores(self) -> dict[str, Seeds]:
        """The scores there are, by name."""
        names = ("tally", "retrained", "shared", "best", "best_retrained")
        return {name: getattr(self, name) for name in names if getattr(self, name)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Record:
        """Reads what `to_json` wrote; what follows from the fields is made anew."""
        known = {item.name for item in fields(cls)}
        made = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
            if name in known
        }
        told = values["published"]
        base, method = (tuple(told[key]) or None for key in ("base", "method"))
        return cls(**made | {"published": Published(base, method, told["note"])})  # type: ignore[arg-type]


def verdict(ours: Comparison, published_gain: float | None) -> str:
    """`RULE` in numbers."""
    if published_gain is None:
        return UNPUBLISHED
    sign = math.copysign(1, published_gain)
    gain, wanted = sign * ours.difference, abs(published_gain)
    if gain <= 0:
        return NOT
    sure = ours.pvalue < LEVEL  # False for nan: one seed is never sure
    return REPRODUCED if sure and gain >= SHARE * wanted else DIRECTION


def word(reproduced: bool, direction: bool) -> str:
    """The verdict of a claim from the two halves of its rule."""
    return REPRODUCED if reproduced else DIRECTION if direction else NOT


def with_holm(records: Sequence[Record]) -> list[Record]:
    """The records of one table with Holm's correction over all of them."""
    adjusted = holm([record.comparison.pvalue for record in records])
    return [
        replace(record, holm=None if math.isnan(p) else float(p))
        for record, p in zip(records, adjusted, strict=True)
    ]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper beside what we find.

    Attributes:
        says: What the paper says.
        rule: When it counts as found again.
        found: Our numbers in a sentence.
        verdict: A word of `records`, or same / differs for a table of sizes.
        answers: The question about the whole paper that it answers, of `QUESTIONS`; or none.
        short: That answer in a few words.
    """

    says: str
    rule: str
    found: str
    verdict: str
    answers: str = ""
    short: str = ""


@dataclass(frozen=True)
class Missing:
    """A cell that was not run, and why."""

    row: str
    column: str
    why: str


def answers(claims: dict[str, Sequence[Claim]]) -> dict[str, list[tuple[str, Claim]]]:
    """To each of the `QUESTIONS` the claims that answer it, with the title of their study."""
    told: dict[str, list[tuple[str, Claim]]] = {question: [] for question in QUESTIONS}
    for title, found in claims.items():
        for claim in found:
            if claim.answers:
                told[claim.answers].append((title, claim))
    return {question: found for question, found in told.items() if found}


def by_cell(records: Sequence[Record]) -> dict[tuple[str, str], list[Record]]:
    """The records of each cell."""
    cells: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        cells.setdefault(record.cell, []).append(record)
    return cells


def by_column(missing: Sequence[Missing]) -> list[Missing]:
    """The same, the rows of a column with one reason together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in missing:
        groups.setdefault((one.column, one.why), []).append(one.row)
    return [Missing(", ".join(rows), column, why) for (column, why), rows in groups.items()]


def mean(seeds: Seeds) -> float:
    return float(np.mean(seeds))


def spread(seeds: Seeds) -> float | None:
    """Sample standard deviation; None of one seed."""
    return float(np.std(seeds, ddof=1)) if len(seeds) > 1 else None


def _numbers(c: Comparison) -> dict[str, Any]:
    told = {
        "base_mean": c.base_mean,
        "base_sd": c.base_std,
        "mean": c.other_mean,
        "sd": c.other_std,
        "gain": c.difference,
        "low": c.low,
        "high": c.high,
        "p": c.pvalue,
        "p_wilcoxon": c.wilcoxon_pvalue,
    }
    return {k: None if math.isnan(v) else v for k, v in told.items()} | {"test": c.test}
