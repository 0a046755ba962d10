"""The appendix table: wGNN and its halves on GCN beside ReNode, Self-training and PTDNet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from wgnn_core.runs.results import RunResult
from wgnn_core.studies.measures import model
from wgnn_core.studies.plan import Cell, Size, Study, base_alone, eta0_alone, search
from wgnn_core.studies.published import Published, base_of, note, tables
from wgnn_core.studies.records import Record
from wgnn_core.studies.table_3 import variants

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


STUDY = Study(
    "appendix",
    "Appendix table: more comparisons",
    "wGNN is ahead of ReNode, Self-training and PTDNet on most graphs.",
    cells,
    axes=("Method", "Graph"),
)
