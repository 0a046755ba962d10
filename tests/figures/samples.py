"""One figure of each kind from made-up but lifelike numbers; used by the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wgnn_core.figures.accuracy_coverage import AccuracyCoverage
from wgnn_core.figures.base import Figure
from wgnn_core.figures.boundary_box import BoundaryBox
from wgnn_core.figures.comparison_bars import ComparisonBars
from wgnn_core.figures.depth_curve import DepthCurve
from wgnn_core.figures.w_histogram import WHistogram

CLASSES = ("theory", "neural networks", "genetic algorithms")


def build(names=CLASSES, graph="Cora", nodes=120) -> dict[str, Callable[[], Figure]]:
    """Makers of one figure for each kind; every user-given name in them is from `names`."""
    rng = np.random.default_rng(0)
    k = len(names)
    labels = rng.integers(0, k, nodes)
    prob = rng.dirichlet(np.ones(k), nodes) * 0.6 + 0.4 * np.eye(k)[labels]
    w = np.abs(prob - 1 / k).sum(1)
    correct = rng.random(nodes) < 0.4 + 0.5 * w / w.max()
    alpha = np.linspace(0.05, 1, 20)

    def curves(start, end):
        noise = rng.normal(0, 0.006, (10, 1)) + rng.normal(0, 0.003, (10, 20))
        return start + (end - start) * alpha**1.5 + noise

    layers = np.arange(2, 9)
    fall = 0.82 - 0.5 / (1 + np.exp(-(layers - 6.5) * 1.6))
    runs = {
        name: {m: 0.8 + 0.02 * i + rng.normal(0, 0.005, 10) for i, m in enumerate(("GCN", "wGNN"))}
        for name in names
    }
    return {
        "accuracy-coverage": lambda: AccuracyCoverage.of(
            alpha,
            {"M1": curves(0.93, 0.81), "M2": curves(0.995, 0.81)},
            graph=graph,
            bounds={"oracle": np.minimum(1, 0.81 / alpha), "random": np.full(20, 0.81)},
        ),
        "depth-curve": lambda: DepthCurve.of(
            layers,
            {
                eta: fall + 0.02 * np.sqrt(eta) * layers + rng.normal(0, 0.01, (10, 7))
                for eta in (0.0, 0.4, 0.8)
            },
            graph=graph,
        ),
        "w-histogram": lambda: WHistogram.of(w, correct, graph=graph, num_classes=k),
        "boundary-box": lambda: BoundaryBox.of(
            w, np.where(rng.random(nodes) < 0.05, np.inf, rng.integers(0, 8, nodes)), graph=graph
        ),
        "comparison-bars": lambda: ComparisonBars.of(runs),
    }
