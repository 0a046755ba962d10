"""The figure of Problem 1: accuracy on the first share alpha of the test nodes, M1 and M2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from wgnn_core.figures.accuracy_coverage import hits
from wgnn_core.figures.text import signed
from wgnn_core.ranking import accuracy_coverage
from wgnn_core.runs.results import RunResult
from wgnn_core.studies.measures import record_of, seeds
from wgnn_core.studies.plan import GRAPHS, Cell, Size, Study, base_alone
from wgnn_core.studies.records import DIRECTION, NOT, REPRODUCED, TRUST, Claim, Record, word

ALPHAS = tuple(round(0.1 * i, 1) for i in range(1, 10))


def cells(size: Size) -> list[Cell]:
    return [
        Cell("GCN", graph, (base_alone("gcn", graph, size),), partial(_measure, graph))
        for graph in GRAPHS
    ]


def _measure(graph: str, results: Sequence[RunResult]) -> list[Record]:
    (result,) = results
    first, second = (
        np.stack([accuracy_coverage(one, ALPHAS) for one in hits(result.trained, ranker)], axis=1)
        for ranker in ("m1", "m2")
    )
    return [
        record_of(
            result,
            f"α = {alpha:g}",
            graph,
            reference="M1 (distance)",
            method="M2 (w)",
            base=seeds(of_m1),
            tally=seeds(of_m2),
            val=seeds(result.trained.val),
            grid="nothing",
        )
        for alpha, of_m1, of_m2 in zip(ALPHAS, first, second, strict=True)
    ]


def claims(records: Sequence[Record]) -> list[Claim]:
    """One for each graph, and one for all of them."""
    made = []
    for graph in dict.fromkeys(record.column for record in records):
        mine = [record for record in records if record.column == graph]
        ahead = sum(record.comparison.difference > 0 for record in mine)
        gap = float(np.mean([record.comparison.difference for record in mine]))
        made.append(
            Claim(
                f"{graph}: M2 orders the test nodes better than M1"
                + ("." if graph == "Cora" else " (the paper shows Cora only)."),
                f"{REPRODUCED}: M2 is ahead at every α from 0.1 to 0.9; {DIRECTION}: on average.",
                f"ahead at {ahead} of {len(mine)} values of α; {signed(gap)} points on average.",
                word(ahead == len(mine), gap > 0),
            )
        )
    return [*made, *_everywhere(made)]


def _everywhere(made: Sequence[Claim]) -> list[Claim]:
    if not made:
        return []
    ahead = sum(claim.verdict == REPRODUCED for claim in made)
    on_average = sum(claim.verdict != NOT for claim in made)
    short = f"ahead at every α on {ahead} of {len(made)} graphs"
    return [
        Claim(
            "M2 orders the test nodes better than M1 (the paper shows Cora only).",
            f"{REPRODUCED}: at every α on every graph run; {DIRECTION}: on average over α on "
            "more than half of them.",
            f"{short}, on average over α on {on_average}.",
            word(ahead == len(made), 2 * on_average > len(made)),
            TRUST,
            f"M2 {short}",
        )
    ]


STUDY = Study(
    "m1-m2",
    "Problem 1: accuracy of M1 and M2",
    "M2 (by w) has a much better and more even accuracy than M1 (by distance), shown on Cora.",
    cells,
    claims,
    ("Share of test nodes", "Graph"),
)
