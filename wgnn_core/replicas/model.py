"""What a base model is: hyperparameters, initial values, a forward pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from wgnn_core.fields import check_fields, hyper
from wgnn_core.graph import IntArray
from wgnn_core.replicas.packing import Parameters
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Batch, Domain, View


@dataclass(frozen=True)
class Sizes:
    """What a model must know of a graph to make its parameters."""

    nodes: int
    features: int
    classes: int


@dataclass(frozen=True)
class Model:
    """Base of every base model; a subclass is one file in `wgnn_core.models`.

    A model is its hyperparameters. It makes the parameters of one replica (`init`); the engine
    stacks K of them, so that in `forward` every parameter has a leading replica dimension.
    """

    lr: float = hyper(0.01, "learning rate of Adam", 1e-5, 1.0, title="Learning rate")
    weight_decay: float = hyper(5e-4, "L2 penalty on the decayed weights", 0.0, 1.0)
    epochs: int = hyper(200, "training epochs", 1, 5000)
    patience: int = hyper(
        0, "stop after this many epochs without better validation; 0: never", 0, 5000
    )
    keep: str = hyper(
        "best", "the epoch that counts: best on validation, or last (patience starts after itself)",
        choices=("best", "last"),
    )  # fmt: skip

    name: ClassVar[str]
    title: ClassVar[str]
    citation: ClassVar[str]
    """A BibTeX entry for the paper that proposed the method."""
    cost: ClassVar[Literal["cheap", "dear"]]
    """Cheap: five trainings on a graph of a few thousand nodes take seconds, so they may start
    unasked."""
    presets: ClassVar[dict[str, dict[str, Any]]] = {}
    """Named recipes: hyperparameters that differ from the defaults."""
    for_dataset: ClassVar[dict[str, dict[str, Any]]] = {}
    """Hyperparameters that differ from the defaults on a dataset."""
    undecayed: ClassVar[frozenset[str]] = frozenset()
    """Parameters without weight decay."""
    source: ClassVar[str] = ""
    """Fingerprint of the program, for models that are no part of this one."""
    revision: ClassVar[int] = 0
    """Raised when a change of the program changes the numbers of this model: part of run ids."""
    exact: ClassVar[bool] = False
    """Whether a replica has the same bits in every batch, and not only up to rounding; then the
    engine cuts batches as it likes."""
    optimizer: ClassVar[Literal["adam", "adamax"]] = "adam"
    slot_floats: ClassVar[int] = 1
    """Numbers kept for each stored adjacency entry while training (for the memory budget)."""

    def __post_init__(self) -> None:
        check_fields(self, type(self).name)

    @property
    def depth(self) -> int:
        """Number of message-passing layers: how far an output looks.

        A model that looks at the whole graph says 0 and works on `view.batch.whole`.
        """
        raise TypeError(f"{type(self).__name__} does not say its depth")

    @property
    def all_epochs(self) -> int:
        """Epochs of all stages together, as `tick` and `check` count them: what progress is of."""
        return self.epochs

    def adapt(self, domain: Domain, trainings: Trainings, tick: Callable[[int], None]) -> Trainings:
        """What is trained on in the end: a method may weigh the training nodes, or add some.

        It may train something first, which tells `tick` about its epochs.
        """
        return trainings

    def init(self, sizes: Sizes, rng: torch.Generator) -> Parameters:
        """Initial parameters of one replica, drawn from `rng`."""
        raise TypeError(f"{type(self).__name__} does not make its parameters")

    def forward(self, p: Parameters, view: View, noise: Noise | None) -> Tensor:
        """Logits ``[K, targets, C]``; `noise` is None when evaluating."""
        raise TypeError(f"{type(self).__name__} has no forward pass")

    def prepare(self, batch: Batch, seeds: IntArray, check: Callable[[], None]) -> Tensor | None:
        """A stage before training that sees no label; `forward` finds it in `batch.prepared`.

        Returns something for each replica of `batch`, with leading dimension K, or None for
        models without such a stage. Calls `check` after each of its epochs, which raises to stop.
        What it gives is kept and shared (`prepared`), so nothing but the model, the seed and the
        graph may have a part in it.
        """
        return None

    def lr_at(self, epoch: int) -> float:
        """The learning rate of an epoch; constant unless a model says otherwise."""
        return self.lr

    def loss(
        self, p: Parameters, view: View, noise: Noise, labels: Tensor, weight: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Each replica's loss ``[K]``, and the logits ``[K, targets, C]`` it was computed from.

        The engine minimises the sum of the losses, so that a replica's gradient does not depend on
        K. `labels` and `weight` are ``[K, targets]``; weight 0 leaves a node out.
        """
        logits = self.forward(p, view, noise)
        return cross_entropy(logits, labels, weight), logits


def cross_entropy(logits: Tensor, labels: Tensor, weight: Tensor) -> Tensor:
    """The mean cross-entropy of each replica over its training nodes, weighted, ``[K]``."""
    entropy = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), reduction="none"
    ).view_as(weight)
    return (entropy * weight).sum(1) / (weight > 0).sum(1)


def glorot(rng: torch.Generator, fan_in: int, fan_out: int, *shape: int) -> Tensor:
    """Glorot-uniform values of `shape`, by default ``[fan_in, fan_out]``."""
    bound: float = (6 / (fan_in + fan_out)) ** 0.5
    return uniform(rng, bound, *(shape or (fan_in, fan_out)))


def uniform(rng: torch.Generator, bound: float, *shape: int) -> Tensor:
    """Values of `shape`, uniform between -bound and bound."""
    return (torch.rand(shape, generator=rng) * 2 - 1) * bound
