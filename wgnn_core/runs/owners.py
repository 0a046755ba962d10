"""Who trains a run: a name that tells whether its process still runs."""

from __future__ import annotations

import psutil


def owner_name(token: str) -> str:
    """A name for something in this process; `alive` can tell whether the process still runs."""
    me = psutil.Process()
    return f"{me.pid}:{me.create_time()!r}:{token}"


def alive(owner: str) -> bool:
    """Whether the process behind an owner's name still runs (its number may be used again)."""
    pid, started, _ = owner.split(":", 2)
    try:
        process = psutil.Process(int(pid))
        return repr(process.create_time()) == started and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
