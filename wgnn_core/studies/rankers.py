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
from wgnn_core.studies.records import DIRECTION, IS_IT_W, NOT, REPRODUCED, Claim, Record

GRAPHS = {"Cora": "cora", "Citeseer": "citeseer", "Pubmed": "pubmed"}
RANKERS = ("w", "max-softmax", "margin", "random")
SPLITS = 50
STEPS = (0.2, 0.4, 0.6, 0.8)


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
            row=f"{ranker} against w",
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
    made = []
    for graph in GRAPHS:
        for ranker in RANKERS[1:]:
            found = [r for r in records if r.column == graph and r.row == f"{ranker} against w"]
            for record in found:
                c = record.comparison
                behind, sure = c.difference < 0, c.pvalue < 0.05
                made.append(
                    Claim(
                        f"{graph}: w orders better than {ranker} (our question, not the paper's).",
                        f"{REPRODUCED}: {ranker} is behind with p < 0.05; {DIRECTION}: behind.",
                        f"{ranker} minus w: {signed(c.difference)} points (95 % interval "
                        f"{signed(c.low)} to {signed(c.high)}, {c.test}, p = {c.pvalue:.2g}, "
                        f"n = {c.n}).",
                        REPRODUCED if behind and sure else DIRECTION if behind else NOT,
                        IS_IT_W,
                    )
                )
    return made


STUDY = Study(
    "rankers",
    "Beyond the paper: other orders in Algorithm 1",
    "The paper orders by w and tries no other score.",
    cells,
    claims,
    ("Order", "Graph"),
    beyond=True,
)
