"""What the sidebar chose, as one value; everything a page shows follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig


@dataclass(frozen=True)
class Choice:
    """Graph, base model and protocol: the run of the base model alone, and the knobs of wGNN.

    Attributes:
        run: The base model alone.
        like: The knobs of the intervention but the etas, which a page has sliders for.
    """

    run: RunConfig
    like: Intervention

    def config(
        self, interventions: Sequence[Intervention] = (), steps: Sequence[float] = ()
    ) -> RunConfig:
        """The run of this choice with `interventions`; none is the base model alone.

        With `steps`, the values to try for each eta, it is the two-stage search.
        """
        if not steps:
            return replace(self.run, interventions=tuple(interventions))
        like = (self.like,) if self.like != Intervention() else ()
        return replace(self.run, search="two-stage", steps=tuple(steps), interventions=like)
