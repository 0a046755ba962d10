"""``models``, and command-line flags generated from a model's hyperparameters."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

import typer
from rich.table import Table

from wgnn_core.cli.console import out
from wgnn_core.errors import WGNNError
from wgnn_core.models import MODELS, make_model
from wgnn_core.replicas.model import Model

GENERATED_FLAGS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Context settings of a command that takes a model's hyperparameters as flags."""


def models(
    name: Annotated[str, typer.Argument(help="A model; without it, all are listed.")] = "",
) -> None:
    """List the base models, or the hyperparameters of one; each is also a flag of `run`."""
    if not name:
        for cls in MODELS.values():
            summary = (cls.__doc__ or "").strip().splitlines()[0]
            out.print(f"{cls.name:10} {cls.title:10} {summary}", markup=False)
        return
    make_model(name)
    table = Table("flag", "default", "range", "what it is")
    for item in fields(MODELS[name]):
        meta = item.metadata
        allowed = ", ".join(meta["choices"]) if meta["choices"] else ""
        if meta["low"] is not None:
            allowed = f"{meta['low']:g} to {meta['high']:g}"
        table.add_row(_flag(item.name), str(item.default), allowed, meta["help"])
    out.print(table)
    for preset, values in MODELS[name].presets.items():
        out.print(f"preset {preset}: {values}", markup=False)
    for dataset, values in MODELS[name].for_dataset.items():
        out.print(f"on {dataset}: {values}", markup=False)


def hyperparameters(cls: type[Model], arguments: list[str]) -> dict[str, Any]:
    """Values from ``--hidden 32 --decay-all true`` and the like, typed as in the model."""
    known = {_flag(item.name): item for item in fields(cls)}
    values: dict[str, Any] = {}
    rest = [part for argument in arguments for part in argument.split("=", 1)]
    while rest:
        flag = rest.pop(0)
        if flag not in known:
            raise WGNNError(
                f"{flag} is neither an option nor a hyperparameter of {cls.name}; "
                f"its hyperparameters are {', '.join(known)}."
            )
        if not rest:
            raise WGNNError(f"{flag} needs a value.")
        values[known[flag].name] = _typed(flag, str(known[flag].type), rest.pop(0))
    return values


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _typed(flag: str, kind: str, text: str) -> Any:
    try:
        if kind == "bool":
            return {"true": True, "false": False}[text.lower()]
        return {"int": int, "float": float}.get(kind, str)(text)
    except (KeyError, ValueError):
        expected = {"bool": "true or false", "int": "a whole number"}.get(kind, "a number")
        raise WGNNError(f"{flag} is {text!r}; it must be {expected}.") from None
