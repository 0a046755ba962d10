"""The command that makes a figure again, from nothing but itself: whole runs as flags.

`wgnn_core.cli.export` reads what is written here; a test holds the two together.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

from wgnn_core.errors import WGNNError
from wgnn_core.fields import text_of, words
from wgnn_core.figures.scene import Scene
from wgnn_core.figures.style import Style
from wgnn_core.runs.config import Pairs, RunConfig

PROGRAM = ("python", "-m", "wgnn_core", "export")
OUT = "figures"
RECORD = "config.json"


def command_of(
    kind: str | None, scenes: Sequence[Scene], style: Style | None = None, out: str = OUT
) -> str:
    """A line for a shell: it trains the run unless the store has it, then writes the bundle.

    Several runs are too long for flags: the line reads them from the ``config.json`` that lies
    beside it in the bundle.

    Args:
        kind: A key of `figures.KINDS`; None for everything the run gives.
        scenes: What the figure, or each of them, was made of.
        style: Look of the figure.
        out: Folder to write to.
    """
    runs = scenes[0].runs
    if len(runs) > 1:
        source = ["--configs", RECORD]
    else:
        source = run_words(runs[0].config) if runs else _graph_words(scenes[0])
    shown = [words(scene.choices) for scene in scenes]
    chosen = {
        flag: text for told in shown for flag, text in zip(told[::2], told[1::2], strict=True)
    }
    flags = [word for pair in chosen.items() for word in pair]
    look = style or Style()
    always = ["--venue", look.venue, "--width", look.width]
    rest = words(replace(look, venue="icml", width="column"))
    what = ["--all"] if kind is None else ["--figure", kind]
    return shlex.join([*PROGRAM, *source, *what, *flags, *always, *rest, "--out", out])


def run_words(config: RunConfig) -> list[str]:
    """A run as flags, with every parameter and hyperparameter written out."""
    full = config.resolve()
    said = ["--dataset", full.dataset, *_parameter_words(full.parameters), "--model", full.model]
    for name, value in full.hyper:
        said += [f"--{name.replace('_', '-')}", text_of(value)]
    if full.search == "list":
        said += [word for one in full.interventions for word in ("--eta", str(one))]
    else:
        steps = ["--search-steps", text_of(full.steps)]
        said += ["--search", full.search, *steps, *words(full.like)]
    return [*said, "--seeds", text_of(full.seeds)]


def _graph_words(scene: Scene) -> list[str]:
    if scene.graph.origin is None:
        raise WGNNError(f"{scene.graph.name} is in no catalogue, so no command can load it.")
    name, parameters = scene.graph.origin
    return ["--dataset", name, *_parameter_words(parameters)]


def _parameter_words(parameters: Pairs | Sequence[tuple[str, float]]) -> list[str]:
    return [word for n, value in parameters for word in ("--parameter", f"{n}={text_of(value)}")]
