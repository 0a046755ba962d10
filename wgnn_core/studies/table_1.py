"""Table 1: six base models and wGNN on seven graphs, and on three near them."""

from __future__ import annotations

from functools import partial

from wgnn_core.studies.measures import tuned
from wgnn_core.studies.plan import MODELS, Cell, Size, Study, search
from wgnn_core.studies.published import of_table
from wgnn_core.studies.records import Record
from wgnn_core.studies.tallies import gains

GRAPHS = (
    "Cora", "Citeseer", "Pubmed", "Photo", "Photo, draw 1234", "CS", "CS, draw 1234", "Airport",
    "Disease", "Disease tree",
)  # fmt: skip
"""Photo and CS over random splits, and beside them with the single one of the authors' release."""
ROWS = ("GCN", "GAT", "DropEdge", "MaskGAE", "GIL", "GraphCON")
TABLE = "table_1_node_classification"


def searched(table: str, rows: tuple[str, ...], graphs: tuple[str, ...], size: Size) -> list[Cell]:
    """A cell for each base model on each graph, eta found by a search."""
    cells = []
    for graph in graphs:
        for row in rows:
            config, leader = search(MODELS[row], graph, size)
            cells.append(Cell(row, graph, (config,), partial(_measure, table, row, graph), leader))
    return cells


def _measure(table: str, row: str, graph: str, results: list) -> list[Record]:  # type: ignore[type-arg]
    return [tuned(results[0], row, graph, of_table(table, row, graph))]


STUDY = Study(
    "table-1",
    "Table 1: node classification",
    "wGNN improves every base model on every graph.",
    partial(searched, TABLE, ROWS, GRAPHS),
    gains,
)
