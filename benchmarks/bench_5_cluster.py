"""Throughput of a Ray cluster on this machine: one node of one core against two of them."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd

from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import Jobs, make_executor
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store
from wgnn_core.search import paired_grid

STUDY = tuple(paired_grid((0.2, 0.4, 0.6, 0.8), [i / 10 for i in range(1, 9)]))


def sweep(nodes: int, folder: Path) -> tuple[float, pd.DataFrame]:
    """Trainings per second of the parameter study, and its table."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    for _ in range(nodes - 1):
        cluster.add_node(num_cpus=1)
    jobs = Jobs(Store(folder), executor=make_executor(cluster.address))
    try:
        config = RunConfig("cora", hyper=(("epochs", 60),), interventions=STUDY)
        # every node starts its process and loads the kernels before the clock runs
        warm = replace(config, hyper=(("epochs", 2),))
        assert jobs.wait(jobs.submit(warm)).state == "done"
        started = time.perf_counter()
        run = jobs.submit(config)
        assert jobs.wait(run).state == "done"
        seconds = time.perf_counter() - started
        return config.trainings / seconds, load_result(jobs.store, run).rows
    finally:
        jobs.close()
        cluster.shutdown()


def main() -> None:
    print("== Ray: the parameter study on cora, 60 epochs, nodes of one core ==", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        one, rows = sweep(1, Path(folder) / "one")
        print(f"one node: {one:.2f} trainings per second", flush=True)
        two, same = sweep(2, Path(folder) / "two")
        print(f"two nodes: {two:.2f} trainings per second, {two / one:.2f} times as many")
        pd.testing.assert_frame_equal(rows, same)
        print("both gave the same numbers")


if __name__ == "__main__":
    main()
