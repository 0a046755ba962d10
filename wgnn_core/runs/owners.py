"""Who trains a run: a name that tells whether its process still runs."""

from __future__ import annotations

from pathlib import Path

import psutil


def owner_name(token: str) -> str:
    """A name for something in this process; `alive` can tell whether the process still runs."""
    me = psutil.Process()
    return f"{me.pid}:{_started(me)}:{token}"


def alive(owner: str) -> bool:
    """Whether the process behind an owner's name still runs (its number may be used again)."""
    pid, started, _ = owner.split(":", 2)
    try:
        process = psutil.Process(int(pid))
        return _started(process) == started and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _started(process: psutil.Process) -> str:
    """When a process began, by a clock that nobody sets.

    psutil gives the time of day, computed from the clock as it is now: after the clock was set,
    every process seems to have begun at another time. Linux also says it in ticks since the start
    of the machine.
    """
    try:
        stat = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return repr(process.create_time())
    return stat.rpartition(")")[2].split()[19]  # field 22; the name in brackets may hold anything
