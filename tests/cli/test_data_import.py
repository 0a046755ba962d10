"""``data import`` and what follows it, as a user types them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from wgnn_core import datasets
from wgnn_core.cli import app
from wgnn_core.errors import WGNNError


def data(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["data", *map(str, arguments)])


@pytest.fixture
def tables(tmp_path: Path) -> list[str]:
    assert data("template", tmp_path / "start").exit_code == 0
    return [str(tmp_path / "start" / name) for name in ("edges.csv", "nodes.csv")]


def test_template_import_rename_describe_delete(tables: list[str]) -> None:
    shown = data("import", *tables, "--name", "mine", "--dry-run")
    assert shown.exit_code == 0, shown.output
    for piece in ("utf-8", "comma", "label, 2 classes: 'blue', 'red'", "given by the source",
                  "Changes: none.", "Nothing was kept (--dry-run)."):  # fmt: skip
        assert piece in shown.stdout
    assert "mine" not in datasets.names()

    kept = data("import", *tables, "--name", "mine", "--description", "[b]Four[/b] friends")
    assert kept.stdout.endswith("Kept as mine.\n")
    rows = json.loads(data("list", "--json").stdout)
    assert (rows[-1]["name"], rows[-1]["status"], rows[-1]["nodes"]) == ("mine", "imported", 4)
    assert "mine" in data("list").stdout

    assert data("rename", "mine", "yours").exit_code == 0
    assert data("describe", "yours", "--title", "Friends").exit_code == 0
    told = data("describe", "yours").stdout
    for piece in ("Friends", "[b]Four[/b] friends", "edges.csv and nodes.csv (text table)"):
        assert piece in told
    checked = {row["name"]: row for row in json.loads(data("check", "--json").stdout)}
    assert checked["yours"]["loads"]
    assert data("delete", "yours").exit_code == 0
    assert "yours" not in datasets.names()


def test_choices_reach_the_graph(tables: list[str]) -> None:
    flags = ["--split", "per-class", "--per-class", "1", "--splits", "3", "--feature", "age"]
    out = data("import", *tables, "--name", "mine", *flags, "--normalise", "--json")
    assert out.exit_code == 0, out.output
    found = json.loads(out.stdout)
    assert (found["features"], found["splits"], found["kept"]) == (1, 3, True)
    assert found["classes"] == ["blue", "red"]
    assert [c["kind"] for c in found["changes"]] == ["columns left out"]
    graph = datasets.load("mine")
    assert graph.content_hash == found["content_hash"]
    assert graph.x.toarray().ravel().tolist() == [1, 1, 1, 1]


def test_an_imported_graph_can_be_trained_on(tables: list[str]) -> None:
    assert data("import", *tables, "--name", "mine").exit_code == 0
    arguments = ["run", "--dataset", "mine", "--seeds", "2", "--epochs", "3", "--json"]
    out = CliRunner().invoke(app, arguments)
    assert out.exit_code == 0, out.output
    assert json.loads(out.stdout)["dataset_hash"] == datasets.load("mine").content_hash


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--name", "cora"], "belongs to a graph of the program"),
        (["--name", "a b"], "is not allowed"),
        (["--name", "x", "--label", "nope"], "has no column 'nope'"),
        (["--name", "x", "--split", "odd"], "The split is 'odd'"),
        (["--name", "x", "--cap", "nodes=3"], "nodes.csv has 4 nodes; the cap on nodes is 3"),
        (["--name", "x", "--encoding", "klingon"], "The encoding 'klingon' is not known"),
        (["--name", "x", "--separator", "#"], "The separator is '#'"),
        (["--name", "x", "--id", "nope"], "nodes.csv has no column 'nope'"),
        (["--name", "x", "--source", "nope"], "edges.csv has no column 'nope'"),
    ],
)
def test_bad_requests_are_one_sentence(
    tables: list[str], arguments: list[str], message: str
) -> None:
    before = datasets.names()
    result = data("import", *tables, *arguments)
    assert isinstance(result.exception, WGNNError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)
    assert datasets.names() == before


def test_a_hostile_file_exits_with_two_and_one_line(tmp_path: Path, home: Path) -> None:
    (tmp_path / "g.graphml").write_bytes(b"<!DOCTYPE x [<!ENTITY a 'b'>]><graphml/>")
    command = [sys.executable, "-m", "wgnn_core", "data", "import", "g.graphml", "--name", "x"]
    here = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(
        command, cwd=tmp_path, env=here, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: g.graphml declares a document type, where entities hide; remove its <!DOCTYPE "
        "...>.\n"
    )
    assert not home.exists()


def test_the_template_overwrites_nothing(tables: list[str]) -> None:
    again = data("template", Path(tables[0]).parent)
    assert "is there already; name another folder" in str(again.exception)
