"""What tells K replicas apart: seeds, labels, loss weights, graphs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgnn_core.graph import BoolArray, FloatArray, Graph, IntArray


@dataclass(frozen=True, eq=False)
class Trainings:
    """K trainings on one graph: what tells the replicas apart.

    `labels` are those a training may see (training labels, pseudo-labels, validation labels) and
    `HIDDEN` elsewhere; `weight` is a node's weight in the loss, 0 outside the training set.
    """

    seeds: IntArray
    labels: IntArray
    weight: FloatArray
    val: BoolArray
    kept_edges: BoolArray | None = None

    def __len__(self) -> int:
        return len(self.seeds)

    @classmethod
    def of_seeds(cls, graph: Graph, seeds: IntArray) -> Trainings:
        """One training for each seed on the full graph with its split's training set."""
        splits = [graph.split(int(seed)) for seed in seeds]
        return cls(
            seeds=seeds,
            labels=np.stack([graph.visible_labels(s) for s in splits]),
            weight=np.stack([s.train for s in splits]).astype(np.float32),
            val=np.stack([s.val for s in splits]),
        )

    def select(self, replicas: IntArray | slice) -> Trainings:
        kept = None if self.kept_edges is None else self.kept_edges[replicas]
        return Trainings(
            self.seeds[replicas],
            self.labels[replicas],
            self.weight[replicas],
            self.val[replicas],
            kept,
        )

    def graph(self, whole: Graph, replica: int) -> Graph:
        """The graph of one replica: `whole` without the edges it has dropped."""
        return whole if self.kept_edges is None else whole.with_edges(self.kept_edges[replica])
