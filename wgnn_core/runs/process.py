"""The worker's process. Light to import, so that it can be started before all the libraries."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

from wgnn_core.home import APP_SHARED, COMPILED, home, make_private, make_private_file

LOG_BYTES = 1_000_000

_ahead: dict[Path, subprocess.Popen[str]] = {}
_lock = threading.Lock()


def spawn_ahead() -> None:
    """Start the worker of the store in `home` for whoever asks for it first.

    It imports what a program with jobs imports too, which takes seconds: called first, both do so
    at once. Does nothing in a program that has its libraries already, nor where nobody knows yet
    whose worker it would be.
    """
    with _lock:
        if _ahead or "torch" in sys.modules or APP_SHARED in os.environ:
            return
        with contextlib.suppress(OSError):  # the store will say what is wrong with its folder
            make_private(home())
            _ahead[home()] = _start(home())


def spawn(folder: Path) -> subprocess.Popen[str]:
    """A worker for the store in `folder`; it waits for its first line."""
    with _lock:
        waiting = _ahead.pop(folder, None)
    return waiting if waiting is not None else _start(folder)


def _start(folder: Path) -> subprocess.Popen[str]:
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(p for p in (root, os.environ.get("PYTHONPATH", "")) if p)
    # The engine runs one thread a core itself; a pool below each of them would fight over them.
    single = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    compiled = {COMPILED: str(folder.absolute() / "compiled")}
    with _log(folder / "worker.log") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "wgnn_core.runs.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
            env={**compiled, **os.environ, **single, "PYTHONPATH": path},
            # Ctrl-C is for the owner, which then closes the pipe. In the owner's session: when the
            # owner dies, the system wakes and ends even a worker that was stopped (SIGSTOP).
            process_group=0 if os.name == "posix" else None,
        )


def _log(file: Path) -> IO[str]:
    if file.is_file() and file.stat().st_size > LOG_BYTES:
        file.unlink(missing_ok=True)
    make_private_file(file)
    return file.open("a", encoding="utf-8")
