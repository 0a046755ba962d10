"""Figures as values: made of runs, numbers once, drawn for the page (plotly) and for paper
(matplotlib).

A kind is one module here and one line below.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from wgnn_core.errors import WGNNError
from wgnn_core.figures.accuracy_coverage import AccuracyCoverage as AccuracyCoverage
from wgnn_core.figures.assumption_classes import AssumptionClasses as AssumptionClasses
from wgnn_core.figures.assumption_distance import AssumptionDistance as AssumptionDistance
from wgnn_core.figures.base import Figure as Figure
from wgnn_core.figures.boundary_box import BoundaryBox as BoundaryBox
from wgnn_core.figures.class_counts import ClassCounts as ClassCounts
from wgnn_core.figures.comparison_bars import ComparisonBars as ComparisonBars
from wgnn_core.figures.confusion import Confusion as Confusion
from wgnn_core.figures.coupling import Coupling as Coupling
from wgnn_core.figures.degrees import Degrees as Degrees
from wgnn_core.figures.depth_curve import DepthCurve as DepthCurve
from wgnn_core.figures.edge_drop import EdgeDropMap as EdgeDropMap
from wgnn_core.figures.eta_grid import EtaGrid as EtaGrid
from wgnn_core.figures.harmonic_map import HarmonicMap as HarmonicMap
from wgnn_core.figures.level_parts import LevelParts as LevelParts
from wgnn_core.figures.node_map import NodeMap as NodeMap
from wgnn_core.figures.node_probabilities import NodeProbabilities as NodeProbabilities
from wgnn_core.figures.reliability import ReliabilityDiagram as ReliabilityDiagram
from wgnn_core.figures.rising_path import RisingPath as RisingPath
from wgnn_core.figures.scene import Layout, Runs, Scene, runs_of
from wgnn_core.figures.style import VENUES as VENUES
from wgnn_core.figures.style import Style as Style
from wgnn_core.figures.training_curves import TrainingCurves as TrainingCurves
from wgnn_core.figures.w_change import WChange as WChange
from wgnn_core.figures.w_histogram import WHistogram as WHistogram
from wgnn_core.graph import Graph


def _kinds(names: Iterable[Any]) -> dict[str, type[Figure]]:
    """The kinds among some values."""
    return {one.kind: one for one in names if hasattr(one, "kind") and one is not Figure}


KINDS = _kinds(list(globals().values()))
"""Every kind of figure that is imported above, by the name the command line uses."""


def figure_of(
    kind: str, runs: Runs, graph: Graph, *, xy: Layout | None = None, **choices: Any
) -> Figure:
    """A figure of runs, from stored numbers alone; it remembers what it was made of.

    Args:
        kind: A key of `KINDS`.
        runs: The run, or the runs of a kind that takes several, or none for one of the graph alone.
        graph: Their graph; with several the first one's.
        xy: A layout of it ``[N, 2]``, if there is one already, or a call that gives it if asked.
        **choices: The fields of the kind's `choices`.

    Raises:
        WGNNError: The runs cannot give this kind (`missing` says why), or a choice is none of it.
    """
    scene = _scene(kind, runs, graph, choices, xy)
    reason = _reason(KINDS[kind], scene)
    if reason:
        raise WGNNError(f"no {kind} from {scene.source}: {reason}.")
    return replace(KINDS[kind].make(scene), scene=scene)


def missing(kind: str, runs: Runs, graph: Graph, **choices: Any) -> str:
    """Why there is no figure of this kind; empty if there is one.

    Raises:
        WGNNError: There is no such kind at all, or a choice is none of it.
    """
    return _reason(KINDS[_known(kind)], _scene(kind, runs, graph, choices))


def kinds_of(runs: Runs, graph: Graph, **choices: Any) -> list[str]:
    """The kinds of figure that a run, several together, or a graph alone can give now.

    Raises:
        WGNNError: A choice is one of no kind.
    """
    told = {kind: choices_of(kind, choices) for kind in KINDS}
    unknown = set(choices).difference(*told.values())
    if unknown:
        raise WGNNError(f"no figure has a choice {sorted(unknown)[0]!r}.")
    return [kind for kind in KINDS if not missing(kind, runs, graph, **told[kind])]


def choices_of(kind: str, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Those of some choices that a kind knows."""
    known = {item.name for item in fields(KINDS[kind].choices)}
    return {name: value for name, value in choices.items() if name in known}


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise WGNNError(f"there is no figure {kind!r}; choose one of {', '.join(KINDS)}.")
    return kind


def _scene(
    kind: str,
    runs: Runs,
    graph: Graph,
    choices: Mapping[str, Any],
    xy: Layout | None = None,
) -> Scene:
    owner = KINDS[_known(kind)].choices
    other = sorted(set(choices) - {item.name for item in fields(owner)})
    if other:
        known = ", ".join(item.name for item in fields(owner)) or "none"
        raise WGNNError(f"{kind} has no choice {other[0]!r}; its choices are {known}.")
    return Scene(runs_of(runs), graph, owner(**choices), xy)


def _reason(kind: type[Figure], scene: Scene) -> str:
    least, most = kind.runs
    count = len(scene.runs)
    if not least <= count <= most:
        allowed = f"{least}" if least == most else f"{least} to {most}"
        return f"{count} run{'s are' if count != 1 else ' is'} given, and it takes {allowed}"
    if any(run.base is None for run in scene.runs):
        return "its base model is not trained for every seed yet"
    alone = count == 1 or not kind.mixes_graphs
    for run in scene.runs if alone else ():
        if run.graph_hash != scene.graph.content_hash:
            return f"run {run.summary.run_id} was made on another graph than {scene.graph.name}"
    return kind.missing(scene)
