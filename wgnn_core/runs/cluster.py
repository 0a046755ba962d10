"""The executor of a Ray cluster: cells become tasks, this process (the driver) stores them.

Ray is optional (requirements-cluster.txt) and imported only when an address is given.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.replicas.engine import Progress
from wgnn_core.runs.arrays import Arrays
from wgnn_core.runs.cells import Cell, CellResult, Task
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.life import Driver, Landed, Tell
from wgnn_core.runs.store import Store

RETRIES = 10
"""How often Ray starts a task again whose node died."""
PER_CPU = 2
"""Tasks in flight for each core: enough to keep it busy, few enough to take turns."""
GPU_SHARE = 0.25
WAIT_SECONDS = 0.2
CONNECT_SECONDS = 5.0


def train_cell(
    config: RunConfig, graph: Graph, bases: Mapping[str, Arrays], cell: Cell
) -> CellResult:
    """One cell, on whatever node it landed."""
    os.environ["WGNN_THREADS"] = "1"  # a task is given one core
    return Task(config, graph, cell, bases).train()


class _Tasks:
    """Trains cells as tasks of a cluster."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        resources = ray.cluster_resources()
        self.slots = max(1, int(PER_CPU * resources.get("CPU", 1)))
        self._remote = ray.remote(
            num_cpus=1,
            num_gpus=GPU_SHARE if resources.get("GPU") else 0,
            max_retries=RETRIES,
        )(train_cell)
        self._sent: dict[int, tuple[Any, Any]] = {}

    def _send(self, value: Any) -> Any:
        """Graphs and base models travel once; kept, so that no other value gets their id."""
        if id(value) not in self._sent:
            self._sent[id(value)] = (value, self._ray.put(value))
        return self._sent[id(value)][1]

    def start(self, task: Task, progress: Progress) -> Any:
        config = replace(task.config, given=None)  # the graph goes beside it
        bases = self._send(task.bases) if task.bases else {}
        return self._remote.remote(config, self._send(task.graph), bases, task.cell)

    def landed(self, handles: list[Any], seconds: float) -> list[tuple[Any, Landed]]:
        try:
            ready = self._ray.wait(handles, timeout=seconds)[0]
        except Exception as error:
            gone = WGNNError(f"the cluster no longer answers ({error}).")
            return [(handle, gone) for handle in handles]
        return [(handle, self._get(handle)) for handle in ready]

    def _get(self, handle: Any) -> Landed:
        try:
            result: CellResult = self._ray.get(handle)
            return result
        except Exception as error:
            return getattr(error, "cause", None) or error  # Ray wraps what a task raised

    def stop(self, handle: Any) -> None:
        self._ray.cancel(handle, force=True)


class RayExecutor:
    """Trains runs on a cluster; tells `tell` what the local worker would."""

    def __init__(
        self, store: Store, owner: str, seconds: float, tell: Tell, *, address: str
    ) -> None:
        self._ray = _connect(address)
        self._driver = Driver(store, owner, seconds, _Tasks(self._ray), tell)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._drive, daemon=True)
        self._thread.start()

    def warm(self) -> None:
        """Nothing to do: the nodes are there."""

    def start(self, run_id: str) -> None:
        """Train a run; one that is being trained already is left alone."""
        self._driver.add(run_id)

    def cancel(self, run_id: str) -> None:
        """Stop the tasks of a run."""
        self._driver.cancel(run_id)

    def close(self) -> None:
        """Stop every task and leave the cluster as it was."""
        self._closed.set()
        self._thread.join()
        self._driver.close()
        self._ray.shutdown()

    def _drive(self) -> None:
        while not self._closed.is_set():
            self._driver.wait(WAIT_SECONDS)
            self._driver.step()


def _connect(address: str) -> Any:
    try:
        import ray
    except ImportError:
        raise WGNNError(
            f"the cluster {address!r} needs Ray, which is not installed; run "
            "`pip install -r requirements-cluster.txt`."
        ) from None
    _knock(address)
    package = str(Path(__file__).resolve().parents[1])
    try:
        ray.init(
            address=address,
            log_to_driver=False,
            configure_logging=False,
            runtime_env={
                "py_modules": [package],  # the nodes need the requirements, not this project
                "env_vars": {"OMP_NUM_THREADS": "1"},
            },
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise WGNNError(f"there is no Ray cluster at {address!r}: {reason}") from error
    return ray


def _knock(address: str) -> None:
    """Ray itself waits minutes for a cluster that is not there."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host:
        return  # auto, local: Ray answers at once
    try:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
    except (OSError, ValueError) as error:
        raise WGNNError(
            f"there is no Ray cluster at {address!r} ({error}); give auto or HOST:PORT."
        ) from error
