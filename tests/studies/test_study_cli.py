"""``wgnn study``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wgnn_core import cli
from wgnn_core.errors import WGNNError
from wgnn_core.runs.results import RunResult
from wgnn_core.runs.store import Store
from wgnn_core.studies import STUDIES

from .conftest import TINY

runner = CliRunner()


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, store: Store, karate: RunResult) -> None:
    monkeypatch.setitem(STUDIES, "tiny", TINY)
    monkeypatch.setenv("WGNN_HOME", str(store.path))


def test_list_names_every_study() -> None:
    shown = runner.invoke(cli.app, ["study", "--list"], env={"COLUMNS": "200"}).stdout
    assert all(name in shown for name in STUDIES)


def test_stored_results_as_text_and_json(tiny: None, tmp_path: Path) -> None:
    words = ["study", "tiny", "--stored", "--row", "GCN", "--column", "Karate"]
    shown = runner.invoke(cli.app, words, env={"COLUMNS": "250"})
    assert shown.exit_code == 0
    assert "again: wgnn study tiny --row GCN --column Karate" in shown.stdout
    narrow = runner.invoke(cli.app, words, env={"COLUMNS": "80"})
    assert "…" not in narrow.stdout, "no number is cut"
    saved = runner.invoke(cli.app, [*words, "--json", "--save", str(tmp_path)])
    (told,) = json.loads(saved.stdout)
    assert told["records"][0]["n"] == 3
    assert json.loads((tmp_path / "tiny.json").read_text())["records"] == told["records"]


def test_what_is_not_there_is_said(tiny: None) -> None:
    result = runner.invoke(cli.app, ["study", "none"])
    assert isinstance(result.exception, WGNNError)
    shown = runner.invoke(cli.app, ["study", "tiny", "--stored"], env={"COLUMNS": "250"}).stdout
    assert "not run: GCN on Disease" in shown
