"""The parameter study (Section 5.4.1): GCN, eta0 by eta1 = eta2, on Cora and Citeseer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.search import paired_grid
from wgnn_core.studies.measures import fixed
from wgnn_core.studies.plan import GRAPHS, QUICK_SEEDS, SEEDS, Cell, Size, Study
from wgnn_core.studies.records import NOT, REPRODUCED, Claim, Record, mean

ETA0S = (0.2, 0.4, 0.6, 0.8)
ETA12S = tuple(round(0.1 * i, 1) for i in range(1, 9))
GOOD = {"Cora": 0.6, "Citeseer": 0.5}
"""The eta1 = eta2 that the paper finds good for every eta0."""


def cells(size: Size) -> list[Cell]:
    seeds = tuple(range(QUICK_SEEDS if size == "quick" else SEEDS))
    made = []
    for graph in GOOD:
        dataset, parameters = GRAPHS[graph]
        grid = tuple(paired_grid(ETA0S, ETA12S[1::2] if size == "quick" else ETA12S))
        config = RunConfig(dataset, parameters, "gcn", seeds=seeds, interventions=grid)
        made.append(Cell("GCN", graph, (config,), partial(_measure, graph)))
    return made


def _measure(graph: str, results: Sequence[RunResult]) -> list[Record]:
    (result,) = results
    return [
        fixed(result, one, f"{graph}, η₀ = {one.eta0:g}", f"η₁ = η₂ = {one.eta1:g}")
        for one in result.config.interventions
    ]


def by_etas(records: Sequence[Record], graph: str) -> dict[tuple[float, float], Record]:
    """The records of a graph by eta0 and eta1 = eta2."""
    found = {}
    for record in records:
        if record.row.startswith(f"{graph},"):
            eta0, eta1 = (float(part) for part in record.etas[0].split(",")[:2])
            found[eta0, eta1] = record
    return found


def claims(records: Sequence[Record]) -> list[Claim]:
    made = []
    for graph, good in GOOD.items():
        found = by_etas(records, graph)
        if not found:
            continue
        tried = sorted({eta for _, eta in found})
        rows = {a: float(np.mean([mean(found[a, b].tally) for b in tried])) for a in ETA0S}
        columns = {b: float(np.mean([mean(found[a, b].tally) for a in ETA0S])) for b in tried}
        told = ", ".join(f"{eta:g}: {value:.2f}" for eta, value in rows.items())
        made.append(
            Claim(
                f"{graph}: larger η₀ is generally better.",
                f"{REPRODUCED}: the mean over η₁ = η₂ is higher at η₀ = 0.8 than at 0.2.",
                f"mean test accuracy in % by η₀: {told}.",
                REPRODUCED if rows[0.8] > rows[0.2] else NOT,
            )
        )
        best = max(columns, key=lambda eta: columns[eta])
        told = ", ".join(f"{eta:g}: {value:.2f}" for eta, value in columns.items())
        made.append(
            Claim(
                f"{graph}: η₁ = η₂ near {good:g} is good for every η₀.",
                f"{REPRODUCED}: the best mean over η₀ is within 0.1 of it.",
                f"best at {best:g}; mean test accuracy in % by η₁ = η₂: {told}.",
                REPRODUCED if abs(best - good) < 0.11 else NOT,
            )
        )
    return made


STUDY = Study(
    "parameters",
    "Parameter study: accuracy over η₀ and η₁ = η₂",
    "Larger η₀ is generally better until errors join; η₁ = η₂ near 0.6 (Cora) and 0.5 (Citeseer) "
    "is good for every η₀.",
    cells,
    claims,
    ("Graph and η₀", "η₁ = η₂"),
)
