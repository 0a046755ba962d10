"""``export``: from a stored run or from its configuration, to the same bytes."""

from __future__ import annotations

import inspect
import os
import shlex
import subprocess
import sys
import zipfile
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.runs.run_helpers import train_here
from wgnn_core.cli import app
from wgnn_core.cli import export as module
from wgnn_core.errors import WGNNError
from wgnn_core.export import table_csv
from wgnn_core.figures import KINDS, VENUES, Style
from wgnn_core.models import MODELS
from wgnn_core.reports import Choices, command_of, figure_of, kinds_of
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store
from wgnn_core.wgnn import Etas

ROOT = Path(__file__).resolve().parents[2]
CONFIG = RunConfig(
    "karate",
    hyper=(("epochs", 6), ("hidden", 4)),
    seeds=(0, 4),
    etas=((0.5, 0.4, 0.4), (0.5, 0.8, 0.8)),
)


def export(*arguments: str) -> None:
    done = CliRunner().invoke(app, ["export", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def unzip(folder: Path) -> dict[str, bytes]:
    (file,) = folder.glob("*.zip")
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_command_of_a_bundle_makes_it_again_from_a_clean_store(tmp_path: Path) -> None:
    """In another process that has never seen the run; then every kind from what that one stored."""
    store = Store()
    run_id = train_here(store, CONFIG)
    choices = ["--figure", "eta-grid", "--metric", "gain", "--venue", "iclr"]
    export(run_id[:12], *choices, "--out", str(tmp_path))
    first = unzip(tmp_path)

    words = shlex.split(first["command.txt"].decode())
    clean = tmp_path / "clean"
    clean.mkdir()
    done = subprocess.run(
        [sys.executable, *words[1:]],
        cwd=clean,
        env=os.environ | {"WGNN_HOME": str(clean / "home"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("wrote figures")
    again = unzip(clean / "figures")
    assert again["data.csv"] == first["data.csv"]
    assert again == first

    stored, made_again = (load_result(s, run_id) for s in (store, Store(clean / "home")))
    kinds = kinds_of(stored)
    assert len(kinds) == len(KINDS) - 1  # all but the depth curve, which takes several runs
    for kind in kinds:
        tables = [
            table_csv(figure_of(kind, result, CONFIG.graph()).data)
            for result in (stored, made_again)
        ]
        assert tables[0] == tables[1], kind


def test_a_depth_curve_is_made_again_from_a_clean_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store()
    deep = [
        replace(
            CONFIG,
            model="gat",
            hyper=(("epochs", 2), ("layers", layers), ("hidden", 2), ("heads", 1)),
            etas=((0.4, 0.0, 0.0),),
        )
        for layers in (3, 2)
    ]
    ids = [train_here(store, config) for config in deep]
    export(*ids, "--figure", "depth-curve", "--out", str(tmp_path / "first"))
    first = unzip(tmp_path / "first")
    words = shlex.split(first["command.txt"].decode())
    clean = Store(tmp_path / "clean")
    monkeypatch.setattr(
        module, "run_to_end", lambda config: load_result(clean, train_here(clean, config))
    )
    export(*words[4:-1], str(tmp_path / "again"))
    assert unzip(tmp_path / "again") == first


def caught(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> tuple[list[RunConfig], dict]:
    """What `export` would train and draw, without doing either."""
    configs: list[RunConfig] = []
    drawn: dict = {}

    class Result:
        def __init__(self, config: RunConfig) -> None:
            configs.append(config)
            self.config = config
            names = {"dataset": config.dataset, "model": config.model, "run_id": "0" * 32}
            self.summary = type("Summary", (), names)()

    def bundle(kind, _results, _graph, style, **choices) -> bytes:
        drawn.update(kind=kind, style=style, choices=Choices(**choices))
        return b""

    def everything(result, graph, style, **choices) -> bytes:
        return bundle(None, result, graph, style, **choices)

    with monkeypatch.context() as patch:
        patch.setattr(module, "run_to_end", Result)
        patch.setattr(module, "figure_bundle", bundle)
        patch.setattr(module, "run_bundle", everything)
        patch.setattr(module, "_written", lambda folder, name, content: folder / name)
        export(*words)
    return configs, drawn


FRACTION = st.floats(0, 1).map(lambda value: round(value, 3))
TRIPLE = st.tuples(FRACTION, FRACTION, FRACTION)


@st.composite
def configs(draw: st.DrawFn) -> RunConfig:
    model = draw(st.sampled_from(sorted(MODELS)))
    hyper: dict = {"lr": draw(st.floats(1e-5, 1.0)), "epochs": draw(st.integers(1, 500))}
    for item in fields(MODELS[model]):
        if item.type == "bool":
            hyper[item.name] = draw(st.booleans())
        elif item.metadata["choices"]:
            hyper[item.name] = draw(st.sampled_from(item.metadata["choices"]))
    generated = {"nodes": draw(st.integers(100, 300)), "homophily": draw(st.floats(0.5, 0.9))}
    dataset = draw(st.sampled_from(["karate", "csbm"]))
    two_stage = draw(st.booleans())
    return RunConfig(
        dataset,
        tuple(generated.items()) if dataset == "csbm" else (),
        model,
        tuple(hyper.items()),
        seeds=tuple(draw(st.lists(st.integers(0, 99), min_size=1, max_size=4, unique=True))),
        etas=() if two_stage else tuple(draw(st.lists(TRIPLE, max_size=4))),
        search="two-stage" if two_stage else "list",
        steps=tuple(draw(st.lists(FRACTION, min_size=1, max_size=3))) if two_stage else (0.5,),
        pool=draw(st.sampled_from(["all", "test"])),
    )


@st.composite
def choices(draw: st.DrawFn) -> Choices:
    return Choices(
        seed=draw(st.none() | st.integers(0, 99)),
        etas=draw(st.none() | TRIPLE.map(lambda triple: Etas(*triple))),
        colour=draw(st.sampled_from(["w", "class", "prediction", "correctness", "distance"])),
        metric=draw(st.sampled_from(["val", "test", "gain"])),
        rankers=draw(st.sampled_from([("m1", "m2"), ("m2",), ("margin", "entropy")])),
        label=draw(st.none() | st.integers(0, 1)),
        max_nodes=draw(st.integers(1, 999)),
    )


@st.composite
def styles(draw: st.DrawFn) -> Style:
    return Style(
        draw(st.sampled_from(sorted(VENUES))),
        draw(st.sampled_from(["column", "full"])),
        draw(st.sampled_from(["serif", "sans"])),
        draw(st.none() | st.floats(6, 40)),
        sequential=draw(st.sampled_from(["viridis", "cividis"])),
        title=draw(st.none() | st.booleans()),
    )


@settings(max_examples=60, deadline=None)
@given(configs(), st.none() | st.sampled_from(sorted(KINDS)), styles(), choices())
def test_a_command_reads_back_as_what_it_was_made_from(config, kind, style, chosen) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        command = command_of(config, kind, style, chosen)
        (read,), drawn = caught(monkeypatch, shlex.split(command)[4:])
    expected = config.resolve()
    if config.search == "list":
        read, expected = (replace(c, steps=(0.5,)) for c in (read, expected))
    assert read.resolve() == expected
    assert drawn == {"kind": kind, "style": style, "choices": chosen}


def test_no_option_hides_a_hyperparameter() -> None:
    signature = inspect.signature(module.export)
    options = set(signature.parameters) | {"all", "class", "out"}
    for model in MODELS.values():
        assert not options & {item.name for item in fields(model)}, model.name


def test_seeds_are_how_many_or_which(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, expected in (("3", (0, 1, 2)), ("3,", (3,)), ("5,0", (5, 0))):
        words = ["--dataset", "karate", "--seeds", text, "--figure", "node-map"]
        ((config,), _) = caught(monkeypatch, words)
        assert config.seeds == expected


def test_a_class_has_a_name_or_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--dataset", "karate", "--figure", "harmonic-map", "--class"]
    names = CONFIG.graph().class_names
    for text, number in ((names[1], 1), ("0", names.index("0") if "0" in names else 0)):
        assert caught(monkeypatch, [*words, text])[1]["choices"].label == number


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dataset", "karate"], "--figure KIND or --all"),
        (["--dataset", "karate", "--figure", "node-map", "--all"], "and not both"),
        (["--figure", "node-map"], "say which run"),
        (["--dataset", "karate", "--figure", "pie"], "no figure 'pie'; choose one of accuracy"),
        (["--dataset", "karate", "--all", "--venue", "x"], "figure venue is 'x'"),
        (["--dataset", "karate", "--all", "--seeds", "x"], "--seeds is 'x'"),
        (["--dataset", "karate", "--all", "--eta", "1,2"], "--eta is '1,2'"),
        (["--dataset", "karate", "--all", "--eta", "0,0,x"], "no list of values"),
        (["--dataset", "csbm", "--all", "--parameter", "nodes"], "must look like nodes=500"),
        (["--dataset", "csbm", "--all", "--parameter", "nodes=1,2"], "look like nodes=500"),
        (["--dataset", "karate", "--all", "--hiden", "4"], "neither an option nor"),
        (["--dataset", "karate", "--all", "--model", "x"], "no model 'x'"),
        (["abc", "--all"], "no runs have an id that begins with 'abc'"),
        (["abc", "--all", "--dataset", "karate"], "has a configuration already"),
        (["abc", "--all", "--hidden", "4"], "has a configuration already"),
        (["abc", "--all", "--pool", "all"], "has a configuration already"),
    ],
)
def test_wrong_input_is_one_line(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["export", *arguments])
    assert isinstance(result.exception, WGNNError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)


def test_an_unfinished_run_is_refused() -> None:
    store = Store()
    store.create(CONFIG)
    result = CliRunner().invoke(app, ["export", CONFIG.run_id, "--all"])
    assert "0 of 6 trainings are finished" in str(result.exception)


def test_what_a_stored_run_cannot_give(tmp_path: Path) -> None:
    run_id = train_here(Store(), replace(CONFIG, etas=()))
    result = CliRunner().invoke(app, ["export", run_id, "--figure", "eta-grid"])
    assert "its etas form no grid" in str(result.exception)
    blocked = tmp_path / "file"
    blocked.write_text("")
    words = ["export", run_id, "--figure", "w-histogram", "--out", str(blocked)]
    result = CliRunner().invoke(app, words)
    assert "cannot be written" in str(result.exception)
    class_words = ["export", run_id, "--figure", "harmonic-map", "--class", "nine"]
    result = CliRunner().invoke(app, class_words)
    assert "karate has no class 'nine'" in str(result.exception)


def test_a_run_of_other_versions_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = train_here(Store(), replace(CONFIG, etas=()))
    monkeypatch.setattr("wgnn_core.runs.config.versions", lambda: {"torch": "0"})
    words = ["export", run_id, "--figure", "w-histogram", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    assert "other versions" in result.stderr
