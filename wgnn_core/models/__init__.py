"""The base models, one file each, and the registry that names them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from wgnn_core.errors import WGNNError
from wgnn_core.models.acmgcn import ACMGCN
from wgnn_core.models.dropedge import DropEdge
from wgnn_core.models.gat import GAT
from wgnn_core.models.gcn import GCN
from wgnn_core.models.gil import GIL
from wgnn_core.models.graphcon import GraphCON
from wgnn_core.models.maskgae import MaskGAE
from wgnn_core.replicas.model import Model

AnyModel = TypeVar("AnyModel", bound=Model)

MODELS: dict[str, type[Model]] = {
    model.name: model for model in (GCN, GAT, DropEdge, GIL, GraphCON, MaskGAE, ACMGCN)
}
"""Every base model by name; adding one here is all it takes to offer it everywhere."""


def make_model(
    name: str, dataset: str | None = None, preset: str | None = None, **overrides: Any
) -> Model:
    """A model with the hyperparameters of its recipe.

    Later wins: the class defaults, the dataset's own values, the preset, `overrides`.
    """
    return configured(MODELS, "model", name, dataset, preset, **overrides)


def configured(
    registry: Mapping[str, type[AnyModel]],
    kind: str,
    name: str,
    dataset: str | None,
    preset: str | None,
    **overrides: Any,
) -> AnyModel:
    """The entry `name` of a registry with the hyperparameters of its recipe."""
    if name not in registry:
        raise WGNNError(f"there is no {kind} {name!r}; choose one of {', '.join(registry)}.")
    cls = registry[name]
    if preset is not None and preset not in cls.presets:
        allowed = ", ".join(cls.presets) or "none"
        raise WGNNError(f"{name} has no preset {preset!r}; it has: {allowed}.")
    values = {
        **(cls.for_dataset.get(dataset, {}) if dataset else {}),
        **(cls.presets[preset] if preset else {}),
        **overrides,
    }
    known = [item.name for item in fields(cls)]
    for key in values:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise WGNNError(
                f"{name} has no hyperparameter {key!r}{hint}; it has {', '.join(known)}."
            )
    return cls(**values)
