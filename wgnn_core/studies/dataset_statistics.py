"""The table of datasets: our sizes beside the printed ones; nothing is trained."""

from __future__ import annotations

from collections.abc import Sequence

from wgnn_core import datasets
from wgnn_core.studies.plan import GRAPHS, Cell, Size, Study
from wgnn_core.studies.published import tables
from wgnn_core.studies.records import Claim, Record

TABLE = "table_4_datasets"
SAME, DIFFERS = "same", "differs"
SIZES = ("nodes", "edges", "classes", "features")
WHY = {
    "Cora": "repeated citations count once here",
    "Citeseer": "repeated citations and self-loops count once or not at all here",
    "Pubmed": "repeated citations and self-loops count once or not at all here",
    "Airport": "a self-loop is left out here",
    "Texas": "here each link counts once, whatever its direction, without self-loops",
    "Chameleon": "the paper counts links in both directions; the Geom-GCN files have five classes",
}


def cells(size: Size) -> list[Cell]:
    return []


def claims(records: Sequence[Record]) -> list[Claim]:
    """One for each graph of the table whose files are here."""
    made = []
    for title, printed in tables()[TABLE].items():
        name = GRAPHS[title][0]
        if datasets.status(name) not in ("built in", "on disk"):
            continue
        graph = datasets.load(name)
        ours = dict(
            zip(
                SIZES,
                (graph.num_nodes, graph.num_edges, graph.num_classes, graph.num_features),
                strict=True,
            )
        )
        other = [size for size in SIZES if ours[size] != printed[size]]
        why = f"; {WHY[title]}" if other and title in WHY else ""
        made.append(
            Claim(
                f"{title}: " + ", ".join(f"{printed[size]} {size}" for size in SIZES) + ".",
                "same: all four numbers are equal.",
                ", ".join(f"{ours[size]} {size}" for size in SIZES)
                + (f" ({' and '.join(other)} differ{why})." if other else "."),
                DIFFERS if other else SAME,
            )
        )
    return made


STUDY = Study(
    "datasets",
    "Dataset statistics",
    "The sizes of the nine graphs.",
    cells,
    claims,
)
