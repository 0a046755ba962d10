"""Table 3, the ablation: wGNN, wGNN1 and wGNN2, each with an eta of its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from wgnn_core.figures.text import signed
from wgnn_core.runs.results import RunResult
from wgnn_core.studies.measures import first_stage_rows, tuned
from wgnn_core.studies.plan import MODELS, Cell, Size, Study, eta0_alone, search
from wgnn_core.studies.published import Published, base_of, tables
from wgnn_core.studies.records import (
    DIRECTION,
    LEVEL,
    REPRODUCED,
    WHICH,
    Claim,
    Record,
    by_cell,
    mean,
    word,
)

GRAPHS = ("Cora", "Citeseer", "Pubmed", "Photo", "CS", "Airport")
ROWS = ("GCN", "GAT")
TABLE = "table_3_ablation"
VARIANTS = {"wGNN": "wgnn", "wGNN1": "wgnn1", "wGNN2": "wgnn2"}
HALVES = ("wGNN1", "wGNN2")


def cells(size: Size) -> list[Cell]:
    made = []
    for graph in GRAPHS:
        for row in ROWS:
            config, leader = search(MODELS[row], graph, size)
            both = (config, eta0_alone(MODELS[row], graph, size))
            made.append(Cell(row, graph, both, partial(_measure, row, graph), leader))
    return made


def _measure(row: str, graph: str, results: Sequence[RunResult]) -> list[Record]:
    return variants(results[0], results[1], row, graph, partial(_published, row))


def variants(
    both: RunResult, first: RunResult, row: str, graph: str, published: partial[Published]
) -> list[Record]:
    """wGNN, wGNN1 and wGNN2 of a search of both algorithms and one of Algorithm 1 alone."""
    return [
        tuned(both, f"{row}, wGNN", graph, published("wGNN", graph), "wGNN"),
        tuned(first, f"{row}, wGNN1", graph, published("wGNN1", graph), "wGNN1"),
        tuned(
            both,
            f"{row}, wGNN2",
            graph,
            published("wGNN2", graph),
            "wGNN2",
            first_stage_rows(both),
        ),
    ]


def _published(row: str, variant: str, graph: str) -> Published:
    printed = tables()[TABLE][row][VARIANTS[variant]].get(graph)
    return Published(base_of(row, graph), tuple(printed) if printed else None)


def shares(records: Sequence[Record]) -> list[Claim]:
    """What each algorithm alone gives, on average over cells that have wGNN and both halves."""
    cells = [{r.method: r for r in found} for found in by_cell(records).values()]
    whole = [found for found in cells if found.keys() >= VARIANTS.keys()]
    if not whole:
        return []
    columns = {variant: [found[variant] for found in whole] for variant in VARIANTS}
    both, first, second = (
        float(np.mean([r.comparison.difference for r in found])) for found in columns.values()
    )
    surely = all(2 * len(_sure(columns[half], 1)) >= len(whole) for half in HALVES)
    told = "; ".join(f"{half} {_places(columns[half])}" for half in HALVES)
    return [
        Claim(
            "Algorithm 1 alone (wGNN1) gives more than Algorithm 2 alone (wGNN2), and both help.",
            f"{REPRODUCED}: both mean gains are above 0, the first is larger, and each is ahead "
            f"with p < {LEVEL:g} in at least half of the cells; {DIRECTION}: the first is above 0 "
            "and larger.",
            f"mean gain in points, each with an η of its own (cells run: {len(whole)}): wGNN1 "
            f"{signed(first)}, wGNN2 {signed(second)}, both together {signed(both)}. With "
            f"p < {LEVEL:g}: {told}.",
            word(first > second > 0 and surely, first > max(second, 0)),
            WHICH,
            f"wGNN1 alone {signed(first)}, wGNN2 alone {signed(second)}, both together "
            f"{signed(both)} points on average",
        )
    ]


def _sure(records: Sequence[Record], sign: int) -> list[Record]:
    """Those that gain surely, or lose surely if `sign` is -1."""
    found = [(r, r.comparison) for r in records]
    return [r for r, c in found if c.pvalue < LEVEL and sign * c.difference > 0]


def _places(records: Sequence[Record]) -> str:
    """Where they surely gain and lose."""
    told = []
    for verb, sign in (("gains", 1), ("loses", -1)):
        places = [
            f"{r.row.split(', ')[0]} on {r.column} ({signed(r.comparison.difference)})"
            for r in _sure(records, sign)
        ]
        told.append(f"{verb} with {', '.join(places)}" if places else f"{verb} nowhere")
    return " and ".join(told)


def claims(records: Sequence[Record]) -> list[Claim]:
    """Where the algorithms matter: wGNN against each of its halves; and what each alone gives."""
    scores = {(r.row.split(", ")[0], r.column, r.method): mean(r.tally) for r in records}
    places = sorted({key[:2] for key in scores})
    made = []
    for half in HALVES:
        differences = {
            place: scores[*place, "wGNN"] - scores[*place, half]
            for place in places
            if (*place, "wGNN") in scores and (*place, half) in scores
        }
        if not differences:
            continue
        level = sum(d >= 0 for d in differences.values())
        told = "; ".join(f"{m} on {g} {signed(d)}" for (m, g), d in differences.items())
        made.append(
            Claim(
                f"wGNN is at least as good as {half} everywhere.",
                f"{REPRODUCED}: the mean of wGNN is not below that of {half} in any cell run; "
                f"{DIRECTION}: it is below in less than half of them.",
                f"not below in {level} of {len(differences)} cells; wGNN minus {half} in points: "
                f"{told}.",
                word(level == len(differences), 2 * level > len(differences)),
                WHICH,
                f"both together not below {half} in {level} of {len(differences)} cells",
            )
        )
    return [*made, *shares(records)]


STUDY = Study(
    "table-3",
    "Table 3: ablation",
    "Both algorithms help, Algorithm 1 (wGNN1) more than Algorithm 2 (wGNN2), and both together "
    "most.",
    cells,
    claims,
    ("Model and method", "Graph"),
)
