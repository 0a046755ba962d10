"""What a comparator is: a model that decides for itself what it is trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from wgnn_core.graph import Graph, IntArray
from wgnn_core.replicas.engine import train_all
from wgnn_core.replicas.model import Model
from wgnn_core.replicas.train import Trainings

Percent = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores:
    """Accuracy in percent for each seed, and how many nodes joined its training set."""

    seeds: IntArray
    val: Percent
    test: Percent
    added: IntArray


@dataclass(frozen=True)
class Comparator(Model):
    """A method the paper compares wGNN with; subclasses say what differs from plain training."""

    def trainings(self, graph: Graph, seeds: IntArray, **engine: Any) -> Trainings:
        """What each seed is trained on; may train something first."""
        return Trainings.of_seeds(graph, seeds)

    def run(self, graph: Graph, seeds: Sequence[int] | int = 10, **engine: Any) -> Scores:
        """Train once for each seed; seed s uses split s mod (number of splits).

        Args:
            graph: The graph.
            seeds: How many (0, 1, ...) or which.
            engine: Options of `wgnn_core.replicas.engine.train`.
        """
        numbers = np.arange(seeds) if isinstance(seeds, int) else np.asarray(seeds, dtype=np.int64)
        trainings = self.trainings(graph, numbers, **engine)
        trained = train_all(self, graph, trainings, **{"stage": type(self).name, **engine})
        splits = [graph.split(int(seed)) for seed in numbers]
        right = trained.logits.argmax(-1) == graph.y
        own = np.array([split.train.sum() for split in splits])
        return Scores(
            numbers,
            100 * trained.val_accuracy,
            np.array([100 * row[s.test].mean() for row, s in zip(right, splits, strict=True)]),
            (trainings.weight > 0).sum(axis=1) - own,
        )
