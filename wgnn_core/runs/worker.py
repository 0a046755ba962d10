"""The worker: one warm process that trains the cells of its owner's runs and stores them.

JSON lines. In: ``{"do": "hello", "store": ..., "owner": ..., "seconds": ...}`` first, then
``{"do": "run" | "cancel", "run": id}``. Out: ``{"event": "ready" | "take" | "start" | "progress" |
"cell" | "end", ...}``. It takes the runs in turn, cell by cell, and ends when its standard input
does, which is when its owner ends, however that came about.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from wgnn_core.errors import WGNNError
from wgnn_core.replicas.engine import Cancelled, Event
from wgnn_core.runs.cells import Cell
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.execution import Execution
from wgnn_core.runs.store import State, Store
from wgnn_core.wgnn import train_base

Send = Callable[[dict[str, Any]], None]
PROGRESS_SECONDS = 0.2
WAIT_SECONDS = 0.2
WATCH_SECONDS = 1.0


@dataclass(eq=False)
class _Ticket:
    """One request to train a run; cancelling it does not touch a later request for the same."""

    run_id: str
    cancelled: bool = False
    execution: Execution | None = None
    seconds: float = 0.0


class Worker:
    """Trains runs in turn; `read` and `work` are for two threads."""

    def __init__(self, store: Store, owner: str, max_seconds: float, send: Send) -> None:
        self._store, self._owner, self._max_seconds, self._send = store, owner, max_seconds, send
        self._queue: deque[_Ticket] = deque()
        self._current: _Ticket | None = None
        self._changed = threading.Condition()

    def read(self, lines: Iterable[str]) -> None:
        """Obey each line; returns when there are no more."""
        for line in lines:
            message = json.loads(line)
            with self._changed:
                if message["do"] == "run":
                    self._queue.append(_Ticket(message["run"]))
                    self._changed.notify()
                else:
                    self._cancel(message["run"])

    def _cancel(self, run_id: str) -> None:
        for ticket in [*self._queue, self._current]:
            if ticket is not None and ticket.run_id == run_id:
                ticket.cancelled = True
        self._queue = deque(t for t in self._queue if not t.cancelled)
        with contextlib.suppress(WGNNError):  # a full disk; the owner knows all the same
            self._store.set_state(run_id, self._owner, "cancelled")

    def work(self) -> None:
        """One cell of each run in turn, for ever."""
        while True:
            with self._changed:
                while not self._queue:
                    self._changed.wait()
                ticket = self._current = self._queue.popleft()
            going_on = self._step(ticket)
            with self._changed:
                self._current = None
                if going_on and not ticket.cancelled:
                    self._queue.append(ticket)

    def _step(self, ticket: _Ticket) -> bool:
        """Train one cell; False when nothing of the run is left to do here."""
        self._send({"event": "take", "run": ticket.run_id})
        try:
            if self._store.get(ticket.run_id).state == "done":
                self._send({"event": "end", "run": ticket.run_id, "state": "done"})
                return False
            if ticket.execution is None and not self._begin(ticket):
                return True
            return self._train(ticket)
        except Cancelled:
            if ticket.cancelled:
                self._send({"event": "end", "run": ticket.run_id, "state": "cancelled"})
            else:
                self._end(
                    ticket,
                    "failed",
                    f"stopped after {self._max_seconds:g} seconds of training, the longest a job "
                    "may take at a stretch; resume it to go on.",
                )
        except WGNNError as error:
            self._end(ticket, "failed", str(error))
        except Exception as error:  # the next run must not suffer from this one
            traceback.print_exc()
            self._end(ticket, "failed", f"{type(error).__name__}: {error}")
        return False

    def _begin(self, ticket: _Ticket) -> bool:
        """Take hold of the run; False, after a pause, while another program is training it."""
        if not self._store.claim(ticket.run_id, self._owner):
            time.sleep(WAIT_SECONDS)
            return False
        ticket.execution = Execution(self._store, ticket.run_id, self._owner)
        self._store.set_state(ticket.run_id, self._owner, "running")
        return True

    def _train(self, ticket: _Ticket) -> bool:
        """Train the next cell, if there is one; False when nothing of the run is left after it."""
        execution = ticket.execution
        assert execution is not None
        ready = execution.ready()
        if ready and not self._train_cell(ticket, execution, ready[0]):
            return False
        if execution.ready():
            return True
        self._end(ticket, "done", "")  # at once, and not after a cell of every other run
        return False

    def _train_cell(self, ticket: _Ticket, execution: Execution, cell: Cell) -> bool:
        """Train and store a cell; False if the run has been taken away meanwhile."""
        about = {"run": ticket.run_id, "cell": cell.number}
        self._send({"event": "start", **about})
        result, seconds = execution.train(cell, self._hook(ticket))
        ticket.seconds += seconds
        if not execution.put(cell, result, seconds):
            self._send({"event": "end", "run": ticket.run_id, "state": "cancelled"})
            return False
        self._send({"event": "cell", **about, "pid": os.getpid()})
        return True

    def _hook(self, ticket: _Ticket) -> Callable[[Event], bool]:
        started = last = time.perf_counter()

        def hook(event: Event) -> bool:
            nonlocal last
            now = time.perf_counter()
            if now - last > PROGRESS_SECONDS:
                last = now
                self._send({"event": "progress", "run": ticket.run_id, "done": event.done})
            return not ticket.cancelled and ticket.seconds + now - started < self._max_seconds

        return hook

    def _end(self, ticket: _Ticket, state: State, message: str) -> None:
        try:
            self._store.set_state(ticket.run_id, self._owner, state, message)
        except WGNNError as error:  # a full disk; the owner is told all the same
            message = message or str(error)
        self._send({"event": "end", "run": ticket.run_id, "state": state, "message": message})


def _warm_up() -> None:
    """Train next to nothing, before anybody waits for it.

    The first training of a process loads a second's worth: the kernels, torch's optimizers.
    """
    with contextlib.suppress(Exception):  # a run that meets the same will say so
        config = RunConfig("karate", hyper=(("epochs", 1),), seeds=(0,))
        train_base(config.graph(), config.base_model, 1, threads=1)


def main() -> None:
    """Serve the owner on standard input and output until it goes away."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1, encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # no library may write between our lines
    lock = threading.Lock()

    def send(message: dict[str, Any]) -> None:
        try:
            with lock:
                out.write(json.dumps(message) + "\n")
        except OSError:
            os._exit(0)

    _warm_up()
    hello = json.loads(sys.stdin.readline() or "null")
    if hello is None:
        return
    worker = Worker(Store(hello["store"]), hello["owner"], float(hello["seconds"]), send)
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    threading.Thread(target=_read, args=(worker,), daemon=True).start()
    send({"event": "ready", "pid": os.getpid()})
    worker.work()


def _read(worker: Worker) -> None:
    try:
        worker.read(sys.stdin)
    except BaseException:
        traceback.print_exc()
    # A finished cell is on the disk, one in training is lost anyway: nothing to wait for.
    os._exit(0)


def _watch(parent: int) -> None:
    """A child of the owner may have kept our pipe open, so look at the owner itself too."""
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    main()
