"""The methods the paper compares wGNN with, and one registry of everything that can be trained."""

from __future__ import annotations

from typing import Any

from wgnn_core.comparators.ptdnet import PTDNet
from wgnn_core.comparators.renode import ReNode
from wgnn_core.comparators.self_training import SelfTraining
from wgnn_core.models import MODELS, configured
from wgnn_core.replicas.model import Model

COMPARATORS: dict[str, type[Model]] = {
    comparator.name: comparator for comparator in (ReNode, SelfTraining, PTDNet)
}
"""Every comparator by name."""

METHODS: dict[str, type[Model]] = MODELS | COMPARATORS
"""Base models and comparators: what a page or a command can be asked to train."""


def make_method(
    name: str, dataset: str | None = None, preset: str | None = None, **overrides: Any
) -> Model:
    """A base model or comparator with its recipe, as `wgnn_core.models.make_model`."""
    return configured(METHODS, "model", name, dataset, preset, **overrides)
