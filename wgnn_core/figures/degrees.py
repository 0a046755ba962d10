"""How many nodes have how many neighbours."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from wgnn_core.figures.bars import Bars
from wgnn_core.figures.scene import Scene
from wgnn_core.figures.text import label

LAST_DEGREE = 24
"""This and larger degrees share one bar."""


class Degrees(Bars):
    """One bar for each number of neighbours."""

    kind: ClassVar[str] = "degrees"
    runs: ClassVar[tuple[int, int]] = (0, 1)

    @classmethod
    def make(cls, scene: Scene) -> Degrees:
        graph = scene.graph
        degree = np.diff(graph.adjacency.indptr)
        counted = np.bincount(np.minimum(degree, LAST_DEGREE))
        ticks = [str(d) for d in range(len(counted))]
        if len(counted) > LAST_DEGREE:
            ticks[-1] = f"≥ {LAST_DEGREE}"
        return cls.of(
            ticks,
            {"nodes": counted},
            title=f"Degrees on {label(graph.title)}",
            caption="How many nodes have how many neighbours; "
            f"the mean is {degree.mean():.1f} and the largest {degree.max():,}.",
            x_label="Number of neighbours",
            y_label="Number of nodes",
        )
