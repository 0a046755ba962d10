"""Command-line flags made from the fields of dataclasses, and the run that they describe."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

import typer

from wgnn_core.comparators import METHODS, make_method
from wgnn_core.errors import WGNNError
from wgnn_core.fields import Knob, knobs, parse, text_of
from wgnn_core.intervention import Intervention
from wgnn_core.replicas.model import Model
from wgnn_core.runs.config import RunConfig
from wgnn_core.wgnn import check_seeds

GENERATED_FLAGS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Context settings of a command that takes a model's hyperparameters as flags."""
MAX_VALUES = 1000
Parameter = Annotated[
    list[str] | None, typer.Option(help="For a generated graph: nodes=500; repeatable.")
]


@dataclass(frozen=True)
class Given:
    """What was written on the command line, by dataclass and field."""

    values: dict[type, dict[str, Any]]

    def of(self, cls: type) -> dict[str, Any]:
        return self.values[cls]

    @property
    def anything(self) -> bool:
        return any(self.values.values())


def flagged(
    *classes: type,
    without: Sequence[str] = (),
    panels: Sequence[str] = (),
    defaults: Mapping[str, Any] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command a flag for every setting of `classes`; it finds them in its `given`.

    Args:
        classes: Dataclasses of settings (`wgnn_core.fields`).
        without: Names of settings that the command says in another way.
        panels: A heading of the help text for each class.
        defaults: What the command takes where that is not the setting's own default.
    """
    headings = [*panels, *("Options" for _ in classes)]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            parameter
            for parameter in inspect.signature(command, eval_str=True).parameters.values()
            if parameter.name != "given"
        ]
        wanted = {
            f"{cls.__name__}_{knob.name}": (
                cls,
                replace(knob, default=(defaults or {}).get(knob.name, knob.default)),
                panel,
            )
            for cls, panel in zip(classes, headings, strict=False)
            for knob in knobs(cls)
            if knob.name not in without
        }

        @functools.wraps(command)
        def call(**flags: Any) -> None:
            values: dict[type, dict[str, Any]] = {cls: {} for cls in classes}
            for name, (cls, knob, _) in wanted.items():
                text = flags.pop(name)
                if text is not None:
                    values[cls][knob.name] = parse_flag(knob, text)
            command(given=Given(values), **flags)

        made = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[str | None, _option(knob, panel)],
            )
            for name, (_, knob, panel) in wanted.items()
        ]
        kept = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
        call.__signature__ = inspect.Signature([*kept, *made])  # type: ignore[attr-defined]
        call.__annotations__ = {p.name: p.annotation for p in [*kept, *made]}
        del call.__wrapped__  # typer would look at its annotations
        return call

    return decorate


def _option(knob: Knob, panel: str) -> Any:
    said = knob.help[:1].upper() + knob.help[1:]
    if knob.choices:
        said += f": {', '.join(knob.choices)}"
    default = "" if knob.default is None else f" \\[default: {_default(knob)}]"
    kind = {int: "NUMBER", float: "NUMBER", bool: "true|false"}.get(knob.kind, "TEXT")
    return typer.Option(knob.flag, help=f"{said}.{default}", metavar=kind, rich_help_panel=panel)


def _default(knob: Knob) -> str:
    return "10" if knob.name == "seeds" else text_of(knob.default)


def parse_flag(knob: Knob, text: str) -> Any:
    """As `parse`; a number of seeds without a comma is how many, not which."""
    if knob.name == "seeds" and "," not in text:
        return check_seeds(parse(replace(knob, several=False), text)).tolist()
    return parse(knob, text)


def run_config(
    given: Given,
    hyper: Sequence[str],
    parameter: Sequence[str] | None,
    interventions: Sequence[Intervention] = (),
    **settings: Any,
) -> RunConfig:
    """The run that the flags describe.

    Args:
        given: Flags of `RunConfig`.
        hyper: Words that are left: the model's hyperparameters.
        parameter: ``name=value`` of a generated graph.
        interventions: What is retrained.
        settings: Fields of `RunConfig` that the command decides itself.
    """
    flags = given.of(RunConfig)
    model = type(make_method(flags.get("model", "gcn"))).name
    return RunConfig(
        **flags
        | {
            "model": model,
            "parameters": _parameters(parameter or ()),
            "hyper": tuple(hyperparameters(METHODS[model], list(hyper)).items()),
            "interventions": tuple(interventions),
        }
        | settings
    )


def hyperparameters(cls: type[Model], arguments: list[str]) -> dict[str, Any]:
    """Values from ``--hidden 32 --decay-all true`` and the like, typed as in the model."""
    known = {knob.flag: knob for knob in knobs(cls)}
    found: dict[str, Any] = {}
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
        found[known[flag].name] = parse(known[flag], rest.pop(0))
    return found


def values(text: str) -> list[float]:
    """``0.2,0.4`` or ``first:last:step``, both ends included."""
    try:
        parts = [Decimal(part) for part in text.replace(":", ",").split(",")]
        if not all(part.is_finite() and abs(part) < 10**15 for part in parts):
            raise ValueError
        if ":" not in text:
            return [float(part) for part in parts]
        first, last, step = parts
        if step <= 0 or last < first or (last - first) / step > MAX_VALUES:
            raise ValueError
        return [float(first + i * step) for i in range(int((last - first) / step) + 1)]
    except (InvalidOperation, ValueError):
        raise WGNNError(
            f"{text!r} is no list of values; write 0.2,0.4 or first:last:step (0.1:0.8:0.1)."
        ) from None


def _parameters(given: Sequence[str]) -> tuple[tuple[str, float], ...]:
    out = []
    for item in given:
        name, _, text = item.partition("=")
        try:
            number = float(text)
        except ValueError:
            raise WGNNError(f"the parameter {item!r} must look like nodes=500.") from None
        out.append((name, int(number) if number.is_integer() else number))
    return tuple(out)
