"""Zip archives: of two tables, and the outside of ``.npz`` and ``.pt``. Nothing is unpacked to
disk; members are read by name into memory after their sizes were checked."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath

from wgnn_core.datasets.own.caps import Caps
from wgnn_core.datasets.own.content import File, foreign, shown
from wgnn_core.errors import WGNNError

MAX_MEMBERS = 10_000
TABLES = ("csv", "tsv", "txt", "parquet")


@contextmanager
def opened(file: File, kind: str, caps: Caps) -> Iterator[zipfile.ZipFile]:
    """The archive, if no member has a dangerous name and all together fit into the cap."""
    with foreign(file.name, kind):
        archive = zipfile.ZipFile(io.BytesIO(file.content))
    with archive:
        members = archive.infolist()
        if len(members) > MAX_MEMBERS:
            raise WGNNError(f"{file.name} has {len(members)} members; at most {MAX_MEMBERS}.")
        for member in members:
            _check_name(file.name, member)
        caps.check("bytes", sum(member.file_size for member in members), f"{file.name}, unpacked,")
        yield archive


def read_tables(file: File, caps: Caps) -> tuple[File, ...]:
    """The tables in a zip archive; folders and the hidden files of systems are passed over."""
    with opened(file, "a zip archive", caps) as archive:
        inside = [m for m in archive.infolist() if not m.is_dir() and not _hidden(m.filename)]
        tables = [m for m in inside if m.filename.rsplit(".", 1)[-1].lower() in TABLES]
        if len(tables) != 2 or len(inside) != 2:
            names = ", ".join(shown(m.filename) for m in inside[:5]) or "nothing"
            raise WGNNError(
                f"{file.name} holds {names}; it needs two tables and nothing else, one of edges "
                "and one of nodes."
            )
        with foreign(file.name, "a zip archive"):
            return tuple(File(m.filename.rsplit("/", 1)[-1], archive.read(m)) for m in tables)


def _hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and (parts[0] == "__MACOSX" or parts[-1].startswith("."))


def _check_name(where: str, member: zipfile.ZipInfo) -> None:
    name = member.filename
    if not name:
        raise WGNNError(f"{where} has a member without a name.")
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in name:
        raise WGNNError(f"{where} has the member {shown(name)}, which leads out of the archive.")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise WGNNError(f"{where} has the member {shown(name)}, which is a link.")
    if member.flag_bits & 1:
        raise WGNNError(f"{where} is encrypted; give it without a password.")
