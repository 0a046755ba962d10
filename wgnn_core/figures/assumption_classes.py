"""Does the assumption of Section 3 hold? Class by class: f~ against the network's mu_v(s)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from wgnn_core.errors import WGNNError
from wgnn_core.figures.bars import Bars
from wgnn_core.figures.flow import all_classes, without_poles
from wgnn_core.figures.scene import OfSeed, Scene
from wgnn_core.figures.text import label
from wgnn_core.theory.assumption import class_agreement


class AssumptionClasses(Bars):
    """Two bars for each class: correlation of the values, and of their ranks."""

    kind: ClassVar[str] = "assumption-classes"
    choices: ClassVar[type[OfSeed]] = OfSeed

    @classmethod
    def missing(cls, scene: Scene) -> str:
        return without_poles(scene)

    @classmethod
    def make(cls, scene: Scene) -> AssumptionClasses:
        graph = scene.graph
        found = class_agreement(
            all_classes(scene), scene.base.prob[scene.position], ~scene.split.train
        )
        # a class without training nodes is nowhere in f~, and a constant has no correlation
        known = [s for s, one in enumerate(found) if np.isfinite([one.pearson, one.spearman]).all()]
        if not known:
            raise WGNNError(
                f"f~ or the network is constant on {label(graph.title)} in every class."
            )
        left = len(found) - len(known)
        pearson = [found[s].pearson for s in known]
        return cls.of(
            [graph.class_names[s] for s in known],
            {"of the values": pearson, "of the ranks": [found[s].spearman for s in known]},
            title=f"Smooth interpolation against the network on {label(graph.title)}",
            caption="Correlation of the smooth interpolation of each class with the network's "
            f"probability of it, over {found[known[0]].nodes:,} nodes outside the training set: "
            f"{min(pearson):.2f} to {max(pearson):.2f}. Where it is high, Section 3 speaks of the "
            "network too."
            + (f" {left} classes have no correlation and are left out." if left else "")
            + f" {scene.whose}",
            x_label="Class",
            y_label="Correlation over the nodes",
        )
