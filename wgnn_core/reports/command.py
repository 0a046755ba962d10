"""The command that makes a figure again, from nothing but itself: a whole run as flags.

`wgnn_core.cli.export` reads what is written here; a test holds the two together.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import fields

from wgnn_core.errors import WGNNError
from wgnn_core.figures import Style
from wgnn_core.reports.depth import layers_of, without_layers
from wgnn_core.reports.kinds import Choices
from wgnn_core.runs.config import RunConfig, Value
from wgnn_core.wgnn import Etas

PROGRAM = ("python", "-m", "wgnn_core", "export")
OUT = "figures"
RECORD = "config.json"


def command_of(
    configs: RunConfig | Sequence[RunConfig],
    kind: str | None,
    style: Style | None = None,
    choices: Choices | None = None,
    out: str = OUT,
) -> str:
    """A line for a shell; it trains the run if the store has it not, then writes the bundle.

    Runs that differ in more than their depth are too long for flags: the line reads them from the
    ``config.json`` that lies beside it in the bundle.

    Args:
        configs: The run, or the runs of a depth curve or of comparison bars.
        kind: A key of `figures.KINDS`; None for everything the run gives.
        style: Look of the figure.
        choices: What it shows.
        out: Folder to write to.
    """
    runs = [configs] if isinstance(configs, RunConfig) else list(configs)
    several = kind == "comparison-bars" and len(runs) > 1
    words = [*PROGRAM, *(("--configs", RECORD) if several else _run_flags(runs))]
    words += ["--figure", kind] if kind is not None else ["--all"]
    words += _choice_flags(choices or Choices())
    words += _style_flags(style or Style())
    return shlex.join([*words, "--out", out])


def _run_flags(runs: Sequence[RunConfig]) -> list[str]:
    depths: list[str] = []
    full = runs[0].resolve()
    if len(runs) > 1:
        full = without_layers(runs[0])
        if any(without_layers(run) != full for run in runs):
            raise WGNNError("no command for runs that differ in more than the number of layers.")
        depths = ["--depths", ",".join(str(layers_of(run)) for run in runs)]
    words = ["--dataset", full.dataset]
    for name, value in full.parameters:
        words += ["--parameter", f"{name}={_text(value)}"]
    words += ["--model", full.model]
    for name, value in full.hyper:
        words += [f"--{name.replace('_', '-')}", _text(value)]
    words += depths
    for triple in full.etas:
        words += ["--eta", _list(triple)]
    if full.search == "two-stage":
        words += ["--search", "two-stage", "--search-steps", _list(full.steps)]
    seeds = ",".join(map(str, full.seeds))
    # a number alone is a count, as everywhere on the command line
    return [*words, "--seeds", seeds if len(full.seeds) > 1 else f"{seeds},", "--pool", full.pool]


def _choice_flags(choices: Choices) -> list[str]:
    """Flags of the choices that differ from the defaults."""
    words = []
    for item in fields(Choices):
        value = getattr(choices, item.name)
        if value == item.default:
            continue
        if isinstance(value, Etas):
            value = _list((value.eta0, value.eta1, value.eta2))
        elif isinstance(value, tuple):
            value = ",".join(value)
        flag = {"etas": "at", "label": "class"}.get(item.name, item.name.replace("_", "-"))
        words += [f"--{flag}", str(value)]
    return words


def _style_flags(style: Style) -> list[str]:
    words = ["--venue", style.venue, "--width", style.width]
    for item in fields(Style):
        value = getattr(style, item.name)
        if item.name in ("venue", "width") or value == item.default:
            continue
        if isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{item.name}")
        else:
            words += [f"--{item.name.replace('_', '-')}", _text(value)]
    return words


def _list(values: Sequence[float]) -> str:
    return ",".join(map(_text, values))


def _text(value: Value) -> str:
    """The shortest text that reads back as the very same value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
