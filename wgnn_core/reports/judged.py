"""The test nodes that a model gets wrong, and those that wGNN fixes or breaks, as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from wgnn_core.confusion import changes
from wgnn_core.figures.groups import node_name
from wgnn_core.figures.text import labels
from wgnn_core.intervention import Intervention
from wgnn_core.runs.results import RunResult
from wgnn_core.wgnn import carried

WRONG, FIXED, BROKEN = "wrong", "fixed", "broken"


def judged_nodes(result: RunResult, position: int, at: Intervention | None = None) -> pd.DataFrame:
    """Test nodes that are wrong before or after, least w of the base model first.

    Args:
        result: A run.
        position: Of the seed among those of the run.
        at: A finished wGNN of the run, judged by the paper's tally; None for the base model alone.

    Returns:
        Columns "node", "name" where nodes have one, "state" (`WRONG` both times, or of the base
        model if it is alone; `FIXED`; `BROKEN`), "true class", "before", "w before",
        "neighbours", and with wGNN "after" and "w after".
    """
    graph, base = result.graph, result.trained
    test, names = graph.split(int(base.seeds[position])).test, labels(graph.class_names)
    first, w = base.predicted[position], base.w[position]
    second, w_after = first, w
    if at is not None:
        again, w_after = result.outcome(at, position)
        second = carried(first, again, result.plan(at, position))
    found = changes(graph.y, first, second)
    nodes = np.flatnonzero(test & ~found.right)
    nodes = nodes[np.argsort(w[nodes], kind="stable")]
    named = {"name": [node_name(graph, int(node)) for node in nodes]} if graph.node_names else {}
    table = pd.DataFrame(
        {
            "node": nodes,
            **named,
            "state": np.select([found.fixed[nodes], found.broken[nodes]], [FIXED, BROKEN], WRONG),
            "true class": [names[k] for k in graph.y[nodes]],
            "before": [names[k] for k in first[nodes]],
            "w before": w[nodes],
            "neighbours": np.diff(graph.adjacency.indptr)[nodes],
        }
    )
    if at is None:
        return table
    return table.assign(**{"after": [names[k] for k in second[nodes]], "w after": w_after[nodes]})
