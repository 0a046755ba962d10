"""w of the test nodes before and after retraining."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from wgnn_core.figures.bars import Bars
from wgnn_core.figures.scene import OfModel, Scene
from wgnn_core.figures.text import label
from wgnn_core.nonuniformity import max_nonuniformity

BINS = 20


class WChange(Bars):
    """Two bars for each bin of w: the base model, and wGNN."""

    kind: ClassVar[str] = "w-change"
    choices: ClassVar[type[OfModel]] = OfModel

    @classmethod
    def missing(cls, scene: Scene) -> str:
        return "" if scene.after is not None else "no wGNN of it is chosen (at)"

    @classmethod
    def make(cls, scene: Scene) -> WChange:
        scene = replace(scene, choices=replace(scene.choices, at=scene.after))
        test = scene.split.test
        edges = np.linspace(0, max_nonuniformity(scene.graph.num_classes), BINS + 1)
        both = {"base": scene.base.w[scene.position], "wGNN": scene.outcome[1]}
        first, then = (float(w[test].mean()) for w in both.values())
        return cls.of(
            [f"{low:.2f}" for low in edges[:-1]],
            {n: np.histogram(np.clip(w[test], 0, edges[-1]), edges)[0] for n, w in both.items()},
            title=f"w before and after on {label(scene.name)}",
            caption=f"Test nodes by w: its mean is {first:.2f} for the base model and {then:.2f} "
            f"after retraining. {scene.whose}",
            x_label="w(v), lower end of the bin",
            y_label="Number of test nodes",
        )
