"""A driver that is led step by step, and a trainer that obeys the test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wgnn_core.replicas.engine import Progress
from wgnn_core.runs.cells import Task
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.events import Ended, Event
from wgnn_core.runs.life import Driver, Here, Landed, Trainer
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.store import Store


class Bench:
    """A driver with what it said; `hear` may answer an event."""

    def __init__(
        self, store: Store, trainer: Trainer | None = None, max_seconds: float = 60.0
    ) -> None:
        self.said: list[Event] = []
        self.hear: Callable[[Event], object] = lambda event: None
        self.owner = owner_name("bench")
        self.driver = Driver(store, self.owner, max_seconds, trainer or Here(), self._tell)

    def _tell(self, event: Event) -> None:
        self.said.append(event)
        self.hear(event)

    def train(self, *configs: RunConfig) -> None:
        """To the end of all of them."""
        for config in configs:
            self.driver.add(config.run_id)
        for _ in range(1000):
            if not self.driver.busy:
                return
            self.driver.step()
        raise AssertionError("it never ends")

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.said if isinstance(event, kind)]

    def ends(self) -> list[tuple[str, str]]:
        return [(event.run_id, event.state) for event in self.of(Ended)]


class ByOrder:
    """A trainer whose cells land when the test says so; `faults` raise instead."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.flying: list[tuple[Task, Progress]] = []
        self.stopped: list[Task] = []
        self.faults: dict[int, Exception] = {}
        self.hold = False

    def start(self, task: Task, progress: Progress) -> Any:
        self.flying.append((task, progress))
        return self.flying[-1]

    def landed(self, handles: list[Any], seconds: float) -> list[tuple[Any, Landed]]:
        assert 0 < len(handles) <= self.slots
        if self.hold:
            return []
        out: list[tuple[Any, Landed]] = []
        for task, progress in handles:
            fault = self.faults.get(task.cell.number)
            out.append(((task, progress), fault or task.train()))
        handle_of = {id(task): handle for handle in handles for task in handle[:1]}
        return [(handle_of[id(task)], landed) for (task, _), landed in out]

    def stop(self, handle: Any) -> None:
        self.stopped.append(handle[0])
