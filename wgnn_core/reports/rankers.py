"""Problem 1 in numbers: every ranker at one coverage, and the nodes that it trusts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from wgnn_core.coverage import coverage_at, quality, random_quality
from wgnn_core.figures.accuracy_coverage import EXPECTED, hits, orders
from wgnn_core.figures.text import label
from wgnn_core.fraction import ceil_fraction
from wgnn_core.intervention import Base, Percent
from wgnn_core.ranking import RANKERS


def ranker_table(base: Base, rankers: Sequence[str], alpha: float, target: float) -> pd.DataFrame:
    """One row per ranker, then the oracle and the mean over all random orders.

    Columns: accuracy at the coverage `alpha` in percent, AURC and AUGRC times 1000 (smaller is
    better), and the largest coverage in percent at which `target` percent are right, with the ends
    of its 95 % bootstrap interval. Means over the seeds.
    """
    rows = []
    for name in (*rankers, "oracle"):
        nodes, right = orders(base, name), hits(base, name)
        of_seeds = [quality(one, [alpha]) for one in right]
        at = coverage_at(target, nodes, right)
        rows.append(
            _row(RANKERS[name].short, of_seeds, 100 * np.array([at.coverage, at.low, at.high]))
        )
    random = [random_quality(one, [alpha]) for one in hits(base, "m2")]
    rows.append(_row(EXPECTED, random, np.full(3, np.nan)))
    return pd.DataFrame(
        rows, columns=["ranker", "accuracy", "aurc", "augrc", "coverage", "low", "high"]
    )


def _row(name: str, of_seeds: Sequence[object], coverage: Percent) -> tuple[object, ...]:
    means = [
        float(np.mean([np.ravel(getattr(one, field))[0] for one in of_seeds]))
        for field in ("accuracy", "aurc", "augrc")
    ]
    return (name, means[0], 1000 * means[1], 1000 * means[2], *map(float, coverage))


def trusted_nodes(base: Base, ranker: str, position: int, alpha: float) -> pd.DataFrame:
    """The test nodes that a ranker trusts at the coverage `alpha`, best first."""
    graph = base.graph
    nodes = orders(base, ranker)[position]
    nodes = nodes[: ceil_fraction(alpha, len(nodes))]
    predicted, w = base.predicted[position], base.w[position]
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(nodes) + 1),
            "node": nodes,
            "name": [graph.node_names[i] if graph.node_names else int(i) for i in nodes],
            "predicted": [label(graph.class_names[k]) for k in predicted[nodes]],
            "w": w[nodes],
        }
    )
