"""Changes, named and counted: what an import did to edges, nodes and labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wgnn_core.datasets.own.content import Change, Content, shown
from wgnn_core.graph import Graph, IntArray, distinct


def edge_changes(content: Content) -> list[Change]:
    """What becomes of the listed pairs when the graph is made undirected and simple."""
    loops, repeated, one_way = count_pairs(content.edges, content.num_nodes)
    two_ways = (len(content.edges) - loops - repeated - one_way) // 2
    found = []
    if content.directed and one_way:
        text = f"Directed made undirected: {plural(one_way, 'edge')} had no opposite."
        found.append(Change("directed made undirected", one_way, text))
    if content.directed is None and two_ways:
        text = f"{plural(two_ways, 'edge')} listed in both directions, merged."
        found.append(Change("both directions merged", two_ways, text))
    if repeated:
        text = f"{plural(repeated, 'repeated edge')} merged."
        found.append(Change("duplicates merged", repeated, text))
    if loops:
        found.append(Change("self-loops removed", loops, f"{plural(loops, 'self-loop')} removed."))
    return found


def count_pairs(pairs: IntArray, num_nodes: int) -> tuple[int, int, int]:
    """Of listed pairs: self-loops, repeated lines, and undirected edges listed one way only."""
    u, v = pairs.T
    loop = u == v
    keys = u[~loop] * num_nodes + v[~loop]
    single = distinct(keys)
    opposite = (single % num_nodes) * num_nodes + single // num_nodes
    one_way = int((~np.isin(opposite, single, assume_unique=True)).sum())
    return int(loop.sum()), len(keys) - len(single), one_way


def node_changes(graph: Graph, missing: str, taken_out: int) -> list[Change]:
    """Isolated nodes, and nodes without label; `missing` is the label that stood for none."""
    found = []
    degree = np.bincount(graph.edges.ravel(), minlength=graph.num_nodes)
    isolated, unlabelled = int((degree == 0).sum()), int(graph.unlabelled.sum())
    if isolated:
        text = f"{plural(isolated, 'isolated node')} (kept)."
        found.append(Change("isolated nodes", isolated, text))
    if unlabelled:
        said = f" ({shown(missing)} stands for none)" if missing else ""
        text = (
            f"{plural(unlabelled, 'node')} without label{said}: used for nobody's training and "
            "scored nowhere."
        )
        found.append(Change("missing labels", unlabelled, text))
    if taken_out:
        text = f"{plural(taken_out, 'node')} without label taken out of the given split."
        found.append(Change("unlabelled in split", taken_out, text))
    return found


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(names: Sequence[str]) -> str:
    """The first few names, quoted, and how many more there are."""
    few = ", ".join(shown(name) for name in names[:5])
    return f"{few} and {len(names) - 5} more" if len(names) > 5 else few
