"""What a map of the smooth interpolation shows of a statement of Section 3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from wgnn_core.edgedrop import EdgeDrop, drop_edges
from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.figures.flow import Between, OfFlow, between
from wgnn_core.figures.groups import checked_node
from wgnn_core.figures.scene import OfModel, OfNode, Scene
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.supplement import supplement
from wgnn_core.theory.assumption import harmonic_nonuniformity
from wgnn_core.theory.bottleneck import theorem_3
from wgnn_core.theory.boundary_gap import (
    conductance_identity,
    fewer_edges,
    more_observed,
    theorem_2,
)
from wgnn_core.theory.dirichlet import Signal
from wgnn_core.theory.harmonic import Flow, flow_between
from wgnn_core.theory.lemmas import averaging, linearity, value_range
from wgnn_core.theory.levels import corollary_1, level_components, theorem_1
from wgnn_core.theory.sets import mask_of, matrix_of
from wgnn_core.theory.statement import Statement

STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
NEED_ETAS = {"more-observed": "joining", "fewer-edges": "dropped"}
NAMES = (
    "none",
    "lemmas",
    "theorem-1",
    "corollary-1",
    "theorem-2",
    "more-observed",
    "fewer-edges",
    "theorem-3",
    "theorem-3-after",
)


@dataclass(frozen=True)
class StatementChoices(OfFlow, OfNode, OfModel):
    """Which statement, and what it speaks of."""

    statement: str = hyper("none", "statement of Section 3 that harmonic-map shows", choices=NAMES)
    partition: str = hyper(
        "true", "the sides of Theorem 2: by true or by predicted class",
        choices=("true", "predicted"),
    )  # fmt: skip
    level: float = hyper(0.5, "r of corollary-1", 1e-6, 1 - 1e-6)
    least: str | None = hyper(
        None, "V' of theorem-3, node numbers 0,5,17; what Algorithm 2 chooses if none"
    )
    joining: str | None = hyper(
        None, "nodes newly observed as 1, numbers 0,5,17; what Algorithm 1 adds if none"
    )
    dropped: str | None = hyper(
        None, "edges to drop, pairs 0-5,3-17; what Algorithm 2 drops if none"
    )


@dataclass(frozen=True, eq=False)
class Picture:
    """What is drawn.

    Attributes:
        flow: Whose f~ gives the colours.
        statements: What the picture is about, with its numbers.
        nodes: Node sets to mark, by name.
        edges: Edge sets to draw strongly, by name, each ``[k, 2]``.
        steps: Where one colour ends and the next begins.
        said: A further sentence.
    """

    flow: Flow
    statements: tuple[Statement, ...] = ()
    nodes: Mapping[str, IntArray] = field(default_factory=dict)
    edges: Mapping[str, IntArray] = field(default_factory=dict)
    steps: tuple[float, ...] = STEPS
    said: str = ""


def without_statement(scene: Scene) -> str:
    """Why the chosen statement cannot be shown; empty if it can."""
    choices = scene.choices
    if choices.partition == "predicted" and not scene.runs:
        return "the predicted classes need a trained model, and no run is given"
    given = NEED_ETAS.get(choices.statement)
    if given and getattr(choices, given) is None and choices.at is None:
        return f"{choices.statement} needs eta0,eta1,eta2 (at), or {given}"
    if choices.statement.startswith("theorem-3") and choices.at is None and choices.least is None:
        return f"{choices.statement} needs eta0,eta1,eta2 (at), or V' (least)"
    return ""


def picture_of(scene: Scene) -> tuple[Between, Picture]:
    """The interpolation of a scene, and the picture of its statement."""
    poles = between(scene)
    return poles, PICTURES[scene.choices.statement](Workbench(scene, poles))


@dataclass(frozen=True, eq=False)
class Workbench:
    """A scene with its interpolation, and what the two algorithms would do.

    With a run they order nodes by w of its network, else by w of the smooth interpolation.
    """

    scene: Scene
    poles: Between

    @property
    def adjacency(self) -> sparse.csr_array:
        return self.poles.adjacency

    @property
    def flow(self) -> Flow:
        return self.poles.flow

    @property
    def node(self) -> int:
        """The chosen node, by default the one in the middle of the rise."""
        chosen = self.scene.choices.node
        if chosen is not None:
            return checked_node(self.scene.graph, chosen)
        off = np.where(self.flow.reached, np.abs(self.flow.f - 0.5), np.inf)
        return int(np.argmin(off))

    @cached_property
    def side(self) -> BoolArray:
        """V_1: the nodes whose class, true or predicted, is that of O_1."""
        scene = self.scene
        if scene.choices.partition == "true":
            return np.asarray(scene.graph.y == self.poles.label)
        return np.asarray(scene.base.predicted[scene.position] == self.poles.label)

    @property
    def weights(self) -> Signal:
        return np.stack([self.flow.rest, self.flow.f], axis=1)

    @cached_property
    def joined(self) -> tuple[BoolArray, BoolArray]:
        """The nodes that Algorithm 1 observes anew, as 0 and as 1."""
        scene, graph, label = self.scene, self.scene.graph, self.poles.label
        given = scene.choices.joining
        if given is not None:
            return np.zeros(graph.num_nodes, dtype=np.bool_), _node_mask(scene, given)
        if scene.runs:
            added = scene.plan.supplement.added
            classes = scene.base.predicted[scene.position]
            rival = self.poles.against
            others = classes != label if rival is None else classes == rival
            free = added & ~(self.flow.zeros | self.flow.ones)
            return free & others, free & (classes == label)
        w, high = harmonic_nonuniformity(self.weights), self.flow.f > self.flow.rest
        asked = scene.at.eta0
        found = supplement(w, high.astype(np.int64), scene.split.train, self.flow.free, asked)
        return found.added & ~high, found.added & high

    @cached_property
    def edge_drop(self) -> EdgeDrop:
        """V' and the edges that go (Algorithm 2)."""
        scene, graph = self.scene, self.scene.graph
        if scene.choices.least is None and scene.runs:
            return scene.plan.edge_drop
        eta1, w = scene.at.eta1, harmonic_nonuniformity(self.weights)
        if scene.choices.least is not None:
            chosen = _node_mask(scene, scene.choices.least)
            eta1, w = float(chosen.mean()), (~chosen).astype(np.float64)
        return drop_edges(graph.edges, graph.num_nodes, w, eta1, scene.at.eta2, scene.seed)

    @property
    def dropped(self) -> IntArray:
        given = self.scene.choices.dropped
        if given is None:
            return self.scene.graph.edges[self.edge_drop.dropped]
        return _pairs(self.scene, given)

    def without(self, edges: IntArray) -> sparse.csr_array:
        """The graph without some edges."""
        size, every = self.scene.graph.num_nodes, self.scene.graph.edges
        low, high = np.sort(edges, axis=1).T
        keep = ~np.isin(every[:, 0] * size + every[:, 1], low * size + high)
        return matrix_of(every[keep], size)


def _none(bench: Workbench) -> Picture:
    return Picture(bench.flow)


def _lemmas(bench: Workbench) -> Picture:
    flow, adjacency = bench.flow, bench.adjacency
    observed = flow.zeros | flow.ones
    component = level_components(adjacency, flow)
    size = np.bincount(component)
    patch = (size[component] > 1) & flow.reached
    there = np.unique(component[flow.reached])
    many = int((size[there] > 1).sum())
    return Picture(
        flow,
        (
            averaging(adjacency, flow),
            value_range(flow),
            linearity(
                adjacency,
                observed,
                flow.ones.astype(np.float64),
                flow.zeros.astype(np.float64),
                (2.0, -3.0),
            ),
        ),
        nodes={"patches of equal value": np.flatnonzero(patch)},
        said=f"It has {len(there):,} level-components (patches of equal value), "
        f"{many:,} of them of more than one node.",
    )


def _theorem_1(bench: Workbench) -> Picture:
    found = theorem_1(bench.adjacency, bench.flow, bench.node)
    patch = found.nodes["level-component"]
    nodes = {"chosen node": np.array([bench.node])}
    if len(patch) > 1:
        nodes["its level-component"] = patch
    return Picture(bench.flow, (found,), nodes, {"rising path": found.edges["path"]})


def _corollary_1(bench: Workbench) -> Picture:
    level = bench.scene.choices.level
    found = corollary_1(bench.adjacency, bench.flow, level)
    edges = bench.scene.edges  # none where they are too many to draw
    inside = {
        name: edges[mask_of(found.nodes[part].tolist(), len(bench.flow.f))[edges].all(axis=1)]
        for name, part in (("edges at most r", "at most r"), ("edges above r", "above r"))
    }
    return Picture(bench.flow, (found,), edges=inside, steps=(0.0, level, 1.0))


def _theorem_2(bench: Workbench) -> Picture:
    found = theorem_2(bench.adjacency, bench.flow, bench.side)
    same = conductance_identity(bench.adjacency, bench.flow, bench.side)
    marked = {"V1": found.nodes["V1"]}
    return Picture(bench.flow, (found, same), marked, {"boundary": found.edges["boundary"]})


def _more_observed(bench: Workbench) -> Picture:
    zeros, ones = bench.joined
    found = more_observed(bench.adjacency, bench.flow, bench.side, zeros, ones)
    after = flow_between(bench.adjacency, bench.flow.zeros | zeros, bench.flow.ones | ones)
    return Picture(after, (found,), found.nodes, found.edges)


def _fewer_edges(bench: Workbench) -> Picture:
    dropped = bench.dropped
    found = fewer_edges(bench.adjacency, bench.flow, bench.side, dropped)
    after = flow_between(bench.without(dropped), bench.flow.zeros, bench.flow.ones)
    return Picture(after, (found,), edges=found.edges)


def _theorem_3(bench: Workbench) -> Picture:
    return _bottleneck(bench, np.empty((0, 2), dtype=np.int64))


def _theorem_3_after(bench: Workbench) -> Picture:
    return _bottleneck(bench, bench.dropped)


def _bottleneck(bench: Workbench, dropped: IntArray) -> Picture:
    least = bench.edge_drop.least
    adjacency = bench.without(dropped)
    bound, place = theorem_3(adjacency, least)
    flow = flow_between(adjacency, bench.flow.zeros, bench.flow.ones)
    edges = {"bottleneck": place.edges["bottleneck"]}
    if len(dropped):
        edges["dropped"] = dropped
    return Picture(flow, (bound, place), {"V'": np.flatnonzero(least)}, edges)


PICTURES: dict[str, Callable[[Workbench], Picture]] = dict(
    zip(
        NAMES,
        (
            _none, _lemmas, _theorem_1, _corollary_1, _theorem_2, _more_observed, _fewer_edges,
            _theorem_3, _theorem_3_after,
        ),
        strict=True,
    )
)  # fmt: skip


def _node_mask(scene: Scene, text: str) -> BoolArray:
    """Node numbers ``0,5,17`` as a mask."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts):
        raise WGNNError(f"{text[:40]!r} is no list of nodes; write numbers such as 0,5,17.")
    nodes = [checked_node(scene.graph, int(part)) for part in parts]
    return mask_of(nodes, scene.graph.num_nodes)


def _pairs(scene: Scene, text: str) -> IntArray:
    """Edges ``0-5,3-17`` as pairs."""
    parts = [part.strip().split("-") for part in text.split(",") if part.strip()]
    if not all(len(part) == 2 and all(end.isdecimal() for end in part) for part in parts):
        raise WGNNError(f"{text[:40]!r} is no list of edges; write pairs such as 0-5,3-17.")
    pairs = [[checked_node(scene.graph, int(end)) for end in part] for part in parts]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
