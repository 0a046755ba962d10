"""wGNN: base model -> w -> (R', G') -> retrain -> tally, for many seeds at once.

With eta0 alone it is wGNN1 (Algorithm 1), with eta1 and eta2 alone wGNN2 (Algorithm 2).
"""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from wgnn_core.edgedrop import EdgeDrop, drop_edges
from wgnn_core.errors import WGNNError
from wgnn_core.fraction import check_fraction
from wgnn_core.graph import BoolArray, FloatArray, Graph, IntArray
from wgnn_core.nonuniformity import nonuniformity
from wgnn_core.replicas.engine import EngineOptions, Progress, choose_device, engine_name, train_all
from wgnn_core.replicas.model import Model
from wgnn_core.replicas.train import Trained
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.statistics import Comparison, compare
from wgnn_core.supplement import Supplement, supplement

Percent = npt.NDArray[np.float64]
Pool = Literal["all", "test"]
Variant = Literal["wgnn", "wgnn1", "wgnn2"]
MAX_SEEDS = 1000


@dataclass(frozen=True)
class Etas:
    """The three hyperparameters of wGNN, each between 0 and 1; all 0 is the base model."""

    eta0: float = 0.0
    eta1: float = 0.0
    eta2: float = 0.0

    def __post_init__(self) -> None:
        for name in ("eta0", "eta1", "eta2"):
            check_fraction(name, getattr(self, name))

    def of(self, variant: Variant) -> Etas:
        """wGNN1 uses Algorithm 1 only, wGNN2 Algorithm 2 only."""
        if variant == "wgnn1":
            return Etas(self.eta0, 0.0, 0.0)
        if variant == "wgnn2":
            return Etas(0.0, self.eta1, self.eta2)
        return self


@dataclass(frozen=True, eq=False)
class Base:
    """The base model, trained once for each seed, and what follows from it alone.

    `joined` counts the nodes that the model added to its training set by itself, for each seed:
    Self-training does.
    """

    graph: Graph
    model: Model
    seeds: IntArray
    prob: FloatArray
    val: Percent
    test: Percent
    best_epoch: IntArray
    joined: IntArray

    @property
    def predicted(self) -> IntArray:
        predicted: IntArray = self.prob.argmax(-1)
        return predicted

    @property
    def w(self) -> FloatArray:
        """Label non-uniformity ``[K, N]`` (eq. 1)."""
        return nonuniformity(self.prob)


@dataclass(frozen=True, eq=False)
class Plan:
    """What the algorithms decided for one seed, before any retraining."""

    supplement: Supplement
    edge_drop: EdgeDrop


@dataclass(frozen=True, eq=False)
class Retrained:
    """A variant retrained for each seed.

    `test` is the paper's tally: nodes of R' outside R keep their first prediction.
    `test_retrained` scores the retrained model's own predictions on all test nodes.
    """

    prob: FloatArray
    val: Percent
    test: Percent
    test_retrained: Percent
    plans: tuple[Plan, ...]


@dataclass(frozen=True, eq=False)
class WGNNResult:
    """A whole run: base, retrained variants, the comparison, and how it was made."""

    base: Base
    etas: Etas
    pool: Pool
    variants: dict[Variant, Retrained]
    seconds: float
    engine: str
    versions: dict[str, str]

    @property
    def wgnn(self) -> Retrained:
        return self.variants["wgnn"]

    def comparison(self, variant: Variant = "wgnn", retrained: bool = False) -> Comparison:
        """A variant against the base model on the same seeds."""
        other = self.variants[variant]
        return compare(self.base.test, other.test_retrained if retrained else other.test)

    def pseudo_label_accuracy(self) -> Percent:
        """Percent of pseudo-labels that are right, for each seed; nan where none was added."""
        y = self.base.graph.y
        shares = []
        for predicted, plan in zip(self.base.predicted, self.wgnn.plans, strict=True):
            added = plan.supplement.added
            right = predicted[added] == y[added]
            shares.append(100 * right.mean() if right.size else np.nan)
        return np.asarray(shares)


def check_seeds(seeds: Sequence[int] | int) -> IntArray:
    """Seeds 0..n-1 for a number n, or the given ones."""
    if isinstance(seeds, int):
        if not 1 <= seeds <= MAX_SEEDS:
            raise WGNNError(f"{seeds} seeds asked for; it must be between 1 and {MAX_SEEDS}.")
        return np.arange(seeds)
    out = np.asarray(list(seeds), dtype=np.int64)
    if out.size == 0 or len(np.unique(out)) != out.size or out.min() < 0 or out.size > MAX_SEEDS:
        raise WGNNError(
            f"seeds are {list(seeds)[:5]}; give 1 to {MAX_SEEDS} different whole numbers from 0 on."
        )
    return out


def check_pool(pool: str) -> None:
    """Raise unless `pool` is one Algorithm 2 knows."""
    if pool not in ("all", "test"):
        raise WGNNError(f"the pool is {pool!r}; it must be 'all' or 'test'.")


def train_base(
    graph: Graph,
    model: Model,
    seeds: Sequence[int] | int,
    *,
    device: str = "auto",
    progress: Progress | None = None,
    **engine: Any,
) -> Base:
    """Train the base model once for each seed; seed s uses split s mod (number of splits)."""
    numbers = check_seeds(seeds)
    trainings = Trainings.of_seeds(graph, numbers)
    trained = train_all(
        model, graph, trainings, EngineOptions(device, **engine), stage="base", progress=progress
    )
    return _base(graph, model, numbers, trained)


def make_plan(base: Base, run: int, etas: Etas, pool: Pool = "all") -> Plan:
    """Algorithms 1 and 2 for the seed at position `run`: no training, no test label."""
    graph, seed = base.graph, int(base.seeds[run])
    split = graph.split(seed)
    prob = base.prob[run]
    w = nonuniformity(prob)
    check_pool(pool)
    return Plan(
        supplement(w, prob.argmax(-1), split.train, split.test, etas.eta0),
        drop_edges(
            graph.edges,
            graph.num_nodes,
            w,
            etas.eta1,
            etas.eta2,
            seed,
            split.test if pool == "test" else None,
        ),
    )


def plan_trainings(base: Base, runs: Sequence[int], plans: Sequence[Plan]) -> Trainings:
    """Retraining on R' and G': position i retrains seed ``runs[i]`` by ``plans[i]``."""
    first = Trainings.of_seeds(base.graph, base.seeds[list(runs)])
    added = np.stack([plan.supplement.added for plan in plans])
    pseudo = np.stack([plan.supplement.labels for plan in plans])
    return Trainings(
        seeds=first.seeds,
        labels=np.where(added, pseudo, first.labels),
        weight=np.maximum(first.weight, added.astype(np.float32)),
        val=first.val,
        kept_edges=np.stack([plan.edge_drop.kept for plan in plans]),
    )


def tally(
    graph: Graph, seed: int, first: IntArray, second: IntArray, added: BoolArray
) -> tuple[float, float]:
    """Test accuracy in percent by the paper's tally, and of the retrained model alone."""
    test = graph.split(seed).test
    carried = np.where(added, first, second)
    right = [100 * float((p == graph.y)[test].mean()) for p in (carried, second)]
    return right[0], right[1]


def run_wgnn(
    graph: Graph,
    model: Model,
    eta0: float,
    eta1: float,
    eta2: float,
    seeds: Sequence[int] | int = 10,
    *,
    pool: Pool = "all",
    ablation: bool = False,
    base: Base | None = None,
    device: str = "auto",
    progress: Progress | None = None,
    **engine: Any,
) -> WGNNResult:
    """Train the base model and wGNN (with `ablation` also wGNN1 and wGNN2) for each seed.

    Args:
        graph: The graph.
        model: The base model with its hyperparameters.
        eta0: Share of the test nodes added to the training set (Algorithm 1).
        eta1: Share of the pool whose least-w nodes form V' (Algorithm 2).
        eta2: Share of the edges outside the spanning forest of V' that go (Algorithm 2).
        seeds: How many (0, 1, ...) or which.
        pool: ``all`` nodes, as in the authors' code, or ``test`` nodes, the paper's wording.
        ablation: Also retrain wGNN1 and wGNN2.
        base: A base model trained before, to be used again.
        device: auto, cpu, cuda or mps.
        progress: Told about progress; returns False to cancel.
        engine: More of `wgnn_core.replicas.engine.EngineOptions` (threads, memory).
    """
    started = time.perf_counter()
    etas = Etas(eta0, eta1, eta2)
    check_pool(pool)
    if base is None:
        base = train_base(graph, model, seeds, device=device, progress=progress, **engine)
    names: list[Variant] = ["wgnn", "wgnn1", "wgnn2"] if ablation else ["wgnn"]
    runs = list(range(len(base.seeds)))
    plans = [make_plan(base, run, etas.of(name), pool) for name in names for run in runs]
    trained = train_all(
        model,
        graph,
        plan_trainings(base, runs * len(names), plans),
        EngineOptions(device, **engine),
        stage="wgnn",
        progress=progress,
    )
    return WGNNResult(
        base=base,
        etas=etas,
        pool=pool,
        variants={
            name: _retrained(base, trained, plans, slice(i * len(runs), (i + 1) * len(runs)))
            for i, name in enumerate(names)
        },
        seconds=time.perf_counter() - started,
        engine=engine_name(choose_device(device)),
        versions=versions(),
    )


def versions() -> dict[str, str]:
    """Versions of everything that can change a number."""
    packages = ("torch", "numpy", "scipy", "numba")
    return {"python": platform.python_version(), **{name: _version(name) for name in packages}}


@cache  # read from the disk, and every run's id asks for it
def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _base(graph: Graph, model: Model, seeds: IntArray, trained: Trained) -> Base:
    predicted = trained.logits.argmax(-1)
    test = [
        100 * float((p == graph.y)[graph.split(int(seed)).test].mean())
        for seed, p in zip(seeds, predicted, strict=True)
    ]
    return Base(
        graph,
        model,
        seeds,
        softmax(trained.logits, axis=-1),
        trained.val_accuracy,
        np.asarray(test),
        trained.best_epoch,
        trained.joined,
    )


def _retrained(base: Base, trained: Trained, plans: list[Plan], part: slice) -> Retrained:
    logits, mine = trained.logits[part], tuple(plans[part])
    scores = [
        tally(base.graph, int(seed), first, second, plan.supplement.added)
        for seed, first, second, plan in zip(
            base.seeds, base.predicted, logits.argmax(-1), mine, strict=True
        )
    ]
    test, retrained = np.asarray(scores).T
    return Retrained(softmax(logits, axis=-1), trained.val_accuracy[part], test, retrained, mine)
