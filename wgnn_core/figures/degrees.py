"""How many nodes have how many neighbours."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from wgnn_core.figures.bars import Bars
from wgnn_core.figures.scene import Scene
from wgnn_core.figures.text import label

BARS, SHARE = 24, 0.95
"""So many bars, of equal width, hold at least this share of the nodes; one more has the rest."""


class Degrees(Bars):
    """One bar for each number of neighbours, or for a few of them."""

    kind: ClassVar[str] = "degrees"
    runs: ClassVar[tuple[int, int]] = (0, 1)

    @classmethod
    def make(cls, scene: Scene) -> Degrees:
        graph = scene.graph
        degree = np.diff(graph.adjacency.indptr)
        width = int(np.quantile(degree, SHARE)) // BARS + 1
        counted = np.bincount(np.minimum(degree // width, BARS))
        firsts = [width * bar for bar in range(len(counted))]
        ticks = [str(a) if width == 1 else f"{a}-{a + width - 1}" for a in firsts]
        if len(counted) > BARS:
            ticks[-1] = f"≥ {firsts[-1]}"
        return cls.of(
            ticks,
            {"nodes": counted},
            title=f"Degrees on {label(graph.title)}",
            caption="How many nodes have how many neighbours; "
            f"the mean is {degree.mean():.1f} and the largest {degree.max():,}.",
            x_label="Number of neighbours",
            y_label="Number of nodes",
        )
