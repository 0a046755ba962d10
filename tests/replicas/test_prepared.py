"""What models prepare is made once, by whom it may be, and given back the same."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from wgnn_core.graph import Graph
from wgnn_core.models.gcn import GCN
from wgnn_core.replicas.model import Model
from wgnn_core.replicas.prepared import Kept, prepared
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Batch, Domain

CPU = torch.device("cpu")
PREPARING = 3


def tensor(value: float) -> Tensor:
    return torch.full((1, 4), value)


def test_what_is_kept_is_made_once_and_the_oldest_goes_first() -> None:
    made: list[int] = []

    def of(*numbers: int) -> list[float]:
        def maker(i: int) -> Any:
            return lambda: made.append(i) or tensor(i)

        return [float(out[0, 0]) for out in kept.get({i: maker(i) for i in numbers})]

    kept = Kept(max_bytes=2 * tensor(0).nbytes)
    assert of(1, 2) == [1, 2] and of(2, 1) == [2, 1]
    assert made == [1, 2]
    assert of(3) == [3]  # 2 was asked for before 1
    assert of(1) == [1] and made == [1, 2, 3]
    assert of(2, 4, 5) == [2, 4, 5] and made == [1, 2, 3, 2, 4, 5]  # also more than there is room


def test_who_fails_is_told_and_others_try_themselves() -> None:
    kept = Kept()

    def fail() -> Tensor:
        raise ValueError("cancelled")

    with pytest.raises(ValueError, match="cancelled"):
        kept.get({1: lambda: tensor(1), 2: fail})
    (first, second) = kept.get({1: fail, 2: lambda: tensor(2)})
    assert float(first[0, 0]) == 1 and float(second[0, 0]) == 2


def test_threads_share_the_work() -> None:
    """Each begins with a key of its own; what the other makes meanwhile it waits for."""
    kept, both = Kept(), threading.Barrier(2, timeout=30)
    made: list[int] = []

    def slow(i: int) -> Any:
        def make() -> Tensor:
            both.wait()  # only if another thread makes the other one at the same time
            made.append(i)
            return tensor(i)

        return make

    def work() -> None:
        out.append(kept.get({1: slow(1), 2: slow(2)}))

    out: list[list[Tensor]] = []
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(made) == [1, 2]
    assert [[float(t[0, 0]) for t in one] for one in out] == [[1, 2], [1, 2]]


def test_who_waits_for_one_that_fails_makes_it() -> None:
    kept, begun, waiting = Kept(), threading.Event(), threading.Event()

    def fail() -> Tensor:
        begun.set()
        waiting.wait(30)
        raise ValueError("cancelled")

    def work() -> None:
        with pytest.raises(ValueError, match="cancelled"):
            kept.get({1: fail})

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait(30)
    threading.Timer(0.2, waiting.set).start()
    (out,) = kept.get({1: lambda: tensor(7)})
    thread.join(timeout=30)
    assert float(out[0, 0]) == 7


CALLS: list[tuple[int, int]] = []


@dataclass(frozen=True)
class Preparing(GCN):
    """Prepares the number of the seed and of the edges."""

    @property
    def all_epochs(self) -> int:
        return self.epochs + PREPARING

    def prepare(self, batch: Batch, seeds: Any, check: Any) -> Tensor:
        for _ in range(PREPARING):
            check()
        edges = batch.domain.graph.num_edges
        if batch.kept_edges is not None:
            edges = int(batch.kept_edges.sum())
        CALLS.extend((int(seed), edges) for seed in seeds)
        return torch.tensor([[float(seed), float(edges)] for seed in seeds])


def asked(graph: Graph, seeds: list[int], dropped: list[int]) -> Trainings:
    """Trainings with these seeds, on graphs without so many edges."""
    base = Trainings.of_seeds(graph, np.array(seeds))
    kept = np.ones((len(seeds), graph.num_edges), dtype=bool)
    for mask, count in zip(kept, dropped, strict=True):
        mask[:count] = False
    return Trainings(base.seeds, base.labels, base.weight, base.val, kept)


def test_each_training_gets_that_of_its_seed_and_graph(digits: Graph) -> None:
    CALLS.clear()
    domain, epochs = Domain.of(digits, CPU), list[int]()
    seeds, dropped = [4, 5, 4, 4, 5], [0, 0, 2, 0, 2]
    trainings = asked(digits, seeds, dropped)
    out = prepared(Preparing(lr=0.011), domain, trainings, epochs.append)
    expected = [[s, digits.num_edges - d] for s, d in zip(seeds, dropped, strict=True)]
    assert out is not None and out.tolist() == expected
    assert len(CALLS) == len(set(CALLS)) == 4
    assert sum(epochs) == PREPARING * len(seeds)
    again = prepared(Preparing(lr=0.011), domain, trainings.select(slice(3, 5)), epochs.append)
    assert again is not None and again.tolist() == expected[3:]
    assert len(CALLS) == 4 and sum(epochs) == PREPARING * 7
    # without an edge mask it is the full graph; another model shares nothing
    full = Trainings.of_seeds(digits, np.array([5]))
    same = prepared(Preparing(lr=0.011), domain, full, epochs.append)
    assert same is not None and same.tolist() == [expected[1]]
    assert len(CALLS) == 4
    prepared(Preparing(lr=0.012), domain, full, epochs.append)
    assert CALLS[4:] == [(5, digits.num_edges)]


def test_a_model_without_such_a_stage_keeps_nothing(digits: Graph) -> None:
    trainings = asked(digits, [1], [0])
    assert prepared(GCN(), Domain.of(digits, CPU), trainings, pytest.fail) is None
    assert GCN.prepare is Model.prepare
