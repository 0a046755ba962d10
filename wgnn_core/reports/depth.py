"""Several runs that differ in the number of layers alone (bad base models, Section 5.4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wgnn_core.figures.depth_curve import DepthCurve
from wgnn_core.reports.tables import finished_etas, tally_of, trained_base
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult

LAYERS = "layers"


def layers_of(config: RunConfig) -> int:
    """L of the run's base model, which must have that hyperparameter."""
    return int(dict(config.resolve().hyper)[LAYERS])


def without_layers(config: RunConfig) -> RunConfig:
    """The run with every hyperparameter written out but the number of layers."""
    full = config.resolve()
    rest = tuple(pair for pair in full.hyper if pair[0] != LAYERS)
    return replace(full, hyper=rest, device="auto")


def not_a_depth_study(results: Sequence[RunResult]) -> str:
    """Why the runs make no depth curve; empty if they do."""
    if len(results) < 2:
        return f"{len(results)} run is given, and it takes one for each of two or more depths"
    configs = [result.config for result in results]
    if any(LAYERS not in dict(config.resolve().hyper) for config in configs):
        return f"the model {configs[0].model} has no hyperparameter {LAYERS}"
    if len({without_layers(config) for config in configs}) > 1:
        return f"the runs differ in more than {LAYERS}"
    if len({layers_of(config) for config in configs}) < len(configs):
        return f"two of the runs have the same number of {LAYERS}"
    etas = configs[0].etas
    if configs[0].search != "list" or len({pair[1:] for pair in etas}) > 1:
        return "its etas must share one eta1 and one eta2"
    if any(eta0 == 0 for eta0, _, _ in etas):
        return "an eta0 of 0 stands for the base model, which is there anyway"
    if any(len(finished_etas(result)) < len(etas) for result in results):
        return "not all of the runs are finished"
    return ""


def depth_curve(results: Sequence[RunResult], graph: str) -> DepthCurve:
    """Accuracy against L: the base model (eta0 = 0) and a curve for each eta0."""
    ordered = sorted(results, key=lambda result: layers_of(result.config))
    curves = {0.0: np.stack([trained_base(r).test / 100 for r in ordered], axis=1)}
    retrained = finished_etas(ordered[0])
    for etas in retrained:
        curves[etas.eta0] = np.stack([tally_of(r, etas) for r in ordered], axis=1)
    if any(etas.eta1 * etas.eta2 > 0 for etas in retrained):
        graph += f", η₁ = {retrained[0].eta1:g}, η₂ = {retrained[0].eta2:g}"
    return DepthCurve.of(
        [layers_of(r.config) for r in ordered],
        curves,
        graph=graph,
        model=type(trained_base(ordered[0]).model).title,
    )
