"""Where the time goes, and how the cost of a replica falls with K."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from wgnn_core import datasets
from wgnn_core.models import make_model
from wgnn_core.replicas import ops
from wgnn_core.replicas.train import _Loop, train_batch
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Domain
from wgnn_core.wgnn import check_seeds, train_base

GROUPS = {
    "sparse products": ("sparse_linear", "sparse_linear_backward", "propagate",
                        "propagate_backward",
                        "attention", "attention_backward"),
    "dense products": ("product", "product_backward", "column_sums"),
    "dropout of hidden layers": ("dropout",),
}  # fmt: skip


def shares(dataset: str, name: str, replicas: int = 5) -> dict[str, float]:
    """Share of one thread's time; evaluation overlaps the others and is given beside them."""
    graph, model = datasets.load(dataset), make_model(name)
    domain = Domain.of(graph, torch.device("cpu"))
    trainings = Trainings.of_seeds(graph, check_seeds(replicas))
    train_batch(model, domain, trainings, lambda _: None)
    spent: dict[str, float] = defaultdict(float)

    def timed(label: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            started = time.thread_time()
            out = function(*arguments)
            spent[label] += time.thread_time() - started
            return out

        return run

    places = [
        (ops.kernels, n, g) for g, names in GROUPS.items() for n in names if hasattr(ops.kernels, n)
    ]
    places += [
        (ops.attention_kernels, n, "sparse products") for n in ("attention", "attention_backward")
    ]
    places += [(_Loop, "validate", "evaluation (part of the above)")]
    places += [(torch.optim.Adam, "step", "optimizer")]
    before = [(owner, n, getattr(owner, n)) for owner, n, _ in places]
    for owner, n, label in places:
        setattr(owner, n, timed(label, getattr(owner, n)))
    try:
        started = time.thread_time()
        train_batch(model, domain, trainings, lambda _: None)
        total = time.thread_time() - started
    finally:
        for owner, n, function in before:
            setattr(owner, n, function)
    spent["random numbers (part of the above)"] = draw_seconds(domain, trainings, model)
    return {label: value / total for label, value in spent.items()}


def draw_seconds(domain: Domain, trainings: Trainings, model: Any) -> float:
    """Time of the draws of dropout on features alone, twice per epoch."""
    field = domain.field((trainings.weight > 0).any(axis=0), 2)
    stored = int(np.diff(domain.x.indptr)[field.inputs].sum())
    keys = np.arange(1, dtype=np.uint64)
    h = np.zeros((1, stored // 16 + 1, 16), dtype=np.float32)
    rows = np.arange(h.shape[1], dtype=np.uint32)
    out = np.empty_like(h)
    ops.kernels.dropout(h, rows, keys, np.uint64(1 << 23), np.float32(2), out)
    started = time.thread_time()
    for _ in range(10):
        ops.kernels.dropout(h, rows, keys, np.uint64(1 << 23), np.float32(2), out)
    return (time.thread_time() - started) / 10 * 2 * model.epochs * len(trainings)


BATCH = """
from sys import argv
from time import perf_counter
from wgnn_core import datasets
from wgnn_core.models import make_model
from wgnn_core.replicas.engine import EngineOptions
from wgnn_core.wgnn import train_base
graph = datasets.load("cora")
train_base(graph, make_model("gcn", epochs=2), 1)
print("ready", flush=True)
input()
started = perf_counter()
options = EngineOptions(threads=int(argv[3]))
train_base(graph, make_model("gcn"), range(int(argv[1]), int(argv[2])), options)
print(perf_counter() - started)
"""
BUSY = "while True: pass"


def together(parts: list[tuple[int, int, int]]) -> float:
    """Seconds until every process has trained its seeds, without starting and compiling."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", BATCH, *map(str, part)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for part in parts
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return max(float(process.communicate()[0]) for process in processes)


def threads_or_processes() -> None:
    """Ten trainings on two cores: one process with two threads against two with one each."""
    ways = {"two threads": [(0, 10, 2)], "two processes": [(0, 5, 1), (5, 10, 1)]}
    for others in (0, 2):
        busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(others)]
        try:
            taken: dict[str, list[float]] = {way: [] for way in ways}
            for _ in range(3):
                for way, parts in ways.items():
                    taken[way].append(together(parts) / 10)
        finally:
            for process in busy:
                process.kill()
        text = ", ".join(f"{way} {sorted(t)[1]:.3f} s" for way, t in taken.items())
        print(f"{'idle cores' if not others else f'beside {others} busy processes'}: {text}")


def main() -> None:
    print("== where the time of a training goes (one thread) ==")
    for dataset, name in (("cora", "gcn"), ("cora", "gat"), ("pubmed", "gcn")):
        parts = ", ".join(f"{k} {100 * v:.0f} %" for k, v in shares(dataset, name).items())
        print(f"{name} on {dataset}: {parts}")
    print("== seconds per training by K, gcn on cora ==")
    graph, model = datasets.load("cora"), make_model("gcn")
    for replicas in (1, 2, 5, 10, 30, 100):
        started = time.perf_counter()
        train_base(graph, model, replicas)
        print(f"K = {replicas:3d}: {(time.perf_counter() - started) / replicas:.3f} s")
    print("== seconds per training, K = 10: threads or processes ==")
    threads_or_processes()


if __name__ == "__main__":
    main()
