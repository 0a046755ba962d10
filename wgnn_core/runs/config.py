"""`RunConfig`: all that decides the numbers of a run, and its id."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

from wgnn_core import datasets
from wgnn_core.comparators import make_method
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.replicas.model import Model
from wgnn_core.search import STEPS, full_grid, trials
from wgnn_core.wgnn import Etas, Pool, check_seeds, versions

Value = float | int | str
Pairs = tuple[tuple[str, Value], ...]
Triple = tuple[float, float, float]
Search = Literal["list", "two-stage"]
PROTOCOL = 2
"""Part of every id; raised when a change of the code changes the numbers of a run."""


@dataclass(frozen=True)
class RunConfig:
    """Base trainings for every seed, and a list of eta triples retrained for every seed.

    Attributes:
        dataset: A name of the catalogue.
        parameters: Numbers for a generated graph.
        model: A base model or a comparator.
        hyper: Hyperparameters that differ from the recipe.
        preset: A named recipe of the model.
        seeds: Which seeds; a number n stands for 0..n-1.
        etas: The triples (eta0, eta1, eta2); none for the base model alone.
        search: ``list`` retrains `etas`; ``two-stage`` finds them itself (`search.two_stage`).
        steps: Values the two-stage search tries for each eta.
        pool: Which nodes Algorithm 2 ranks.
        device: Where to train; no part of the id, since it must not change a result.
    """

    dataset: str
    parameters: Pairs = ()
    model: str = "gcn"
    hyper: Pairs = ()
    preset: str | None = None
    seeds: tuple[int, ...] = tuple(range(10))
    etas: tuple[Triple, ...] = ()
    search: Search = "list"
    steps: tuple[float, ...] = STEPS
    pool: Pool = "all"
    device: str = "auto"

    def __post_init__(self) -> None:
        canonical = {
            "dataset": str(self.dataset).lower(),  # known or not is asked when it is loaded
            "parameters": _pairs(self.parameters),
            "hyper": _pairs(self.hyper),
            "seeds": tuple(check_seeds(self.seeds).tolist()),
            "etas": tuple(dict.fromkeys(_triple(t) for t in self.etas)),
            "steps": tuple(float(s) for s in self.steps),
        }
        for name, value in canonical.items():
            object.__setattr__(self, name, value)
        for name, allowed in (("search", get_args(Search)), ("pool", get_args(Pool))):
            if getattr(self, name) not in allowed:
                raise WGNNError(
                    f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(allowed)}."
                )
        if self.search == "two-stage" and self.etas:
            raise WGNNError("a two-stage search finds its etas itself; give none, or use 'list'.")

    @cached_property
    def base_model(self) -> Model:
        return make_method(self.model, self.dataset, self.preset, **dict(self.hyper))

    def graph(self) -> Graph:
        """The graph; the last few are kept in memory."""
        return _graph(self.dataset, self.parameters)

    def alone(self, model: str) -> RunConfig:
        """Another model with its own recipe, on the same graph with the same seeds; no etas."""
        return replace(self, model=model, hyper=(), preset=None, etas=(), search="list")

    def resolve(self) -> RunConfig:
        """The same run with every parameter and hyperparameter written out."""
        known = {p.name: p.default for p in datasets.spec(self.dataset).parameters}
        return replace(
            self,
            parameters=_pairs(known | dict(self.parameters)),
            hyper=_pairs(asdict(self.base_model)),
            preset=None,
        )

    @property
    def first_etas(self) -> list[Etas]:
        """What is retrained whatever comes out; the first stage of a two-stage search."""
        if self.search == "two-stage":
            return [Etas(), *full_grid([0.0], self.steps, self.steps)]
        return [Etas(*triple) for triple in self.etas]

    @cached_property
    def trainings(self) -> int:
        """How many trainings the run takes, all stages together."""
        seeds = len(self.seeds)
        later = len(self.steps) * seeds if self.search == "two-stage" else 0
        return seeds + len(trials(self.first_etas, seeds)) + later

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that can change a number."""
        full = self.resolve()
        out = full.to_json() | {
            "protocol": PROTOCOL,
            "dataset_hash": self.graph().content_hash,
            "versions": versions(),
        }
        del out["device"], out["preset"]
        if self.search == "list":
            del out["steps"]
        return out

    @cached_property
    def run_id(self) -> str:
        """The fingerprint of `identity`."""
        return _fingerprint(self.identity)

    def base_id(self, seeds: Sequence[int]) -> str:
        """The fingerprint of the base model trained for `seeds` in one batch.

        Runs that differ in nothing but what they retrain share it.
        """
        later = ("etas", "search", "steps", "pool")
        base = {key: value for key, value in self.identity.items() if key not in later}
        return _fingerprint(base | {"seeds": list(seeds)})

    def to_json(self) -> dict[str, Any]:
        out = {item.name: getattr(self, item.name) for item in fields(self)}
        return out | {"parameters": dict(self.parameters), "hyper": dict(self.hyper)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> RunConfig:
        return cls(**{item.name: values[item.name] for item in fields(cls) if item.name in values})


def _fingerprint(identity: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON, shortened to 128 bits."""
    text = json.dumps(_numbers(identity), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _pairs(values: Any) -> Pairs:
    return tuple(sorted(dict(values).items()))


def _triple(values: Sequence[float]) -> Triple:
    if len(values) != 3:
        raise WGNNError(f"{values!r} is no eta triple; give three numbers (eta0, eta1, eta2).")
    etas = Etas(*(float(v) for v in values))
    return etas.eta0, etas.eta1, etas.eta2


def _numbers(value: Any) -> Any:
    """1.0 and 1 are the same hyperparameter, so they must be the same text."""
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@lru_cache(maxsize=4)
def _graph(dataset: str, parameters: Pairs) -> Graph:
    return datasets.load(dataset, **dict(parameters))  # type: ignore[arg-type]
