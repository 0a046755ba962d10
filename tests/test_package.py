"""The wheel: what pip installs, what it needs, and that it says one version everywhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import wgnn_core

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {
    "": "requirements.txt",
    "cluster": "requirements-cluster.txt",
    "dev": "requirements-dev.txt",
}


def pins(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text().splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


def ranges(extra: str) -> dict[str, Requirement]:
    listed = PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
    found = [Requirement(line) for line in listed]
    if not extra:
        found += [Requirement(line) for line in PROJECT["optional-dependencies"]["app"]]
    return {item.name: item for item in found if item.name != PROJECT["name"]}


@pytest.mark.parametrize(("extra", "file"), EXTRAS.items())
def test_every_pin_lies_in_its_range_and_every_range_has_a_pin(extra: str, file: str) -> None:
    pinned, allowed = pins(file), ranges(extra)
    assert pinned.keys() == allowed.keys()
    outside = [name for name, pin in pinned.items() if pin not in allowed[name].specifier]
    assert outside == []


def test_the_citation_names_this_version() -> None:
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited is not None
    assert cited[1] == wgnn_core.__version__


def test_the_wheel_holds_every_module_its_data_and_the_command(tmp_path: Path) -> None:
    source = tmp_path / "source"
    left_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "wgnn_core", source / "wgnn_core", ignore=left_out)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    build += ["--disable-pip-version-check", "--wheel-dir", str(tmp_path), str(source)]
    subprocess.run(build, check=True, capture_output=True, timeout=200)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"wgnn_explorer-{wgnn_core.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
        (entry,) = (name for name in inside if name.endswith("entry_points.txt"))
        assert "wgnn = wgnn_core.cli:main" in archive.read(entry).decode()
    there = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "wgnn_core").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert there <= inside
    assert {name.split("/")[0] for name in inside if "dist-info" not in name} == {"wgnn_core"}
