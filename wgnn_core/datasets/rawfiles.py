"""Raw files on disk: where they are, whether they are the right ones, and how they are read.

Every byte goes through `read_checked`: the whole file is read once, its SHA-256 compared, and
only those very bytes are handed to a parser, so nothing can change in between.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wgnn_core.datasets.catalogue import spec
from wgnn_core.datasets.known import RawFile
from wgnn_core.errors import WGNNError
from wgnn_core.home import named_folder, program_home

MAX_BYTES = 64_000_000
"""No raw file of the catalogue is half as big."""


@dataclass(frozen=True)
class FileCheck:
    """What was found at the place of one raw file."""

    file: RawFile
    path: Path
    state: Literal["ok", "missing", "wrong checksum", "present, unchecked"]


def data_folder() -> Path:
    """``$WGNN_DATA`` if set, else ``raw`` in the program's own folder, the same for every user."""
    return named_folder("WGNN_DATA") or program_home() / "raw"


def read_checked(file: RawFile, folder: Path | None = None) -> bytes:
    """The content of a raw file, after its checksum matched.

    Raises:
        WGNNError: The file is missing or its content is not the expected one.
    """
    path = (folder or data_folder()) / file.path
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise WGNNError(
                f"The file {path} has {size} bytes, and no raw file more than {MAX_BYTES}; it was "
                "not opened: delete it and fetch it again."
            )
        content = path.read_bytes()
    except OSError as error:
        raise WGNNError(
            f"The file {path} is missing or cannot be read ({error.strerror}); fetch the dataset "
            "again or put the file there by hand."
        ) from error
    if file.sha256 is not None and sha256(content) != file.sha256:
        raise WGNNError(
            f"The file {path} has SHA-256 {sha256(content)} where {file.sha256} is expected; it "
            "was not opened: delete it and fetch it again."
        )
    return content


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def check(name: str) -> list[FileCheck]:
    """The state of each raw file of a dataset in the data folder; empty for others."""
    return [_check_file(file) for file in spec(name).files]


def status(name: str) -> Literal["built in", "on disk", "can be fetched", "incomplete"]:
    """Whether `load` would work now, and if not whether `fetch` would help.

    An imported graph is "on disk", or "incomplete" when its files cannot be read.

    "incomplete" means that some files are there and others are missing or altered, or that a
    file which can only be put there by hand is missing.
    """
    imported = spec(name).imported
    if imported is not None:
        return "incomplete" if imported.problem else "on disk"
    checks = check(name)
    if not checks:
        return "built in"
    if all(c.state in ("ok", "present, unchecked") for c in checks):
        return "on disk"
    nothing_there = all(c.state == "missing" for c in checks)
    by_hand = any(c.file.sha256 is None for c in checks)
    return "can be fetched" if nothing_there and not by_hand else "incomplete"


def _check_file(file: RawFile) -> FileCheck:
    path = data_folder() / file.path
    if not path.is_file():
        return FileCheck(file, path, "missing")
    if file.sha256 is None:
        return FileCheck(file, path, "present, unchecked")
    right = path.stat().st_size <= MAX_BYTES and sha256(path.read_bytes()) == file.sha256
    return FileCheck(file, path, "ok" if right else "wrong checksum")
