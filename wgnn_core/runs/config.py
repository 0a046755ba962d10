"""`RunConfig`: all that decides the numbers of a run, and its id."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from wgnn_core import datasets
from wgnn_core.comparators import make_method
from wgnn_core.datasets.loading import made
from wgnn_core.errors import WGNNError
from wgnn_core.fields import changed, check_fields, knobs
from wgnn_core.fields import hyper as setting
from wgnn_core.graph import Graph
from wgnn_core.home import home
from wgnn_core.intervention import ETAS, Intervention, edge_models
from wgnn_core.models.predictions import PredictionsOnly
from wgnn_core.replicas.model import Model
from wgnn_core.search import STEPS, first_stage, trials
from wgnn_core.versions import versions
from wgnn_core.wgnn import check_seeds

Value = float | int | str
Pairs = tuple[tuple[str, Value], ...]
LATER = (("keep", "best"),)
"""Hyperparameters that ids were made without, at the values that change nothing."""
PROTOCOL = 2
"""Part of every id; raised when a change of the code changes the numbers of a run."""


@dataclass(frozen=True)
class RunConfig:
    """Base trainings for every seed, and interventions retrained for every seed.

    Attributes:
        dataset: A name of the catalogue, or of a graph `given`.
        parameters: Numbers for a generated graph.
        model: A base model or a comparator.
        hyper: Hyperparameters that differ from the recipe.
        preset: A named recipe of the model.
        seeds: Which seeds; a number n stands for 0..n-1.
        interventions: What is retrained; none for the base model alone. A two-stage search has at
            most one, with all etas 0: it finds the etas and takes the other knobs from it.
        search: ``list`` retrains `interventions`; ``two-stage`` finds the etas itself.
        steps: Values the two-stage search tries for each eta.
        device: Where to train; no part of the id, since it must not change a result.
        given: A graph that is in no catalogue; its content is part of the id.
    """

    dataset: str = setting("digits", "a name from `data list`")
    parameters: Pairs = ()
    model: str = setting("gcn", "a name from `models`")
    hyper: Pairs = ()
    preset: str | None = setting(None, "a named recipe of the model")
    seeds: tuple[int, ...] = setting(
        tuple(range(10)), "how many or which: 10, or 0,1,2, or 7, for one alone"
    )
    interventions: tuple[Intervention, ...] = ()
    search: str = setting(
        "list",
        "train the interventions given, or search them in two stages",
        choices=("list", "two-stage"),
    )
    steps: tuple[float, ...] = setting(
        STEPS, "values that a two-stage search tries for each eta", 0.0, 1.0, flag="--search-steps"
    )
    device: str = setting("auto", "where to train: auto, cpu, cuda or mps")
    given: Graph | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        canonical = {
            "dataset": str(self.dataset).lower(),
            "parameters": _pairs("parameters", self.parameters),
            "hyper": _pairs("hyper", self.hyper),
            "seeds": tuple(check_seeds(self.seeds).tolist()),
            "interventions": tuple(dict.fromkeys(self.interventions)),
            "steps": tuple(float(s) for s in self.steps),
        }
        for name, value in canonical.items():
            object.__setattr__(self, name, value)
        check_fields(self)
        for name in ("model", "device", "preset"):
            value = getattr(self, name)
            if not isinstance(value, str) and not (value is None and name == "preset"):
                raise WGNNError(f"{name} is {value!r}; it must be a text.")
        template = self.interventions in ((), (self.like.at(0, 0, 0),))
        if self.search == "two-stage" and not template:
            raise WGNNError("a two-stage search finds its etas itself; give none, or use 'list'.")

    @cached_property
    def base_model(self) -> Model:
        return make_method(self.model, self.dataset, self.preset, **dict(self.hyper))

    def graph(self) -> Graph:
        """The graph; the last few are kept in memory."""
        if self.given is not None:
            return self.given
        # pinned: another graph may have been imported under the name since
        spec = datasets.spec(self.dataset)
        return _graph(spec.pinned, self.parameters, home() if spec.imported else None)

    def alone(self, model: str | None = None) -> RunConfig:
        """The base model alone, or another model with its own recipe, on the same seeds."""
        own = replace(self, interventions=(), search="list", steps=STEPS)
        return own if model is None else replace(own, model=model, hyper=(), preset=None)

    def resolve(self) -> RunConfig:
        """The same run with every parameter and hyperparameter written out."""
        told: dict[str, Value] = dict(self.parameters)
        if self.given is None:
            told = datasets.spec(self.dataset).told(told)
        return replace(
            self,
            parameters=tuple(told.items()),
            hyper=tuple(asdict(self.base_model).items()),
            preset=None,
        )

    @property
    def like(self) -> Intervention:
        """The knobs that a two-stage search shares among the etas it tries."""
        return self.interventions[0] if self.interventions else Intervention()

    @property
    def first_stage(self) -> list[Intervention]:
        """What is retrained whatever comes out; the first stage of a two-stage search."""
        if self.search == "two-stage":
            return first_stage(self.steps, self.like)
        return list(self.interventions)

    @cached_property
    def edge_models(self) -> tuple[str, ...]:
        """Models beside the base model that Algorithm 2 asks, each trained for every seed."""
        return edge_models(tuple(self.first_stage))

    @cached_property
    def trainings(self) -> int:
        """How many trainings the run takes, all stages together."""
        seeds = len(self.seeds)
        later = len(self.steps) * seeds if self.search == "two-stage" else 0
        return seeds * (1 + len(self.edge_models)) + len(trials(self.first_stage, seeds)) + later

    @property
    def _known_as(self) -> str:
        """The name of the graph; none for an imported one, which may be renamed: its content hash
        says all."""
        imported = self.given is None and datasets.spec(self.dataset).imported is not None
        return "" if imported else self.dataset

    @cached_property
    def base_identity(self) -> dict[str, Any]:
        """Everything that can change a number of the base model, but the seeds."""
        full, model = self.resolve(), type(self.base_model)
        own: dict[str, Any] = {"source": model.source, "model": model.title} if model.source else {}
        own |= {"revision": model.revision} if model.revision else {}
        return {
            "dataset": full._known_as,
            "parameters": dict(full.parameters),
            "model": full.model,
            "hyper": {name: value for name, value in full.hyper if (name, value) not in LATER},
            "protocol": PROTOCOL,
            "dataset_hash": self.graph().content_hash,
            "versions": {} if full.model == PredictionsOnly.name else versions(),
            **own,
        }

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that can change a number.

        A knob at its default is left out, so that a new knob changes no id; the first knobs are
        always there, since ids were made with them.
        """
        listed = self.search == "list"
        out = self.base_identity | {
            "seeds": self.seeds,
            "search": self.search,
            "etas": [i.etas for i in self.interventions] if listed else [],
        }
        if not listed:
            out["steps"] = self.steps
        for knob in knobs(Intervention):
            values = [getattr(i, knob.name) for i in self.interventions or (Intervention(),)]
            shared = values[0] if len(set(values)) == 1 else values
            if knob.name not in ETAS and (knob.name == "pool" or shared != knob.default):
                out[knob.name] = shared
        return out

    @cached_property
    def run_id(self) -> str:
        """The fingerprint of `identity`."""
        return fingerprint(self.identity)

    def base_id(self, seeds: Sequence[int]) -> str:
        """The fingerprint of the base model trained for `seeds` in one batch.

        Runs that differ in nothing but what they retrain share it.
        """
        return fingerprint(self.base_identity | {"seeds": list(seeds)})

    def to_json(self) -> dict[str, Any]:
        out = {item.name: getattr(self, item.name) for item in fields(self)}
        del out["given"]
        return out | {
            "parameters": dict(self.parameters),
            "hyper": dict(self.hyper),
            "interventions": [changed(i) for i in self.interventions],
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> RunConfig:
        """Reads what `to_json` wrote, now or when etas and pool were fields of their own.

        Raises:
            WGNNError: It is no configuration of a run.
        """
        try:
            known = {item.name: values[item.name] for item in fields(cls) if item.name in values}
            if "interventions" in values:
                made = [Intervention(**one) for one in values["interventions"]]
            else:
                like = Intervention(pool=values.get("pool", "all"))
                made = [like.at(*etas) for etas in values.get("etas", ())]
                if values.get("search") == "two-stage" and like != Intervention():
                    made = [like]
            return cls(**known | {"interventions": tuple(made)})
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise WGNNError(f"this is no configuration of a run: {error}.") from error


def fingerprint(identity: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON, shortened to 128 bits."""
    text = json.dumps(_numbers(identity), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _pairs(name: str, values: Any) -> Pairs:
    try:
        return tuple(sorted(dict(values).items()))
    except (TypeError, ValueError):
        raise WGNNError(f"{name} is {values!r}; it must be pairs of a name and a value.") from None


def _numbers(value: Any) -> Any:
    """1.0 and 1 are the same hyperparameter, so they must be the same text."""
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@lru_cache(maxsize=2)
def _graph(dataset: str, parameters: Pairs, owner: Path | None) -> Graph:
    """`owner` keeps apart what users imported: names of nodes are no part of the content."""
    return made(dataset, dict(parameters))  # type: ignore[arg-type]  # checked there
