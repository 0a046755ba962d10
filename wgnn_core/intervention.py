"""The intervention of wGNN: every knob of Algorithms 1 and 2 in one value, and what it decides.

The next knob is one more field here and its use in `make_plan`. Flags, widgets, reproducing
commands, result rows and run ids follow from the field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from wgnn_core.edgedrop import EdgeDrop, drop_edges
from wgnn_core.errors import WGNNError
from wgnn_core.fields import changed, check_fields, hyper, knobs, parse, text_of
from wgnn_core.fraction import check_fraction
from wgnn_core.graph import FloatArray, Graph, IntArray
from wgnn_core.models import MODELS
from wgnn_core.nonuniformity import nonuniformity
from wgnn_core.ranking import SCORES, score
from wgnn_core.replicas.history import History
from wgnn_core.replicas.model import Model
from wgnn_core.supplement import Supplement, supplement

Percent = npt.NDArray[np.float64]
Variant = Literal["wgnn", "wgnn1", "wgnn2"]
VARIANTS: dict[Variant, str] = {"wgnn": "wGNN", "wgnn1": "wGNN1", "wgnn2": "wGNN2"}
ETAS = ("eta0", "eta1", "eta2")
ALGORITHM_1 = ("eta0", "ranker")
ALGORITHM_2 = ("eta1", "eta2", "pool", "edge_ranker", "edge_model")
"""Knobs that decide nothing while their algorithm is switched off."""
SAME = "same"


@dataclass(frozen=True)
class Intervention:
    """What wGNN changes before it trains again; with all etas 0 it is the base model."""

    eta0: float = hyper(
        0.0, "Algorithm 1: share of the test nodes that join the training set", 0.0, 1.0,
        title="η₀: nodes that join R′",
    )  # fmt: skip
    eta1: float = hyper(
        0.0, "Algorithm 2: share of the nodes, the least sure ones, that form V′", 0.0, 1.0,
        title="η₁: nodes that form V′",
    )  # fmt: skip
    eta2: float = hyper(
        0.0, "Algorithm 2: share of the edges inside V′ and outside its spanning forest that go",
        0.0, 1.0, title="η₂: edges of V′ that go",
    )  # fmt: skip
    pool: str = hyper(
        "all",
        "Algorithm 2 chooses V′ from all nodes (the authors' code) or the test nodes (the paper)",
        choices=("all", "test"), title="V′ is chosen from",
    )  # fmt: skip
    ranker: str = hyper(
        "w", "Algorithm 1 adds the test nodes that this score trusts most",
        choices=tuple(SCORES), title="Algorithm 1 orders by",
    )  # fmt: skip
    edge_ranker: str = hyper(
        "w", "Algorithm 2 forms V′ of the nodes that this score trusts least",
        choices=tuple(SCORES), title="Algorithm 2 orders by",
    )  # fmt: skip
    edge_model: str = hyper(
        SAME, "Algorithm 2 asks this model: the base model itself, or one trained once per graph",
        choices=(SAME, *MODELS), title="Algorithm 2 asks",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name in ETAS:
            check_fraction(name, getattr(self, name))
            object.__setattr__(self, name, float(getattr(self, name)))
        check_fields(self)

    @property
    def etas(self) -> tuple[float, float, float]:
        return self.eta0, self.eta1, self.eta2

    @property
    def drops_edges(self) -> bool:
        return self.eta1 > 0 and self.eta2 > 0

    @property
    def is_base(self) -> bool:
        """Whether it changes nothing: the base model is trained once more, so nobody does."""
        return self.eta0 == 0 and not self.drops_edges

    @property
    def canonical(self) -> Intervention:
        """The simplest intervention that comes to the same training."""
        idle = (*ALGORITHM_1 * (self.eta0 == 0), *ALGORITHM_2 * (not self.drops_edges))
        told = {name: value for name, value in changed(self).items() if name not in idle}
        return Intervention() if self.is_base else Intervention(**told)

    @property
    def variant(self) -> Variant:
        """wGNN1 is Algorithm 1 alone, wGNN2 Algorithm 2 alone (Section 5.3)."""
        if not self.drops_edges:
            return "wgnn1"
        return "wgnn" if self.eta0 else "wgnn2"

    @property
    def name(self) -> str:
        """What people call it; without any algorithm it is the base model, whatever eta1 says."""
        return "base model" if self.is_base else VARIANTS[self.variant]

    @property
    def text(self) -> str:
        """For people: the etas, then the other knobs that differ from their defaults."""
        return self._text(ETAS)

    @property
    def edge_text(self) -> str:
        """The same without eta0, which has no part in Algorithm 2."""
        return self._text(ETAS[1:])

    def _text(self, names: Iterable[str]) -> str:
        etas = (f"η{'₀₁₂'[ETAS.index(name)]} = {getattr(self, name):g}" for name in names)
        return ", ".join([*etas, *(f"{n.replace('_', ' ')} {v}" for n, v in self.others.items())])

    def __str__(self) -> str:
        """For a command line: ``0.8,0.3,0.4`` or ``0.8,0.3,0.4,ranker=margin``."""
        others = (f"{name}={text_of(value)}" for name, value in self.others.items())
        return ",".join([*map(text_of, self.etas), *others])

    @classmethod
    def read(cls, text: str) -> Intervention:
        """What `str` wrote.

        Raises:
            WGNNError: It is none.
        """
        known = {knob.name: knob for knob in knobs(cls)}
        parts = [part.strip() for part in text.split(",")]
        others = dict(part.partition("=")[::2] for part in parts[len(ETAS) :])
        if len(parts) < len(ETAS) or not set(others) <= set(known) - set(ETAS):
            raise WGNNError(
                f"{text!r} is no intervention; write eta0,eta1,eta2 (0.8,0.3,0.4), then other "
                "knobs by name (pool=test)."
            )
        given = dict(zip(ETAS, parts, strict=False)) | others
        return cls(**{name: parse(known[name], value) for name, value in given.items()})

    @classmethod
    def of_values(cls, values: Iterable[Any]) -> Intervention:
        """From a value for each knob in their order, as a row of a table holds them.

        A truth value may have become a number there (SQLite), a number one of numpy's.
        """
        return cls(*(knob.kind(v) for knob, v in zip(knobs(cls), values, strict=True)))

    @property
    def others(self) -> dict[str, object]:
        """Knobs beside the etas that differ from their defaults."""
        return {name: value for name, value in changed(self).items() if name not in ETAS}

    def of(self, variant: Variant) -> Intervention:
        """The part of it that `variant` uses."""
        if variant == "wgnn1":
            return replace(self, eta1=0.0, eta2=0.0)
        return replace(self, eta0=0.0) if variant == "wgnn2" else self

    def at(self, eta0: float, eta1: float, eta2: float) -> Intervention:
        """The same knobs with other etas."""
        return replace(self, eta0=eta0, eta1=eta1, eta2=eta2)


KNOBS = tuple(knob.name for knob in knobs(Intervention))


def edge_models(wanted: Iterator[Intervention] | tuple[Intervention, ...]) -> tuple[str, ...]:
    """The models beside the base model whose probabilities the interventions need."""
    asked = (i.edge_model for i in wanted if i.drops_edges and i.edge_model != SAME)
    return tuple(dict.fromkeys(asked))


@dataclass(frozen=True, eq=False)
class Base:
    """The base model, trained once per seed, and what follows from it alone; accuracies in percent.

    `joined` counts, per seed, the nodes that the model added to its training set by itself:
    Self-training does. `history` holds the training curves, None for cells stored without them.
    `edge_models` are other models trained with the same seeds, whose
    probabilities may make G' (`Intervention.edge_model`).
    """

    graph: Graph
    model: Model
    seeds: IntArray
    prob: FloatArray
    val: Percent
    test: Percent
    best_epoch: IntArray
    joined: IntArray
    history: History | None = None
    edge_models: Mapping[str, Base] = field(default_factory=dict, repr=False)

    @property
    def predicted(self) -> IntArray:
        predicted: IntArray = self.prob.argmax(-1)
        return predicted

    @property
    def w(self) -> FloatArray:
        """Label non-uniformity ``[K, N]`` (eq. 1)."""
        return nonuniformity(self.prob)

    def edge_prob(self, edge_model: str) -> FloatArray:
        """Probabilities ``[K, N, C]`` of the model that Algorithm 2 asks."""
        if edge_model == SAME:
            return self.prob
        if edge_model not in self.edge_models:
            raise WGNNError(f"the edge model {edge_model} is not trained for these seeds.")
        return self.edge_models[edge_model].prob


@dataclass(frozen=True, eq=False)
class Plan:
    """What the algorithms decided for one seed, before any retraining."""

    supplement: Supplement
    edge_drop: EdgeDrop


def make_plan(base: Base, position: int, intervention: Intervention) -> Plan:
    """Algorithms 1 and 2 for the seed at `position`: no training, no test label.

    V' is there also where eta2 = 0 and no edge goes; a model of its own is not asked for it then.
    """
    graph, seed, asked = base.graph, int(base.seeds[position]), intervention
    split, prob = graph.split(seed), base.prob[position]
    edge_prob = base.edge_prob(asked.edge_model if asked.drops_edges else SAME)[position]
    return Plan(
        supplement(
            score(asked.ranker, prob, seed),
            prob.argmax(-1),
            split.train,
            graph.candidates(split),
            asked.eta0,
        ),
        drop_edges(
            graph.edges,
            graph.num_nodes,
            score(asked.edge_ranker, edge_prob, seed),
            asked.eta1,
            asked.eta2,
            seed,
            split.test if asked.pool == "test" else None,
        ),
    )
