"""``models``: what can be trained, and the hyperparameters of each."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from wgnn_core.cli.console import out
from wgnn_core.comparators import COMPARATORS, METHODS, make_method
from wgnn_core.fields import knobs
from wgnn_core.models import MODELS


def models(
    name: Annotated[str, typer.Argument(help="A model; without it, all are listed.")] = "",
) -> None:
    """List base models and comparators, or the hyperparameters of one; each is a flag of `run`."""
    if not name:
        for kind, registry in (("base models", MODELS), ("comparators", COMPARATORS)):
            out.print(f"{kind}:")
            for cls in registry.values():
                summary = (cls.__doc__ or "").strip().splitlines()[0]
                out.print(f"  {cls.name:13} {cls.title:13} {summary}")
        return
    make_method(name)
    table = Table("flag", "default", "range", "what it is")
    for knob in knobs(METHODS[name]):
        allowed = ", ".join(knob.choices or ())
        if knob.low is not None:
            allowed = f"{knob.low:g} to {knob.high:g}"
        table.add_row(knob.flag, str(knob.default), allowed, knob.help)
    out.print(table)
    for preset, values in METHODS[name].presets.items():
        out.print(f"preset {preset}: {values}")
    for dataset, values in METHODS[name].for_dataset.items():
        out.print(f"on {dataset}: {values}")
