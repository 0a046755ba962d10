"""The worker: one warm process that trains the cells of its owner's runs and stores them.

It reads orders and tells events, a line each (`runs.events`). It takes the runs in turn, cell by
cell, and asks its owner before each whether the machine is free (`runs.turns`). It ends when its
standard input does, which is when its owner ends, however that came about.
"""

# ruff: noqa: E402  the owner is watched while the libraries are loaded

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import traceback
from pathlib import Path

WATCH_SECONDS = 1.0


def _end_with(owner: int) -> None:
    """End when the owner has: a child of it may keep our pipe open, or nobody reads it yet."""
    while os.getppid() == owner:
        time.sleep(WATCH_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()

from wgnn_core.errors import WGNNError
from wgnn_core.home import keep_apart
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.events import (
    Asks,
    Beat,
    Cancel,
    Event,
    Go,
    Hello,
    Ready,
    Train,
    Yields,
    from_line,
    to_line,
)
from wgnn_core.runs.life import Driver, Here, Tell
from wgnn_core.runs.store import Store
from wgnn_core.wgnn import train_base


def main() -> None:
    """Serve the owner on standard input and output until it goes away."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1, encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # no library may write between our lines
    lock = threading.Lock()

    def tell(event: Event) -> None:
        try:
            with lock:
                out.write(to_line(event))
        except OSError:
            os._exit(0)

    _warm_up()
    first = sys.stdin.readline()
    if not first:
        return
    hello = from_line(first)
    assert isinstance(hello, Hello)
    keep_apart(lambda: Path(hello.home))
    store = Store(hello.store)
    turn = threading.Event()
    driver = Driver(store, hello.owner, hello.seconds, Here(), tell)
    threading.Thread(target=_live, args=(tell,), daemon=True).start()
    threading.Thread(target=_read, args=(driver, store, hello.owner, turn), daemon=True).start()
    tell(Ready(os.getpid()))
    while True:
        driver.wait()
        tell(Asks())
        turn.wait()
        turn.clear()
        driver.step()
        if not driver.busy:
            tell(Yields())


def _warm_up() -> None:
    """Train next to nothing, before anybody waits for it.

    The first training of a process loads a second's worth: the kernels, torch's optimizers.
    """
    with contextlib.suppress(Exception):  # a run that meets the same will say so
        config = RunConfig("karate", hyper=(("epochs", 1),), seeds=(0,))
        train_base(config.graph(), config.base_model, config.seeds)


def _read(driver: Driver, store: Store, owner: str, turn: threading.Event) -> None:
    try:
        for line in sys.stdin:
            order = from_line(line)
            if isinstance(order, Train):
                driver.add(order.run_id)
            elif isinstance(order, Go):
                turn.set()
            elif isinstance(order, Cancel):
                driver.cancel(order.run_id)
                with contextlib.suppress(WGNNError):  # a full disk; the owner knows all the same
                    store.set_state(order.run_id, owner, "cancelled")
    except BaseException:
        traceback.print_exc()
    # A finished cell is on the disk, one in training is lost anyway: nothing to wait for.
    os._exit(0)


def _live(tell: Tell) -> None:
    """Give signs of life."""
    while True:
        tell(Beat())
        time.sleep(WATCH_SECONDS)


if __name__ == "__main__":
    main()
