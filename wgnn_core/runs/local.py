"""The executor of this machine: one worker process, started when needed, restarted when it dies."""

from __future__ import annotations

import contextlib
import math
import subprocess
import threading
import time
from functools import partial

from wgnn_core.errors import WGNNError
from wgnn_core.home import home
from wgnn_core.runs.events import (
    Asks,
    Beat,
    Cancel,
    Ended,
    Event,
    Go,
    Hello,
    Order,
    Ready,
    Stored,
    Taken,
    Train,
    Yields,
    from_line,
    to_line,
)
from wgnn_core.runs.life import Tell
from wgnn_core.runs.process import spawn
from wgnn_core.runs.store import Store
from wgnn_core.runs.turns import Turns

STRIKES = 3
CANCEL_SECONDS = 1.5
CLOSE_SECONDS = 2.0
SILENCE_SECONDS = 30
"""A worker that gives no sign of life for so long was stopped or hangs, and is killed."""
START_SECONDS = 300
"""The same before its first sign: it loads its libraries then."""


class LocalExecutor:
    """Trains runs in a process of their own; passes the worker's events on to `tell`.

    A run that kills the worker `STRIKES` times without finishing a cell fails; the others go on.
    A worker that falls silent is killed, which counts.
    A worker that never gets ready fails them all.
    It trains a cell when it is its turn; executors of several users share their `turns`. A worker
    with nothing to do for `idle_seconds` is let go.
    """

    def __init__(
        self,
        store: Store,
        owner: str,
        seconds: float,
        tell: Tell,
        turns: Turns | None = None,
        idle_seconds: float = math.inf,
    ) -> None:
        self._store, self._owner, self._seconds, self._tell = store, owner, seconds, tell
        self._home = str(home().absolute())  # threads that listen do not know who asked
        self._turns = turns if turns is not None else Turns()
        self._idle_seconds = idle_seconds
        self._strikes: dict[str, int] = {}
        self._current: str | None = None
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._false_starts = 0
        self._closed = False
        self._heard, self._ready = False, False
        self._lock = threading.RLock()

    @property
    def pid(self) -> int | None:
        """Process number of the worker, None when there is none."""
        return self._process.pid if self._process is not None else None

    def warm(self) -> None:
        """Start the worker now, so that the first run need not wait for its imports."""
        with self._lock:
            self._ensure_process()

    def start(self, run_id: str) -> None:
        """Train a run; one that is being trained already is left alone."""
        with self._lock:
            if run_id in self._strikes:
                return
            self._strikes[run_id] = 0
            self._ensure_process()
            self._send(Train(run_id))

    def cancel(self, run_id: str) -> None:
        """Stop a run: at its next epoch, or with the whole worker if that takes too long."""
        with self._lock:
            if self._strikes.pop(run_id, None) is None:
                return
            self._send(Cancel(run_id))
            process = self._process
        timer = threading.Timer(CANCEL_SECONDS, self._kill_if_busy, (process, run_id))
        timer.daemon = True
        timer.start()

    def close(self) -> None:
        """End the worker; finished cells are kept."""
        with self._lock:
            self._closed = True
            process = self._process
        if process is None:
            return
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(CLOSE_SECONDS)

    def _ensure_process(self) -> None:
        if self._process is not None or self._closed:
            return
        self._process = spawn(self._store.path)
        self._ready = False
        path = str(self._store.path.resolve())
        self._send(Hello(self._home, path, self._owner, self._seconds))
        self._thread = threading.Thread(target=self._listen, args=(self._process,), daemon=True)
        self._thread.start()
        threading.Thread(target=self._watch, args=(self._process,), daemon=True).start()

    def _watch(self, process: subprocess.Popen[str]) -> None:
        """Kill a worker that has fallen silent; let one go that is not needed.

        Looks are counted, not seconds: a program that was stopped itself, or a machine that slept,
        finds the worker's signs of life waiting when it goes on.
        """
        silent = idle = 0
        while self._process is process and not self._closed:
            time.sleep(1.0)
            silent = 0 if self._heard else silent + 1
            self._heard = False
            if silent > (SILENCE_SECONDS if self._ready else START_SECONDS):
                process.kill()
                return
            idle = 0 if self._strikes else idle + 1
            if idle > self._idle_seconds:
                self._let_go(process)

    def _let_go(self, process: subprocess.Popen[str]) -> None:
        with self._lock:
            if self._process is process and not self._strikes:
                self._process = None
                assert process.stdin is not None
                with contextlib.suppress(OSError):
                    process.stdin.close()

    def _go(self, process: subprocess.Popen[str]) -> None:
        with self._lock:
            if self._process is process and not self._closed:
                self._send(Go())

    def _send(self, order: Order) -> None:
        if self._process is None:
            return
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(to_line(order))
            self._process.stdin.flush()
        except OSError:
            pass  # it has died: the listening thread starts another and sends everything again

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                event = from_line(line)
                assert isinstance(event, Event)
                self._heard = True
                if isinstance(event, Asks):
                    self._turns.ask(self, partial(self._go, process))
                elif isinstance(event, Yields):
                    self._turns.leave(self)
                elif not isinstance(event, Beat):
                    self._note(event)
        self._after_death(process, process.wait())

    def _note(self, event: Event) -> None:
        with self._lock:
            if isinstance(event, Ready):
                self._false_starts, self._ready = 0, True
            elif isinstance(event, Taken):
                self._current = event.run_id
            elif isinstance(event, Stored):
                self._current = None
                if event.run_id in self._strikes:
                    self._strikes[event.run_id] = 0
            elif isinstance(event, Ended):
                self._current = None
                if event.state == "cancelled" and event.run_id in self._strikes:
                    return  # of an earlier request; the run has been resumed since
                self._strikes.pop(event.run_id, None)
        self._tell(event)

    def _after_death(self, process: subprocess.Popen[str], code: int) -> None:
        if self._process is not process:  # it was let go
            return
        self._turns.leave(self)  # without our lock: it may call upon others, who have theirs
        with self._lock:
            self._process = None
            if self._closed:
                return
            given_up = self._blame()
            if self._strikes:
                self._ensure_process()
                for run_id in self._strikes:
                    self._send(Train(run_id))
        message = (
            f"the worker process died {STRIKES} times here (exit code {code}); "
            f"{self._store.path / 'worker.log'} may say why."
        )
        for run_id in given_up:
            with contextlib.suppress(WGNNError):  # whoever listens is told all the same
                self._store.set_state(run_id, self._owner, "failed", message)
            self._tell(Ended(run_id, "failed", message))

    def _blame(self) -> list[str]:
        """Count a death against whoever was being trained; the runs that are given up."""
        guilty, self._current = self._current, None
        self._false_starts += 1  # set to 0 by every worker that got ready
        if self._false_starts >= STRIKES:
            given_up = list(self._strikes)
        elif guilty in self._strikes:
            self._strikes[guilty] += 1
            given_up = [guilty] if self._strikes[guilty] >= STRIKES else []
        else:
            given_up = []
        for run_id in given_up:
            del self._strikes[run_id]
        return given_up

    def _kill_if_busy(self, process: subprocess.Popen[str] | None, run_id: str) -> None:
        with self._lock:
            if process is not None and self._process is process and self._current == run_id:
                process.kill()
