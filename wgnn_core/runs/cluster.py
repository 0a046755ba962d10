"""The executor of a Ray cluster: cells become tasks, this process (the driver) stores them.

Ray is optional (requirements-cluster.txt) and imported only when an address is given.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.runs.arrays import Arrays
from wgnn_core.runs.cells import (
    Cell,
    CellResult,
    join_base,
    train_base_cell,
    train_trials_cell,
)
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.execution import Execution
from wgnn_core.runs.jobs import MakeExecutor
from wgnn_core.runs.local import Listener, LocalExecutor
from wgnn_core.runs.store import State, Store

RETRIES = 10
"""How often Ray starts a task again whose node died."""
PER_CPU = 2
"""Tasks in flight for each core: enough to keep it busy, few enough to take turns."""
GPU_SHARE = 0.25
WAIT_SECONDS = 0.2
CONNECT_SECONDS = 5.0


def make_executor(ray_address: str | None = None) -> MakeExecutor:
    """The cluster at the address, else at ``WGNN_RAY_ADDRESS``, else this machine's worker."""
    address = ray_address or os.environ.get("WGNN_RAY_ADDRESS", "")
    return partial(RayExecutor, address=address) if address else LocalExecutor


def train_cell(
    config: RunConfig, graph: Graph, base: Arrays | None, cell: Cell
) -> tuple[CellResult, float]:
    """One cell, on whatever node it landed."""
    os.environ["WGNN_THREADS"] = "1"  # a task is given one core
    started = time.perf_counter()
    if base is None:
        result = train_base_cell(config, graph, config.base_model, cell)
    else:
        result = train_trials_cell(
            join_base(config, graph, [base]), cell, config.pool, config.device
        )
    return result, time.perf_counter() - started


@dataclass(eq=False)
class _Run:
    execution: Execution
    graph: Any
    started: float
    base: Any = None
    flying: dict[Any, Cell] = field(default_factory=dict)


class RayExecutor:
    """Trains runs on a cluster; tells `listener` what the local worker would."""

    def __init__(
        self, store: Store, owner: str, seconds: float, listener: Listener, *, address: str
    ) -> None:
        self._store, self._owner, self._seconds, self._listener = store, owner, seconds, listener
        self._ray = _connect(address)
        resources = self._ray.cluster_resources()
        self._slots = max(1, int(PER_CPU * resources.get("CPU", 1)))
        self._task = self._ray.remote(
            num_cpus=1,
            num_gpus=GPU_SHARE if resources.get("GPU") else 0,
            max_retries=RETRIES,
        )(train_cell)
        self._graphs: dict[str, Any] = {}
        self._wanted: deque[str] = deque()
        self._runs: dict[str, _Run] = {}
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._drive, daemon=True)
        self._thread.start()

    def warm(self) -> None:
        """Nothing to do: the nodes are there."""

    def start(self, run_id: str) -> None:
        """Train a run; one that is being trained already is left alone."""
        with self._lock:
            if run_id not in self._runs and run_id not in self._wanted:
                self._wanted.append(run_id)

    def cancel(self, run_id: str) -> None:
        """Stop the tasks of a run."""
        with self._lock:
            if run_id in self._wanted:
                self._wanted.remove(run_id)
            run = self._runs.pop(run_id, None)
        for task in run.flying if run else ():
            self._ray.cancel(task, force=True)

    def close(self) -> None:
        """Stop every task and leave the cluster as it was."""
        self._closed.set()
        self._thread.join()
        for run_id in list(self._runs):
            self.cancel(run_id)
        self._ray.shutdown()

    def _drive(self) -> None:
        while not self._closed.is_set():
            with self._lock:
                self._admit()
                for run_id, run in list(self._runs.items()):
                    self._guarded(run_id, self._launch, run)
                tasks = {task: run_id for run_id, run in self._runs.items() for task in run.flying}
            if not tasks:
                self._closed.wait(WAIT_SECONDS)
                continue
            for task in self._landed(tasks):
                self._guarded(tasks[task], self._collect, tasks[task], task)

    def _landed(self, tasks: dict[Any, str]) -> list[Any]:
        """Tasks that have ended; a cluster that has gone away fails their runs."""
        try:
            ready: list[Any] = self._ray.wait(list(tasks), timeout=WAIT_SECONDS)[0]
        except Exception as error:
            for run_id in set(tasks.values()):
                self._fail(run_id, f"the cluster no longer answers ({error}).")
            return []
        return ready

    def _guarded(self, run_id: str, action: Callable[..., None], *given: Any) -> None:
        """A run that fails must not stop the others."""
        try:
            action(*given)
        except Exception as error:
            cause = getattr(error, "cause", None) or error  # Ray wraps what a task raised
            plain = isinstance(cause, WGNNError)
            self._fail(run_id, str(cause) if plain else f"{type(cause).__name__}: {cause}")

    def _fail(self, run_id: str, message: str) -> None:
        self.cancel(run_id)
        self._end(run_id, "failed", message)

    def _end(self, run_id: str, state: State, message: str) -> None:
        try:
            self._store.set_state(run_id, self._owner, state, message)
        except WGNNError as error:
            message = message or str(error)
        self._listener({"event": "end", "run": run_id, "state": state, "message": message})

    def _admit(self) -> None:
        for _ in range(len(self._wanted)):
            run_id = self._wanted.popleft()
            self._guarded(run_id, self._begin, run_id)

    def _begin(self, run_id: str) -> None:
        if not self._store.claim(run_id, self._owner):
            if self._store.get(run_id).state == "done":
                self._end(run_id, "done", "")
            else:
                self._wanted.append(run_id)  # another program has it: ask again
            return
        execution = Execution(self._store, run_id, self._owner)
        name = execution.graph.content_hash
        if name not in self._graphs:
            self._graphs[name] = self._ray.put(execution.graph)
        self._runs[run_id] = _Run(execution, self._graphs[name], time.monotonic())
        self._store.set_state(run_id, self._owner, "running")
        self._listener({"event": "start", "run": run_id, "cell": None})

    def _launch(self, run: _Run) -> None:
        """Keep this run's share of the cluster busy."""
        if time.monotonic() - run.started > self._seconds:
            raise WGNNError(
                f"stopped after {self._seconds:g} seconds, the longest a job may take at a "
                "stretch; resume it to go on."
            )
        share = max(1, self._slots // max(1, len(self._runs)))
        ready = run.execution.ready()
        if not ready:
            del self._runs[run.execution.run_id]
            self._end(run.execution.run_id, "done", "")
            return
        flying = {cell.number for cell in run.flying.values()}
        for cell in [c for c in ready if c.number not in flying][: share - len(flying)]:
            if cell.trials and run.base is None:
                base = run.execution.base
                names = ("prob", "val", "test", "best_epoch")
                run.base = self._ray.put({name: getattr(base, name) for name in names})
            given = run.base if cell.trials else None
            task = self._task.remote(run.execution.config, run.graph, given, cell)
            run.flying[task] = cell

    def _collect(self, run_id: str, task: Any) -> None:
        with self._lock:
            run = self._runs.get(run_id)
            cell = run.flying.pop(task) if run else None
        if run is None or cell is None:
            return  # cancelled meanwhile
        result, seconds = self._ray.get(task)
        if not run.execution.put(cell, result, seconds):
            self.cancel(run_id)
            return
        self._listener({"event": "cell", "run": run_id, "cell": cell.number})


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
