"""Import of a graph with 200,000 nodes and 1,000,000 edges: seconds and memory, from file to shelf.

Each format runs in a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

NODES, EDGES, FEATURES, CLASSES = 200_000, 1_000_000, 32, 10
LIMITS = {"csv": 60.0, "parquet": 20.0}
MAX_GIB = 4.0


def write(folder: Path, ending: str) -> list[Path]:
    """A random graph with string ids in random order."""
    rng = np.random.default_rng(0)
    ids = np.array([f"user-{i:07}" for i in rng.permutation(10 * NODES)[:NODES]])
    nodes = pd.DataFrame(
        {"id": ids, "label": [f"class {k}" for k in rng.integers(0, CLASSES, NODES)]}
    )
    for j in range(FEATURES):
        nodes[f"f{j}"] = rng.random(NODES).round(4)
    ends = rng.integers(0, NODES, (EDGES, 2))
    edges = pd.DataFrame({"source": ids[ends[:, 0]], "target": ids[ends[:, 1]]})
    paths = [folder / f"{name}.{ending}" for name in ("edges", "nodes")]
    for frame, path in zip((edges, nodes), paths, strict=True):
        save = frame.to_csv if ending == "csv" else frame.to_parquet
        save(path, index=False)
    return paths


def measure(paths: list[str]) -> None:
    start = time.perf_counter()
    from wgnn_core.datasets import own

    imported = time.perf_counter()
    draft = own.read(*paths)
    read = time.perf_counter()
    made = draft.preview(name="large")
    built = time.perf_counter()
    draft.keep(made)
    saved = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{Path(paths[0]).suffix[1:]}: {saved - start:.1f} s ({imported - start:.1f} libraries, "
        f"{read - imported:.1f} read, {built - read:.1f} graph, {saved - built:.1f} save), "
        f"{peak:.2f} GiB; {made.graph.num_nodes} nodes, {made.graph.num_edges} edges"
    )
    limit = LIMITS[Path(paths[0]).suffix[1:]]
    if saved - start > limit or peak > MAX_GIB:
        sys.exit(f"more than {limit:.0f} s or {MAX_GIB:.0f} GiB")


def main() -> None:
    for ending in LIMITS:
        with tempfile.TemporaryDirectory() as folder:
            paths = [str(path) for path in write(Path(folder), ending)]
            environment = os.environ | {"WGNN_HOME": str(Path(folder) / "home")}
            command = [sys.executable, __file__, *paths]
            subprocess.run(command, check=True, env=environment)


if __name__ == "__main__":
    measure(sys.argv[1:]) if len(sys.argv) > 1 else main()
