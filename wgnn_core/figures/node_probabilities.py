"""The softmax of one node beside the uniform distribution: what w adds up (eq. 1)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from wgnn_core.figures.bars import Bars
from wgnn_core.figures.groups import checked_node
from wgnn_core.figures.scene import OfNode, Scene
from wgnn_core.figures.text import label


class NodeProbabilities(Bars):
    """Two bars for each class: mu_v(s) of the base model, and 1/|S|."""

    kind: ClassVar[str] = "node-probabilities"
    choices: ClassVar[type[OfNode]] = OfNode

    @classmethod
    def missing(cls, scene: Scene) -> str:
        return "" if scene.choices.node is not None else "no node is chosen (node)"

    @classmethod
    def make(cls, scene: Scene) -> NodeProbabilities:
        graph = scene.graph
        node, classes = checked_node(graph, scene.choices.node), graph.num_classes
        return cls.of(
            graph.class_names,
            {
                "μ(s)": scene.base.prob[scene.position, node],
                "no opinion": np.full(classes, 1 / classes),
            },
            title=f"Probabilities of node {node} on {label(graph.title)}",
            caption="The softmax of this node beside the uniform distribution; w adds up the "
            f"differences between the two. {scene.whose}",
            x_label="Class",
            y_label="Probability μ(s)",
        )
