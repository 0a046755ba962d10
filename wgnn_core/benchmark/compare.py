"""Stock loop against engine, alternating, so that noise of the machine hits both."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from multiprocessing import get_context
from statistics import fmean, median, stdev

import torch

from wgnn_core import datasets
from wgnn_core.benchmark.stock import train_stock
from wgnn_core.graph import Graph
from wgnn_core.models import make_model
from wgnn_core.replicas.engine import default_threads
from wgnn_core.replicas.model import Model
from wgnn_core.wgnn import train_base

MODELS = ("gcn", "gat")
DATASETS = ("cora", "citeseer", "pubmed", "digits", "photo")
STOCK_EPOCHS = 10
CLAIMED = {("gcn", "cora"), ("gcn", "citeseer")}
"""Where equal accuracy is claimed to half a point."""
CLAIM_SEEDS, OTHER_SEEDS = 20, 3
"""With ten seeds the difference of two means has a standard error of 0.4 points on Citeseer."""


@dataclass(frozen=True)
class Row:
    """Seconds per training of both, their ratio, and the accuracy of both in percent.

    Accuracies are means over the same number of seeds, with their sample standard deviations.
    """

    model: str
    dataset: str
    replicas: int
    stock_seconds: float
    ours_seconds: float
    ratio: float
    stock_accuracy: float
    ours_accuracy: float
    stock_std: float
    ours_std: float
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
    stock, ours = [], []
    for _ in range(rounds):
        with _torch_threads(threads):
            short = train_stock(graph, model, 0, STOCK_EPOCHS).seconds
        stock.append(short * model.epochs / STOCK_EPOCHS)
        started = time.perf_counter()
        train_base(graph, model, replicas)
        ours.append((time.perf_counter() - started) / replicas)
    kind = (type(model).name, graph.name)
    count = seeds or (CLAIM_SEEDS if kind in CLAIMED else OTHER_SEEDS)
    theirs, mine = stock_accuracies(graph, model, count), train_base(graph, model, count).test
    return Row(
        model=kind[0],
        dataset=kind[1],
        replicas=replicas,
        stock_seconds=median(stock),
        ours_seconds=median(ours),
        ratio=median(stock) / median(ours),
        stock_accuracy=fmean(theirs),
        ours_accuracy=fmean(mine),
        stock_std=stdev(theirs) if count > 1 else 0.0,
        ours_std=stdev(mine.tolist()) if count > 1 else 0.0,
        accuracy_seeds=count,
        stock_threads=threads,
    )


def stock_accuracies(graph: Graph, model: Model, count: int) -> list[float]:
    """Of whole stock trainings; one process per core, since no time is taken here."""
    cores = min(default_threads(), count)
    with ProcessPoolExecutor(cores, get_context("spawn"), torch.set_num_threads, (1,)) as pool:
        trained = pool.map(train_stock, repeat(graph), repeat(model), range(count))
        return [one.accuracy for one in trained]


def _faster_threads(graph: Graph, model: Model) -> int:
    """The stock loop gets the better of one thread and torch's default."""
    times = {}
    for threads in {1, torch.get_num_threads()}:
        with _torch_threads(threads):
            train_stock(graph, model, 0, 1)
            times[threads] = train_stock(graph, model, 0, 4).seconds
    return min(times, key=lambda threads: times[threads])


@contextmanager
def _torch_threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
