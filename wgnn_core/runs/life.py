"""The life of a run: claimed, begun, its cells trained and stored, ended. One way for everybody.

`Driver` leads any number of runs through it. Who trains a cell is a `Trainer`: this process
(`Here`), or the tasks of a cluster.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.intervention import Base
from wgnn_core.replicas.engine import Cancelled, Event, Progress
from wgnn_core.runs import events
from wgnn_core.runs.arrays import Arrays
from wgnn_core.runs.cells import (
    Cell,
    CellResult,
    Task,
    arrays_of,
    base_of_cell,
    base_rows,
    content_of,
    first_cells,
    second_cells,
)
from wgnn_core.runs.results import checked_graph, load_base, named_now
from wgnn_core.runs.store import Store
from wgnn_core.runs.summaries import State
from wgnn_core.search import table

Tell = Callable[[events.Event], None]
Landed = CellResult | Exception
PROGRESS_SECONDS = 0.2
WAIT_SECONDS = 0.2


class Life:
    """A run that `owner` holds; reads from the store what was finished before."""

    def __init__(self, store: Store, run_id: str, owner: str, graph: Graph | None = None) -> None:
        self.store, self.run_id, self.owner = store, run_id, owner
        self.summary = named_now(store.get(run_id), graph)
        self.config = self.summary.config
        self.graph = checked_graph(self.summary)
        self.finished = store.cells(run_id)
        self._first = first_cells(self.config, self.graph)
        self._adopt()

    def _adopt(self) -> None:
        """Take over base cells that another run has trained in just the same batches."""
        for cell in self._first:
            content = content_of(self.config, cell)
            if content is not None and cell.number not in self.finished:
                arrays = self.store.same_cell(self.run_id, content)
                if arrays is not None:
                    base = base_of_cell(self.config, self.graph, cell, arrays)
                    self.put(cell, CellResult(base_rows(base, cell), arrays))

    def ready(self) -> list[Cell]:
        """Cells that are not stored and depend on nothing that is not; empty at the end."""
        bases = [cell for cell in self._first if cell.positions]
        for stage in (bases, self._first):
            left = [cell for cell in stage if cell.number not in self.finished]
            if left:
                return left
        if self.config.search == "list":
            return []
        return [cell for cell in self._second if cell.number not in self.finished]

    def task(self, cell: Cell) -> Task:
        """What training the cell needs."""
        return Task(self.config, self.graph, cell, self.bases if cell.trials else {})

    @cached_property
    def bases(self) -> dict[str, Arrays]:
        """The base models, from the store: asked for only when every base cell is there."""
        found = {"": self._base, **self._base.edge_models}
        return {name: arrays_of(replace(base, history=None)) for name, base in found.items()}

    @cached_property
    def _base(self) -> Base:
        base = load_base(self.store, self.run_id, self.config, self.graph)
        assert base is not None
        return base

    @cached_property
    def _second(self) -> list[Cell]:
        found = [row for _, _, row in self.store.rows(self.run_id)]
        rows = table(self._base, self.config.first_stage, found)
        return second_cells(self.config, self.graph, rows)

    def put(self, cell: Cell, result: CellResult) -> bool:
        """Store a cell; False if the run has been taken away meanwhile."""
        content = content_of(self.config, cell)
        stored = self.store.put_cell(self.run_id, self.owner, cell, result, content)
        self.finished.add(cell.number)
        return stored


class Trainer(Protocol):
    """Trains cells, as many at once as it has slots."""

    slots: int

    def start(self, task: Task, progress: Progress) -> Any:
        """Begin; returns a handle."""

    def landed(self, handles: list[Any], seconds: float) -> list[tuple[Any, Landed]]:
        """Those that have ended, well or not, waiting at most so long."""

    def stop(self, handle: Any) -> None:
        """Give up."""


class Here:
    """Trains in this thread, one cell at a time, while the driver waits for it."""

    slots = 1

    def start(self, task: Task, progress: Progress) -> Any:
        return task, progress

    def landed(self, handles: list[Any], seconds: float) -> list[tuple[Any, Landed]]:
        (task, progress) = handle = handles[0]
        try:
            return [(handle, task.train(progress))]
        except Exception as error:
            return [(handle, error)]

    def stop(self, handle: Any) -> None:
        """Its progress hook says when to stop."""


@dataclass(eq=False)
class _Turn:
    """A request to train a run; cancelling it does not touch a later request for the same run."""

    run_id: str
    life: Life | None = None
    cancelled: bool = False
    over: bool = False
    flying: list[tuple[Any, Cell]] = field(default_factory=list)
    spent: float = 0.0
    since: float = 0.0

    def seconds(self) -> float:
        """Seconds in which a cell of it was under way."""
        return self.spent + (time.monotonic() - self.since if self.flying else 0.0)


class Driver:
    """Leads runs through their lives in turn, cell by cell; tells `tell` what happens.

    `add` and `cancel` may be called from other threads than the one that calls `step`, also by
    somebody whom `tell` waits for: nothing is told while the lock is held.
    """

    def __init__(
        self,
        store: Store,
        owner: str,
        max_seconds: float,
        trainer: Trainer,
        tell: Tell,
        graph: Graph | None = None,
    ) -> None:
        self._store, self._owner, self._max_seconds = store, owner, max_seconds
        self._trainer, self._tell, self._graph = trainer, tell, graph
        self._turns: deque[_Turn] = deque()
        self._changed = threading.Condition()

    def add(self, run_id: str) -> None:
        """Train a run; one that is being trained already is left alone."""
        with self._changed:
            if all(turn.run_id != run_id for turn in self._turns):
                self._turns.append(_Turn(run_id))
                self._changed.notify()

    def cancel(self, run_id: str) -> None:
        """Stop a run; what is finished stays."""
        for turn in self._waiting():
            if turn.run_id == run_id:
                turn.cancelled = True
                self._leave(turn)
                if not turn.flying:  # else it is told when the cell under way has stopped
                    self._tell_end(turn, "cancelled")

    def close(self) -> None:
        """Stop every run; they can be resumed."""
        for turn in self._waiting():
            turn.cancelled = True
            self._leave(turn)

    @property
    def busy(self) -> bool:
        """Whether a run is left that was neither ended nor cancelled."""
        return bool(self._turns)

    def wait(self, seconds: float | None = None) -> None:
        """Until there is something to do, or the time is up."""
        with self._changed:
            if not self._turns:
                self._changed.wait(seconds)

    def step(self) -> None:
        """Give every free slot a cell, then store the cells that end within a moment."""
        flying = self._launch()
        if not flying:
            time.sleep(WAIT_SECONDS if self._turns else 0)  # all are held by other programs
            return
        turn_of = {id(handle): turn for handle, turn in flying}
        for handle, landed in self._trainer.landed([handle for handle, _ in flying], WAIT_SECONDS):
            turn = turn_of[id(handle)]
            if not turn.over:  # a cell that landed beside it may have ended it
                self._guarded(turn, self._collect, handle, landed)

    def _waiting(self) -> list[_Turn]:
        with self._changed:
            return list(self._turns)

    def _launch(self) -> list[tuple[Any, _Turn]]:
        turns = self._waiting()
        share = max(1, self._trainer.slots // max(1, len(turns)))
        for turn in turns:
            under_way = sum(len(other.flying) for other in self._waiting())
            free = min(share - len(turn.flying), self._trainer.slots - under_way)
            late = turn.seconds() > self._max_seconds
            if (free > 0 or late) and not self._guarded(turn, self._advance, free):
                self._leave(turn)
            elif free > 0:
                self._to_the_end(turn)
        return [(handle, turn) for turn in self._waiting() for handle, _ in turn.flying]

    def _to_the_end(self, turn: _Turn) -> None:
        """The others come first next time."""
        with self._changed:
            if turn in self._turns:
                self._turns.remove(turn)
                self._turns.append(turn)

    def _advance(self, turn: _Turn, free: int) -> bool:
        """Start up to `free` cells of a run; False when nothing of it is left to do here."""
        if turn.seconds() > self._max_seconds:
            raise WGNNError(self._too_long)
        self._tell(events.Taken(turn.run_id))
        if turn.life is None and not self._begin(turn):
            return self._store.get(turn.run_id).state != "done" or self._end(turn, "done")
        life = turn.life
        assert life is not None
        ready = life.ready()
        if not ready:
            return self._end(turn, "done")
        taken = {cell.number for _, cell in turn.flying}
        for cell in [cell for cell in ready if cell.number not in taken][:free]:
            self._start(turn, life, cell)
        return True

    def _start(self, turn: _Turn, life: Life, cell: Cell) -> None:
        if not turn.flying:
            turn.since = time.monotonic()
        handle = self._trainer.start(life.task(cell), self._hook(turn))
        with self._changed:
            turn.flying.append((handle, cell))
        if turn.cancelled:  # meanwhile
            self._trainer.stop(handle)
        number = cell.number if self._trainer.slots == 1 else None
        self._tell(events.Started(turn.run_id, number))

    def _begin(self, turn: _Turn) -> bool:
        """Take hold of the run; False while another program is training it, or if it is done."""
        if not self._store.claim(turn.run_id, self._owner):
            return False
        if turn.cancelled:  # before it was ours
            self._store.set_state(turn.run_id, self._owner, "cancelled")
            raise Cancelled
        turn.life = Life(self._store, turn.run_id, self._owner, self._graph)
        self._store.set_state(turn.run_id, self._owner, "running")
        return True

    def _collect(self, turn: _Turn, handle: Any, landed: Landed) -> bool:
        if isinstance(landed, Exception):
            raise landed
        with self._changed:
            cell = next(cell for mine, cell in turn.flying if mine is handle)
            turn.spent = turn.seconds()
            turn.flying = [pair for pair in turn.flying if pair[0] is not handle]
            turn.since = time.monotonic()
        if turn.cancelled:
            raise Cancelled
        assert turn.life is not None
        if not turn.life.put(cell, landed):  # deleted or taken away meanwhile
            self._leave(turn)
            self._tell_end(turn, "cancelled")
            return False
        self._tell(events.Stored(turn.run_id, cell.number))
        if not turn.flying and not turn.life.ready():
            self._end(turn, "done")  # at once, and not after a cell of every other run
            self._leave(turn)
        return True

    def _hook(self, turn: _Turn) -> Progress:
        last = time.monotonic()

        def hook(event: Event) -> bool:
            nonlocal last
            if time.monotonic() - last > PROGRESS_SECONDS:
                last = time.monotonic()
                self._tell(events.Progressed(turn.run_id, event.done))
            return not turn.cancelled and turn.seconds() < self._max_seconds

        return hook

    @property
    def _too_long(self) -> str:
        return (
            f"stopped after {self._max_seconds:g} seconds of training, the longest a job may take "
            "at a stretch; resume it to go on."
        )

    def _guarded(self, turn: _Turn, action: Callable[..., bool], *given: Any) -> bool:
        """A run that fails must not stop the others."""
        try:
            return action(turn, *given)
        except Exception as error:
            self._fail(turn, error)
            return False

    def _fail(self, turn: _Turn, error: BaseException) -> None:
        self._leave(turn)
        if turn.cancelled:
            self._tell_end(turn, "cancelled")
        elif isinstance(error, Cancelled):
            self._end(turn, "failed", self._too_long)
        elif isinstance(error, WGNNError):
            self._end(turn, "failed", str(error))
        else:
            traceback.print_exception(error)
            self._end(turn, "failed", f"{type(error).__name__}: {error}")

    def _end(self, turn: _Turn, state: State, message: str = "") -> bool:
        try:
            self._store.set_state(turn.run_id, self._owner, state, message)
        except WGNNError as error:  # a full disk; whoever listens is told all the same
            message = message or str(error)
        self._tell_end(turn, state, message)
        return False

    def _tell_end(self, turn: _Turn, state: State, message: str = "") -> None:
        """Once for each turn; a run that was cancelled and asked for again has not ended."""
        asked_again = any(other.run_id == turn.run_id for other in self._waiting())
        if not turn.over and not (state == "cancelled" and asked_again):
            self._tell(events.Ended(turn.run_id, state, message))
        turn.over = True

    def _leave(self, turn: _Turn) -> None:
        with self._changed:
            if turn not in self._turns:
                return
            self._turns.remove(turn)
            flying = list(turn.flying)
        for handle, _ in flying:
            self._trainer.stop(handle)
