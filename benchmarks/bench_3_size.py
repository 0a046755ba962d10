"""How the cost of an epoch and the memory grow with the graph, on csbm graphs of fixed degree."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from dataclasses import replace
from statistics import median

import numpy as np

from wgnn_core.graph import Graph, Split

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
LINEAR_FROM = 10_000
ROUNDS = 5
SECONDS = 0.6
"""About this long is the longer training of a round."""


def one(nodes: int) -> None:
    """Train one replica on a csbm graph; runs in a process of its own, for the peak memory."""
    from wgnn_core import datasets

    graph = datasets.load("csbm", nodes=nodes, average_degree=10.0)
    size = graph.num_nodes + graph.num_edges
    few, all_rows = epoch_seconds(graph), epoch_seconds(everybody(graph))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{graph.num_nodes:7d} nodes {graph.num_edges:8d} edges: "
        f"whole graph {1e3 * all_rows:8.2f} ms/epoch, {1e9 * all_rows / size:6.1f} ns per node "
        f"and edge; 20 labels a class {1e3 * few:8.2f} ms/epoch; peak {peak:.2f} GiB",
        flush=True,
    )


def everybody(graph: Graph) -> Graph:
    """Half of the nodes train and a quarter validate, so that no row can be left out."""
    share = np.random.default_rng(0).random(graph.num_nodes)
    return replace(
        graph, splits=(Split(share < 0.5, (share >= 0.5) & (share < 0.75), share >= 0.75),)
    )


def epoch_seconds(graph: Graph) -> float:
    """The slope between a short and a longer training, since set-up drops out; median of rounds."""
    from wgnn_core.models import make_model
    from wgnn_core.wgnn import train_base

    def seconds(epochs: int) -> float:
        started = time.perf_counter()
        train_base(graph, make_model("gcn", epochs=epochs), 1)
        return time.perf_counter() - started

    seconds(1)
    guess = max((seconds(12) - seconds(2)) / 10, 1e-4)
    short = 2
    long = short + min(1000, max(5, round(SECONDS / guess)))
    return median((seconds(long) - seconds(short)) / (long - short) for _ in range(ROUNDS))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        one(int(sys.argv[1]))
    else:
        print("== cost by size: gcn, one replica, csbm with degree 10 ==", flush=True)
        costs = []
        for nodes in SIZES:
            command = [sys.executable, __file__, str(nodes)]
            line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            print(line, end="", flush=True)
            if nodes >= LINEAR_FROM:
                costs.append(float(line.split(" ns per")[0].split()[-1]))
        low, high = min(costs), max(costs)
        print(
            f"from {LINEAR_FROM} nodes on {(low + high) / 2:.1f} ns for each node and edge fit "
            f"every size within {100 * (high - low) / (high + low):.0f} %; the dearest costs "
            f"{100 * (high / low - 1):.0f} % more than the cheapest"
        )
