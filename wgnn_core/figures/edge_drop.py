"""Algorithm 2 before and after: the pieces of V' that lose edges, or the whole graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from wgnn_core.edgedrop import EdgeDrop
from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.figures.edge_drop_drawing import AFTER, PANELS, PIECE, EdgeDropDrawing
from wgnn_core.figures.edge_drop_words import DROPPED, FOREST, KEPT, around, what_goes
from wgnn_core.figures.maps import map_table
from wgnn_core.figures.scene import OfModel, Scene
from wgnn_core.figures.text import NO_LABEL, label, labels
from wgnn_core.graph import IntArray
from wgnn_core.intervention import Intervention
from wgnn_core.layout import CloseUp, close_up

CANVAS = (560.0, 400.0)
"""Width and height in pixels of a panel of `MAX_NODES` nodes."""
MAX_NODES = 180


@dataclass(frozen=True)
class EdgeDropChoices(OfModel):
    """`at` may be any wGNN, trained or not: Algorithm 2 needs the base model alone.

    By default it is what validation chose, else the first of the run that drops edges.
    """

    max_nodes: int = hyper(MAX_NODES, "nodes of edge-drop's close-up", 10, 1000)
    whole: bool = hyper(False, "edge-drop on the whole graph instead of a close-up")
    second: str = hyper(
        AFTER, "the second panel of edge-drop: the graph after, or only what goes",
        choices=tuple(PANELS),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class EdgeDropMap(EdgeDropDrawing):
    """What Algorithm 2 does to the pieces of V' that lose edges, or to the whole graph."""

    kind: ClassVar[str] = "edge-drop"
    drawn: ClassVar[tuple[str, ...]] = ("x", "y")
    choices: ClassVar[type[EdgeDropChoices]] = EdgeDropChoices

    @classmethod
    def missing(cls, scene: Scene) -> str:
        shown = _shown(scene)
        if not shown:
            return "none of its etas drops edges (eta1 and eta2 above 0)"
        drop = scene.result.plan(shown[0], scene.position).edge_drop
        if not scene.choices.whole and not drop.least[scene.graph.edges].all(axis=1).any():
            return "no edge joins two nodes of V', so there is no piece to show"
        return ""

    @classmethod
    def make(cls, scene: Scene) -> EdgeDropMap:
        graph, at, choices = scene.graph, _shown(scene)[0], scene.choices
        figure = cls.of(
            graph.edges,
            scene.result.plan(at, scene.position).edge_drop,
            classes=graph.y,
            predicted=scene.base.predicted[scene.position],
            w=scene.base.w[scene.position],
            class_names=graph.class_names,
            node_names=graph.node_names,
            graph=f"{graph.title}, {at.edge_text}",
            max_nodes=choices.max_nodes,
            xy=scene.xy if choices.whole else None,
            second=choices.second,
        )
        return replace(figure, caption=f"{figure.caption} {scene.whose}")

    @classmethod
    def of(
        cls,
        edges: IntArray,
        drop: EdgeDrop,
        *,
        classes: IntArray,
        predicted: IntArray,
        w: npt.NDArray[np.floating[Any]],
        class_names: Sequence[str],
        graph: str,
        node_names: Sequence[str] | None = None,
        max_nodes: int = MAX_NODES,
        xy: npt.ArrayLike | None = None,
        second: str = AFTER,
    ) -> EdgeDropMap:
        """From the outcome of Algorithm 2.

        Args:
            edges: Edges of G, ``[E, 2]``.
            drop: Outcome of Algorithm 2.
            classes: True class of each node, ``[N]``, may be `UNLABELLED`.
            predicted: Class predicted by the base model, ``[N]``.
            w: Its label non-uniformity, ``[N]``.
            class_names: Names of the classes.
            graph: Name of the graph.
            node_names: Names of the nodes, if they have some.
            max_nodes: Most nodes of a close-up.
            xy: A layout ``[N, 2]``: then the whole graph is shown.
            second: The second panel, "after" or "difference".
        """
        if (drop.forest & drop.dropped).any():
            edge = int(np.argmax(drop.forest & drop.dropped))
            raise WGNNError(f"edge {edge} is in the forest and dropped; it can only be one.")
        names = labels(class_names)
        state = np.where(drop.dropped, DROPPED, np.where(drop.forest, FOREST, KEPT))
        shot: CloseUp | None = None
        if xy is None:
            grow = float(np.sqrt(max(max_nodes / MAX_NODES, 1)))
            shot = close_up(
                edges, drop, classes,
                width=grow * CANVAS[0], height=grow * CANVAS[1], budget=max_nodes,
            )  # fmt: skip
            if not shot.pieces:
                raise WGNNError(f"{label(graph)}: no edge joins two nodes of V'; nothing to show.")
            nodes, points, pairs, rows = shot.nodes, shot.points, shot.pairs, shot.edges
            inside = shot.inside
        else:
            nodes, points = np.arange(len(classes)), np.asarray(xy)
            pairs, rows, inside = edges, np.arange(len(edges)), drop.least
        named = np.array([*names, NO_LABEL], dtype=object)  # class -1 is the last
        columns: dict[str, Any] = {
            "class": classes[nodes],
            "class_name": named[classes[nodes]],
            "predicted": predicted[nodes],
            "predicted_name": named[predicted[nodes]],
            "w": w[nodes],
            "inside": inside,
        }
        if node_names is not None:
            columns["node_name"] = [label(node_names[i]) for i in nodes]
        table = map_table(points, pairs, columns, {"state": state[rows]}, nodes)
        if shot is not None:
            table = pd.concat([table, _pieces(shot)], ignore_index=True)
        said = what_goes(edges, drop, classes, shot)
        return cls(
            table,
            title=f"Edges dropped by Algorithm 2 on {label(graph)}",
            caption=said + around(shot, set(state[rows])),
            alt=f"Two drawings of {label(graph)} side by side, before and {second}. {said}",
            names=tuple(names),
            second=second,
        )


def _pieces(shot: CloseUp) -> pd.DataFrame:
    """The rows of the pieces."""
    rows = [asdict(piece) for piece in shot.pieces]
    table = pd.DataFrame(rows).drop(columns=["corner", "size"])
    corner, size = (np.array([row[name] for row in rows]) for name in ("corner", "size"))
    place = {"x": corner[:, 0], "y": corner[:, 1], "width": size[:, 0], "height": size[:, 1]}
    return table.assign(mark=PIECE, **place)


def _shown(scene: Scene) -> list[Intervention]:
    """What is asked for, else the finished interventions that drop edges, the chosen one first."""
    if scene.choices.at is not None:
        return [scene.choices.at]
    best = scene.result.chosen
    every = [*([best] if best is not None else []), *scene.result.finished]
    return [one for one in every if one.drops_edges]
