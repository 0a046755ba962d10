"""Does the assumption of Section 3 hold? Both kinds of w by distance to the class boundary."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from wgnn_core.figures.bars import Bars
from wgnn_core.figures.flow import all_classes, without_poles
from wgnn_core.figures.scene import OfSeed, Scene
from wgnn_core.figures.text import label
from wgnn_core.theory.assumption import by_distance, nonuniformity_agreement


class AssumptionDistance(Bars):
    """Two bars for each distance: mean w of the smooth interpolation, and of the network."""

    kind: ClassVar[str] = "assumption-distance"
    choices: ClassVar[type[OfSeed]] = OfSeed

    @classmethod
    def missing(cls, scene: Scene) -> str:
        return without_poles(scene)

    @classmethod
    def make(cls, scene: Scene) -> AssumptionDistance:
        weights, prob = all_classes(scene), scene.base.prob[scene.position]
        outside = ~scene.split.train
        found = by_distance(weights, prob, scene.distance, outside)
        both = nonuniformity_agreement(weights, prob, outside)
        hops = [f"{h:.0f}" if np.isfinite(h) else "none" for h in found.hops]
        return cls.of(
            hops,
            {"smooth interpolation": found.harmonic, "network": found.network},
            title=f"Two kinds of w by distance to the boundary on {label(scene.graph.title)}",
            caption="Mean w of the nodes outside the training set by hops to the nearest node of "
            "another class, computed from the smooth interpolation and from the network; over all "
            f"these nodes the two have a correlation of {both.pearson:.2f}. {scene.whose}",
            x_label="Hops to the class boundary (none: no boundary reached)",
            y_label="Mean w(v)",
        )
