"""Which figures a run can give, and each of them from the numbers the store holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from wgnn_core.boundary import distance_to_boundary
from wgnn_core.errors import WGNNError
from wgnn_core.figures import KINDS, Figure
from wgnn_core.figures.accuracy_coverage import AccuracyCoverage
from wgnn_core.figures.boundary_box import BoundaryBox
from wgnn_core.figures.comparison_bars import ComparisonBars
from wgnn_core.figures.edge_drop import EdgeDropMap
from wgnn_core.figures.eta_grid import Metric
from wgnn_core.figures.harmonic_map import HarmonicMap
from wgnn_core.figures.node_map import Colour, NodeMap
from wgnn_core.figures.w_histogram import WHistogram
from wgnn_core.graph import FloatArray, Graph, IntArray, Split
from wgnn_core.layout import layout
from wgnn_core.nonuniformity import max_nonuniformity
from wgnn_core.ranking import RANKERS, accuracy_coverage, rank
from wgnn_core.reports.compared import compared_runs, not_comparable
from wgnn_core.reports.depth import depth_curve, not_a_depth_study
from wgnn_core.reports.grid import eta_grid, grid_of
from wgnn_core.reports.tables import eta_text, finished_etas, scores_of, trained_base
from wgnn_core.runs.results import RunResult
from wgnn_core.theory.harmonic import smooth_interpolation
from wgnn_core.wgnn import Base, Etas, make_plan

ALPHAS = np.round(np.arange(0.05, 1.0001, 0.05), 2)
BOUNDS = ("oracle", "random")
MAX_EDGES = 20_000
"""More are not drawn under a node map: they would be a grey carpet."""


@dataclass(frozen=True)
class Choices:
    """What a figure shows where a run leaves a choice; a kind reads what concerns it.

    Attributes:
        seed: One of the run's seeds, by default its first (maps, histogram, box plot).
        etas: Whose model is drawn, by default the base model. For edge-drop those of Algorithm 2,
            part of the run or not (it needs the base model alone), by default those that
            validation chose, else the first of the run that drop edges.
        colour: What a node map shows.
        metric: What an eta grid shows.
        rankers: The curves of Problem 1, see `ranking.RANKERS`.
        label: Class number of a harmonic map, by default the first in the training set.
        max_nodes: Of an edge-drop map: more are cut to those around V'.
    """

    seed: int | None = None
    etas: Etas | None = None
    colour: Colour = "w"
    metric: Metric = "test"
    rankers: tuple[str, ...] = ("m1", "m2")
    label: int | None = None
    max_nodes: int = 600

    def __post_init__(self) -> None:
        allowed = [name for name in RANKERS if name not in BOUNDS]
        wrong = [name for name in self.rankers if name not in allowed]
        if wrong or not self.rankers:
            raise WGNNError(
                f"the rankers are {', '.join(self.rankers) or 'none'}; choose from "
                f"{', '.join(allowed)}."
            )
        if self.max_nodes < 1:
            raise WGNNError(f"the map has at most {self.max_nodes} nodes; it needs at least 1.")


def figure_of(
    kind: str,
    result: RunResult | Sequence[RunResult],
    graph: Graph,
    *,
    xy: FloatArray | None = None,
    **choices: Any,
) -> Figure:
    """A figure of a run, from stored numbers alone.

    Args:
        kind: A key of `figures.KINDS`.
        result: The run; for a depth curve the runs, one for each number of layers; for
            comparison bars one or several.
        graph: Its graph; with several the first one's.
        xy: A layout of it, if there is one already, ``[N, 2]``.
        **choices: The fields of `Choices`.

    Raises:
        WGNNError: The run cannot give this kind (`missing` says why), or a choice is no part of it.
    """
    results, chosen = runs_of(result), Choices(**choices)
    reason = missing(kind, results, chosen)
    if reason:
        raise WGNNError(f"no {kind} from run {_ids(results)}: {reason}.")
    if kind == "comparison-bars" and len(results) > 1:
        return compared_runs(results)  # they may be on several graphs
    for one in results:
        if one.graph_hash != graph.content_hash:
            raise WGNNError(
                f"run {one.summary.run_id} was made on another graph than {graph.name}."
            )
    if kind == "depth-curve":
        return depth_curve(results, graph.name)
    (one,) = results
    return _MAKERS[kind](_Scene(one, trained_base(one), graph, chosen, xy))


def drawn_edges(graph: Graph) -> IntArray:
    """The edges under a map of nodes: all, or none where they would hide it."""
    return graph.edges if graph.num_edges <= MAX_EDGES else graph.edges[:0]


def kinds_of(result: RunResult | Sequence[RunResult]) -> list[str]:
    """The kinds of figure that a run, or several together, can give now."""
    return [kind for kind in KINDS if not missing(kind, result)]


def missing(
    kind: str, result: RunResult | Sequence[RunResult], choices: Choices | None = None
) -> str:
    """Why there is no figure of this kind; empty if there is one.

    Raises:
        WGNNError: There is no such kind at all.
    """
    if kind not in KINDS:
        raise WGNNError(f"there is no figure {kind!r}; choose one of {', '.join(KINDS)}.")
    results = runs_of(result)
    if any(one.base is None for one in results):
        return "its base model is not trained for every seed yet"
    if kind == "depth-curve":
        return not_a_depth_study(results)
    if kind == "comparison-bars" and len(results) > 1:
        return not_comparable(results)
    if len(results) != 1:
        return f"{len(results)} runs are given, and it takes one"
    (one,) = results
    if kind == "eta-grid" and grid_of(one.config) is None:
        return "its etas form no grid of two values or more"
    asked = choices is not None and choices.etas is not None
    if kind == "edge-drop" and not asked and not _dropping(one):
        return "none of its etas drops edges (eta1 and eta2 above 0)"
    if kind == "comparison-bars" and len(scores_of(one)) < 2:
        return "no wGNN of it is finished to compare with the base model"
    return ""


def runs_of(result: RunResult | Sequence[RunResult]) -> list[RunResult]:
    return [result] if isinstance(result, RunResult) else list(result)


def _ids(results: Sequence[RunResult]) -> str:
    return ", ".join(one.summary.run_id for one in results) or "(none)"


def _dropping(result: RunResult) -> list[Etas]:
    """The finished etas that drop edges, the chosen one first."""
    finished = finished_etas(result)
    first = [result.chosen] if result.chosen is not None else []
    return [e for e in [*first, *finished] if e.eta1 > 0 and e.eta2 > 0]


@dataclass(frozen=True, eq=False)
class _Scene:
    """A run, its graph and the choices: what every maker looks at."""

    result: RunResult
    base: Base
    graph: Graph
    choices: Choices
    layout: FloatArray | None

    @cached_property
    def xy(self) -> FloatArray:
        if self.layout is not None:
            return self.layout
        return layout(self.graph.edges, self.graph.num_nodes)

    @cached_property
    def run(self) -> int:
        """Position of the chosen seed."""
        seeds = self.base.seeds.tolist()
        seed = seeds[0] if self.choices.seed is None else self.choices.seed
        if seed not in seeds:
            raise WGNNError(
                f"seed {seed} is no part of the run; it has {', '.join(map(str, seeds))}."
            )
        return int(seeds.index(seed))

    @property
    def split(self) -> Split:
        return self.graph.split(int(self.base.seeds[self.run]))

    @cached_property
    def outcome(self) -> tuple[IntArray, FloatArray]:
        """Predictions and w ``[N]`` of the chosen model."""
        return self.result.outcome(self.choices.etas or Etas(), self.run)

    @property
    def name(self) -> str:
        """The graph, and which wGNN it is seen through."""
        etas = self.choices.etas
        return self.graph.name if etas is None else f"{self.graph.name}, wGNN η = {eta_text(etas)}"

    @property
    def distance(self) -> Any:
        return distance_to_boundary(self.graph.edges, self.graph.y, self.graph.num_nodes)

    def of_one_seed(self, figure: Figure) -> Figure:
        """Say in the caption whose numbers these are."""
        title, seed = type(self.base.model).title, int(self.base.seeds[self.run])
        return replace(figure, caption=f"{figure.caption} Base model {title}, seed {seed}.")


def _accuracy_coverage(scene: _Scene) -> Figure:
    graph, base = scene.graph, scene.base

    def curves(name: str) -> Any:
        rows = []
        for seed, prob in zip(base.seeds.tolist(), base.prob, strict=True):
            right = prob.argmax(-1) == graph.y
            order = rank(name, graph, graph.split(seed), prob, seed, right)
            rows.append(accuracy_coverage(right[order], ALPHAS))
        return np.stack(rows)

    chosen = scene.choices.rankers
    figure = AccuracyCoverage.of(
        ALPHAS,
        {RANKERS[name].short: curves(name) for name in chosen},
        graph=graph.name,
        bounds={RANKERS[name].short: curves(name).mean(axis=0) for name in BOUNDS},
    )
    titles = "; ".join(RANKERS[name].title for name in (*chosen, *BOUNDS))
    return replace(figure, caption=f"{figure.caption} {titles}.")


def _node_map(scene: _Scene) -> Figure:
    graph, colour = scene.graph, scene.choices.colour
    predicted, w = scene.outcome
    values: dict[str, Callable[[], Any]] = {
        "class": lambda: graph.y,
        "prediction": lambda: predicted,
        "correctness": lambda: predicted == graph.y,
        "w": lambda: w,
        "distance": lambda: scene.distance,
    }
    if colour not in values:
        raise WGNNError(f"map colour is {colour!r}; choose one of {', '.join(values)}.")
    figure = NodeMap.of(
        scene.xy,
        drawn_edges(graph),
        values[colour](),
        colour=colour,
        graph=scene.name,
        class_names=graph.class_names,
        node_names=graph.node_names,
        top=max_nonuniformity(graph.num_classes) if colour == "w" else None,
    )
    # true classes and their boundaries are the same whatever was trained
    return figure if colour in ("class", "distance") else scene.of_one_seed(figure)


def _w_histogram(scene: _Scene) -> Figure:
    graph, test = scene.graph, scene.split.test
    predicted, w = scene.outcome
    right = predicted == graph.y
    return scene.of_one_seed(
        WHistogram.of(w[test], right[test], graph=scene.name, num_classes=graph.num_classes)
    )


def _boundary_box(scene: _Scene) -> Figure:
    return scene.of_one_seed(BoundaryBox.of(scene.outcome[1], scene.distance, graph=scene.name))


def _eta_grid(scene: _Scene) -> Figure:
    grid = grid_of(scene.result.config, scene.result.chosen)
    assert grid is not None, "`missing` lets no run without a grid through"
    return eta_grid(scene.result, scene.base, grid, scene.graph.name, scene.choices.metric)


def _edge_drop(scene: _Scene) -> Figure:
    graph = scene.graph
    etas = scene.choices.etas or _dropping(scene.result)[0]
    drop = make_plan(scene.base, scene.run, etas, scene.result.config.pool).edge_drop
    figure = EdgeDropMap.of(
        scene.xy,
        graph.edges,
        forest=drop.forest,
        dropped=drop.dropped,
        least=drop.least,
        classes=graph.y,
        class_names=graph.class_names,
        graph=f"{graph.name}, η₁ = {etas.eta1:g}, η₂ = {etas.eta2:g}",
    )
    return scene.of_one_seed(figure.around_dropped(scene.choices.max_nodes))


def _comparison_bars(scene: _Scene) -> Figure:
    return ComparisonBars.of({scene.graph.name: scores_of(scene.result)})


def _harmonic_map(scene: _Scene) -> Figure:
    """O_1: training nodes of the class, O_0: those of all others (Section 3.1)."""
    graph, train = scene.graph, scene.split.train
    label = scene.choices.label
    if label is None:
        label = int(graph.y[train].min())
    if not 0 <= label < graph.num_classes:
        raise WGNNError(f"class {label} is none; classes are 0 to {graph.num_classes - 1}.")
    ones, zeros = train & (graph.y == label), train & (graph.y != label)
    return HarmonicMap.of(
        scene.xy,
        drawn_edges(graph),
        smooth_interpolation(graph.adjacency, zeros, ones),
        zeros=zeros,
        ones=ones,
        graph=graph.name,
        class_name=graph.class_names[label],
    )


_MAKERS: dict[str, Callable[[_Scene], Figure]] = {
    "accuracy-coverage": _accuracy_coverage,
    "node-map": _node_map,
    "w-histogram": _w_histogram,
    "boundary-box": _boundary_box,
    "eta-grid": _eta_grid,
    "edge-drop": _edge_drop,
    "comparison-bars": _comparison_bars,
    "harmonic-map": _harmonic_map,
}
