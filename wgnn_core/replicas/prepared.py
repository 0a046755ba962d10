"""What a model makes of a graph before it sees a label (`Model.prepare`): made once, then kept.

It depends on the model, the seed and the graph alone, so the trainings of a search that agree in
these share it, in whichever batch they are. Each is made by itself, so that no bit of it depends on
which others were needed at the time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future

import numpy as np
import torch
from torch import Tensor

from wgnn_core.graph import BoolArray
from wgnn_core.replicas.model import Model
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Batch, Domain

MAX_BYTES = 2**28
"""Of everything that is kept; what was not asked for the longest goes first."""


class Kept:
    """Tensors by key. Threads that want the same share the work: each makes what nobody makes."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._found: OrderedDict[Hashable, Future[Tensor]] = OrderedDict()

    def get(self, wanted: dict[Hashable, Callable[[], Tensor]]) -> list[Tensor]:
        """The tensor of each key, made by its function where nobody has made it yet.

        An error of such a function is raised to whom it happens; others who wait for it try
        themselves.
        """
        found: dict[Hashable, Tensor] = {}
        while missing := [key for key in wanted if key not in found]:
            others: list[tuple[Hashable, Future[Tensor]]] = []
            for key in missing:
                future, mine = self._claim(key)
                if mine:
                    found[key] = self._make(key, future, wanted[key])
                else:
                    others.append((key, future))
            for key, future in others:
                if future.exception() is None:  # waits
                    found[key] = future.result()
        self._shrink()
        return [found[key] for key in wanted]

    def _claim(self, key: Hashable) -> tuple[Future[Tensor], bool]:
        """What will hold the tensor, and whether it is the caller who makes it."""
        with self._lock:
            mine = key not in self._found
            future = self._found.setdefault(key, Future())
            self._found.move_to_end(key)
            return future, mine

    def _make(self, key: Hashable, future: Future[Tensor], make: Callable[[], Tensor]) -> Tensor:
        try:
            out = make()
        except BaseException as error:
            with self._lock:
                del self._found[key]
            future.set_exception(error)
            raise
        future.set_result(out)
        return out

    def _shrink(self) -> None:
        with self._lock:
            done = {k: f.result() for k, f in self._found.items() if f.done()}
            total = sum(out.nbytes for out in done.values())
            for key, out in done.items():
                if total <= self.max_bytes:
                    break
                del self._found[key]
                total -= out.nbytes


_kept = Kept()


def prepared(
    model: Model, domain: Domain, trainings: Trainings, tick: Callable[[int], None]
) -> Tensor | None:
    """What `Model.prepare` gives for each training; None for models without such a stage.

    `tick` is told of every epoch as if each training had prepared by itself.
    """
    if type(model).prepare is Model.prepare:
        return None
    graphs = _graphs(trainings)
    place = domain.graph.content_hash, str(domain.device), domain.compiled
    users: dict[Hashable, list[int]] = {}
    for i, (seed, (name, _)) in enumerate(zip(trainings.seeds, graphs, strict=True)):
        users.setdefault((model, *place, int(seed), name), []).append(i)
    told = [0]

    def maker(mine: list[int]) -> Callable[[], Tensor]:
        def check() -> None:
            told[0] += len(mine)
            tick(len(mine))

        def make() -> Tensor:
            batch = Batch(domain, graphs[mine[0]][1])
            out = model.prepare(batch, trainings.seeds[mine[:1]], check)
            assert out is not None
            return out

        return make

    made = _kept.get({key: maker(mine) for key, mine in users.items()})
    tick(len(trainings) * (model.all_epochs - model.epochs) - told[0])
    of = np.argsort(np.concatenate(list(users.values())))
    together = torch.cat(
        [out for out, mine in zip(made, users.values(), strict=True) for _ in mine]
    )
    return together[torch.from_numpy(of).to(together.device)]


def _graphs(trainings: Trainings) -> list[tuple[bytes, BoolArray | None]]:
    """A name and the edge mask ``[1, E]`` of each training's graph; None for the full one."""
    kept = trainings.kept_edges
    if kept is None:
        return [(b"", None)] * len(trainings)
    names = [b"" if mask.all() else np.packbits(mask).tobytes() for mask in kept]
    return [(name, kept[i : i + 1] if name else None) for i, name in enumerate(names)]
