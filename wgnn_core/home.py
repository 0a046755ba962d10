"""The one folder in which the program keeps what it was given: runs, graphs, raw files."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import platformdirs

from wgnn_core.errors import WGNNError

APP_TOKEN = "WGNN_APP_TOKEN"
"""The environment variable in which a started app finds its token."""
APP_SHARED = "WGNN_APP_SHARED"
"""The environment variable that tells a started app to ask everybody who they are."""
COMPILED = "TORCHINDUCTOR_CACHE_DIR"
"""The environment variable in which torch finds its folder for compiled code."""
USERS = "users"
KEPT = ("runs.sqlite", "arrays", "graphs", "raw", "worker.log", "compiled", USERS)
"""What the folder holds; names with something behind these count too."""

P = ParamSpec("P")
T = TypeVar("T")
_whose: Callable[[], Path] | None = None
_here: ContextVar[Path | None] = ContextVar("here", default=None)


def home() -> Path:
    """The folder of whoever asks: of the one user, or of the one whom `keep_apart` names."""
    return _here.get() or (program_home() if _whose is None else _whose())


def program_home() -> Path:
    """``WGNN_HOME``, else the place where this system keeps data of programs."""
    return named_folder("WGNN_HOME") or Path(
        platformdirs.user_data_dir("wgnn-explorer", appauthor=False)
    )


def keep_apart(whose: Callable[[], Path]) -> None:
    """From now on `home` is what `whose` says: for a program that serves several people.

    It must raise where it does not know who asks.
    """
    global _whose
    _whose = whose


def at_home(call: Callable[P, T]) -> Callable[P, T]:
    """`call`, for a thread in which nobody would know who asks: for whoever asks now."""
    here = home()

    @wraps(call)
    def called(*given: P.args, **named: P.kwargs) -> T:
        token = _here.set(here)
        try:
            return call(*given, **named)
        finally:
            _here.reset(token)

    return called


def named_folder(variable: str) -> Path | None:
    """The folder that an environment variable names; None if it is not set.

    Raises:
        WGNNError: It begins with ``~`` and the name of nobody on this machine, or no folder can
            have that name.
    """
    text = os.environ.get(variable, "")
    if not text:
        return None
    try:
        folder = Path(text).expanduser()
        folder.stat()
    except RuntimeError:
        raise WGNNError(
            f"{variable} is {text!r}, and this machine has no such user; write the whole path."
        ) from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise WGNNError(f"{variable} is {text[:40]!r}...: the name is too long.") from None
    return folder


def keep_compiled_here() -> None:
    """Let torch keep compiled code in our folder, not beside everybody's temporary files.

    It makes that folder as soon as it is loaded, by default under a name that every user of the
    machine can guess, and leaves it there. We compile nothing; a model of the user's may.
    """
    with contextlib.suppress(WGNNError, OSError):  # whoever opens the store says what is wrong
        folder = program_home().absolute()
        there = next(path for path in (folder, *folder.parents) if path.exists())
        if there.is_dir() and os.access(there, os.W_OK):  # else torch could not be loaded
            os.environ.setdefault(COMPILED, str(folder / "compiled"))


def make_private(folder: Path) -> None:
    """Make the folder, so that nobody else on the machine can look into it.

    One that was there before is closed to others too, unless it holds other things than ours.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    mine = hasattr(os, "getuid") and found.st_uid == os.getuid()
    shared = found.st_mode & stat.S_ISVTX  # such as /tmp
    if not mine or shared or not found.st_mode & 0o077:
        return
    if all(entry.name.startswith(KEPT) for entry in folder.iterdir()):
        folder.chmod(0o700)


def make_private_file(file: Path) -> None:
    """Make the file, empty, if there is none; nobody else may read or write it."""
    file.touch(mode=0o600)
    if file.stat().st_mode & 0o077:
        file.chmod(0o600)
