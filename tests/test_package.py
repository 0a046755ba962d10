"""The wheel: what pip installs, what it needs, and that it says one version everywhere."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest
from packaging.requirements import Requirement

import wgnn_core

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {
    "": "requirements.txt",
    "cluster": "requirements-cluster.txt",
    "shared": "requirements-shared.txt",
    "dev": "requirements-dev.txt",
    "docs": "requirements-docs.txt",
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


def test_every_package_is_pinned() -> None:
    """What the requirements lead to here, each with one version, and nothing but versions."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import pin
    finally:
        sys.path.pop(0)
    pinned = pins("constraints.txt")
    assert len(pinned) > 100
    found = pin.closure(pin.wanted(ROOT / "requirements-dev.txt"))
    assert found.keys() <= pinned.keys()
    for file in EXTRAS.values():
        for name, version in pins(file).items():
            assert pinned[name] == version
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert all(re.fullmatch(r"#.*|[a-z0-9.-]+==[0-9a-z.]+", line) for line in lines)


def test_the_citation_names_this_version() -> None:
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited is not None
    assert cited[1] == wgnn_core.__version__


APP = ("app.py", "pages", "ui", ".streamlit")
"""What travels as the package `wgnn_explorer_app`."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built without network, by the build tools of this environment."""
    if find_spec("setuptools") is None or find_spec("pip") is None:
        pytest.skip("building a wheel without network needs pip and setuptools here")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    left_out = shutil.ignore_patterns("__pycache__")
    for name in ("wgnn_core", "pages", "ui", ".streamlit"):
        shutil.copytree(ROOT / name, source / name, ignore=left_out)
    for name in ("pyproject.toml", "setup.py", "app.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    build += ["--disable-pip-version-check", "--wheel-dir", str(folder), str(source)]
    subprocess.run(build, check=True, capture_output=True, timeout=200)
    (built,) = folder.glob("*.whl")
    return built


def files(*names: str) -> set[str]:
    """The files of the repository below some names, relative to it."""
    found = (path for name in names for path in (ROOT / name, *(ROOT / name).rglob("*")))
    return {
        path.relative_to(ROOT).as_posix()
        for path in found
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_every_module_its_data_the_app_and_the_command(wheel: Path) -> None:
    assert wheel.name == f"wgnn_explorer-{wgnn_core.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
        (entry,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        assert "wgnn = wgnn_core.cli:main" in archive.read(entry).decode()
    assert inside == files("wgnn_core") | {f"wgnn_explorer_app/{name}" for name in files(*APP)}


def test_the_app_is_served_from_the_unpacked_wheel(wheel: Path, tmp_path: Path) -> None:
    unpacked = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        port = listener.getsockname()[1]
    home = {"WGNN_HOME": "home", "PYTHONPATH": str(unpacked), "OMP_NUM_THREADS": "1"}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "wgnn_core", "app", "--port", str(port)],
            cwd=tmp_path, env=os.environ | home, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        assert "ok" in fetched(f"http://localhost:{port}/_stcore/health", process, log.name)
        assert "<title>" in fetched(f"http://localhost:{port}/own", process, log.name)
        running = psutil.Process(process.pid)
        assert Path(running.cwd()) == unpacked / "wgnn_explorer_app"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)


def fetched(address: str, process: subprocess.Popen[bytes], log: str) -> str:
    """What the server answers, as soon as it is up."""
    end = time.monotonic() + 90
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                return str(answer.read().decode())
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"{address} does not answer:\n{Path(log).read_text()}")


def test_without_streamlit_the_command_says_what_to_install(tmp_path: Path) -> None:
    hide = "import sys; sys.modules['streamlit'] = None; sys.argv = ['wgnn', 'app']\n"
    script = hide + "from wgnn_core.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2
    assert "pip install 'wgnn-explorer[app]'" in done.stderr and "Traceback" not in done.stderr
