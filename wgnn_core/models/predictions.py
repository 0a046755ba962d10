"""A model that is only its predictions: somebody else's program trained it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NoReturn

import torch

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper
from wgnn_core.replicas.model import Model, Sizes
from wgnn_core.replicas.packing import Parameters


@dataclass(frozen=True)
class PredictionsOnly(Model):
    """Stands where a run names its model; `content` is the fingerprint of the predictions."""

    content: str = hyper("", "fingerprint of the predictions")
    label: str = hyper("", "what they are called")

    name: ClassVar[str] = "predictions"
    title: ClassVar[str] = "Own predictions"
    cost: ClassVar = "dear"
    citation: ClassVar[str] = ""

    @property
    def depth(self) -> int:
        return 0

    def init(self, sizes: Sizes, rng: torch.Generator) -> Parameters:
        return {"none": torch.zeros(1)}

    def forward(self, *_: object) -> NoReturn:
        raise WGNNError(
            "these predictions came from another program, so nothing can be trained again here; "
            "take R' and G' along with `plan`, retrain there, and bring the new predictions back."
        )
