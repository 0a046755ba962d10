"""What a figure is made of: runs, their graph, and what was chosen of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from wgnn_core.boundary import distance_to_boundary
from wgnn_core.errors import WGNNError
from wgnn_core.fields import check_fields, hyper
from wgnn_core.figures.text import label
from wgnn_core.graph import FloatArray, Graph, IntArray, Split
from wgnn_core.intervention import Base, Intervention, Plan
from wgnn_core.layout import layout
from wgnn_core.runs.results import RunResult

MAX_EDGES = 20_000
"""More are not drawn under a map of nodes: they would be a grey carpet."""

Runs = RunResult | Sequence[RunResult]
Layout = FloatArray | Callable[[], FloatArray]


@dataclass(frozen=True)
class Choices:
    """What a figure shows where its runs leave a choice. A kind without a choice uses this one.

    Every field is declared with `hyper`: flags and the words of a command come from it.
    """

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class OfSeed(Choices):
    """Choices of a figure of one seed."""

    seed: int | None = hyper(None, "seed shown; the first of the run if none", 0, 2**31)


@dataclass(frozen=True)
class OfNode(OfSeed):
    """Choices of a figure of one node."""

    node: int | None = hyper(None, "the node that is looked at", 0, 2**31)


@dataclass(frozen=True)
class BeforeAfter(Choices):
    """Choices of a figure of the base model and, beside it, of wGNN, over all seeds."""

    at: Intervention | None = hyper(  # noqa: RUF009
        None, "the wGNN that is shown, eta0,eta1,eta2; the base model if none"
    )

    def __post_init__(self) -> None:
        given: object = self.at
        if isinstance(given, str):  # from a command line
            object.__setattr__(self, "at", Intervention.read(given))
        super().__post_init__()


@dataclass(frozen=True)
class OfModel(BeforeAfter, OfSeed):
    """Choices of a figure of one trained model."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything a maker looks at, and everything a bundle must tell of a figure.

    Attributes:
        runs: The runs; none for a figure of the graph alone.
        graph: The graph of the first run.
        choices: What is shown of them, the `choices` of the kind.
        layout: Coordinates of the nodes ``[N, 2]``, or who has them, if there are some already.
    """

    runs: tuple[RunResult, ...]
    graph: Graph
    choices: Any
    layout: Layout | None = None

    @property
    def source(self) -> str:
        """The runs, or the graph, in a sentence."""
        ids = ", ".join(run.summary.run_id for run in self.runs)
        return f"run {ids}" if ids else self.graph.title

    @property
    def result(self) -> RunResult:
        """The one run."""
        (only,) = self.runs
        return only

    @property
    def base(self) -> Base:
        return self.result.trained

    @cached_property
    def xy(self) -> FloatArray:
        if self.layout is None:
            return layout(self.graph.edges, self.graph.num_nodes)
        return self.layout() if callable(self.layout) else self.layout

    @property
    def edges(self) -> IntArray:
        """The edges under a map of nodes: all, or none where they would hide it."""
        return self.graph.edges if self.graph.num_edges <= MAX_EDGES else self.graph.edges[:0]

    @cached_property
    def seed(self) -> int:
        """The chosen seed, by default the first of the run; without a run any number is one."""
        chosen: int | None = self.choices.seed
        if not self.runs:
            return chosen or 0
        seeds = self.base.seeds.tolist()
        if chosen is None:
            return int(seeds[0])
        if chosen not in seeds:
            raise WGNNError(
                f"seed {chosen} is no part of the run; it has {', '.join(map(str, seeds))}."
            )
        return chosen

    @property
    def position(self) -> int:
        """Of the chosen seed among those of the run."""
        return int(self.base.seeds.tolist().index(self.seed))

    @property
    def split(self) -> Split:
        return self.graph.split(self.seed)

    @property
    def at(self) -> Intervention:
        """Whose model is shown; the base model if nothing is chosen."""
        return self.choices.at or Intervention()

    @cached_property
    def outcome(self) -> tuple[IntArray, FloatArray]:
        """Predictions and w ``[N]`` of the chosen model."""
        return self.result.outcome(self.at, self.position)

    @cached_property
    def plan(self) -> Plan:
        """What Algorithms 1 and 2 decide for the chosen model."""
        return self.result.plan(self.at, self.position)

    @property
    def name(self) -> str:
        """The graph, and which wGNN it is seen through."""
        at = self.choices.at
        return self.graph.title if at is None else f"{self.graph.title}, wGNN {at.text}"

    @property
    def after(self) -> Intervention | None:
        """The wGNN beside the base model: what is asked for, else what validation chose."""
        best = self.result.chosen
        found: Intervention | None = self.choices.at or best
        return None if found is None or found.is_base else found

    @property
    def unfinished(self) -> str:
        """Why the wGNN that is asked for cannot be shown; empty if it can, or if none is."""
        after = self.after
        if after is None or len(self.result.of(after)) == len(self.result.config.seeds):
            return ""
        return f"wGNN with {after.text} is not finished for every seed of it"

    @property
    def models(self) -> dict[str, Intervention]:
        """The base model, then `after` if there is one, by name."""
        after = self.after
        base = {f"base {type(self.base.model).title}": Intervention()}
        return base if after is None else base | {"wGNN": after}

    @property
    def whole(self) -> str:
        """Graph, base model, wGNN and seeds, as the last words of a caption over all seeds."""
        after, count = self.after, len(self.base.seeds)
        seeds = f"{count} seed{'s' * (count != 1)}"
        wgnn = "" if after is None else f", wGNN with {after.text}"
        title = type(self.base.model).title
        return f"Graph {label(self.graph.title)}, base model {title}{wgnn}, {seeds}."

    @cached_property
    def distance(self) -> npt.NDArray[np.float64]:
        return distance_to_boundary(self.graph.edges, self.graph.y, self.graph.num_nodes)

    @property
    def whose(self) -> str:
        """Whose numbers these are, as the last words of a caption."""
        return f"Base model {type(self.base.model).title}, seed {self.seed}."


def runs_of(runs: Runs) -> tuple[RunResult, ...]:
    return (runs,) if isinstance(runs, RunResult) else tuple(runs)
