"""Models of users: a module class from a file or from a program becomes a base model."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, ClassVar

from torch import nn

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper, knobs
from wgnn_core.replicas.model import Model, Sizes
from wgnn_core.replicas.plain import PlainModel

FEATURES = ("in_channels", "in_features", "in_dim", "input_dim", "num_features", "nfeat")
CLASSES = ("out_channels", "out_features", "out_dim", "output_dim", "num_classes", "nclass")
"""Arguments of a constructor that the graph decides."""
LARGEST = 1e9


@dataclass(frozen=True)
class OwnModel(PlainModel):
    """A module of the user's, trained by a plain loop."""

    network: ClassVar[type[nn.Module]]
    source: ClassVar[str]
    cost: ClassVar = "dear"
    citation: ClassVar[str] = ""

    def net(self, sizes: Sizes) -> nn.Module:
        given: dict[str, Any] = {}
        for name in inspect.signature(self.network).parameters:
            if name in FEATURES:
                given[name] = sizes.features
            elif name in CLASSES:
                given[name] = sizes.classes
            else:
                given[name] = getattr(self, _field(name))
        return self.network(**given)


def own_model(network: type[nn.Module], name: str = "", source: str = "") -> type[Model]:
    """A base model made of a module class.

    The constructor's arguments that the graph decides are known by their names (`FEATURES`,
    `CLASSES`); every other one needs a default, and numbers, texts and truth values become
    hyperparameters.

    Args:
        network: A class with ``forward(x, edge_index)`` that returns class scores ``[N, C]``.
        name: Its name among the models; the class's own if none is given.
        source: The text of the program it comes from, which becomes part of run ids.

    Raises:
        WGNNError: It is no such class.
    """
    if not (isinstance(network, type) and issubclass(network, nn.Module)):
        raise WGNNError(f"{network!r} is no class of torch modules.")
    settings = []
    for item in inspect.signature(network).parameters.values():
        if item.name in (*FEATURES, *CLASSES):
            continue
        if item.default is item.empty or not isinstance(item.default, bool | int | float | str):
            raise WGNNError(
                f"{network.__name__}: the argument {item.name!r} of the constructor has no default "
                f"that is a number, a text or true or false; the graph gives "
                f"{', '.join((*FEATURES, *CLASSES))}, everything else needs such a default."
            )
        kind = type(item.default)
        low, high = (None, None) if kind in (bool, str) else (-LARGEST, LARGEST)
        settings.append(
            (
                _field(item.name),
                kind.__name__,
                hyper(item.default, f"{item.name} of {network.__name__}", low, high),
            )
        )
    text = source or _source(network)
    made: type[Model] = make_dataclass(
        network.__name__, settings, bases=(OwnModel,), frozen=True, kw_only=True
    )
    made.name = name or network.__name__
    made.title = network.__name__
    made.network = network  # type: ignore[attr-defined]
    made.source = hashlib.sha256(text.encode()).hexdigest()
    made.__doc__ = (network.__doc__ or "A model of your own.").strip()
    return made


def load_own(name: str) -> type[Model]:
    """The model that ``FILE.py:CLASS`` names. Its program is run: only ask for your own.

    Raises:
        WGNNError: There is no such file or class, or the file cannot be run.
    """
    path, _, wanted = name.rpartition(":")
    file = Path(path).expanduser()
    try:
        text = file.read_text(encoding="utf-8")
        spec = importlib.util.spec_from_file_location(f"wgnn_own_{file.stem}", file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except OSError as error:
        raise WGNNError(f"the model's file {file} cannot be read: {error.strerror}.") from error
    except Exception as error:
        raise WGNNError(
            f"the model's file {file} cannot be run: {type(error).__name__}: {error}."
        ) from error
    if not hasattr(module, wanted):
        raise WGNNError(f"{file} has no class {wanted!r}.")
    return own_model(getattr(module, wanted), f"{file.resolve()}:{wanted}", text)


def _field(name: str) -> str:
    """Constructors may have arguments of the names that every model has already."""
    taken = {knob.name for knob in knobs(PlainModel)}
    return f"net_{name}" if name in taken else name


def _source(network: type[nn.Module]) -> str:
    try:
        return inspect.getsource(network)
    except (OSError, TypeError) as error:
        raise WGNNError(
            f"the source of {network.__name__} is not at hand, and run ids depend on it; define "
            "it in a file or a notebook cell, or give `source`."
        ) from error
