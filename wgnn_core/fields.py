"""Settings that describe themselves: from one declaration come checks, flags, widgets and words.

A setting is a field of a frozen dataclass, declared with `hyper`. The command line makes its flags
from `knobs`, the pages their widgets, and a reproducing command its `words`, so that one more
setting is one more line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from wgnn_core.errors import WGNNError

KINDS: dict[str, type] = {"int": int, "float": float, "bool": bool, "str": str}


def hyper(
    default: Any,
    help: str,  # noqa: A002  the word every form and command line uses
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] | None = None,
    *,
    title: str = "",
    flag: str = "",
) -> Any:
    """A setting: default, one line of help, and its range or its choices.

    Args:
        default: Its value when nobody says otherwise.
        help: One line.
        low: Smallest value of a number.
        high: Largest value of a number.
        choices: What a text may be.
        title: Its name in forms, if not the field's name in plain letters.
        flag: Its name on the command line, if not the field's name.
    """
    meta = {"help": help, "low": low, "high": high, "title": title, "flag": flag}
    return field(
        default=default, metadata=meta | {"choices": None if choices is None else tuple(choices)}
    )


@dataclass(frozen=True)
class Knob:
    """What a field declared with `hyper` says about itself.

    `kind` is the type of the value, or of each of its items where `several` is true.
    """

    name: str
    kind: type
    several: bool
    default: Any
    help: str
    low: float | None
    high: float | None
    choices: tuple[str, ...] | None
    title: str
    flag: str


def knobs(cls: type) -> tuple[Knob, ...]:
    """The settings of a dataclass, in their order; fields not declared with `hyper` are none."""
    if cls not in _known:
        _known[cls] = tuple(_knob(item) for item in fields(cls) if "help" in item.metadata)
    return _known[cls]


_known: dict[type, tuple[Knob, ...]] = {}


def _knob(item: Any) -> Knob:
    # the type itself in a module that does not postpone its annotations, else its text
    declared = item.type.__name__ if item.type in KINDS.values() else str(item.type)
    meta, said = item.metadata, declared.partition(" | ")[0]
    several = said.startswith("tuple[")
    inner = said.removeprefix("tuple[").partition(",")[0] if several else said
    plain = item.name.replace("_", " ")
    return Knob(
        name=item.name,
        kind=KINDS.get(inner, str),
        several=several,
        default=None if item.default is MISSING else item.default,
        help=meta["help"],
        low=meta["low"],
        high=meta["high"],
        choices=meta["choices"],
        title=meta["title"] or plain[:1].upper() + plain[1:],
        flag=meta["flag"] or f"--{item.name.replace('_', '-')}",
    )


def check_fields(value: object, owner: str = "") -> None:
    """Raise unless every setting of a dataclass value has the right type and lies in its range.

    Raises:
        WGNNError: Names the setting, its value and what is allowed; begins with `owner`.
    """
    for knob in knobs(type(value)):
        given = getattr(value, knob.name)
        if given is None and knob.default is None:
            continue
        for item in given if knob.several else (given,):
            _check(f"{owner}: {knob.name}" if owner else knob.name, knob, item)


def _check(name: str, knob: Knob, value: Any) -> None:
    if knob.choices is not None:
        if value not in knob.choices:
            raise WGNNError(
                f"{name} is {value!r}; it must be one of {', '.join(map(str, knob.choices))}."
            )
        return
    if knob.kind is bool and not isinstance(value, bool):
        raise WGNNError(f"{name} is {value!r}; it must be true or false.")
    if knob.low is None or knob.high is None:
        return
    whole = knob.kind is int
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise WGNNError(f"{name} is {value!r}; it must be a {'whole ' if whole else ''}number.")
    if not knob.low <= value <= knob.high:
        raise WGNNError(f"{name} is {value}; it must lie between {knob.low:g} and {knob.high:g}.")


def parse(knob: Knob, text: str) -> Any:
    """The value that `text` writes on a command line; several are separated by commas.

    Raises:
        WGNNError: It is none.
    """
    parts = text.removesuffix(",").split(",") if knob.several else [text]
    try:
        values = [_typed(knob.kind, part) for part in parts]
    except (KeyError, ValueError):
        expected = {bool: "true or false", int: "a whole number"}.get(knob.kind, "a number")
        raise WGNNError(f"{knob.flag} is {text!r}; it must be {expected}.") from None
    return tuple(values) if knob.several else values[0]


def _typed(kind: type, text: str) -> Any:
    return {"true": True, "false": False}[text.lower()] if kind is bool else kind(text)


def text_of(value: Any) -> str:
    """The shortest text that `parse` reads back as the very same value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(text_of, value)) + ("," if len(value) == 1 else "")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def changed(value: object) -> dict[str, Any]:
    """The settings of a dataclass value that differ from their defaults, by name."""
    given = {knob.name: getattr(value, knob.name) for knob in knobs(type(value))}
    default = {knob.name: knob.default for knob in knobs(type(value))}
    return {name: item for name, item in given.items() if item != default[name]}


def words(value: object, every: bool = False) -> list[str]:
    """The command-line words that say a dataclass value; only what differs unless `every`.

    None has no words: it can only be a default.
    """
    told = changed(value)
    return [
        word
        for knob in knobs(type(value))
        if (every and getattr(value, knob.name) is not None) or knob.name in told
        for word in (knob.flag, text_of(getattr(value, knob.name)))
    ]
