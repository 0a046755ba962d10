"""What the sidebar chose, as one value; everything a page shows follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wgnn_core.runs.config import RunConfig
from wgnn_core.wgnn import Pool

Value = float | int | str
Pairs = tuple[tuple[str, Value], ...]
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Choice:
    """Graph, base model and protocol.

    Attributes:
        dataset: A name of the catalogue.
        parameters: Of a generated graph.
        model: A name of `wgnn_core.comparators.METHODS`.
        hyper: Hyperparameters that differ from the model's recipe for this graph.
        seeds: How many.
        pool: Where Algorithm 2 looks for V'.
        device: Where trainings run.
    """

    dataset: str
    parameters: Pairs = ()
    model: str = "gcn"
    hyper: Pairs = ()
    seeds: int = 5
    pool: Pool = "all"
    device: str = "auto"

    def config(self, etas: Sequence[Triple] = (), steps: Sequence[float] = ()) -> RunConfig:
        """The run of this choice with `etas`; none is the base model alone.

        With `steps`, the values to try for each eta, it is the two-stage search.
        """
        search: dict[str, Any] = {"search": "two-stage", "steps": tuple(steps)} if steps else {}
        return RunConfig(
            dataset=self.dataset,
            parameters=self.parameters,
            model=self.model,
            hyper=self.hyper,
            seeds=tuple(range(self.seeds)),
            etas=tuple(etas),
            pool=self.pool,
            device=self.device,
            **search,
        )
