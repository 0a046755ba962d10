"""The Wasserstein lemma for one node: which mass moves where to make its probabilities equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.errors import WGNNError
from wgnn_core.figures.base import Figure, page
from wgnn_core.figures.flow import all_classes, without_poles
from wgnn_core.figures.groups import checked_node
from wgnn_core.figures.scene import OfNode, Scene
from wgnn_core.figures.style import SMALLEST_TEXT, Style, lightness
from wgnn_core.figures.text import label, labels, paper_text, plotly_text
from wgnn_core.theory.dirichlet import Signal
from wgnn_core.theory.statement import Statement, verdict
from wgnn_core.theory.wasserstein import optimal_coupling, wasserstein_lemma

X_LABEL, Y_LABEL = "Class that takes", "Class that gives"
SCALE = "Mass (0 to 1)"
COLOURS = "Blues"
NAME_LENGTH = 18
SHOWN = 5e-4
"""Smaller masses would read 0.000 and are left blank."""


@dataclass(frozen=True, eq=False)
class Coupling(Figure):
    """A matrix: what stays of each class on the diagonal, what moves beside it."""

    kind: ClassVar[str] = "coupling"
    drawn: ClassVar[tuple[str, ...]] = ("mass",)
    choices: ClassVar[type[OfNode]] = OfNode
    runs: ClassVar[tuple[int, int]] = (0, 1)

    classes: tuple[str, ...]
    statements: tuple[Statement, ...] = ()

    @classmethod
    def missing(cls, scene: Scene) -> str:
        if scene.choices.node is None:
            return "no node is chosen (node)"
        return "" if scene.runs else without_poles(scene)

    @classmethod
    def make(cls, scene: Scene) -> Coupling:
        """mu_v of the run's base model; without a run the smooth interpolation of every class."""
        node = checked_node(scene.graph, scene.choices.node)
        if scene.runs:
            mu, whose = scene.base.prob[scene.position, node], scene.whose
        else:
            mu, whose = all_classes(scene)[node], "Probabilities: the smooth interpolation."
            if not np.isfinite(mu).all():
                raise WGNNError(
                    f"node {node} has no smooth interpolation: its connected component has no "
                    "observed node."
                )
            mu = np.clip(mu, 0.0, 1.0)
        names = scene.graph.class_names
        figure = cls.of(names, mu, node=node, graph=scene.graph.title)
        return replace(figure, caption=f"{figure.caption} {whose}")

    @classmethod
    def of(cls, names: Sequence[str], mu: Signal, *, node: int, graph: str) -> Coupling:
        """From the class probabilities of a node, ``[C]``."""
        found = wasserstein_lemma(mu)
        weights = np.asarray(mu, dtype=float) / np.sum(mu, dtype=float)
        uniform = np.full(len(weights), 1 / len(weights))
        mass, classes = optimal_coupling(weights, uniform), labels(names)
        data = pd.DataFrame(
            [(a, b, mass[i, j]) for i, a in enumerate(classes) for j, b in enumerate(classes)],
            columns=["gives", "takes", "mass"],
        )
        w, moved = found.left.value, found.term("mass moved by the coupling")
        return cls(
            data,
            title=f"Optimal coupling of node {node} on {label(graph)}",
            caption=(
                "Rows: the probability of each class of this node. Columns: the same for all "
                f"classes. The diagonal stays, the rest moves: {moved:.4g} in all, and w is twice "
                f"that, {w:.4g}. {verdict(found)}"
            ),
            alt=f"Matrix of the mass that moves between {len(classes)} classes for node {node}: "
            f"{moved:.3f} in all, w is {w:.3f}.",
            classes=tuple(classes),
            statements=(found,),
        )

    def _matrix(self) -> npt.NDArray[np.float64]:
        size = len(self.classes)
        return np.asarray(self.data["mass"], dtype=np.float64).reshape(size, size)

    def to_plotly(self, dark: bool = False) -> go.Figure:
        mass, places = self._matrix(), np.arange(len(self.classes)) + 0.5
        figure = page(self.title, dark)
        short = [plotly_text(label(name, NAME_LENGTH)) for name in self.classes]
        top = max(float(mass.max()), 1e-9)
        figure.add_heatmap(
            x=places,
            y=places,
            z=mass,
            zmin=0,
            zmax=top,
            colorscale=COLOURS,
            xgap=1,
            ygap=1,
            colorbar={"thickness": 10, "outlinewidth": 0},
            text=[[f"{a} to {b}" if a != b else f"{a} stays" for b in short] for a in short],
            hovertemplate="%{text}: %{z:.4f}<extra></extra>",
        )
        if len(places) <= 16:
            for i, j in np.argwhere(mass >= SHOWN):
                figure.add_annotation(
                    x=j + 0.5, y=i + 0.5, text=f"{mass[i, j]:.3f}", showarrow=False,
                    font={"color": _text_on(mass[i, j] / top), "size": 11},
                )  # fmt: skip
        ticks = {"tickvals": places, "ticktext": short, "ticks": "", "showgrid": False}
        lean = 0 if max(map(len, self.classes)) <= 4 else -35
        figure.update_xaxes(title_text=X_LABEL, tickangle=lean, showline=False, **ticks)
        figure.update_yaxes(title_text=Y_LABEL, autorange="reversed", showline=False, **ticks)
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        mass, n = self._matrix(), len(self.classes)
        paper = PaperFigure(figsize=style.size(0.8), layout="constrained")
        axes = paper.add_subplot()
        top = max(float(mass.max()), 1e-9)
        mesh = axes.pcolormesh(
            mass, cmap=COLOURS, vmin=0, vmax=top, edgecolors="white", linewidth=0.5 * style.scale
        )
        axes.invert_yaxis()
        cell = 0.6 * style.inches * 72 / n
        size = min(style.small, 0.3 * cell)
        if size >= SMALLEST_TEXT:  # smaller would be unreadable: then the colours speak alone
            for i, j in np.argwhere(mass >= SHOWN):
                axes.text(
                    j + 0.5, i + 0.5, f"{mass[i, j]:.3f}", ha="center", va="center_baseline",
                    fontsize=size, color=_text_on(mass[i, j] / top),
                )  # fmt: skip
        names = [paper_text(name, NAME_LENGTH) for name in self.classes]
        step = max(1, int(np.ceil((style.small + 1.5) / cell)))
        ticks = np.arange(0, n, step) + 0.5
        axes.set_yticks(ticks, names[::step])
        axes.set_xticks(ticks)
        axes.set_xticklabels(names[::step], rotation=45, ha="right", rotation_mode="anchor")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set(xlabel=X_LABEL, ylabel=Y_LABEL)
        bar = paper.colorbar(mesh, ax=axes, fraction=0.05, pad=0.02, aspect=24)
        bar.set_label(SCALE)
        bar.outline.set_visible(False)
        return paper


def _text_on(share: float) -> str:
    shade = to_hex(matplotlib.colormaps[COLOURS](share))
    return "#ffffff" if lightness(shade) < 55 else "#111318"
