"""The smooth interpolation f~ as layers on the map (Section 3, the paper's Figure 2).

With a statement chosen it also shows what that statement speaks of: a rising path, a boundary, a
bottleneck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from wgnn_core.errors import WGNNError
from wgnn_core.figures.flow import without_poles
from wgnn_core.figures.harmonic_drawing import HarmonicDrawing
from wgnn_core.figures.maps import map_table
from wgnn_core.figures.scene import Scene
from wgnn_core.figures.statements import (
    STEPS,
    StatementChoices,
    picture_of,
    without_statement,
)
from wgnn_core.figures.text import label
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.theory.statement import Statement, sides, verdict

TOGETHER = "; "
"""Between the names of the sets that a node is in."""


@dataclass(frozen=True, eq=False)
class HarmonicMap(HarmonicDrawing):
    """Nodes coloured by the layer of f~ they lie in, the observed nodes as poles."""

    kind: ClassVar[str] = "harmonic-map"
    drawn: ClassVar[tuple[str, ...]] = ("x", "y", "f")
    choices: ClassVar[type[StatementChoices]] = StatementChoices
    runs: ClassVar[tuple[int, int]] = (0, 1)

    statements: tuple[Statement, ...] = ()
    """What it shows, with both sides as numbers."""
    said: str = ""
    """A further sentence of the caption."""

    @classmethod
    def missing(cls, scene: Scene) -> str:
        return without_poles(scene) or without_statement(scene)

    @classmethod
    def make(cls, scene: Scene) -> HarmonicMap:
        poles, picture = picture_of(scene)
        return cls.of(
            scene.xy,
            scene.edges,
            np.clip(picture.flow.f, 0.0, 1.0),
            zeros=picture.flow.zeros,
            ones=picture.flow.ones,
            graph=scene.graph.title,
            class_name=poles.name,
            other=poles.other,
            steps=picture.steps,
            nodes=picture.nodes,
            lines=picture.edges,
            statements=picture.statements,
            said=picture.said,
        )

    @classmethod
    def of(
        cls,
        xy: npt.ArrayLike,
        edges: npt.ArrayLike,
        f: npt.ArrayLike,
        *,
        zeros: BoolArray,
        ones: BoolArray,
        graph: str,
        class_name: str,
        other: str = "another class",
        steps: Sequence[float] = STEPS,
        nodes: Mapping[str, IntArray] | None = None,
        lines: Mapping[str, IntArray] | None = None,
        statements: Sequence[Statement] = (),
        said: str = "",
    ) -> HarmonicMap:
        """From the result of `theory.harmonic.smooth_interpolation`.

        Args:
            xy: Layout, ``[N, 2]``.
            edges: Edges, ``[E, 2]``.
            f: f~ in [0, 1], nan where nothing is observed, ``[N]``.
            zeros: O_0, ``[N]``.
            ones: O_1, ``[N]``.
            graph: Name of the graph.
            class_name: The class whose weights are interpolated.
            other: What O_0 is observed as.
            steps: Where one colour ends and the next begins, from 0 to 1.
            nodes: Node sets to mark, by name.
            lines: Edge sets to draw strongly, by name; they need not be among `edges`.
            statements: What the picture is about.
            said: A further sentence for the caption.
        """
        value = np.asarray(f, dtype=float)
        known = np.isfinite(value)
        if len(steps) < 3 or steps[0] != 0 or steps[-1] != 1 or (np.diff(steps) <= 0).any():
            raise WGNNError(f"the layers end at {list(steps)}; they must rise from 0 to 1.")
        if ((value[known] < 0) | (value[known] > 1)).any():
            raise WGNNError(f"f~ reaches {value[known].max():g}; it must lie in 0 to 1.")
        layer = np.full(len(value), pd.NA, dtype=object)
        observed = layer.copy()
        layer[known] = np.searchsorted(steps[1:-1], value[known], side="left")
        observed[np.asarray(zeros)], observed[np.asarray(ones)] = 0, 1
        marked = np.full(len(value), "", dtype=object)
        for name, members in (nodes or {}).items():
            marked[members] = [f"{m}{TOGETHER}{name}" if m else name for m in marked[members]]
        columns = {"f": value, "layer": layer, "observed": observed, "marked": marked}
        every, line = _with_lines(np.asarray(edges, dtype=np.int64).reshape(-1, 2), lines or {})
        data = map_table(xy, every, columns, {"line": line})
        data = data.astype(dict.fromkeys(("layer", "observed"), "Int64"))
        return cls(
            data,
            title=f"Smooth interpolation of class {label(class_name)} on {label(graph)}",
            caption=_caption(class_name, other, len(steps) - 1, statements, said),
            alt=(
                f"Map of {label(graph)} in {len(steps) - 1} layers of the smooth interpolation: "
                f"{int(np.sum(zeros))} nodes observed as 0, {int(np.sum(ones))} as 1, "
                f"{int((~known).sum())} without value."
            ),
            steps=tuple(map(float, steps)),
            sets=tuple(nodes or {}),
            lines=tuple(lines or {}),
            statements=tuple(statements),
            said=said,
        )


def _caption(
    class_name: str, other: str, layers: int, statements: Sequence[Statement], said: str
) -> str:
    poles = (
        f"The smooth interpolation between nodes observed as class {label(class_name)} "
        f"(triangles, 1) and as {other} (squares, 0)"
    )
    if not statements:
        return (
            f"{poles}; it rises in layers from one pole to the other, and the class boundary lies "
            "where it is far from both."
        )
    told = [f"{poles}, in {layers} layers."]
    told += [f"{one.title}: {sides(one)}. {verdict(one)}" for one in statements]
    return " ".join([*told, said]).strip()


def _with_lines(
    edges: IntArray, lines: Mapping[str, IntArray]
) -> tuple[IntArray, npt.NDArray[np.object_]]:
    """The edges and those of the sets, each once, and the set of each; empty outside all."""
    found: dict[tuple[int, int], str] = {}
    for name, pairs in lines.items():
        found |= {(min(u, v), max(u, v)): name for u, v in pairs.tolist()}
    plain = [
        (u, v) for u, v in np.sort(edges, axis=1).tolist() if (u, v) not in found
    ]  # a marked edge is drawn once
    every = np.array([*plain, *found], dtype=np.int64).reshape(-1, 2)
    return every, np.array([""] * len(plain) + list(found.values()), dtype=object)
