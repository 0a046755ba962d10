"""``export``: from a stored run or from its configuration, to the same bytes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import zipfile
from dataclasses import fields, replace
from pathlib import Path

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from wgnn_core.cli import app
from wgnn_core.cli import export as module
from wgnn_core.comparators import METHODS
from wgnn_core.errors import WGNNError
from wgnn_core.export import table_csv
from wgnn_core.fields import knobs
from wgnn_core.figures import KINDS, VENUES, Style, choices_of, figure_of, kinds_of
from wgnn_core.figures.scene import Choices, Scene
from wgnn_core.intervention import ETAS, Intervention
from wgnn_core.models import MODELS
from wgnn_core.ranking import SCORES
from wgnn_core.reports import command_of
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store

ROOT = Path(__file__).resolve().parents[2]
CONFIG = RunConfig(
    "karate",
    hyper=(("epochs", 6), ("hidden", 4)),
    seeds=(0, 4),
    interventions=(Intervention(0.5, 0.4, 0.4), Intervention(0.5, 0.8, 0.8)),
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
    run_id = run_here(CONFIG, store).summary.run_id
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
    kinds = kinds_of(stored, CONFIG.graph(), node=3)
    assert set(KINDS) - set(kinds) == {"depth-curve"}  # it takes several runs
    graph = CONFIG.graph()
    for kind in kinds:
        tables = [
            table_csv(figure_of(kind, result, graph, **choices_of(kind, {"node": 3})).data)
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
            interventions=(Intervention(0.4),),
        )
        for layers in (3, 2)
    ]
    ids = [run_here(config, store).summary.run_id for config in deep]
    export(*ids, "--figure", "depth-curve", "--out", str(tmp_path / "first"))
    first = unzip(tmp_path / "first")
    words = shlex.split(first["command.txt"].decode())
    clean = Store(tmp_path / "clean")
    monkeypatch.setattr(module, "run_to_end", lambda config: run_here(config, clean))
    (tmp_path / "config.json").write_bytes(first["config.json"])
    monkeypatch.chdir(tmp_path)
    export(*words[4:-1], str(tmp_path / "again"))
    assert unzip(tmp_path / "again") == first


def caught(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> tuple[list[RunConfig], dict]:
    """What `export` would train and draw, without doing either."""
    configs: list[RunConfig] = []
    drawn: dict = {}

    class Result:
        def __init__(self, config: RunConfig) -> None:
            configs.append(config)
            self.config, self.graph = config, config.graph()
            names = {"dataset": config.dataset, "model": config.model, "run_id": "0" * 32}
            self.summary = type("Summary", (), names)()

    def figure(kind, runs, graph, **choices) -> Scene:
        drawn.update(kind=kind)
        return Scene(tuple(runs), graph, KINDS[kind].choices(**choices))

    def bundle(scene, style) -> bytes:
        drawn.update(style=style, choices=scene.choices)
        return b""

    def everything(result, graph, style, **choices) -> bytes:
        drawn.update(kind=None, style=style, choices=choices)
        return b""

    with monkeypatch.context() as patch:
        patch.setattr(module, "run_to_end", Result)
        patch.setattr(module, "figure_of", figure)
        patch.setattr(module, "figure_bundle", bundle)
        patch.setattr(module, "run_bundle", everything)
        patch.setattr(module, "_written", lambda folder, name, content: folder / name)
        export(*words)
    return configs, drawn


FRACTION = st.floats(0, 1).map(lambda value: round(value, 3))
INTERVENTION = st.builds(
    Intervention,
    FRACTION, FRACTION, FRACTION,
    pool=st.sampled_from(["all", "test"]),
    ranker=st.sampled_from(sorted(SCORES)),
    edge_model=st.sampled_from(["same", *MODELS]),
)  # fmt: skip


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
    template = draw(INTERVENTION).at(0, 0, 0)
    shared = () if template == Intervention() else (template,)
    return RunConfig(
        dataset,
        tuple(generated.items()) if dataset == "csbm" else (),
        model,
        tuple(hyper.items()),
        seeds=tuple(draw(st.lists(st.integers(0, 99), min_size=1, max_size=4, unique=True))),
        interventions=shared if two_stage else tuple(draw(st.lists(INTERVENTION, max_size=4))),
        search="two-stage" if two_stage else "list",
        steps=tuple(draw(st.lists(FRACTION, min_size=1, max_size=3))) if two_stage else (0.5,),
    )


@st.composite
def chosen_of(draw: st.DrawFn) -> tuple[str, Choices]:
    """A kind and any values of its choices, made from what the choices say about themselves."""
    kind = draw(st.sampled_from(sorted(KINDS)))
    values = {}
    for knob in knobs(KINDS[kind].choices):
        if knob.name == "at":
            value = INTERVENTION
        elif knob.choices:
            value = st.sampled_from(knob.choices)
        elif knob.kind is bool:
            value = st.booleans()
        elif knob.kind is int:
            value = st.integers(int(knob.low), int(knob.high))
        elif knob.kind is float:
            value = st.floats(knob.low, knob.high)
        else:
            value = st.sampled_from(["wrong test nodes", "0,5", "true class: $x'y"])
        if knob.several:
            value = st.lists(value, min_size=1, max_size=3).map(tuple)
        values[knob.name] = draw(value if knob.default is not None else st.none() | value)
    return kind, KINDS[kind].choices(**values)


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


@settings(max_examples=60)
@given(configs(), chosen_of(), styles())
def test_a_command_reads_back_as_what_it_was_made_from(config, chosen, style) -> None:
    kind, choices = chosen
    run = type("Run", (), {"config": config})()
    with pytest.MonkeyPatch.context() as monkeypatch:
        command = command_of(kind, [Scene((run,), config.graph(), choices)], style)
        (read,), drawn = caught(monkeypatch, shlex.split(command)[4:])
    expected = config.resolve()
    if config.search == "list":
        read, expected = (replace(c, steps=(0.5,)) for c in (read, expected))
    assert read.resolve() == expected
    assert drawn == {"kind": kind, "style": style, "choices": choices}


def test_no_option_hides_a_hyperparameter() -> None:
    command = typer.main.get_command(app).commands["export"]
    options = {flag for parameter in command.params for flag in parameter.opts}
    assert {"--colour", "--ranker", "--venue", "--class", "--seeds"} <= options
    for model in METHODS.values():
        assert not options & {knob.flag for knob in knobs(model)}, model.name


def test_equal_names_of_choices_are_equal_choices() -> None:
    """`export` has one flag for them all."""
    seen: dict = {}
    for kind in KINDS.values():
        for knob in knobs(kind.choices):
            assert seen.setdefault(knob.name, knob) == knob, (kind.kind, knob.name)
    assert not set(seen) & ({knob.name for knob in knobs(Intervention)} - set(ETAS))


def test_a_figure_of_the_graph_alone_trains_nothing(tmp_path: Path) -> None:
    for kind, more in (("class-counts", []), ("node-map", ["--colour", "class"])):
        folder = tmp_path / kind
        export("--dataset", "karate", "--figure", kind, *more, "--out", str(folder))
        first = unzip(folder)
        words = shlex.split(first["command.txt"].decode())
        export(*words[4:-1], str(folder / "again"))
        assert unzip(folder / "again") == first
    assert Store().runs() == []


def test_knobs_that_all_etas_share(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--dataset", "karate", "--eta", "0.5,0,0", "--eta", "0.8,0.3,0.4,pool=test"]
    ((config,), _) = caught(monkeypatch, [*words, "--ranker", "margin", "--figure", "w-histogram"])
    assert config.interventions == (
        Intervention(0.5, ranker="margin"),
        Intervention(0.8, 0.3, 0.4, pool="test", ranker="margin"),
    )


def test_seeds_are_how_many_or_which(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, expected in (("3", (0, 1, 2)), ("3,", (3,)), ("5,0", (5, 0))):
        words = ["--dataset", "karate", "--seeds", text, "--figure", "node-map"]
        ((config,), _) = caught(monkeypatch, words)
        assert config.seeds == expected


def test_a_class_has_a_name_or_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--dataset", "karate", "--figure", "harmonic-map", "--class"]
    names = CONFIG.graph().class_names
    for text in (names[1], "0"):
        assert caught(monkeypatch, [*words, text])[1]["choices"].label == text


def test_a_specimen_of_the_gallery_stands_for_a_dataset(tmp_path: Path) -> None:
    words = ["--dataset", "gallery:path,-3-4", "--figure", "harmonic-map", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, ["export", *words, "--statement", "theorem-2"])
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(tmp_path / "gallery-path--3-4-harmonic-map.zip") as archive:
        assert archive.read("data.csv").decode().count("edge,") == 7
        command = shlex.split(archive.read("command.txt").decode())
    again = CliRunner().invoke(app, [*command[3:-1], str(tmp_path / "again")])
    assert again.exit_code == 0, again.output
    first, second = (next(place.glob("*.zip")) for place in (tmp_path, tmp_path / "again"))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dataset", "gallery:none", "--figure", "degrees"], "no specimen 'none'"),
        (["--dataset", "karate"], "--figure KIND or --all"),
        (["--dataset", "karate", "--figure", "node-map", "--all"], "and not both"),
        (["--figure", "node-map"], "say which run"),
        (["--dataset", "karate", "--figure", "pie"], "no figure 'pie'; choose one of accuracy"),
        (["--dataset", "karate", "--figure", "degrees", "--colour", "w"], "no choice 'colour'"),
        (["--dataset", "karate", "--all", "--venue", "x"], "venue is 'x'"),
        (["--dataset", "karate", "--all", "--seeds", "x"], "--seeds is 'x'"),
        (["--dataset", "karate", "--all", "--eta", "1,2"], "'1,2' is no intervention"),
        (["--dataset", "karate", "--all", "--eta", "0,0,x"], "--eta2 is 'x'"),
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
    run_id = run_here(replace(CONFIG, interventions=()), Store()).summary.run_id
    result = CliRunner().invoke(app, ["export", run_id, "--figure", "eta-grid"])
    assert "its etas form no grid" in str(result.exception)
    blocked = tmp_path / "file"
    blocked.write_text("")
    words = ["export", run_id, "--figure", "w-histogram", "--out", str(blocked)]
    result = CliRunner().invoke(app, words)
    assert "cannot be written" in str(result.exception)
    class_words = ["export", run_id, "--figure", "harmonic-map", "--class", "nine"]
    result = CliRunner().invoke(app, class_words)
    assert "Karate club has no class 'nine'" in str(result.exception)


def test_a_run_of_other_versions_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = run_here(replace(CONFIG, interventions=()), Store()).summary.run_id
    monkeypatch.setattr("wgnn_core.runs.config.versions", lambda: {"torch": "0"})
    words = ["export", run_id, "--figure", "w-histogram", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    assert "other versions" in result.stderr
