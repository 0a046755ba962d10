"""The methods the paper compares wGNN with, and the registry that names them."""

from __future__ import annotations

from typing import Any

from wgnn_core.comparators.base import Comparator, Scores
from wgnn_core.comparators.ptdnet import PTDNet
from wgnn_core.comparators.renode import ReNode
from wgnn_core.comparators.self_training import SelfTraining
from wgnn_core.models import configured

__all__ = ["COMPARATORS", "Comparator", "Scores", "make_comparator"]

COMPARATORS: dict[str, type[Comparator]] = {
    comparator.name: comparator for comparator in (ReNode, SelfTraining, PTDNet)
}
"""Every comparator by name."""


def make_comparator(
    name: str, dataset: str | None = None, preset: str | None = None, **overrides: Any
) -> Comparator:
    """A comparator with the hyperparameters of its recipe, as `wgnn_core.models.make_model`."""
    return configured(COMPARATORS, "comparator", name, dataset, preset, **overrides)
