"""The appendix table: wGNN and its halves on GCN beside ReNode, Self-training and PTDNet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from wgnn_core.figures.text import signed
from wgnn_core.runs.results import RunResult
from wgnn_core.statistics import compare
from wgnn_core.studies.measures import model
from wgnn_core.studies.plan import Cell, Size, Study, base_alone, eta0_alone, search
from wgnn_core.studies.published import Published, base_of, note, tables
from wgnn_core.studies.records import AHEAD, DIRECTION, LEVEL, REPRODUCED, Claim, Record, word
from wgnn_core.studies.table_3 import shares, variants

GRAPHS = (
    "Cora", "Citeseer", "Pubmed", "Texas", "Chameleon", "CS", "Photo", "Airport", "Disease"
)  # fmt: skip
RIVALS = {
    "Renode": "renode",
    "Self-training": "self-training",
    "PTDNet": "ptdnet",
}
"""By the name in the paper's table."""
TABLE = "table_5_more_comparisons"


def cells(size: Size) -> list[Cell]:
    made = []
    for graph in GRAPHS:
        config, leader = search("gcn", graph, size)
        both = (config, eta0_alone("gcn", graph, size))
        made.append(Cell("GCN", graph, both, partial(_variants, graph), leader))
        for name, rival in RIVALS.items():
            pair = base_alone("gcn", graph, size), base_alone(rival, graph, size)
            made.append(Cell(name, graph, pair, partial(_rival, name, graph)))
    return made


def _variants(graph: str, results: Sequence[RunResult]) -> list[Record]:
    return variants(results[0], results[1], "GCN", graph, partial(published))


def _rival(name: str, graph: str, results: Sequence[RunResult]) -> list[Record]:
    return [model(results[0], results[1], name, graph, published(name, graph))]


def published(name: str, graph: str) -> Published:
    """A method of the table against GCN of Tables 1 and 2."""
    printed = tables()[TABLE][name].get(graph)
    base = base_of("GCN", graph)
    return Published(base, tuple(printed) if printed else None, note(name, graph))


def claims(records: Sequence[Record]) -> list[Claim]:
    """wGNN against each rival on the graphs that have both, and what its halves give.

    The halves are Table 3's on GCN, which answers for the whole paper.
    """
    halves = [replace(claim, answers="", short="") for claim in shares(records)]
    wgnn = {r.column: r for r in records if r.row == "GCN, wGNN"}
    gaps = {
        (r.column, r.row): compare(wgnn[r.column].tally, r.tally, r.overlap)
        for r in records
        if r.row in RIVALS and r.column in wgnn
    }
    if not gaps:
        return halves
    behind = sum(c.difference < 0 for c in gaps.values())
    sure = [c.difference for c in gaps.values() if c.pvalue < LEVEL]
    told = "; ".join(
        f"{rival} on {graph} {signed(c.difference)}" for (graph, rival), c in gaps.items()
    )
    short = (
        f"ahead in {behind} of {len(gaps)} comparisons, with p < {LEVEL:g} in "
        f"{sum(d < 0 for d in sure)}, and behind with p < {LEVEL:g} in {sum(d > 0 for d in sure)}"
    )
    versus = Claim(
        "wGNN is ahead of ReNode, Self-training and PTDNet on most graphs.",
        f"{REPRODUCED}: wGNN has the higher mean in at least three of four comparisons; "
        f"{DIRECTION}: in more than half. Means are compared, as in the paper's table.",
        f"{short}; rival minus wGNN in points: {told}.",
        word(4 * behind >= 3 * len(gaps), 2 * behind > len(gaps)),
        AHEAD,
        short,
    )
    return [versus, *halves]


STUDY = Study(
    "appendix",
    "Appendix table: more comparisons",
    "wGNN is ahead of ReNode, Self-training and PTDNet on most graphs.",
    cells,
    claims,
    ("Method", "Graph"),
)
