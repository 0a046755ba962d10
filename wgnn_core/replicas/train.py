"""Train K replicas of one model together and keep each one's best or last epoch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from wgnn_core.graph import FloatArray, IntArray
from wgnn_core.replicas.history import History, accuracy
from wgnn_core.replicas.model import Model, Sizes
from wgnn_core.replicas.packing import Packing, Parameters
from wgnn_core.replicas.prepared import prepared
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Batch, Domain, View


@dataclass(frozen=True, eq=False)
class Trained:
    """What came out of K trainings, replica by replica, at the epoch that each one keeps.

    `val_accuracy` (percent) is of that epoch, `best_epoch`; `epochs` is how many each replica ran.
    `joined` counts the nodes that the model added to its training set by itself (`Model.adapt`).
    `history` is of the last stage, if the method has several, and None where nobody asked for it.
    """

    logits: FloatArray
    val_accuracy: npt.NDArray[np.float64]
    best_epoch: IntArray
    epochs: IntArray
    joined: IntArray
    history: History | None


def train_batch(
    model: Model,
    domain: Domain,
    trainings: Trainings,
    tick: Callable[[int], None],
    history: bool = True,
) -> Trained:
    """Train the replicas of one batch; `tick(n)` is told after every epoch that n replicas ran.

    `tick` may raise to stop. A replica's best epoch is the first with its highest validation
    accuracy; where the model keeps the last one instead, patience looks at no epoch before its own
    length has passed. Replicas that have run out of patience leave the batch.
    """
    K, asked = len(trainings), trainings
    trainings = model.adapt(domain, asked, tick)
    ready = prepared(model, domain, trainings, tick)
    loop = _Loop(model, domain, trainings, ready)
    kept = [rows.detach().clone() for rows in loop.rows]
    accuracy_of_kept, epoch_of_kept = np.full(K, -1.0), np.zeros(K, dtype=np.int64)
    best_accuracy, epoch_of_best = accuracy_of_kept.copy(), epoch_of_kept.copy()
    last = model.keep == "last"
    ran = np.zeros(K, dtype=np.int64)
    curves = np.full((3, K, model.epochs), np.nan, np.float32)
    active, running = np.arange(K), np.ones(K, dtype=bool)
    for epoch in range(model.epochs):
        losses, seen = loop.step(epoch)
        now = loop.validate()
        going = running[active]
        if history:
            points = losses.cpu().numpy(), loop.train_accuracy(seen), now
            for curve, point in zip(curves, points, strict=True):
                curve[active[going], epoch] = point[going]
        ran[active[going]] = epoch + 1
        better = going & (now > best_accuracy[active])
        if not last or epoch >= model.patience:
            best_accuracy[active[better]], epoch_of_best[active[better]] = now[better], epoch
        taken = going if last else better
        if taken.any():
            winners = torch.from_numpy(np.flatnonzero(taken))
            target = torch.from_numpy(active[taken])
            for mine, rows in zip(kept, loop.rows, strict=True):
                mine[target] = rows.detach()[winners]
            accuracy_of_kept[active[taken]], epoch_of_kept[active[taken]] = now[taken], epoch
        tick(int(going.sum()))
        if model.patience == 0:
            continue
        running[active] &= epoch - epoch_of_best[active] < model.patience
        if not running.any():
            break
        if running[active].mean() <= 0.75:  # a copy pays once a quarter has stopped
            stay = np.flatnonzero(running[active])
            loop, active = loop.select(stay), active[stay]
    everyone = np.ones(domain.graph.num_nodes, dtype=bool)
    batch = Batch(domain, trainings.kept_edges, ready)
    view = View(batch, domain.field(everyone, model.depth))
    with torch.no_grad():
        logits = model.forward(loop.unpack(kept), view, None).cpu().numpy()
    joined = ((trainings.weight > 0) & (asked.weight == 0)).sum(axis=1)
    recorded = History(*curves) if history else None
    return Trained(logits, accuracy_of_kept, epoch_of_kept, ran, joined, recorded)


class _Loop:
    """The moving parts of K trainings: parameters, optimizer, and the two views."""

    def __init__(
        self, model: Model, domain: Domain, trainings: Trainings, prepared: Tensor | None
    ) -> None:
        graph = domain.graph
        sizes = Sizes(graph.num_nodes, graph.num_features, graph.num_classes)
        replicas = [model.init(sizes, _generator(int(seed))) for seed in trainings.seeds]
        self.model, self.domain, self.trainings = model, domain, trainings
        self.prepared = prepared
        names = [n for n in replicas[0] if n not in model.undecayed]
        spared = [n for n in replicas[0] if n in model.undecayed]
        self.packings = [Packing.of(replicas[0], part) for part in (names, spared) if part]
        self.rows = [
            torch.stack([packing.pack(one) for one in replicas]).to(domain.device).requires_grad_()
            for packing in self.packings
        ]
        self.decayed = bool(names)
        self.optimizer = _optimizer(model, self.rows, self.decayed)
        self._look()

    def _look(self) -> None:
        """Views on the union of the replicas' training sets and of their validation sets."""
        model, domain, tr = self.model, self.domain, self.trainings
        batch = Batch(domain, tr.kept_edges, self.prepared)
        self.train_view = View(batch, domain.field(np.any(tr.weight > 0, axis=0), model.depth))
        self.val_view = View(batch, domain.field(np.any(tr.val, axis=0), model.depth))
        rows, val = self.train_view.field.targets, self.val_view.field.targets
        to = domain.device
        self.weight = torch.from_numpy(tr.weight[:, rows]).to(to)
        self.labels = torch.from_numpy(tr.labels[:, rows].clip(0)).to(to)
        # in the order of memory: indexing may leave them transposed, which compiles another kernel
        self.train_labels = np.ascontiguousarray(tr.labels[:, rows])
        self.in_train = np.ascontiguousarray(tr.weight[:, rows] > 0)
        self.val_labels = np.ascontiguousarray(tr.labels[:, val])
        self.in_val = np.ascontiguousarray(tr.val[:, val])

    def unpack(self, rows: list[Tensor]) -> Parameters:
        """The named parameters in packed rows."""
        named: Parameters = {}
        for packing, part in zip(self.packings, rows, strict=True):
            named |= packing.unpack(part)
        return named

    def step(self, epoch: int) -> tuple[Tensor, Tensor]:
        """One update; each replica's loss and the logits of its training nodes before it."""
        noise = Noise.of_epoch(self.trainings.seeds, epoch)
        self.optimizer.zero_grad(set_to_none=True)
        for group in self.optimizer.param_groups:
            group["lr"] = self.model.lr_at(epoch)
        losses, logits = self.model.loss(
            self.unpack(self.rows), self.train_view, noise, self.labels, self.weight
        )
        losses.sum().backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return losses.detach(), logits.detach()

    def train_accuracy(self, logits: Tensor) -> npt.NDArray[np.float64]:
        """Percent right among each replica's training nodes."""
        return accuracy(logits.cpu().numpy(), self.train_labels, self.in_train)

    def validate(self) -> npt.NDArray[np.float64]:
        """Percent right among each replica's validation nodes."""
        with torch.no_grad():
            logits = self.model.forward(self.unpack(self.rows), self.val_view, None)
        return accuracy(logits.cpu().numpy(), self.val_labels, self.in_val)

    def select(self, replicas: IntArray) -> _Loop:
        """The same loop with only some of its replicas, optimizer state included."""
        keep = torch.from_numpy(replicas).to(self.domain.device)
        other = object.__new__(_Loop)
        other.model, other.domain = self.model, self.domain
        other.trainings = self.trainings.select(replicas)
        other.prepared = None if self.prepared is None else self.prepared[keep]
        other.packings, other.decayed = self.packings, self.decayed
        other.rows = [rows.detach()[keep].requires_grad_() for rows in self.rows]
        other.optimizer = _optimizer(self.model, other.rows, self.decayed)
        for mine, theirs in zip(self.rows, other.rows, strict=True):
            other.optimizer.state[theirs] = {
                key: value[keep] if value.shape == mine.shape else value
                for key, value in self.optimizer.state[mine].items()
            }
        other._look()
        return other


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _optimizer(model: Model, rows: list[Tensor], decayed: bool) -> torch.optim.Optimizer:
    """`decayed`: the first of `rows` has weight decay; no other has."""
    decay = [model.weight_decay if decayed and i == 0 else 0.0 for i in range(len(rows))]
    groups = [{"params": [r], "weight_decay": d} for r, d in zip(rows, decay, strict=True)]
    if model.optimizer == "adamax":
        return torch.optim.Adamax(groups, lr=model.lr)
    return torch.optim.Adam(groups, lr=model.lr, fused=True)
