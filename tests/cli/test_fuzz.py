"""Two thousand random command lines: each is a result or one sentence, never a traceback."""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest
import typer

from wgnn_core import cli, datasets
from wgnn_core.cli import bench, export, run, runs
from wgnn_core.errors import WGNNError
from wgnn_core.figures import KINDS
from wgnn_core.runs.config import RunConfig

LINES = 2000
NUMBERS = (
    "0", "1", "2", "-1", "0.5", "1e400", "-inf", "nan", "1e-400", str(2**63), str(10**30), "٣",
    "0x10", "1_000", "1e3", "", " ", "+5", "--", "-", "1,2", "1,,2", ",", "0:1:0.1", "0:1:0",
    "0:1e9:1e-9", "1:0:1", "a", "true", "1e15", "9" * 400,
)  # fmt: skip
TEXTS = (
    "karate", "KARATE", "digits", "csbm", "cora", "nosuch", "gcn", "gat", "renode", "sgc", "list",
    "two-stage", "full", "paired", "../../etc/passwd", "/dev/null", "~nosuchuser/x", "\x00",
    "\x1b[2J", "[/]", "[red]", "%s%n", "{0}", "$(id)", "a" * 5000, "ü",
    "\ud800", "\u202e", "'", '"', "\n",
    "*", "none",
    "auto", "cuda", "cpu", "x.csv", "x.json", "wGNN", "wgnn1", "margin", "w", "all", ".",
    "",
)  # fmt: skip
PAIRS = (
    "nodes=60", "nodes=nan", "nodes=1e400", "nodes=-5", "nodes", "=", "=5", "name=1", "normalise=0",
    "self=1", "parameters=1", "classes=2", "homophily=2", "seed=1.5", "nodes=1e9", "features=١",
    "nodes=60=60", "entry=0", "values=1", "separation=inf", f"seed={2**63}",
)  # fmt: skip
FILES = {
    "empty.json": b"",
    "list.json": b"[]",
    "number.json": b"7",
    "no_runs.json": b'{"run": {"runs": []}}',
    "null.json": b'{"run": null}',
    "text.json": b'{"run": "x"}',
    "wrong.json": b'{"run": {"dataset": 7, "seeds": {"a": 1}, "model": [], "steps": "abc"}}',
    "types.json": b'{"run": {"runs": [[], 3, null, {"interventions": [{"eta0": "x"}]}]}}',
    "nan.json": b'{"run": {"seeds": [NaN], "hyper": {"epochs": Infinity}}}',
    "deep.json": b'{"run": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "big.json": b'{"run": {"seeds": [1e400], "steps": [1e308, -1e308]}}',
    "model.json": b'{"run": {"dataset": "karate", "seeds": 3, "model": []}}',
    "hyper.json": b'{"run": {"dataset": "karate", "seeds": [1], "hyper": {"epochs": "x"}}}',
    "device.json": b'{"run": {"dataset": "karate", "device": ["x"], "preset": 3}}',
    "latin.json": b'{"run": "\xff\xfe"}',
    "odd.csv": b"a,b\n1\n\x00,\xff\n",
    "odd.npz": b"PK\x03\x04junk",
    "odd.npy": b"\x93NUMPY\x01\x00\xff\xff{",
    "odd.graphml": b"<graphml><graph></graphml>",
    "odd.gml": b"graph [ node [ id 1e400 ] ]",
    "odd.pt": b"\x80\x02.",
    "odd.zip": b"PK\x05\x06" + b"\x00" * 18,
}
LIKELY: dict[str, Sequence[str]] = {
    "--parameter": PAIRS,
    "--configs": [name for name in FILES if name.endswith(".json")],
    "--prob": [name for name in FILES if not name.endswith(".json")],
    "--figure": sorted(KINDS),
    "--dataset": ("karate", "csbm", "cora"),
    "--depths": NUMBERS,
    "--search": ("list", "two-stage", "full", "paired"),
    "--cap": ("nodes=5", "nodes=nan", "nodes=1e400", "x=1", "nodes", "nodes=-1", ","),
}
GRAPHS = ("karate", "karate", "csbm", "cora", "digits", "nosuch")
HYPER = ("--epochs", "--hidden", "--layers", "--dropout", "--nosuch")
FOLDERS = ("", "~nosuchuser/x", "/dev/null", "/proc/nosuch", "a" * 5000, "list.json", "x/y", "~/x")


class Trains(Exception):  # noqa: N818, it is no error
    """The command line was understood, and training would begin."""


def would_train(config: RunConfig, **_: Any) -> NoReturn:
    """As far as a run goes before a worker is asked."""
    config.resolve()
    assert config.trainings >= 0 and config.first_stage is not None
    if dict(config.parameters).get("nodes", 0) <= 1000 and config.dataset not in ("cora", "digits"):
        _ = config.run_id
    raise Trains


def flags_of(command: Any) -> list[str]:
    return [name for given in command.params for name in getattr(given, "opts", ())]


@pytest.fixture(scope="module")
def commands() -> dict[tuple[str, ...], tuple[Any, list[str]]]:
    """Every command by its words, with its flags."""
    found: dict[tuple[str, ...], tuple[Any, list[str]]] = {}

    def walk(command: Any, words: tuple[str, ...]) -> None:
        if hasattr(command, "commands"):
            for name, one in command.commands.items():
                walk(one, (*words, name))
        else:
            found[words] = command, flags_of(command)

    walk(typer.main.get_command(cli.app), ())
    return found


@pytest.fixture
def harmless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Nothing trains, asks a machine or starts a server; the names of odd files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WGNN_DATA", str(tmp_path / "data"))
    for module in (run, runs, export):
        monkeypatch.setattr(module, "run_to_end", would_train)

    def no_fetch(*_: Any) -> NoReturn:
        raise WGNNError("not in a test.")

    monkeypatch.setattr(datasets, "fetch", no_fetch)
    monkeypatch.setattr(bench, "compare_speed", lambda *_: [])
    monkeypatch.setattr(os, "execve", lambda *_: sys.exit(0))
    monkeypatch.setattr(os, "chdir", lambda *_: None)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    return list(FILES)


def nearly_right(rng: random.Random, files: list[str]) -> list[str]:
    """A command line with one or two odd values, which get further than random ones."""
    kind, number, pair = rng.choice(sorted(KINDS)), rng.choice(NUMBERS), rng.choice(PAIRS)
    graph, text, file = rng.choice(GRAPHS), rng.choice(TEXTS), rng.choice(files)
    recorded = rng.choice([name for name in files if name.endswith(".json")])
    return rng.choice(
        [
            ["export", "--figure", kind, "--configs", recorded],
            ["export", "--all", "--configs", recorded],
            ["export", "--figure", kind, "--dataset", graph, "--depths", number],
            ["export", "--figure", kind, "--dataset", graph, "--eta", f"{number},0.5,{number}"],
            ["export", "--figure", kind, "--dataset", graph, "--eta", text],
            ["run", "--dataset", graph, "--parameter", pair, "--seeds", "2"],
            ["run", "--dataset", graph, "--seeds", number, "--epochs", rng.choice(NUMBERS)],
            ["run", "--dataset", graph, "--model", text, "--against", text],
            ["run", "--dataset", "karate", "--eta0", number, "--eta1", rng.choice(NUMBERS)],
            ["sweep", "--dataset", graph, "--eta0", number, "--eta1", rng.choice(NUMBERS)],
            ["sweep", "--dataset", graph, "--search", "two-stage", "--search-steps", number],
            ["sweep", "--dataset", "karate", "--search", "full", *("--eta0", "0:1:0.001") * 3],
            ["runs", "export", text, file],
            ["diagnose", "--graph", graph, "--prob", file, "--label", text],
            ["data", "import", file, rng.choice(files), "--name", "mine", "--label", text],
            ["data", "import", file, "--name", text],
            ["data", "describe", text, "--title", text],
            ["models", text],
        ]
    )


def line(
    rng: random.Random, words: tuple[str, ...], flags: list[str], files: list[str]
) -> list[str]:
    """The words of a command, then flags and values of every sort."""
    made = list(words)
    pools = (NUMBERS, NUMBERS, TEXTS, PAIRS, files, flags)
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 5))):
        if rng.random() < 0.8:
            flag = rng.choice(flags)
            value = rng.choice(rng.choice(pools))
            if rng.random() < 0.7:
                value = rng.choice(LIKELY.get(flag, (value,)))
            made += [f"{flag}={value}"] if rng.random() < 0.2 else [flag, value]
        elif rng.random() < 0.2:
            made += [
                rng.choice(("--epochs", "--hidden", "--layers", "--nosuch")),
                rng.choice(NUMBERS),
            ]
        else:
            made.append(rng.choice(rng.choice(pools)))
    if rng.random() < 0.3 and words[0] in ("run", "sweep", "export", "plan"):
        made += ["--dataset", rng.choice(("karate", "karate", "csbm", "cora"))]
    if rng.random() < 0.7 and words == ("export",):
        made += ["--figure", rng.choice(sorted(KINDS))]
    return made


def outcome(command: Any, words: tuple[str, ...], given: list[str]) -> str:
    try:
        command.main(args=given[len(words) :], prog_name="wgnn")
    except WGNNError as error:
        assert str(error).strip(), given
        return "refused"
    except Trains:
        return "understood"
    except SystemExit as ended:
        assert ended.code in (0, 1, 2, None), given
        return "understood" if not ended.code else "refused"
    return "understood"


def test_no_command_line_gives_a_traceback(
    commands: dict[tuple[str, ...], tuple[Any, list[str]]],
    harmless: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    odd = pytest.MonkeyPatch()
    rng = random.Random(18)
    counted: Counter[str] = Counter()
    faults = []
    names = sorted(commands)
    for _ in range(LINES):
        words = rng.choice((*names, ("export",), ("run",), ("sweep",)))
        command, flags = commands[words]
        given = line(rng, words, flags, harmless)
        if rng.random() < 0.5:
            given = nearly_right(rng, harmless)
            words = tuple(given[:2]) if tuple(given[:2]) in commands else tuple(given[:1])
            command, _ = commands[words]
        if rng.random() < 0.1:
            odd.setenv(rng.choice(("WGNN_HOME", "WGNN_DATA")), rng.choice(FOLDERS))
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                counted[outcome(command, words, given)] += 1
            except Exception as error:
                faults.append(f"{type(error).__name__}: {error!s:.200} at {str(given)[:300]}")
        odd.undo()
    assert faults == []
    assert sum(counted.values()) == LINES and min(counted.values()) > LINES / 20
