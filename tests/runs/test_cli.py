"""`sweep` and `runs` as they are typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from tests.runs.run_helpers import train_here, until
from wgnn_core.cli import app, console
from wgnn_core.cli.flags import values
from wgnn_core.errors import WGNNError
from wgnn_core.home import home
from wgnn_core.runs import local
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store
from wgnn_core.search import paired_grid

PARAMETERS = ("nodes=200", "classes=3", "features=12", "average_degree=6")
GRAPH = ["--dataset", "csbm", *(x for p in PARAMETERS for x in ("--parameter", p))]


@pytest.fixture(autouse=True)
def in_home(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WGNN_HOME", str(store.path))
    monkeypatch.setattr(console.out, "width", 160)
    assert home() == store.path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_sweep_stopped_with_ctrl_c_goes_on_when_called_again(store: Store, tmp_path: Path) -> None:
    command = ["sweep", *GRAPH, "--epochs", "60", "--seeds", "5", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "wgnn_core", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        # a shell starts what runs in the background deaf to Ctrl-C, and children inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until(lambda: store.runs() and len(store.cells(store.runs()[0].run_id)) >= 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "the same command goes on" in err
    (run,) = store.runs()
    kept = store.cells(run.run_id)
    assert run.state == "interrupted"
    assert 2 <= len(kept) < 6
    times = {n: (store.path / "arrays" / run.run_id / f"{n}.npz").stat().st_mtime_ns for n in kept}

    again = call(*command)
    assert again.exit_code == 0, again.stderr
    described = json.loads(again.stdout)
    assert (described["state"], described["done"], described["total"]) == ("done", 165, 165)
    for number, time in times.items():
        file = store.path / "arrays" / run.run_id / f"{number}.npz"
        assert file.stat().st_mtime_ns == time, "a finished cell was trained again"
    apart = Store(tmp_path / "apart")
    rows = load_result(apart, train_here(apart, run.config)).rows
    pd.testing.assert_frame_equal(pd.DataFrame(described["rows"]), rows)


@pytest.fixture
def trained(store: Store, monkeypatch: pytest.MonkeyPatch) -> RunConfig:
    """A finished sweep; from here on no worker may start."""
    grid = paired_grid([0.2, 0.4], [0.5])
    config = RunConfig(
        "csbm",
        tuple((k, float(v)) for k, v in (p.split("=") for p in PARAMETERS)),
        hyper=(("epochs", 5),),
        seeds=(0, 1, 2),
        interventions=tuple(grid),
    )
    train_here(store, config)

    def refuse(_: object) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr(local, "spawn", refuse)
    return config


SWEEP = ["sweep", *GRAPH, "--eta0", "0.2,0.4", "--eta1", "0.5", "--seeds", "3", "--epochs", "5"]


def test_a_finished_sweep_is_read_from_the_store(store: Store, trained: RunConfig) -> None:
    result = call(*SWEEP)
    assert result.exit_code == 0, result.output
    assert trained.run_id in result.stdout
    assert "chosen on validation" in result.stdout
    assert "best on test (bound)" in result.stdout
    described = json.loads(call(*SWEEP, "--json").stdout)
    assert described["run_id"] == trained.run_id
    stored = load_result(store, trained.run_id)
    assert stored.chosen is not None
    assert described["comparison"]["difference"] == stored.comparison(stored.chosen).difference


def test_fresh_asks_for_a_worker(trained: RunConfig) -> None:
    result = call(*SWEEP, "--fresh")
    assert isinstance(result.exception, AssertionError)


def test_list_show_export_delete(store: Store, trained: RunConfig, tmp_path: Path) -> None:
    other = replace(trained, model="gat")
    store.create(other)
    store.pin(other.run_id)
    store.note(trained.run_id, "[bold]mine")
    listed = call("runs", "list").stdout
    assert f"* {other.run_id[:10]}" in listed and trained.run_id[:10] in listed
    assert "[bold]mine" in listed and "interrupted" in listed
    rows = json.loads(call("runs", "list", "--json", "--model", "gcn", "--state", "done").stdout)
    assert [row["run_id"] for row in rows] == [trained.run_id]
    assert json.loads(call("runs", "list", "--json", "--dataset", "cora").stdout) == []

    shown = call("runs", "show", trained.run_id[:12])
    assert "9 of 9 trainings" in shown.stdout
    assert json.loads(call("runs", "show", other.run_id, "--json").stdout)["base_test"] is None

    stored = load_result(store, trained.run_id)
    table, everything = tmp_path / "t.csv", tmp_path / "t.json"
    assert call("runs", "export", trained.run_id, str(table)).exit_code == 0
    pd.testing.assert_frame_equal(pd.read_csv(table), stored.rows)
    assert call("runs", "export", trained.run_id, str(everything)).exit_code == 0
    assert json.loads(everything.read_text())["dataset_hash"] == stored.graph_hash

    assert call("runs", "delete", trained.run_id[:12]).exit_code == 0
    assert [run.run_id for run in store.runs()] == [other.run_id]


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        (r"\[/]", r"\[/]"),
        ("[/] [/bold] [red]", "[/] [/bold] [red]"),
        ("a\x1b[2Jb\x1b]0;title\x07c\x9b31md\x08e", "a[2Jb]0;titlec31mde"),
        (":smile:", ":smile:"),
    ],
)
def test_a_note_is_text_in_the_terminal(
    store: Store, config: RunConfig, note: str, shown: str, tmp_path: Path
) -> None:
    store.create(config)
    store.note(config.run_id, note)
    listed = call("runs", "list")
    assert listed.exit_code == 0 and shown in listed.stdout
    assert not set("\x1b\x07\x08\x9b") & set(listed.stdout)
    name = note.replace("/", "").replace("\0", "") + ".csv"  # names of files are printed too
    written = call("runs", "export", config.run_id, str(tmp_path / name))
    assert written.exit_code == 0 and "\x1b" not in written.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["runs", "show", "zzz"], "begins with 'zzz'"),
        (["runs", "delete", "zzz"], "begins with 'zzz'"),
        (["sweep", "--search", "random"], "one of paired, full, two-stage"),
        (["sweep", "--eta0", "a"], "'a' is no list"),
        (["sweep", "--eta0", "1.5"], "1.5"),
        (["sweep", "--model", "gnc"], "no model 'gnc'"),
        (["sweep", "--dataset", "coral"], "no dataset 'coral'"),
        (["sweep", "--seeds", "0"], "0 seeds"),
        (["sweep", "--parameter", "nodes"], "nodes=500"),
        (["sweep", "--colour", "red"], "--colour"),
        (["sweep", "--ranker", "luck"], "ranker is 'luck'; it must be one of w, margin"),
        (["sweep", "--edge-model", "renode"], "edge_model is 'renode'; it must be one of same"),
    ],
)
def test_mistakes_are_named(arguments: list[str], words: str) -> None:
    result = call(*arguments)
    assert isinstance(result.exception, WGNNError)
    assert words in str(result.exception)


def test_export_names_what_it_cannot_write(trained: RunConfig, tmp_path: Path) -> None:
    for file, words in ((tmp_path / "t.xls", ".csv or .json"), (tmp_path / "no" / "t.csv", "no")):
        result = call("runs", "export", trained.run_id, str(file))
        assert isinstance(result.exception, WGNNError)
        assert words in str(result.exception)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5", [0.5]),
        ("0.2,0.4", [0.2, 0.4]),
        ("0.1:0.3:0.1", [0.1, 0.2, 0.3]),
        ("0:1:0.5", [0.0, 0.5, 1.0]),
        ("0.1:0.35:0.1", [0.1, 0.2, 0.3]),
    ],
)
def test_values(text: str, expected: list[float]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    "text", ["", "1:2", "0:1:0", "1:0:0.1", "0.1,,0.2", "0:1:nan", "0:inf:1", "0:1:1e-9"]
)
def test_values_that_are_none(text: str) -> None:
    with pytest.raises(WGNNError, match="no list of values"):
        values(text)
