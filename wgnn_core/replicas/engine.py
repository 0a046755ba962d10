"""Any number of trainings, cut into batches that fit in memory and spread over the cores."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import psutil
import torch

from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph, IntArray
from wgnn_core.replicas.history import History
from wgnn_core.replicas.model import Model, Sizes
from wgnn_core.replicas.plain import PlainModel, train_plain
from wgnn_core.replicas.train import Trained, train_batch
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Domain

MAX_BATCH = 32
"""Larger batches gain nothing on a CPU (benchmarks/NOTES.md) and answer a cancel later."""
BATCH_BYTES = 2**27
"""Of a batch on a CPU: a larger one leaves the cache between two operations, which costs more than
the calls it saves (benchmarks/NOTES.md)."""
POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Event:
    """Progress of a stage: how many of its trainings are done, fractions included."""

    stage: str
    done: float
    total: int


@dataclass(frozen=True)
class EngineOptions:
    """Where and how trainings run.

    Attributes:
        device: ``auto``, ``cpu``, ``cuda`` or ``mps``.
        threads: Batches that train at the same time on a CPU; None: `default_threads`.
        memory: Bytes for all threads together; None: a quarter of what is free.
        history: Whether training curves are recorded.
    """

    device: str = "auto"
    threads: int | None = None
    memory: int | None = None
    history: bool = True


DEFAULTS = EngineOptions()

Progress = Callable[[Event], bool]
"""Told about progress from time to time; returns False to cancel."""


class Cancelled(Exception):  # noqa: N818  not an error: somebody asked for it
    """The progress hook asked to stop."""


def choose_device(name: str = "auto") -> torch.device:
    """``auto`` is CUDA, else MPS, else the CPU; anything else must be there."""
    available = ["cpu"]
    if torch.cuda.is_available():
        available.insert(0, "cuda")
    elif torch.backends.mps.is_available():
        available.insert(0, "mps")
    if name == "auto":
        return torch.device(available[0])
    if name not in available:
        raise WGNNError(
            f"there is no device {name!r} here; choose auto or one of {', '.join(available)}."
        )
    return torch.device(name)


def engine_name(device: torch.device) -> str:
    """What runs the inner loops: ``numba`` or ``torch``, and on which device."""
    return f"{'numba' if device.type == 'cpu' else 'torch'} on {device.type}"


def default_threads() -> int:
    """``WGNN_THREADS``, else the number of cores this process may use."""
    configured = os.environ.get("WGNN_THREADS", "")
    if configured:
        if not configured.isdigit() or int(configured) < 1:
            raise WGNNError(f"WGNN_THREADS is {configured!r}; it must be a whole number above 0.")
        return int(configured)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def replica_bytes(model: Model, graph: Graph) -> int:
    """A generous estimate of what one replica holds in memory while it trains."""
    sizes = Sizes(graph.num_nodes, graph.num_features, graph.num_classes)
    shapes = [v.shape for v in model.init(sizes, torch.Generator().manual_seed(0)).values()]
    parameters = sum(int(np.prod(shape)) for shape in shapes)
    width = sum(int(shape[-1]) for shape in shapes)
    slots = 2 * graph.num_edges + graph.num_nodes
    # values, gradients, two moments, best epoch; activations with gradients; weights of slots
    return 4 * (6 * parameters + 6 * graph.num_nodes * width + 4 * slots * model.slot_floats)


def check_memory(model: Model, graph: Graph) -> None:
    """Refuse, before anything is allocated, a training that this machine has no memory for.

    Raises:
        WGNNError: `replica_bytes` is more than all of the machine's memory.
    """
    needed, there = replica_bytes(model, graph), psutil.virtual_memory().total
    if needed > there:
        raise WGNNError(
            f"one training of {model.title} on {graph.name} would take about "
            f"{needed / 2**30:.1f} GB, and this machine has {there / 2**30:.1f} GB: choose smaller "
            "widths, another model or a smaller graph."
        )


def batch_size(
    model: Model, graph: Graph, trainings: int, threads: int, memory: int | None = None
) -> int:
    """How many replicas go together.

    `memory` is the budget in bytes for all threads together, by default a quarter of what is
    free. Results do not depend on the answer.
    """
    budget = psutil.virtual_memory().available // 4 if memory is None else memory
    fit = budget // threads // replica_bytes(model, graph)
    share = -(-trainings // threads)
    return int(max(1, min(share, fit, MAX_BATCH)))


def batches(
    model: Model,
    graph: Graph,
    trainings: Trainings,
    threads: int,
    memory: int | None = None,
    *,
    cached: bool = False,
) -> list[IntArray]:
    """Which trainings go together, each batch by the places of its own.

    With `cached` the batches of a model whose bits do not depend on them fit the cache, and
    trainings of one split come together: a batch computes every row that one of them needs.
    """
    size = batch_size(model, graph, len(trainings), threads, memory)
    order = np.arange(len(trainings))
    if cached and model.exact:
        size = max(1, min(size, BATCH_BYTES // replica_bytes(model, graph)))
        splits = np.unique(trainings.val, axis=0, return_inverse=True)[1]
        order = np.argsort(splits.reshape(-1), kind="stable")
    return [order[i : i + size] for i in range(0, len(order), size)]


def train(
    model: Model,
    graph: Graph,
    trainings: Trainings,
    options: EngineOptions = DEFAULTS,
    *,
    stage: str = "training",
    progress: Progress | None = None,
) -> Iterator[tuple[IntArray, Trained]]:
    """Train everything; yields (places of the trainings, what came out) batch by batch.

    Raises:
        Cancelled: When `progress` returned False; batches already yielded stay valid.
        WGNNError: One training alone takes more memory than there is.
    """
    check_memory(model, graph)
    device = choose_device(options.device)
    several = device.type == "cpu" and not isinstance(model, PlainModel)
    threads = (options.threads or default_threads()) if several else 1
    cached = device.type == "cpu"
    parts = batches(model, graph, trainings, threads, options.memory, cached=cached)
    domain = Domain.of(graph, device)
    counter = _Counter(model.all_epochs, len(trainings), stage, progress)
    with _single_threaded_torch(), ThreadPoolExecutor(threads) as pool:
        jobs: list[Future[Trained]] = [
            pool.submit(
                _train, model, domain, trainings.select(part), counter.tick, options.history
            )
            for part in parts
        ]
        try:
            for part, job in zip(parts, jobs, strict=True):
                while not job.done():
                    wait([job], timeout=POLL_SECONDS)
                    counter.report()
                yield part, job.result()
                counter.report()
        finally:
            counter.stopped.set()
            for job in jobs:
                job.cancel()


def train_all(
    model: Model,
    graph: Graph,
    trainings: Trainings,
    options: EngineOptions = DEFAULTS,
    *,
    stage: str = "training",
    progress: Progress | None = None,
) -> Trained:
    """`train` with the batches put together again, in the order that was asked for."""
    parts = list(train(model, graph, trainings, options, stage=stage, progress=progress))
    back = np.argsort(np.concatenate([places for places, _ in parts]))
    outs = [out for _, out in parts]
    curves = [out.history for out in outs if out.history is not None]
    return Trained(
        np.concatenate([out.logits for out in outs])[back],
        np.concatenate([out.val_accuracy for out in outs])[back],
        np.concatenate([out.best_epoch for out in outs])[back],
        np.concatenate([out.epochs for out in outs])[back],
        np.concatenate([out.joined for out in outs])[back],
        History.of_batches(curves, back) if curves else None,
    )


def _train(
    model: Model,
    domain: Domain,
    trainings: Trainings,
    tick: Callable[[int], None],
    history: bool,
) -> Trained:
    if isinstance(model, PlainModel):
        return train_plain(model, domain, trainings, tick)
    return train_batch(model, domain, trainings, tick, history)


class _Counter:
    """Counts finished epochs over all threads and passes them on from the caller's thread."""

    def __init__(self, epochs: int, total: int, stage: str, progress: Progress | None) -> None:
        self.epochs, self.total, self.stage, self.progress = epochs, total, stage, progress
        self.stopped = threading.Event()
        self._done = 0
        self._lock = threading.Lock()

    def tick(self, replicas: int) -> None:
        if self.stopped.is_set():
            raise Cancelled
        with self._lock:
            self._done += replicas

    def report(self) -> None:
        if self.progress is None:
            return
        if not self.progress(Event(self.stage, self._done / self.epochs, self.total)):
            self.stopped.set()
            raise Cancelled


@contextmanager
def _single_threaded_torch() -> Iterator[None]:
    """One thread for each batch: two that share torch's pool would fight over the cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
