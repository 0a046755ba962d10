"""`Jobs`: what a page or a command holds to start runs, watch them and read their results."""

from __future__ import annotations

import atexit
import os
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from wgnn_core.errors import WGNNError
from wgnn_core.runs.cells import content_of, first_cells
from wgnn_core.runs.cluster import RayExecutor
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.events import Asks, Beat, Ended, Event, Progressed, Ready, Started, Yields
from wgnn_core.runs.life import Tell
from wgnn_core.runs.local import LocalExecutor
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.results import RunResult, load_result
from wgnn_core.runs.store import Store
from wgnn_core.runs.summaries import ACTIVE, RunSummary, State
from wgnn_core.search import MAX_TRIALS


@dataclass(frozen=True)
class Limits:
    """How much may be asked for.

    Attributes:
        queue: Unfinished runs at a time.
        trainings: Trainings in a run.
        seconds: Seconds of training of a run at a stretch; a resumed run gets them anew.
    """

    queue: int = 32
    trainings: int = MAX_TRIALS
    seconds: float = 12 * 3600.0


@dataclass(frozen=True)
class JobStatus:
    """How far a run is.

    Attributes:
        run_id: Its id.
        state: queued, running, done, failed, cancelled or interrupted.
        done: Trainings finished, with the fraction of those under way.
        total: Trainings in all.
        rate: Trainings a second since this program began or resumed it, by the clock on the wall;
            for other runs, a second of training. None before the first number.
        seconds_left: Until it ends at that rate; None if unknown or not running.
        message: What went wrong, else empty.
        accuracy: Mean test accuracy (percent) of the finished intervention best on validation.
        base_accuracy: Mean test accuracy (percent) of the base model.
    """

    run_id: str
    state: State
    done: float
    total: int
    rate: float | None
    seconds_left: float | None
    message: str
    accuracy: float | None
    base_accuracy: float | None

    @property
    def active(self) -> bool:
        return self.state in ACTIVE


class Executor(Protocol):
    """Something that trains the cells of runs."""

    def warm(self) -> None: ...

    def start(self, run_id: str) -> None: ...

    def cancel(self, run_id: str) -> None: ...

    def close(self) -> None: ...


MakeExecutor = Callable[[Store, str, float, Tell], Executor]


def make_executor(ray_address: str | None = None) -> MakeExecutor:
    """The cluster at the address, else at ``WGNN_RAY_ADDRESS``, else this machine's worker."""
    address = ray_address or os.environ.get("WGNN_RAY_ADDRESS", "")
    return partial(RayExecutor, address=address) if address else LocalExecutor


@dataclass
class _Live:
    """What the executor tells of a run: when it began, the cell under way, how it ended."""

    before: int
    began: float | None = None
    cell: int | None = None
    done: float = 0.0
    ended: tuple[State, str] | None = None


class Jobs:
    """Starts runs, watches them, hands out results. Safe to use from many threads.

    A program makes one and closes it at its end; whatever is unfinished then is *interrupted* and
    can be resumed by anybody.
    """

    def __init__(
        self,
        store: Store | None = None,
        limits: Limits | None = None,
        executor: MakeExecutor = LocalExecutor,
    ) -> None:
        self.store = store if store is not None else Store()
        self.limits = limits if limits is not None else Limits()
        self.owner = owner_name(uuid.uuid4().hex)
        self._live: dict[str, _Live] = {}
        self._lock = threading.RLock()
        self._executor = executor(self.store, self.owner, self.limits.seconds, self._hear)
        atexit.register(self.close)

    def submit(self, config: RunConfig, *, fresh: bool = False) -> str:
        """Start a run and return its id at once; a finished or running one is not started again.

        An unfinished run goes on from its last cell; the base model is taken from another run that
        trained the same one. `fresh` deletes what there is first and trains everything.

        Raises:
            WGNNError: It is more than `limits` allow, or the dataset is not there.
        """
        if config.trainings > self.limits.trainings:
            raise WGNNError(
                f"the run has {config.trainings} trainings; the limit is "
                f"{self.limits.trainings} for one run: take fewer seeds or etas."
            )
        run_id = config.run_id
        with self._lock:
            if fresh and self.store.has(run_id):
                self.delete(run_id)
            self._check_queue(run_id)
            self.store.create(config, adopts=not fresh)
            return self._start(run_id)

    def resume(self, run_id: str) -> str:
        """Go on with a cancelled, failed or interrupted run; others are left as they are."""
        with self._lock:
            return self._start(self.store.get(run_id).run_id)

    def _start(self, run_id: str) -> str:
        summary = self.store.get(run_id)
        if summary.state == "done":
            return run_id
        self._check_queue(run_id)
        live = self._live.get(run_id)
        if live is None or live.ended is not None:
            self._live[run_id] = _Live(summary.done)
        self.store.claim(run_id, self.owner)  # if another program has it, the executor waits
        self._executor.start(run_id)
        return run_id

    def _check_queue(self, run_id: str) -> None:
        waiting = [other for other in self.active if other != run_id]
        done = self.store.has(run_id) and self.store.get(run_id).state == "done"
        if len(waiting) >= self.limits.queue and not done:
            raise WGNNError(
                f"{len(waiting)} runs are waiting or running; the limit is {self.limits.queue}: "
                "wait for one to finish or cancel one."
            )

    @property
    def active(self) -> list[str]:
        """Ids of the runs that this program has queued or is training, the oldest first."""
        with self._lock:
            return [run_id for run_id, live in self._live.items() if live.ended is None]

    def is_free(self, config: RunConfig) -> bool:
        """Whether a run trains nothing: every cell is stored, here or in another run."""
        if config.interventions or config.search != "list":
            return False
        contents = [content_of(config, cell) for cell in first_cells(config, config.graph())]
        return all(content is not None and self.store.has_content(content) for content in contents)

    def warm(self) -> None:
        """Get ready for a first run (a worker takes seconds to start)."""
        self._executor.warm()

    def status(self, run_id: str) -> JobStatus:
        """How far a run is; cheap enough to ask every second."""
        with self._lock:  # read before the store, so that a cell is never counted twice
            waits = run_id in self.active
            live = replace(self._live.get(run_id, _Live(0)))
        summary = self.store.get(run_id)
        state, message = summary.state, summary.message
        if waits and state == "interrupted":
            state = "queued"  # its owner has died; this program takes it over in a moment
        done, seconds, before = float(summary.done), summary.seconds, 0
        if live.ended is not None and state in (*ACTIVE, "interrupted"):
            state, message = live.ended
        elif live.began is not None and state in ACTIVE:
            seconds, before = time.monotonic() - live.began, live.before
            if live.cell not in self.store.cells(run_id):
                done += live.done
        rate = (done - before) / seconds if done > before and seconds > 0 else None
        left = (summary.total - done) / rate if rate is not None and state in ACTIVE else None
        return JobStatus(
            run_id,
            state,
            done,
            summary.total,
            rate,
            left,
            message,
            summary.accuracy,
            summary.base_accuracy,
        )

    def wait(self, run_id: str, timeout: float | None = None) -> JobStatus:
        """Block until the run is no longer queued or running, or the time is up."""
        end = None if timeout is None else time.monotonic() + timeout
        while (status := self.status(run_id)).active and (end is None or time.monotonic() < end):
            time.sleep(0.05)
        return status

    def cancel(self, run_id: str) -> None:
        """Stop a run within two seconds; its finished cells stay. Finished runs are left alone.

        Raises:
            WGNNError: Another program is training it.
        """
        with self._lock:
            live = self._live.get(run_id)
            if live is not None and live.ended is None:
                live.ended = ("cancelled", "")
                self._executor.cancel(run_id)
                self.store.set_state(run_id, self.owner, "cancelled")
            elif (other := self.store.get(run_id).owner) not in (None, self.owner):
                pid = str(other).split(":", 1)[0]
                raise WGNNError(
                    f"run {run_id} is being trained by another program (process {pid}); "
                    "cancel it there."
                )

    def delete(self, run_id: str) -> None:
        """Forget a run with everything it gave; cancels it first.

        Raises:
            WGNNError: It is pinned, or another program is training it.
        """
        if self.store.get(run_id).pinned:
            raise WGNNError(f"run {run_id} is pinned; unpin it before deleting it.")
        with self._lock:
            self.cancel(run_id)
            self.store.delete(run_id, self.owner)
            self._live.pop(run_id, None)

    def pin(self, run_id: str, pinned: bool = True) -> None:
        """Keep a run at the top of the list and from being deleted."""
        self.store.pin(run_id, pinned)

    def note(self, run_id: str, text: str) -> None:
        """Write something down beside a run."""
        self.store.note(run_id, text)

    def list(
        self, *, dataset: str | None = None, model: str | None = None, state: State | None = None
    ) -> list[RunSummary]:
        """The runs of the store, pinned ones first, then the newest first."""
        return [
            run
            for run in self.store.runs()
            if dataset in (None, run.dataset)
            and model in (None, run.model)
            and state in (None, run.state)
        ]

    def result(self, run_id: str) -> RunResult | None:
        """What is finished of a run; None if there is no such run."""
        return load_result(self.store, run_id) if self.store.has(run_id) else None

    def close(self) -> None:
        """Stop training; what is unfinished can be resumed later."""
        atexit.unregister(self.close)
        self._executor.close()
        with self._lock:
            self._live.clear()
        self.store.release(self.owner)

    def _hear(self, event: Event) -> None:
        with self._lock:
            if isinstance(event, Ready | Beat | Asks | Yields):
                return
            live = self._live.get(event.run_id)
            if live is None or live.ended is not None:
                return
            if isinstance(event, Started):
                live.cell, live.done = event.cell, 0.0
                live.began = live.began or time.monotonic()
            elif isinstance(event, Progressed):
                live.done = event.done
            elif isinstance(event, Ended):
                live.ended = (event.state, event.message)
