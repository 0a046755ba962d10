"""Who trains next, where several people share a machine: a fair share of its time for each."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable


class Turns:
    """Gives out one turn at a time, to whoever has had the least time of those who wait.

    With equal needs that is everybody in turn; whoever has long cells gets fewer of them. Who
    comes back after a pause is put level with the others: nobody saves up time. Safe to use from
    many threads.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waiting: dict[Hashable, Callable[[], None]] = {}
        self._spent: dict[Hashable, float] = {}
        self._holder: Hashable | None = None
        self._since = self._level = 0.0
        self._lock = threading.Lock()

    def ask(self, who: Hashable, go: Callable[[], None]) -> None:
        """Wait for a turn; `go` is called once, perhaps at once and from any thread, to give it.

        The turn lasts until whoever has it asks again, or leaves.
        """
        with self._lock:
            self._give_back(who)
            self._spent[who] = max(self._spent.get(who, 0.0), self._level)
            self._waiting[who] = go
            given = self._next()
        given()

    def leave(self, who: Hashable) -> None:
        """Give the turn back, or wait no longer."""
        with self._lock:
            self._give_back(who)
            self._waiting.pop(who, None)
            given = self._next()
        given()

    def _give_back(self, who: Hashable) -> None:
        if self._holder == who:
            self._holder = None
            self._spent[who] += self._clock() - self._since

    def _next(self) -> Callable[[], None]:
        """What to call when the lock is free: somebody's `go`, or nothing."""
        if self._holder is not None or not self._waiting:
            return lambda: None
        who = min(self._waiting, key=self._spent.__getitem__)  # of equals, the first who asked
        self._holder, self._since, self._level = who, self._clock(), self._spent[who]
        # who has had less than those before is level with them when he asks again
        self._spent = {one: spent for one, spent in self._spent.items() if spent >= self._level}
        return self._waiting.pop(who)
