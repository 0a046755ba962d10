"""Array files: always whole, never with pickles."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from wgnn_core.errors import WGNNError
from wgnn_core.runs.owners import alive, owner_name

UNFINISHED = ".tmp"
Arrays = dict[str, npt.NDArray[Any]]


def write_arrays(file: Path, arrays: Arrays) -> None:
    """Write under another name, sync, rename: whoever sees `file` sees all of it.

    The other name is of the folder above and tells who writes, see `remove_unfinished`.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        dir=file.parent.parent,
        prefix=owner_name("").replace(":", "_"),
        suffix=UNFINISHED,
        delete=False,
    ) as out:
        try:
            np.savez_compressed(out, allow_pickle=False, **arrays)
            out.flush()
            os.fsync(out.fileno())
            Path(out.name).replace(file)
        except BaseException:
            Path(out.name).unlink(missing_ok=True)
            raise


def remove_unfinished(folder: Path) -> None:
    """Remove what processes that were killed were just writing with `write_arrays`.

    `folder` is the one above the folders of the files.
    """
    for file in folder.glob(f"*{UNFINISHED}"):
        pid, started, *_ = *file.name.split("_", 2), ""
        if not (pid.isdecimal() and alive(f"{pid}:{started}:")):
            with contextlib.suppress(OSError):
                file.unlink()


def remove_arrays(folder: Path) -> None:
    """Remove the folder of a run's files, even while somebody else removes it or writes there.

    Whoever still writes finds the run deleted, and removes what it wrote: `Store.put_cell`.
    """

    def unless_of_others(_call: object, _path: str, found: tuple[Any, ...]) -> None:
        error: OSError = found[1]
        if error.errno not in (errno.ENOENT, errno.ENOTEMPTY):
            raise error

    shutil.rmtree(folder, onerror=unless_of_others)


def loaded(file: Path | IO[bytes]) -> Arrays:
    """As `read_arrays`, with the errors of whoever finds one."""
    with np.load(file, allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def read_arrays(file: Path) -> Arrays:
    """The arrays of a file.

    Raises:
        WGNNError: It is missing or damaged.
    """
    try:
        return loaded(file)
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise WGNNError(
            f"the arrays of run {file.parent.name} cannot be read from {file} ({error}); "
            "resume the run to train what was lost."
        ) from error
