"""``models``, and command-line flags generated from a model's hyperparameters."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

import typer
from rich.table import Table

from wgnn_core.cli.console import out
from wgnn_core.comparators import COMPARATORS, METHODS, make_method
from wgnn_core.errors import WGNNError
from wgnn_core.models import MODELS
from wgnn_core.replicas.model import Model

GENERATED_FLAGS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Context settings of a command that takes a model's hyperparameters as flags."""


def models(
    name: Annotated[str, typer.Argument(help="A model; without it, all are listed.")] = "",
) -> None:
    """List base models and comparators, or the hyperparameters of one; each is a flag of `run`."""
    if not name:
        for kind, registry in (("base models", MODELS), ("comparators", COMPARATORS)):
            out.print(f"{kind}:", markup=False)
            for cls in registry.values():
                summary = (cls.__doc__ or "").strip().splitlines()[0]
                out.print(f"  {cls.name:13} {cls.title:13} {summary}", markup=False)
        return
    make_method(name)
    table = Table("flag", "default", "range", "what it is")
    for item in fields(METHODS[name]):
        meta = item.metadata
        allowed = ", ".join(meta["choices"]) if meta["choices"] else ""
        if meta["low"] is not None:
            allowed = f"{meta['low']:g} to {meta['high']:g}"
        table.add_row(_flag(item.name), str(item.default), allowed, meta["help"])
    out.print(table)
    for preset, values in METHODS[name].presets.items():
        out.print(f"preset {preset}: {values}", markup=False)
    for dataset, values in METHODS[name].for_dataset.items():
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
