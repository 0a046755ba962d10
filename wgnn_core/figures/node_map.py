"""The nodes on the map, coloured by class, prediction, correctness, w or distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, get_args

import numpy as np
import numpy.typing as npt

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.figures.groups import checked_node, ego, induced, marked
from wgnn_core.figures.maps import map_table
from wgnn_core.figures.node_drawing import MANY_RINGS, SCALE_TITLES, Colour, NodeDrawing
from wgnn_core.figures.scene import OfModel, Scene
from wgnn_core.figures.text import label, labels
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.nonuniformity import max_nonuniformity
from wgnn_core.ranking import RANKERS
from wgnn_core.wgnn import carried

LOOK_FOR = {
    "w": "dark bands of low w mark where the model sees the class boundaries",
    "distance": "compare with the map of w: low w should lie where the distance is small",
    "class": "edges between colours are the class boundaries",
    "prediction": "compare with the map of true classes",
    "correctness": "wrong nodes gather where classes meet",
}
WITHOUT_MODEL = ("class", "distance")
"""Colours that need no run."""


@dataclass(frozen=True)
class NodeMapChoices(OfModel):
    """What a node map shows, which nodes it marks, and whether it is cut to a neighbourhood."""

    colour: str = hyper("w", "what the colours of node-map show", choices=get_args(Colour))
    carried: bool = hyper(
        False, "nodes that joined R' keep their first prediction, as in the tally"
    )
    mark: str | None = hyper(
        None, "nodes to mark: a group such as 'wrong test nodes', or numbers 0,5,17"
    )
    threshold: float | None = hyper(
        None, "value of w for --mark 'below the threshold' and 'above the threshold'", 0, 2
    )
    trusted_by: str = hyper(
        "m2",
        "who ranks the test nodes of which '--mark trusted' marks the first",
        choices=tuple(RANKERS),
    )
    coverage: float = hyper(0.3, "share of the test nodes that '--mark trusted' marks", 0, 1)
    around: int | None = hyper(None, "only this node and its neighbourhood", 0, 2**31)
    radius: int = hyper(1, "size of that neighbourhood in hops", 1, 10)


@dataclass(frozen=True, eq=False)
class NodeMap(NodeDrawing):
    """All nodes of a graph, or a neighbourhood, in the colours of one value per node."""

    kind: ClassVar[str] = "node-map"
    drawn: ClassVar[tuple[str, ...]] = ("x", "y", "value")
    choices: ClassVar[type[NodeMapChoices]] = NodeMapChoices
    runs: ClassVar[tuple[int, int]] = (0, 1)

    @classmethod
    def missing(cls, scene: Scene) -> str:
        if not scene.runs and scene.choices.colour not in WITHOUT_MODEL:
            return f"its colour {scene.choices.colour} needs a trained model, and no run is given"
        return ""

    @classmethod
    def make(cls, scene: Scene) -> NodeMap:
        graph, choice = scene.graph, scene.choices
        colour, picked, nodes = choice.colour, marked(scene), np.arange(graph.num_nodes)
        edges, place = scene.edges, scene.name
        if choice.around is not None:
            nodes = ego(graph, checked_node(graph, choice.around), choice.radius)
            edges = induced(graph, nodes)
            picked = np.arange(graph.num_nodes) == choice.around if picked is None else picked
            place = f"the {choice.radius}-hop neighbourhood of node {choice.around} of {place}"
        names = graph.node_names
        figure = cls.of(
            scene.xy[nodes],
            edges,
            _values(scene)[nodes],
            colour=colour,
            graph=place + " by the tally" * choice.carried,
            class_names=graph.class_names,
            selected=None if picked is None else picked[nodes],
            node_names=None if names is None else [names[i] for i in nodes],
            top=max_nonuniformity(graph.num_classes) if colour == "w" else None,
            numbers=nodes,
        )
        # true classes and their boundaries are the same whatever was trained
        told = "" if colour in WITHOUT_MODEL else f" {scene.whose}"
        if choice.around is not None:
            told += " Each node is where it is on the map of the whole graph."
        return replace(figure, caption=figure.caption + told)

    @classmethod
    def of(
        cls,
        xy: npt.ArrayLike,
        edges: npt.ArrayLike,
        values: npt.ArrayLike,
        *,
        colour: Colour,
        graph: str,
        class_names: Sequence[str] = (),
        selected: BoolArray | None = None,
        node_names: Sequence[str] | None = None,
        top: float | None = None,
        numbers: IntArray | None = None,
    ) -> NodeMap:
        """From coordinates and one value per node.

        Args:
            xy: Layout, ``[N, 2]``.
            edges: Pairs of nodes, ``[E, 2]``; leave it empty to draw none.
            values: Class numbers (class, prediction), booleans (correctness) or numbers
                (w, distance), where nan or inf means no value and is drawn grey.
            colour: What the values are.
            graph: Name of the graph.
            class_names: For class and prediction.
            selected: Nodes to mark: with rings, or where they are many by fading the others.
            node_names: Shown on hover.
            top: Upper end of the colour scale, by default the largest value; for w pass
                2 (1 - 1/|S|) to compare maps.
            numbers: The number of each node in its graph, by default 0, 1, ...
        """
        if colour not in get_args(Colour):
            raise WGNNError(
                f"map colour is {colour!r}; choose one of {', '.join(get_args(Colour))}."
            )
        names = ("wrong", "correct") if colour == "correctness" else tuple(labels(class_names))
        number = np.asarray(values, dtype=np.float32)
        number = np.where(np.isfinite(number), number, np.float32(np.nan))
        if colour in ("w", "distance"):
            names = ()
        elif not np.isin(number, np.arange(len(names))).all():
            raise WGNNError(f"{colour} values must be 0 to {len(names) - 1}, one for each name.")
        columns: dict[str, Any] = {"value": number}
        if names:
            columns["name"] = np.array(names, dtype=object)[number.astype(int)]
        if node_names is not None:
            columns["node_name"] = [label(name) for name in node_names]
        picked = np.zeros(len(number), bool) if selected is None else np.asarray(selected, bool)
        data = map_table(xy, edges, columns | {"selected": picked}, numbers=numbers)
        known = number[~np.isnan(number)]
        highest = float(known.max()) if known.size else 1.0
        how = "the others are faded" if picked.sum() > MANY_RINGS else "rings"
        chosen = f", {int(picked.sum())} of them selected ({how})" if picked.any() else ""
        what = SCALE_TITLES[colour]
        return cls(
            data,
            title=f"{what} on {label(graph)}",
            caption=(
                f"The {len(number)} nodes of {label(graph)} coloured by "
                f"{what[0].lower()}{what[1:]}{chosen}; {LOOK_FOR[colour]}."
            ),
            alt=f"Map of {label(graph)}: " + _summary(number, names, picked),
            colour=colour,
            names=names,
            top=max(top if top is not None else highest, 1e-6),
        )


def _values(scene: Scene) -> npt.NDArray[Any]:
    """One value per node of the whole graph for the chosen colour."""
    graph, colour = scene.graph, scene.choices.colour
    if colour == "class":
        return graph.y
    if colour == "distance":
        return scene.distance
    predicted, w = scene.outcome
    if colour == "w":
        return w
    if scene.choices.carried:
        first = scene.base.predicted[scene.position]
        predicted = carried(first, predicted, scene.plan)
    return predicted if colour == "prediction" else predicted == graph.y


def _summary(
    value: npt.NDArray[np.float32], names: Sequence[str], selected: npt.NDArray[np.bool_]
) -> str:
    if names:
        counts = [(int((value == i).sum()), name) for i, name in enumerate(names)]
        text = ", ".join(f"{count} {name}" for count, name in sorted(counts, reverse=True)[:8])
    else:
        known = value[~np.isnan(value)]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
        text = f"{len(known)} nodes with values from {low:.2f} to {high:.2f}"
    return text + (f", {int(selected.sum())} selected." if selected.any() else ".")
