"""The rules of the house, read from the source: who may import whom, how long a module may be.

Each rule is a function from source text to a list of faults, so that each is shown to find a fault
before it is trusted to find none.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import networkx as nx
import pytest

from ui.pages import PAGES

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "wgnn_core"
CONFIGURATION = ("Makefile", "pyproject.toml", ".ci/run", ".streamlit/config.toml")
MAX_LINES = 400

FLOORS: tuple[tuple[str, ...], ...] = (
    ("errors", "versions", "home"),
    ("graph", "fraction", "fields"),
    (
        "datasets",
        "nonuniformity",
        "ranking",
        "supplement",
        "edgedrop",
        "boundary",
        "statistics",
        "coverage",
        "calibration",
        "confusion",
        "claims",
        "layout",
        "predictions",
        "theory",
        "transforms",
    ),
    ("replicas",),
    ("models",),
    ("comparators",),
    ("intervention",),
    ("wgnn",),
    ("search",),
    ("benchmark",),
    ("runs",),
    ("figures", "export", "reports", "handout"),
    ("studies",),
    ("api", "cli", "__main__"),
)
"""The rooms of wgnn_core from the ground up; a room imports from its own floor and below."""

FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
ABOVE_THE_LIBRARY = {"streamlit", "app", "pages", "ui", "tests", "benchmarks"}
OPTIONAL = {"ray"}
BUILT_IN_MARKS = {"parametrize", "skip", "skipif", "xfail", "usefixtures", "filterwarnings"}
PLUGIN_MARKS = {"timeout", "xdist_group"}


def imports(source: str, package: str) -> Iterator[str]:
    """Dotted names of everything `source` imports, also inside functions; `package` is its own."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: -node.level + 1 or None] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def rooms_used(source: str, package: str = "wgnn_core") -> set[str]:
    """The rooms of wgnn_core that `source` imports from; the package itself is ''."""
    used = set()
    for name in imports(source, package):
        first, *rest = name.split(".")
        if first == "wgnn_core":
            used.add(rest[0] if rest and rest[0] in FLOOR else "")
    return used


def upward_imports(room: str, source: str, package: str = "wgnn_core") -> list[str]:
    used = rooms_used(source, package) - {room}
    return sorted(other or "wgnn_core" for other in used if not other or FLOOR[other] > FLOOR[room])


def outside_imports(source: str) -> set[str]:
    return {name.split(".")[0] for name in imports(source, "wgnn_core")} - {"wgnn_core", ""}


def printed_lines(source: str) -> list[int]:
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"print", "pprint"}
    ]


def marks_used(source: str) -> set[str]:
    """Names X in every `pytest.mark.X` of `source`."""
    return {
        node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "mark"
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id == "pytest"
    }


def loose_requirements(text: str) -> list[str]:
    """Lines that are neither an exact pin nor the inclusion of another requirements file."""
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    included = re.compile(r"-r requirements(-[a-z]+)?\.txt")
    exact = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[a-z,]+\])?==[0-9][A-Za-z0-9.+!]*")
    return [
        line
        for line in lines
        if line and not included.fullmatch(line) and not exact.fullmatch(line)
    ]


def addresses(text: str) -> list[str]:
    """Web addresses, package indexes and absolute paths of one machine."""
    pattern = r"\w+://\S*|--(?:extra-)?index-url\S*|--find-links\S*|(?<![\w.*)}])/(?:home|root|work|Users|opt|tmp)\b\S*"
    return re.findall(pattern, text)


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def package_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).parent.parts)


LIBRARY = sorted(PACKAGE.rglob("*.py"))
ROOMS = [path for path in LIBRARY if path != PACKAGE / "__init__.py"]
FOLDERS = ("pages", "ui", "tests", "benchmarks")
EVERYTHING = sorted(
    [ROOT / "app.py", *LIBRARY, *(path for top in FOLDERS for path in (ROOT / top).rglob("*.py"))]
)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", ROOMS, ids=name)
def test_every_module_stands_on_a_known_floor_and_imports_only_downward(path: Path) -> None:
    room = room_of(path)
    assert room in FLOOR, f"{room} is new: give it a floor in FLOORS"
    assert upward_imports(room, path.read_text(), package_of(path)) == []


def test_rooms_of_one_floor_do_not_import_each_other_in_a_circle() -> None:
    graph = nx.DiGraph(
        (room_of(path), other)
        for path in ROOMS
        for other in rooms_used(path.read_text(), package_of(path)) - {room_of(path)}
    )
    assert list(nx.simple_cycles(graph)) == []


@pytest.mark.parametrize("path", LIBRARY, ids=name)
def test_library_does_not_know_the_app_and_does_not_print(path: Path) -> None:
    source = path.read_text()
    assert outside_imports(source) & ABOVE_THE_LIBRARY == set()
    assert printed_lines(source) == []


def test_library_imports_only_pinned_requirements() -> None:
    pinned = {
        re.split(r"[=\[]", line)[0].lower().replace("_", "-")
        for line in (ROOT / "requirements.txt").read_text().splitlines()
        if "==" in line
    }
    distributions = packages_distributions()
    used = set().union(*(outside_imports(path.read_text()) for path in LIBRARY))
    undeclared = {
        module
        for module in used - set(sys.stdlib_module_names) - OPTIONAL
        if not pinned & {d.lower().replace("_", "-") for d in distributions.get(module, [])}
    }
    assert undeclared == set()


@pytest.mark.parametrize("path", EVERYTHING, ids=name)
def test_no_module_is_too_long(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= MAX_LINES


def test_every_page_begins_with_the_shared_start() -> None:
    """Streamlit runs a file of `pages/` by itself when it is the first link opened on a server;
    `page_start` leads that visit back to the router."""
    pages = sorted((ROOT / "pages").glob("*.py"))
    assert {path.stem for path in pages} == {page.name for page in PAGES}
    for path in pages:
        calls = [node for node in ast.parse(path.read_text()).body if called(node)]
        assert called(calls[0]) == "page_start", path.name


def test_fragments_are_made_in_one_place() -> None:
    """What a plain fragment starts the rest of the page does not learn of."""
    assert [name(path) for path in EVERYTHING if plain_fragments(path.read_text())] == [
        "ui/jobs.py"
    ]


def plain_fragments(source: str) -> list[int]:
    """Lines that use `st.fragment`, or import it."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Attribute) and node.attr == "fragment")
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "streamlit"
            and any(alias.name == "fragment" for alias in node.names)
        )
    ]


def called(node: ast.stmt) -> str:
    """The name of the function that a top-level statement calls, if it does."""
    value = getattr(node, "value", None)
    name = getattr(value, "func", None) if isinstance(value, ast.Call) else None
    return getattr(name, "id", getattr(name, "attr", ""))


@pytest.mark.parametrize("path", sorted(ROOT.glob("requirements*.txt")), ids=name)
def test_requirements_are_exact_pins(path: Path) -> None:
    assert loose_requirements(path.read_text()) == []


@pytest.mark.parametrize("file", CONFIGURATION)
def test_configuration_names_no_address_and_no_machine(file: str) -> None:
    assert addresses((ROOT / file).read_text()) == []


def test_every_mark_is_declared() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]
    declared = {mark.split(":")[0] for mark in settings["ini_options"]["markers"]}
    used = set().union(*(marks_used(path.read_text()) for path in (ROOT / "tests").rglob("*.py")))
    assert used - BUILT_IN_MARKS - PLUGIN_MARKS <= declared


@pytest.mark.parametrize(
    ("room", "source", "faults"),
    [
        ("graph", "from wgnn_core.errors import WGNNError", []),
        ("graph", "from wgnn_core.datasets import load", ["datasets"]),
        ("replicas", "def late():\n    import wgnn_core.wgnn", ["wgnn"]),
        ("ranking", "from wgnn_core import nonuniformity, cli", ["cli"]),
        ("ranking", "from wgnn_core import __version__", ["wgnn_core"]),
        ("figures", "from wgnn_core.runs.results import RunResult", []),
    ],
)
def test_the_floor_rule_finds_upward_imports(room: str, source: str, faults: list[str]) -> None:
    assert upward_imports(room, source) == faults


def test_the_floor_rule_follows_relative_imports() -> None:
    inside = "wgnn_core.replicas"
    assert upward_imports("replicas", "from ..wgnn import run_wgnn", inside) == ["wgnn"]
    assert upward_imports("replicas", "from . import adam\nfrom .adam import step", inside) == []


def test_the_other_rules_find_faults() -> None:
    assert outside_imports("import streamlit as st\nfrom torch import nn") == {"streamlit", "torch"}
    assert printed_lines("x = 1\nprint(x)") == [2]
    assert plain_fragments("@st.fragment\ndef part(): ...") == [1]
    assert plain_fragments("from streamlit import fragment") == [1]
    assert plain_fragments("from ui.jobs import fragment\nfragment(part, 'page')()") == []
    assert marks_used("@pytest.mark.slow\ndef test(): ...") == {"slow"}
    loose = "torch\nnumpy>=2\nscipy==1.17.1\n-r requirements.txt\npkg @ git+x\nother==2.*  # why"
    assert loose_requirements(loose) == ["torch", "numpy>=2", "pkg @ git+x", "other==2.*"]
    machine = "x = /" + "home/me/x\nurl: " + "http:" + "//example.org\npip --extra-index-url"
    assert len(addresses(machine)) == 3
    assert addresses("#!/usr/bin/env bash\ncd ../shared/data >/dev/null; $(VENV)/bin/x") == []
