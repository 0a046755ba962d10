"""Which smooth interpolation a figure of Section 3 is about: the class, its rival, the seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.figures.scene import OfSeed, Scene
from wgnn_core.figures.text import label
from wgnn_core.graph import HIDDEN, BoolArray, Graph
from wgnn_core.theory.dirichlet import Signal
from wgnn_core.theory.harmonic import Flow, flow_between, interpolate


@dataclass(frozen=True)
class OfFlow(OfSeed):
    """Which classes are the poles; the seed is whose training nodes are observed."""

    label: str | None = hyper(
        None, "class observed as 1, name or number; the first with training nodes if none",
        flag="--class",
    )  # fmt: skip
    against: str | None = hyper(
        None, "class observed as 0, name or number; all other classes if none"
    )


@dataclass(frozen=True, eq=False)
class Between:
    """The smooth interpolation between the training nodes of classes (Section 3.1).

    Attributes:
        graph: The graph.
        label: The class of O_1.
        against: The class of O_0; None for all others.
        zeros: O_0, ``[N]``.
        ones: O_1, ``[N]``.
    """

    graph: Graph
    label: int
    against: int | None
    zeros: BoolArray
    ones: BoolArray

    @property
    def adjacency(self) -> sparse.csr_array:
        return self.graph.adjacency

    @cached_property
    def flow(self) -> Flow:
        return flow_between(self.graph.adjacency, self.zeros, self.ones)

    @property
    def name(self) -> str:
        """The class, and its rival if it is one, as a title says it."""
        names = self.graph.class_names
        rival = "" if self.against is None else f" against {label(names[self.against])}"
        return f"{label(names[self.label])}{rival}"

    @property
    def other(self) -> str:
        """What O_0 is observed as."""
        names = self.graph.class_names
        return "another class" if self.against is None else f"class {label(names[self.against])}"


def between(scene: Scene) -> Between:
    """O_1: training nodes of the class, O_0: those of the rival, or of all other classes.

    Raises:
        WGNNError: There is no such class, or it has no training node.
    """
    graph, train, choices = scene.graph, scene.split.train, scene.choices
    chosen = choices.label
    number = class_number(graph, chosen) if chosen else int(graph.y[train].min())
    rival = class_number(graph, choices.against) if choices.against else None
    if rival == number:
        raise WGNNError(
            f"class {label(graph.class_names[number])} is observed as 1 and as 0; choose two."
        )
    ones = train & (graph.y == number)
    zeros = train & (graph.y != number if rival is None else graph.y == rival)
    for pole, mask, which in (("O_1", ones, number), ("O_0", zeros, rival)):
        if not mask.any():
            whose = (
                f"class {label(graph.class_names[which])} has no training node"
                if which is not None
                else f"every training node is of class {label(graph.class_names[number])}"
            )
            raise WGNNError(f"{whose} on {label(graph.title)}, so {pole} is empty.")
    return Between(graph, number, rival, zeros, ones)


def without_poles(scene: Scene) -> str:
    """Why no smooth interpolation is chosen by default; what the choices did wrong is an error."""
    classes = np.unique(scene.graph.y[scene.split.train])
    return "" if len(classes) > 1 else "its training nodes are all of one class"


def all_classes(scene: Scene) -> Signal:
    """f~ of every class at once, ``[N, C]``."""
    graph = scene.graph
    labels = np.where(scene.split.train, graph.y, HIDDEN)
    return interpolate(graph.adjacency, labels, graph.num_classes).weights


def class_number(graph: Graph, text: str) -> int:
    """A class by its name, else by its number."""
    if text in graph.class_names:
        return graph.class_names.index(text)
    if text.isdecimal() and int(text) < graph.num_classes:
        return int(text)
    raise WGNNError(
        f"{graph.title} has no class {text!r}; it has {', '.join(graph.class_names)}, numbered "
        f"0 to {graph.num_classes - 1}."
    )
