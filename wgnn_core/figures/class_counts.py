"""How many nodes of each class the training, validation and test sets have."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from wgnn_core.figures.bars import Bars
from wgnn_core.figures.scene import OfSeed, Scene
from wgnn_core.figures.text import label


class ClassCounts(Bars):
    """Three bars for each class."""

    kind: ClassVar[str] = "class-counts"
    choices: ClassVar[type[OfSeed]] = OfSeed
    runs: ClassVar[tuple[int, int]] = (0, 1)

    @classmethod
    def make(cls, scene: Scene) -> ClassCounts:
        graph, split = scene.graph, scene.split
        sets = {"train": split.train, "validation": split.val, "test": split.test}
        unlabelled = int(graph.unlabelled.sum())
        which = scene.seed % len(graph.splits)
        return cls.of(
            graph.class_names,
            {n: np.bincount(graph.y[m], minlength=graph.num_classes) for n, m in sets.items()},
            title=f"Nodes of each class on {label(graph.title)}",
            caption="Nodes of each class in the training, validation and test sets of "
            f"{'the first split' if which == 0 else f'split {which + 1}'}; "
            "uneven test bars mean that accuracy is mostly about the large classes."
            + (
                f" {unlabelled:,} of the {graph.num_nodes:,} nodes have no label and are in none."
                if unlabelled
                else ""
            ),
            x_label="Class",
            y_label="Number of nodes",
        )
