"""Stock loop against engine, alternating, so that noise of the machine hits both."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean, median

import torch

from wgnn_core import datasets
from wgnn_core.benchmark.stock import stock_run
from wgnn_core.graph import Graph
from wgnn_core.models import make_model
from wgnn_core.replicas.model import Model
from wgnn_core.wgnn import train_base

MODELS = ("gcn", "gat")
DATASETS = ("cora", "citeseer", "pubmed", "digits", "photo")
STOCK_EPOCHS = 10
ACCURACY_SECONDS = 300.0
"""Stock trainings for the accuracy column stop after about this long (3 at least, 10 at most)."""


@dataclass(frozen=True)
class Row:
    """Seconds per training of both, their ratio, and the accuracy of both in percent."""

    model: str
    dataset: str
    replicas: int
    stock_seconds: float
    ours_seconds: float
    ratio: float
    stock_accuracy: float
    ours_accuracy: float
    accuracy_seeds: int
    stock_threads: int


def compare_speed(
    models: Sequence[str] = MODELS,
    names: Sequence[str] = DATASETS,
    replicas: int = 10,
    rounds: int = 3,
    accuracy_seeds: int | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[Row]:
    """One row per model and dataset, as each is finished."""
    for name in names:
        graph = datasets.load(name)
        for model in models:
            say(f"{model} on {name}")
            yield _row(graph, make_model(model, name), replicas, rounds, accuracy_seeds)


def _row(graph: Graph, model: Model, replicas: int, rounds: int, seeds: int | None) -> Row:
    threads = _faster_threads(graph, model)
    train_base(graph, model, 1)  # compiles the kernels
    stock, ours, mine = [], [], [0.0]
    for _ in range(rounds):
        with _torch_threads(threads):
            short = stock_run(graph, model, 0, STOCK_EPOCHS).seconds
        stock.append(short * model.epochs / STOCK_EPOCHS)
        started = time.perf_counter()
        mine = train_base(graph, model, replicas).test.tolist()
        ours.append((time.perf_counter() - started) / replicas)
    count = seeds or max(3, min(10, int(ACCURACY_SECONDS / median(stock))))
    with _torch_threads(threads):
        full = [stock_run(graph, model, seed) for seed in range(count)]
    return Row(
        model=type(model).name,
        dataset=graph.name,
        replicas=replicas,
        stock_seconds=median(stock),
        ours_seconds=median(ours),
        ratio=median(stock) / median(ours),
        stock_accuracy=fmean(run.accuracy for run in full),
        ours_accuracy=fmean(mine),
        accuracy_seeds=count,
        stock_threads=threads,
    )


def _faster_threads(graph: Graph, model: Model) -> int:
    """The stock loop gets the better of one thread and torch's default."""
    times = {}
    for threads in {1, torch.get_num_threads()}:
        with _torch_threads(threads):
            stock_run(graph, model, 0, 1)
            times[threads] = stock_run(graph, model, 0, 4).seconds
    return min(times, key=lambda threads: times[threads])


@contextmanager
def _torch_threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
