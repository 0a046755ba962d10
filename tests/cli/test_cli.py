"""The command line: machine-readable output, one-line errors with exit code 2."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wgnn_core.cli import app
from wgnn_core.cli.flags import hyperparameters, parse_flag
from wgnn_core.errors import WGNNError
from wgnn_core.fields import knobs
from wgnn_core.intervention import Intervention
from wgnn_core.models import MODELS
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.wgnn import train_base


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-m", "wgnn_core", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )


def test_run_prints_json_and_nothing_else() -> None:
    arguments = ["run", "--dataset", "karate", "--seeds", "2", "--epochs", "5", "--json"]
    first, second = (CliRunner().invoke(app, [*arguments, "--fresh"]) for _ in range(2))
    assert first.exit_code == 0, first.output
    out, again = json.loads(first.stdout), json.loads(second.stdout)
    assert out["dataset"] == "karate"
    assert out["hyperparameters"]["epochs"] == 5
    assert len(out["base"]["test"]) == len(out["wgnn"]["test_retrained"]) == 2
    for key in ("base", "wgnn", "edges_dropped", "pseudo_labels", "p_value"):
        assert out[key] == again[key]


def test_run_shows_a_table() -> None:
    out = CliRunner().invoke(app, ["run", "--dataset", "karate", "--seeds", "2", "--epochs", "3"])
    assert out.exit_code == 0
    assert "base" in out.stdout
    assert "wGNN" in out.stdout


def test_run_compares_with_comparators() -> None:
    arguments = ["run", "--dataset", "karate", "--seeds", "2", "--epochs", "3", "--json"]
    rivals = ["--against", "renode", "--against", "self-training"]
    out = CliRunner().invoke(app, [*arguments, *rivals])
    assert out.exit_code == 0, out.output
    found = json.loads(out.stdout)
    for name in ("renode", "self-training"):
        config = RunConfig("karate", model=name, seeds=(0, 1))
        alone = train_base(config.graph(), config.base_model, 2)
        assert found["comparators"][name]["test"] == alone.test.tolist()
        assert found["comparators"][name]["joined"] == alone.joined.tolist()
    assert max(found["comparators"]["self-training"]["joined"]) > 0
    shown = CliRunner().invoke(app, [*arguments[:-1], *rivals])
    assert "Self-training added" in shown.stdout


def test_run_on_a_generated_graph() -> None:
    graph = ["--dataset", "csbm", "--parameter", "nodes=120", "--parameter", "classes=2"]
    out = CliRunner().invoke(app, ["run", *graph, "--seeds", "2", "--epochs", "3", "--json"])
    assert out.exit_code == 0, out.output
    run = RunConfig("csbm", (("nodes", 120), ("classes", 2)))
    assert json.loads(out.stdout)["dataset_hash"] == run.graph().content_hash


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dataset", "csbm", "--parameter", "nodes"], "must look like nodes=500"),
        (["--dataset", "nope"], "choose one of digits"),
        (["--model", "nope"], "choose one of gcn"),
        (["--against", "gcn"], "choose one of renode"),
        (["--eta0", "1.5"], "eta0 is 1.5; it must lie between 0 and 1"),
        (["--eta2", "nan"], "eta2 is nan"),
        (["--seeds", "0"], "between 1 and 1000"),
        (["--pool", "x"], "pool is 'x'; it must be one of all, test"),
        (["--ranker", "x"], "ranker is 'x'; it must be one of w, margin"),
        (["--edge-ranker", "x"], "edge_ranker is 'x'; it must be one of w, margin"),
        (["--edge-model", "x"], "edge_model is 'x'; it must be one of same, gcn"),
        (["--device", "tpu"], "no device 'tpu'"),
        (["--hiden", "3"], "--hidden"),
        (["--hidden", "0"], "between 1 and 1024"),
        (["--epochs", "many"], "a whole number"),
        (["--preset", "mine"], "authors"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["run", "--dataset", "karate", *arguments])
    assert isinstance(result.exception, WGNNError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)


def test_errors_exit_with_two_and_no_traceback() -> None:
    result = command("run", "--dataset", "nope")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


def test_hyperparameters_take_the_types_of_the_model() -> None:
    flags = ["--hidden", "32", "--dropout=0.1", "--decay-all", "true"]
    assert hyperparameters(MODELS["gcn"], flags) == {
        "hidden": 32,
        "dropout": 0.1,
        "decay_all": True,
    }
    with pytest.raises(WGNNError, match="needs a value"):
        hyperparameters(MODELS["gcn"], ["--hidden"])


def test_models_lists_every_hyperparameter() -> None:
    for name in MODELS:
        out = CliRunner().invoke(app, ["models", name])
        assert out.exit_code == 0
        assert "--lr" in out.stdout


def test_data_list_names_everything() -> None:
    rows = json.loads(CliRunner().invoke(app, ["data", "list", "--json"]).stdout)
    names = [row["name"] for row in rows]
    assert {"digits", "karate", "csbm", "disease-sim", "cora", "chameleon"} <= set(names)
    assert len(names) == 17


@pytest.mark.dataset
def test_data_check_refuses_a_flipped_byte(
    raw_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "raw"
    shutil.copytree(raw_data, copy)
    for path in copy.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    victim = copy / "Cora/raw/ind.cora.x"
    content = bytearray(victim.read_bytes())
    content[100] ^= 1
    victim.write_bytes(content)
    before = sorted(copy.rglob("*"))
    monkeypatch.setenv("WGNN_DATA", str(copy))
    result = CliRunner().invoke(app, ["data", "check", "--json"])
    assert result.exit_code == 2
    rows = {row["name"]: row for row in json.loads(result.stdout)}
    assert rows["cora"]["wrong"] == ["Cora/raw/ind.cora.x"]
    assert not rows["cora"]["loads"]
    complete = [name for name, row in rows.items() if row["loads"]]
    assert len(complete) == 11
    assert "ind.cora.x" in result.stderr
    run = CliRunner().invoke(app, ["run", "--dataset", "cora"])
    assert "ind.cora.x" in str(run.exception)
    assert sorted(copy.rglob("*")) == before


def test_the_knobs_of_the_intervention_reach_the_numbers() -> None:
    """The flags are made from its fields; `test_changes` adds one more."""
    arguments = ["run", "--dataset", "karate", "--seeds", "2", "--epochs", "15", "--json"]
    asked = {"ranker": "margin", "edge_ranker": "random", "pool": "test", "edge_model": "gat"}
    flags = [w for k, v in asked.items() for w in (f"--{k.replace('_', '-')}", v)]
    out = CliRunner().invoke(app, [*arguments, *flags, "--eta0", "0.5"])
    assert out.exit_code == 0, out.output
    found = json.loads(out.stdout)
    assert {name: found[name] for name in asked} == asked
    assert found["eta"] == [0.5, 0.3, 0.4]
    config = RunConfig(
        "karate",
        hyper=(("epochs", 15),),
        seeds=(0, 1),
        interventions=(Intervention(0.5, 0.3, 0.4, **asked),),
    )
    assert found["run"] == config.run_id
    here = run_here(config)
    assert found["wgnn"]["test"] == here.rows["test"].tolist()
    assert found["edges_dropped"] == here.rows["edges_dropped"].tolist()


def test_seeds_are_a_number_or_a_list() -> None:
    (knob,) = (knob for knob in knobs(RunConfig) if knob.name == "seeds")
    for text, seeds in (("2", (0, 1)), ("7,", (7,)), ("4,2", (4, 2))):
        assert RunConfig("karate", seeds=parse_flag(knob, text)).seeds == seeds
