"""What a comparator trains on in the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from wgnn_core.graph import BoolArray, Graph
from wgnn_core.replicas.model import Model
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Domain


@pytest.fixture(scope="session")
def adapted() -> Callable[..., Trainings]:
    def adapt(
        model: Model, graph: Graph, seeds: Sequence[int], kept: BoolArray | None = None
    ) -> Trainings:
        asked = replace(Trainings.of_seeds(graph, np.asarray(seeds)), kept_edges=kept)
        return model.adapt(Domain.of(graph, torch.device("cpu")), asked, lambda n: None)

    return adapt
