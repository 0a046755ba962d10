"""The nodes on the map, coloured by class, prediction, correctness, w or distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.figures.groups import MOST_NEAR, checked_node, ego, induced, marked
from wgnn_core.figures.maps import EDGE, map_table
from wgnn_core.figures.node_drawing import MANY_RINGS, SCALE_TITLES, Colour, NodeDrawing
from wgnn_core.figures.polygon import NOT_STORED, explained, placed
from wgnn_core.figures.scene import OfModel, Scene
from wgnn_core.figures.sentences import across, blind_spot, of_boundary, of_scene
from wgnn_core.figures.text import count, label, labels
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.layout import ego_layout
from wgnn_core.nonuniformity import max_nonuniformity
from wgnn_core.ranking import RANKERS
from wgnn_core.wgnn import carried

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
    layout: str = hyper(
        "graph", "where the nodes stand: by the edges, or on the polygon of the classes",
        choices=("graph", "polygon"),
    )  # fmt: skip
    movers: int = hyper(
        40, "most arrows on the polygon of a wGNN (--at), from where the base model put nodes",
        0, 500,
    )  # fmt: skip
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
        choice = scene.choices
        if not scene.runs and choice.colour not in WITHOUT_MODEL:
            return f"its colour {choice.colour} needs a trained model, and no run is given"
        if choice.layout == "polygon":
            if not scene.runs:
                return "its layout polygon needs a trained model, and no run is given"
            if scene.result.prob(scene.at, scene.position) is None:
                return NOT_STORED
        return ""

    @classmethod
    def make(cls, scene: Scene) -> NodeMap:
        graph, choice = scene.graph, scene.choices
        colour, picked, nodes = choice.colour, marked(scene), np.arange(graph.num_nodes)
        edges, place, told = scene.edges, scene.name, []
        if choice.around is not None:
            near = ego(graph, checked_node(graph, choice.around), choice.radius)
            nodes = near[:MOST_NEAR]
            edges = induced(graph, nodes)
            picked = np.arange(graph.num_nodes) == choice.around if picked is None else picked
            place = f"the {choice.radius}-hop neighbourhood of node {choice.around} of {place}"
            if len(near) > len(nodes):
                told.append(f"It has {len(near):,} nodes; the nearest {len(nodes)} are drawn.")
        elif len(edges) < graph.num_edges and choice.layout == "graph":
            told.append(f"Its {graph.num_edges:,} edges are too many to draw.")
        rows = None
        if choice.layout == "polygon":
            found = placed(scene, nodes, choice.movers)
            xy, rows = found.points[nodes], found.rows
            edges = edges[:0] if choice.around is None else edges
            told.append(explained(found))
        elif choice.around is not None:
            xy = ego_layout(edges, len(nodes))
        else:
            xy = scene.xy
        names = graph.node_names
        figure = cls.of(
            xy,
            edges,
            _values(scene)[nodes],
            colour=colour,
            graph=place + " by the tally" * choice.carried,
            class_names=graph.class_names,
            selected=None if picked is None else picked[nodes],
            node_names=None if names is None else [names[i] for i in nodes],
            top=max_nonuniformity(graph.num_classes) if colour == "w" else None,
            numbers=nodes,
            rows=rows,
        )
        if choice.around is None:
            told.append(_truths(scene))
        # true classes and their boundaries are the same whatever was trained
        if colour not in WITHOUT_MODEL or choice.layout == "polygon":
            told.append(scene.whose)
        return replace(figure, caption=" ".join(filter(None, [figure.caption, *told])))

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
        rows: pd.DataFrame | None = None,
    ) -> NodeMap:
        """From coordinates and one value per node.

        Args:
            xy: Layout, ``[N, 2]``.
            edges: Pairs of nodes, ``[E, 2]``; leave it empty to draw none.
            values: Class numbers (class, prediction), 0 and 1 (correctness) or numbers
                (w, distance); nan or inf means no value and is drawn grey.
            colour: What the values are.
            graph: Name of the graph.
            class_names: For class and prediction.
            selected: Nodes to mark: with rings, or where they are many by fading the others.
            node_names: Shown on hover.
            top: Upper end of the colour scale, by default the largest value; for w pass
                2 (1 - 1/|S|) to compare maps.
            numbers: The number of each node in its graph, by default 0, 1, ...
            rows: Corners and moves of the class polygon, see `figures.polygon`.
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
        elif not np.isin(number[~np.isnan(number)], np.arange(len(names))).all():
            raise WGNNError(f"{colour} values must be 0 to {len(names) - 1}, one for each name.")
        columns: dict[str, Any] = {"value": number}
        if names:
            held = np.where(np.isnan(number), len(names), number).astype(int)
            columns["name"] = np.array([*names, None], dtype=object)[held]
        if node_names is not None:
            columns["node_name"] = [label(name) for name in node_names]
        picked = np.zeros(len(number), bool) if selected is None else np.asarray(selected, bool)
        data = map_table(xy, edges, columns | {"selected": picked}, numbers=numbers)
        lines = int((data["mark"] == EDGE).sum())
        if rows is not None:
            data = pd.concat([data, rows.astype({"node": "int64"})], ignore_index=True)
        known = number[~np.isnan(number)]
        highest = float(known.max()) if known.size else 1.0
        how = "the others are faded" if picked.sum() > MANY_RINGS else "rings"
        chosen = f", {int(picked.sum())} of them selected ({how})" if picked.any() else ""
        what = SCALE_TITLES[colour]
        return cls(
            data,
            title=f"{what} on {label(graph)}",
            caption=(
                f"The {count(len(number), 'node')} of {label(graph)} coloured by "
                f"{what[0].lower()}{what[1:]}{chosen}"
                + (f"; lines are its {count(lines, 'edge')}." if lines else ".")
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
        return np.where(graph.unlabelled, np.nan, graph.y)
    if colour == "distance":
        return scene.distance
    if colour == "w":
        return scene.outcome[1]
    predicted = _shown(scene)
    if colour == "prediction":
        return predicted
    return np.where(graph.unlabelled, np.nan, predicted == graph.y)


def _shown(scene: Scene) -> IntArray:
    """The predictions that are judged: those of the tally if it is chosen."""
    predicted = scene.outcome[0]
    if not scene.choices.carried:
        return predicted
    return carried(scene.base.predicted[scene.position], predicted, scene.plan)


def _truths(scene: Scene) -> str:
    """What is true of the whole map, computed from what it shows."""
    graph, colour = scene.graph, scene.choices.colour
    told = across(graph) if colour == "class" else of_boundary(scene.distance)
    if colour not in WITHOUT_MODEL:
        told = of_scene(scene, _shown(scene), scene.outcome[1])
    if scene.choices.layout == "polygon":
        test, w = scene.split.test, scene.outcome[1]
        prob = scene.result.prob(scene.at, scene.position)
        assert prob is not None
        right = (prob.argmax(-1) == graph.y)[test]
        told = f"{told} {blind_spot(prob[test], w[test], right)}".strip()
    return told


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
