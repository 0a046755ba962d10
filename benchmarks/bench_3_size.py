"""How the cost of an epoch and the memory grow with the graph, on csbm graphs of fixed degree."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from statistics import median

import numpy as np

from wgnn_core.graph import Graph, Split

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
LINEAR_FROM = 10_000
ROUNDS = 5
"""Each round visits every size, so that a busy minute of the machine hits them all."""
SECONDS = 0.6
"""About this long is the longer of the two trainings behind a measurement."""


@dataclass(frozen=True)
class Cost:
    """Seconds per epoch with half of the nodes training, and with 20 labels per class."""

    nodes: int
    edges: int
    all_rows: float
    few_labels: float
    peak_gib: float


def one(nodes: int) -> Cost:
    """Train one replica on a csbm graph; runs in a process of its own, for the peak memory."""
    from wgnn_core import datasets

    graph = datasets.load("csbm", nodes=nodes, average_degree=10.0)
    all_rows, few_labels = epoch_seconds(everybody(graph)), epoch_seconds(graph)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return Cost(graph.num_nodes, graph.num_edges, all_rows, few_labels, peak)


def everybody(graph: Graph) -> Graph:
    """Half of the nodes train and a quarter validate, so that no row can be left out."""
    share = np.random.default_rng(0).random(graph.num_nodes)
    return replace(
        graph, splits=(Split(share < 0.5, (share >= 0.5) & (share < 0.75), share >= 0.75),)
    )


def epoch_seconds(graph: Graph) -> float:
    """The slope between a short and a longer training, since set-up drops out; median of three."""
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
    return median((seconds(long) - seconds(short)) / (long - short) for _ in range(3))


def measured(nodes: int) -> Cost:
    """`one` in a new process."""
    command = [sys.executable, __file__, str(nodes)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Cost(**json.loads(out))


def main() -> None:
    print("== cost by size: gcn, one replica, csbm with degree 10 ==", flush=True)
    rounds: dict[int, list[Cost]] = {nodes: [] for nodes in SIZES}
    for _ in range(ROUNDS):
        for nodes in SIZES:
            rounds[nodes].append(measured(nodes))
    per_size = {}
    for nodes, costs in rounds.items():
        size = costs[0].nodes + costs[0].edges
        each = [1e9 * cost.all_rows / size for cost in costs]
        per_size[nodes] = median(each)
        print(
            f"{nodes:7d} nodes {costs[0].edges:8d} edges: "
            f"whole graph {1e3 * median(c.all_rows for c in costs):8.2f} ms/epoch, "
            f"{median(each):6.1f} ns per node and edge ({min(each):.0f} to {max(each):.0f}); "
            f"20 labels per class {1e3 * median(c.few_labels for c in costs):8.2f} ms/epoch; "
            f"peak {max(c.peak_gib for c in costs):.2f} GiB",
            flush=True,
        )
    large = [cost for nodes, cost in per_size.items() if nodes >= LINEAR_FROM]
    low, high = min(large), max(large)
    off = ", ".join(f"{100 * (cost / large[0] - 1):+.0f} %" for cost in large[1:])
    print(
        f"from {LINEAR_FROM} nodes on: cost of the larger sizes against linear growth {off}; "
        f"{(low + high) / 2:.1f} ns for each node and edge fit every size within "
        f"{100 * (high - low) / (high + low):.0f} %; the dearest costs "
        f"{100 * (high / low - 1):.0f} % more than the cheapest"
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(asdict(one(int(sys.argv[1])))))
    else:
        main()
