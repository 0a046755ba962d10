"""The methods the paper compares wGNN with, and one registry of everything that can be trained."""

from __future__ import annotations

from typing import Any

from torch import nn

from wgnn_core.comparators.ptdnet import PTDNet
from wgnn_core.comparators.renode import ReNode
from wgnn_core.comparators.self_training import SelfTraining
from wgnn_core.errors import WGNNError
from wgnn_core.models import MODELS, configured
from wgnn_core.models.own import OwnModel, load_own, own_model
from wgnn_core.models.predictions import PredictionsOnly
from wgnn_core.replicas.model import Model

COMPARATORS: dict[str, type[Model]] = {
    comparator.name: comparator for comparator in (ReNode, SelfTraining, PTDNet)
}
"""Every comparator by name."""


class _Methods(dict[str, type[Model]]):
    """A name that is not listed may be a model of the user's, or stand for predictions alone."""

    def __missing__(self, name: str) -> type[Model]:
        if name == PredictionsOnly.name:
            return PredictionsOnly
        if ".py:" not in name:
            raise KeyError(name)
        found = load_own(name)
        self[name] = found
        self[found.name] = found
        return found


METHODS: dict[str, type[Model]] = _Methods(MODELS | COMPARATORS)
"""Base models and comparators: what a page or a command can be asked to train."""


def register(network: type[nn.Module]) -> str:
    """Make a module class of the running program a base model; returns its name."""
    model = own_model(network)
    if model.name in METHODS and not issubclass(METHODS[model.name], OwnModel):
        raise WGNNError(f"there is a model {model.name!r} already; give the class another name.")
    METHODS[model.name] = model
    return model.name


def make_method(
    name: str, dataset: str | None = None, preset: str | None = None, **overrides: Any
) -> Model:
    """A base model or comparator with its recipe, as `wgnn_core.models.make_model`."""
    try:
        known = {name: METHODS[name]}
    except KeyError:
        known = {}
    return configured(METHODS | known, "model", name, dataset, preset, **overrides)
