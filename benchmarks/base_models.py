"""Every base model and comparator on every dataset, beside the paper's figures.

    python benchmarks/base_models.py --models gcn gat --datasets cora citeseer --seeds 10

Rows of benchmarks/base_models.md that are not run again stay as they are.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import fields, replace
from pathlib import Path

import numpy as np

from wgnn_core import datasets
from wgnn_core.comparators import COMPARATORS, Comparator, Scores, make_comparator
from wgnn_core.graph import Graph
from wgnn_core.models import MODELS, make_model
from wgnn_core.replicas.model import Model
from wgnn_core.wgnn import Base, train_base

TABLE = Path(__file__).with_suffix(".md")
START, END = "<!-- rows -->", "<!-- end of rows -->"
COLUMNS = (
    "model", "dataset", "n", "validation", "test", "paper", "difference",
    "seconds a training", "alone (K = 1)",
)  # fmt: skip

ORDER = (
    "cora", "citeseer", "pubmed", "texas", "chameleon", "airport", "disease-sim", "photo", "cs",
)  # fmt: skip
"""Disease has no public features; disease-sim is a simulation, not the paper's graph."""

_COLUMNS_OF_PAPER = ("cora", "citeseer", "pubmed", "cs", "photo", "airport", "disease-sim")
_HETEROPHILIC = ("texas", "chameleon")


def _row(*pairs: tuple[float, float] | None) -> dict[str, tuple[float, float]]:
    names = _COLUMNS_OF_PAPER + _HETEROPHILIC
    return {name: pair for name, pair in zip(names, pairs, strict=False) if pair is not None}


PAPER: dict[str, dict[str, tuple[float, float]]] = {
    "gcn": _row(
        (80.65, 0.49), (71.23, 0.66), (79.03, 0.38), (88.14, 0.42), (90.66, 0.52),
        (85.08, 2.02), (87.68, 3.67), (54.60, 6.47), (63.62, 3.14),
    ),
    "gat": _row(
        (81.91, 0.48), (70.21, 0.52), (78.91, 0.42), (88.51, 0.73), (90.36, 0.85),
        (91.23, 3.40), (83.74, 2.31), (52.70, 8.38), (64.25, 3.41),
    ),
    "dropedge": _row(
        (81.00, 0.55), (70.72, 0.56), (79.18, 0.33), (88.27, 0.43), (90.49, 0.64),
        (86.80, 1.50), (87.72, 2.60), (55.95, 6.25), (63.57, 1.97),
    ),
    "maskgae": _row(
        (82.03, 0.76), (70.10, 1.37), (80.11, 0.51), (92.72, 0.11), (91.55, 0.23),
        (70.56, 1.25), (70.51, 3.57),
    ),
    "gil": _row(
        (79.65, 1.38), (66.43, 1.56), (77.18, 1.00), (88.69, 0.93), (89.60, 1.30),
        (90.34, 1.29), (89.96, 1.02), (57.84, 5.44), (64.41, 1.96),
    ),
    "graphcon": _row(
        (82.36, 0.84), (70.80, 1.40), (79.11, 1.78), (90.19, 0.70), (90.04, 0.54),
        (57.32, 1.87), (70.32, 4.45), (80.81, 4.12), (50.77, 2.35),
    ),
    "acmgcn": {"texas": (88.38, 3.21), "chameleon": (65.92, 2.32)},
    "renode": _row(
        (81.28, 0.75), (69.54, 0.79), (79.62, 0.38), (90.08, 0.56), (89.25, 1.20),
        (76.40, 3.73), (83.35, 1.26), (58.11, 4.72), (52.98, 2.84),
    ),
    "self-training": _row(
        (82.27, 0.33), (73.24, 0.44), (80.32, 0.18), (88.92, 0.19), (90.62, 0.43),
        (85.69, 0.89), (87.18, 1.18), (54.14, 7.45), (63.97, 2.33),
    ),
    "ptdnet": _row(
        (82.80, 2.60), (72.70, 1.80), (79.80, 2.40), (90.37, 0.17), (80.11, 0.44),
        (64.28, 1.94), None, None, (50.35, 1.93),
    ),
}  # fmt: skip
"""Mean and standard deviation of the base models (Tables 1 and 2) and comparators (appendix)."""


def measure(name: str, graph: Graph, seeds: int) -> list[str]:
    """One row of the table: the batch of all seeds, then one training by itself."""
    model: Model = (make_model if name in MODELS else make_comparator)(name, graph.name)
    stages = [f.name for f in fields(model) if f.name in ("epochs", "pretrain_epochs")]
    scores(replace(model, **dict.fromkeys(stages, 2)), graph, 1)  # compile before the clock runs
    val, test, together = scores(model, graph, seeds)
    alone = scores(model, graph, 1)[2]
    paper = PAPER.get(name, {}).get(graph.name)
    return [
        name,
        graph.name,
        str(seeds),
        _plus_minus(val),
        _plus_minus(test),
        f"{paper[0]:.2f} ± {paper[1]:.2f}" if paper else "-",
        f"{test.mean() - paper[0]:+.2f}" if paper else "-",
        f"{together / seeds:.2f}",
        f"{alone:.2f}",
    ]


def scores(model: Model, graph: Graph, seeds: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Validation and test accuracy for each seed, and the seconds all of it took."""
    started = time.perf_counter()
    if isinstance(model, Comparator):
        result: Scores | Base = model.run(graph, seeds)
    else:
        result = train_base(graph, model, seeds)
    return result.val, result.test, time.perf_counter() - started


def _plus_minus(values: np.ndarray) -> str:
    spread = f" ± {values.std(ddof=1):.2f}" if len(values) > 1 else ""
    return f"{values.mean():.2f}{spread}"


def read_rows(text: str) -> dict[tuple[str, str], list[str]]:
    inside = text.split(START)[1].split(END)[0].strip().splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in inside]
    return {(row[0], row[1]): row for row in rows}


def write_rows(text: str, rows: dict[tuple[str, str], list[str]]) -> str:
    names = [*MODELS, *COMPARATORS]
    ordered = sorted(rows.values(), key=lambda row: (names.index(row[0]), ORDER.index(row[1])))
    lines = [list(COLUMNS), ["---"] * len(COLUMNS), *ordered]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return text.split(START)[0] + f"{START}\n{table}\n{END}" + text.split(END)[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    everything = [*MODELS, *COMPARATORS]
    parser.add_argument("--models", nargs="+", default=everything, choices=everything)
    parser.add_argument("--datasets", nargs="+", default=list(ORDER), choices=ORDER)
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    for dataset in arguments.datasets:
        graph = datasets.load(dataset)
        for name in arguments.models:
            row = measure(name, graph, arguments.seeds)
            text = TABLE.read_text()
            TABLE.write_text(write_rows(text, read_rows(text) | {(name, dataset): row}))
            print(" | ".join(row), flush=True)


if __name__ == "__main__":
    main()
