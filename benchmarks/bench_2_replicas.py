"""Where the time goes, and how the cost of a replica falls with K."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import torch

from wgnn_core import datasets
from wgnn_core.models import make_model
from wgnn_core.replicas import ops
from wgnn_core.replicas.train import Trainings, _Run, train_batch
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
    places += [(_Run, "validate", "evaluation (part of the above)")]
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
    spent["random numbers (part of the above)"] = draw_seconds(graph, model, replicas)
    return {label: value / total for label, value in spent.items()}


def draw_seconds(graph: Any, model: Any, replicas: int) -> float:
    """Time of the draws alone: one for each stored feature and hidden value, twice an epoch."""
    import numpy as np

    keys = np.arange(1, dtype=np.uint64)
    h = np.zeros((1, graph.x.nnz // 16 + 1, 16), dtype=np.float32)
    rows = np.arange(h.shape[1], dtype=np.uint32)
    out = np.empty_like(h)
    ops.kernels.dropout(h, rows, keys, np.uint64(1 << 23), np.float32(2), out)
    started = time.thread_time()
    for _ in range(10):
        ops.kernels.dropout(h, rows, keys, np.uint64(1 << 23), np.float32(2), out)
    return (time.thread_time() - started) / 10 * 2 * model.epochs * replicas


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


if __name__ == "__main__":
    main()
