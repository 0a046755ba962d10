"""Every example of the README and of the documents runs as it stands there.

The blocks of a document run in order, in one folder, as a reader would try them: ``python`` blocks
in one namespace (one that begins with ``# FILE.py`` is written to that file), and each line of an
``sh`` block as a command, where RUN is the latest run. Other blocks of the README show commands
that install, serve or train for long; they do not run.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wgnn_core.cli import app
from wgnn_core.comparators import METHODS
from wgnn_core.runs.store import Store

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.S | re.M)
NAMED = re.compile(r"# (\w+\.py)\n")
EXAMPLES = {file.name: BLOCK.findall(file.read_text(encoding="utf-8")) for file in DOCUMENTS}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("WGNN_HOME", str(tmp_path / "home"))
    before = dict(METHODS)
    yield tmp_path
    sys.modules.pop("my_model", None)
    for name in METHODS.keys() - before.keys():  # what an example registered goes with it
        del METHODS[name]


def test_the_readme_has_an_example_of_under_ten_lines() -> None:
    first = next(text for kind, text in EXAMPLES["README.md"] if kind == "python")
    lines = [line for line in first.splitlines() if line.strip()]
    assert len(lines) < 10
    assert ".latex()" in first and ".figure(" in first and "to_pyg()" in first


@pytest.mark.parametrize("document", [name for name, blocks in EXAMPLES.items() if blocks])
def test_the_examples_of_a_document_run(
    document: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {}
    for kind, text in EXAMPLES[document]:
        if kind == "sh":
            for line in text.splitlines():
                call(line)
        elif named := NAMED.match(text):
            (folder / named[1]).write_text(text, encoding="utf-8")
        else:
            exec(compile(text, document, "exec"), names)
    if "result" in names:
        assert "GCN" in capsys.readouterr().out


def call(line: str) -> None:
    """Run one ``wgnn`` command."""
    program, *arguments = shlex.split(line)
    assert program == "wgnn", line
    if "RUN" in arguments:
        arguments[arguments.index("RUN")] = Store().runs()[0].run_id
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, f"{line}: {done.output} {done.exception!r}"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.name)
def test_a_notebook_runs_and_keeps_no_output(notebook: Path, folder: Path) -> None:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    names: dict[str, object] = {}
    for number, cell in enumerate(code):
        assert cell["outputs"] == [] and cell["execution_count"] is None
        exec(compile("".join(cell["source"]), f"{notebook.name}, cell {number}", "exec"), names)


NUMBER = re.compile(r"\d+\.\d\d+")
SOURCES = (
    "README.md", "benchmarks/NOTES.md", "benchmarks/base_models.md", "docs/THEORY.md",
    "docs/REPRODUCTION.md",
)  # fmt: skip


def test_the_evidence_has_no_number_of_its_own() -> None:
    known = {n for name in SOURCES for n in NUMBER.findall((ROOT / name).read_text("utf-8"))}
    said = set(NUMBER.findall((ROOT / "docs/evidence.md").read_text(encoding="utf-8")))
    assert said and said <= known, said - known


LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*")


@pytest.mark.skipif(find_spec("sphinx") is None, reason="the site is built with `make docs`")
def test_the_site_is_built_without_a_warning_and_asks_nobody(folder: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", folder / "doctrees", ROOT / "docs", folder / "site"],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    pages = {file.name: file.read_text("utf-8") for file in (folder / "site").glob("*.html")}
    assert {"index.html", "tutorial.html", "api.html", "own-model.html"} <= pages.keys()
    assert "wgnn_core.DropBoundaryEdges" in pages["api.html"]
    for name, text in pages.items():  # links may lead out, but nothing is loaded from elsewhere
        assert LOADED.findall(text) == [], name


def test_the_readme_says_whom_a_ray_cluster_lets_in() -> None:
    _, _, after = (ROOT / "README.md").read_text(encoding="utf-8").partition("ray start --head")
    warning = after.split("\n## ")[0]
    for words in ("can run any code", "network that you trust", "RAY_AUTH_TOKEN"):
        assert words in warning
