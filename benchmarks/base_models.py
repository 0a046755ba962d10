"""Every base model and comparator on every dataset, beside the paper's figures.

    python benchmarks/base_models.py --models gcn gat --datasets cora citeseer --seeds 10
    python benchmarks/base_models.py --models self-training self-training:share --datasets cora
    python benchmarks/base_models.py --models gcn gat --datasets cora --speed

A model may be followed by a colon and one of its presets.
Rows of benchmarks/base_models.md that are not run again stay as they are. With ``--speed`` only
the last three columns of rows that are there already are measured, with ``--estimate`` only what
a training of a missing row would cost.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from wgnn_core import datasets
from wgnn_core.benchmark.stock import train_stock
from wgnn_core.comparators import COMPARATORS, METHODS, make_method
from wgnn_core.graph import Graph
from wgnn_core.replicas.model import Model, Sizes
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.train import train_batch
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Batch, Domain, View
from wgnn_core.wgnn import train_base

TABLE = Path(__file__).with_suffix(".md")
START, END = "<!-- rows -->", "<!-- end of rows -->"
COLUMNS = (
    "model", "dataset", "n", "validation", "test", "paper", "difference",
    "seconds per training", "ms per epoch", "plain loop", "times faster",
)  # fmt: skip
SPEED = slice(-3, None)
NOT_MEASURED = ["-", "-", "-"]
ROUNDS = 3

ORDER = (
    "cora", "citeseer", "pubmed", "texas", "chameleon", "airport", "disease-sim", "photo", "cs",
)  # fmt: skip
"""disease-sim is a simulation in place of Disease, whose features file is never fetched."""

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


def measure(name: str, graph: Graph, seeds: Sequence[int]) -> list[str]:
    """One row of the table, its speed columns aside."""
    model = recipe(name, graph.name)
    scores(shortened(model, 2), graph, [0])  # compile before the clock runs
    val, test, seconds = scores(model, graph, seeds)
    paper = PAPER.get(plain_name(name), {}).get(graph.name)
    return [
        name,
        graph.name,
        str(len(seeds)),
        _plus_minus(val),
        _plus_minus(test),
        f"{paper[0]:.2f} ± {paper[1]:.2f}" if paper else "-",
        _difference(name, graph.name, test.mean() - paper[0]) if paper else "-",
        f"{seconds / len(seeds):.2f}",
        *NOT_MEASURED,
    ]


def recipe(name: str, dataset: str) -> Model:
    """The model `name`, or `name:preset`, with its hyperparameters for a dataset."""
    plain, _, preset = name.partition(":")
    return make_method(plain, dataset, preset or None)


def plain_name(name: str) -> str:
    return name.partition(":")[0]


def shortened(model: Model, epochs: int) -> Model:
    """The same model with fewer epochs in each of its stages."""
    stages = [f.name for f in fields(model) if f.name in ("epochs", "pretrain_epochs")]
    return replace(model, **dict.fromkeys(stages, epochs))


def bound(name: str, dataset: str) -> float:
    """How far below the paper a mean may be before its row is marked as short."""
    if dataset in ("cora", "citeseer", "pubmed"):
        return 2.0 if plain_name(name) in COMPARATORS else 1.5
    return 4.0


def _difference(name: str, dataset: str, points: float) -> str:
    if dataset == "disease-sim":
        return "-"
    return f"{points:+.2f}" + (" short" if points < -bound(name, dataset) else "")


def scores(
    model: Model, graph: Graph, seeds: Sequence[int]
) -> tuple[np.ndarray, np.ndarray, float]:
    """Validation and test accuracy for each seed, and the seconds all of it took."""
    started = time.perf_counter()
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
    names = list(METHODS)
    ordered = sorted(
        rows.values(),
        key=lambda row: (names.index(plain_name(row[0])), row[0], ORDER.index(row[1])),
    )
    lines = [list(COLUMNS), ["---"] * len(COLUMNS), *ordered]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return text.split(START)[0] + f"{START}\n{table}\n{END}" + text.split(END)[1]


def speed(name: str, graph: Graph, replicas: int) -> list[str]:
    """CPU milliseconds per epoch: K together for each training, a plain loop, and their ratio.

    The two take turns, on one thread, so that what else the machine does hits both.
    """
    torch.set_num_threads(1)
    model = recipe(name, graph.name)
    domain = Domain.of(graph, torch.device("cpu"))
    trainings = Trainings.of_seeds(graph, np.arange(replicas))

    def together(epochs: int) -> None:
        train_batch(shortened(model, epochs), domain, trainings, lambda _: None)

    def plain(epochs: int) -> None:
        if name in ("gcn", "gat"):
            train_stock(graph, model, 0, epochs)
        else:
            plain_training(shortened(model, epochs), graph, 0)

    together(1)
    plain(1)
    pairs = [(an_epoch(together) / replicas, an_epoch(plain)) for _ in range(ROUNDS)]
    ours, theirs = (median(column) for column in zip(*pairs, strict=True))
    return [f"{1000 * ours:.1f}", f"{1000 * theirs:.1f}", f"{theirs / ours:.1f}"]


def not_run(name: str, graph: Graph) -> list[str]:
    """A row that says what a training would cost, from a few epochs of one."""
    torch.set_num_threads(1)
    model = recipe(name, graph.name)
    domain = Domain.of(graph, torch.device("cpu"))
    one = Trainings.of_seeds(graph, np.array([0]))

    def train(epochs: int) -> None:
        train_batch(shortened(model, epochs), domain, one, lambda _: None)

    train(1)
    epochs = max(model.epochs, getattr(model, "pretrain_epochs", 0))
    minutes = an_epoch(train) * epochs / 60
    paper = PAPER.get(plain_name(name), {}).get(graph.name)
    figure = f"{paper[0]:.2f} ± {paper[1]:.2f}" if paper else "-"
    says = f"not run: about {minutes:.1f} min per training"
    return [name, graph.name, "0", "-", says, figure, "-", "-", *NOT_MEASURED]


def an_epoch(train: Callable[[int], None]) -> float:
    """CPU seconds of one epoch: what epochs after the first add."""
    first = _cpu_seconds(train, 1)
    two = _cpu_seconds(train, 2)
    more = int(np.clip(0.5 / max(two - first, 1e-3), 3, 30))
    return (_cpu_seconds(train, 1 + more) - _cpu_seconds(train, 1)) / more


def _cpu_seconds(train: Callable[[int], None], epochs: int) -> float:
    started = time.process_time()
    train(epochs)
    return time.process_time() - started


class PlainBatch(Batch):
    """One replica as the usual code has it: dense features, torch's own dropout and scatter."""

    @cached_property
    def dense(self) -> Tensor:
        return torch.from_numpy(self.domain.graph.x.toarray()).unsqueeze(0)

    def view(self, depth: int) -> PlainView:
        everyone = np.ones(self.domain.graph.num_nodes, dtype=bool)
        return PlainView(self, self.domain.field(everyone, depth))

    @cached_property
    def whole(self) -> View:
        return self.view(1)

    def dropout(self, h: Tensor, rows: Any, p: float, noise: Noise | None, site: int) -> Tensor:
        return functional.dropout(h, p, noise is not None)


class PlainView(View):
    batch: PlainBatch

    def linear(
        self, W: Tensor, p: float = 0.0, noise: Noise | None = None, site: int = 0
    ) -> Tensor:
        return functional.dropout(self.batch.dense, p, noise is not None) @ W


def plain_training(model: Model, graph: Graph, seed: int) -> float:
    """Train once, all nodes in each pass and an evaluation each epoch; the best validation."""
    torch.manual_seed(seed)  # for torch's own dropout
    domain = replace(Domain.of(graph, torch.device("cpu")), compiled=False)
    data = Trainings.of_seeds(graph, np.array([seed]))
    batch = PlainBatch(domain, None)
    batch = replace(batch, prepared=model.prepare(batch, data.seeds, lambda: None))
    view = batch.view(model.depth)
    sizes = Sizes(graph.num_nodes, graph.num_features, graph.num_classes)
    start = model.init(sizes, torch.Generator().manual_seed(seed))
    p = {key: value.unsqueeze(0).requires_grad_() for key, value in start.items()}
    kind = torch.optim.Adamax if model.optimizer == "adamax" else torch.optim.Adam
    optimizer = kind(
        [
            {"params": [v], "weight_decay": 0.0 if k in model.undecayed else model.weight_decay}
            for k, v in p.items()
        ],
        lr=model.lr,
    )
    labels, weight = torch.from_numpy(data.labels.clip(0)), torch.from_numpy(data.weight)
    val, best = torch.from_numpy(data.val), 0.0
    for epoch in range(model.epochs):
        for group in optimizer.param_groups:
            group["lr"] = model.lr_at(epoch)
        optimizer.zero_grad()
        losses, _ = model.loss(p, view, Noise.of_epoch(data.seeds, epoch), labels, weight)
        losses.sum().backward()
        optimizer.step()
        with torch.no_grad():
            right = model.forward(p, view, None).argmax(-1) == labels
        best = max(best, float(right[val].float().mean()))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=list(METHODS))
    parser.add_argument("--datasets", nargs="+", default=list(ORDER), choices=ORDER)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--speed", action="store_true", help="only the speed of rows that exist")
    parser.add_argument("--estimate", action="store_true", help="only the cost of missing rows")
    arguments = parser.parse_args()
    for name in arguments.models:
        recipe(name, arguments.datasets[0])  # a wrong name fails before anything runs
    for dataset in arguments.datasets:
        graph = datasets.load(dataset)
        for name in arguments.models:
            before = read_rows(TABLE.read_text()).get((name, dataset))
            measured = before is not None and before[2] != "0"
            if (arguments.speed and not measured) or (arguments.estimate and measured):
                continue
            if arguments.speed and before is not None:
                fast = speed(name, graph, int(before[2]))
                row = read_rows(TABLE.read_text())[name, dataset]
                row[SPEED] = fast
            elif arguments.estimate:
                row = not_run(name, graph)
            else:
                first = arguments.first_seed
                row = measure(name, graph, range(first, first + arguments.seeds))
                row[SPEED] = before[SPEED] if before is not None else NOT_MEASURED
            # read again: another process may have added rows meanwhile
            text = TABLE.read_text()
            TABLE.write_text(write_rows(text, read_rows(text) | {(name, dataset): row}))
            print(" | ".join(row), flush=True)


if __name__ == "__main__":
    main()
