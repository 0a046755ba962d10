"""Beyond the paper: is it w that makes Algorithm 1 work? Other orders over fifty random splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from wgnn_core.figures.text import signed
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.studies.measures import tuned
from wgnn_core.studies.plan import QUICK_SEEDS, QUICK_STEPS, Cell, Size, Study
from wgnn_core.studies.published import Published
from wgnn_core.studies.records import (
    DIRECTION,
    IS_IT_W,
    LEVEL,
    REPRODUCED,
    Claim,
    Record,
    word,
)

GRAPHS = {"Cora": "cora", "Citeseer": "citeseer", "Pubmed": "pubmed"}
RANKERS = ("w", "max-softmax", "margin", "random")
SPLITS = 50
STEPS = (0.2, 0.4, 0.6, 0.8)
BESIDE = " against w"


def cells(size: Size) -> list[Cell]:
    count = QUICK_SEEDS if size == "quick" else SPLITS
    steps = QUICK_STEPS if size == "quick" else STEPS
    made = []
    for title, dataset in GRAPHS.items():
        asked = [Intervention(eta0, ranker=ranker) for ranker in RANKERS for eta0 in steps]
        config = RunConfig(
            dataset,
            (("splits", count),),
            "gcn",
            seeds=tuple(range(count)),
            interventions=(Intervention(), *asked),
        )
        made.append(Cell("GCN", title, (config,), partial(_measure, title)))
    return made


def _measure(graph: str, results: Sequence[RunResult]) -> list[Record]:
    """Each order against the base model, then each other order against w."""
    (result,) = results
    rows = result.rows
    own = {
        ranker: tuned(
            result,
            f"{ranker} against GCN",
            graph,
            Published(),
            f"wGNN1 by {ranker}",
            rows[(rows["ranker"] == ranker) | (rows["eta0"] == 0)],
        )
        for ranker in RANKERS
    }
    first = own["w"]
    beside = [
        replace(
            other,
            row=f"{ranker}{BESIDE}",
            reference=first.method,
            base=first.tally,
            retrained=(),
            shared=(),
            shared_etas="",
            best=(),
            best_etas="",
            best_retrained=(),
        )
        for ranker, other in own.items()
        if ranker != "w"
    ]
    return [*own.values(), *beside]


def claims(records: Sequence[Record]) -> list[Claim]:
    """One for each graph and order, and one for all of them."""
    beside = [r for r in records if r.row.endswith(BESIDE)]
    made = []
    for record in beside:
        c, ranker = record.comparison, record.row.removesuffix(BESIDE)
        behind, sure = c.difference < 0, c.pvalue < LEVEL
        made.append(
            Claim(
                f"{record.column}: w orders better than {ranker} (our question, not the paper's).",
                f"{REPRODUCED}: {ranker} is behind with p < {LEVEL:g}; {DIRECTION}: behind.",
                f"{ranker} minus w: {signed(c.difference)} points (95 % interval "
                f"{signed(c.low)} to {signed(c.high)}, {c.test}, p = {c.pvalue:.2g}, n = {c.n}).",
                word(behind and sure, behind),
            )
        )
    return [*made, *_altogether(beside)]


def _altogether(beside: Sequence[Record]) -> list[Claim]:
    if not beside:
        return []
    found = [record.comparison for record in beside]
    behind = sum(c.difference < 0 for c in found)
    sure = sum(c.difference < 0 and c.pvalue < LEVEL for c in found)
    ahead = sum(c.difference > 0 and c.pvalue < LEVEL for c in found)
    told = "; ".join(
        f"{r.row.removesuffix(BESIDE)} on {r.column} {signed(r.comparison.difference)}"
        for r in beside
    )
    counts = sorted({c.n for c in found})
    n = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    short = (
        f"the other order is behind in {behind}, with p < {LEVEL:g} in {sure}; ahead with "
        f"p < {LEVEL:g} in {ahead}"
    )
    return [
        Claim(
            "w orders better than max-softmax, margin and chance (our question, not the paper's).",
            f"{REPRODUCED}: in every comparison the other order is behind, in more than half with "
            f"p < {LEVEL:g}; {DIRECTION}: in more than half it is behind.",
            f"comparisons: {len(found)}, n = {n} splits each; {short}. Other minus w in points: "
            f"{told}.",
            word(behind == len(found) and 2 * sure > len(found), 2 * behind > len(found)),
            IS_IT_W,
            f"of {len(found)} comparisons {short}",
        )
    ]


STUDY = Study(
    "rankers",
    "Beyond the paper: other orders in Algorithm 1",
    "Test nodes join in the order of w; no other score is tried.",
    cells,
    claims,
    ("Order", "Graph"),
    beyond=True,
)
