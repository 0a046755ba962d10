"""wGNN: base model -> w -> (R', G') -> retrain -> tally, for many seeds at once.

With eta0 alone it is wGNN1 (Algorithm 1), with eta1 and eta2 alone wGNN2 (Algorithm 2). A *trial*
is one intervention for one seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from wgnn_core.errors import WGNNError
from wgnn_core.graph import BoolArray, FloatArray, Graph, IntArray
from wgnn_core.intervention import Base, Intervention, Plan, make_plan
from wgnn_core.nonuniformity import nonuniformity
from wgnn_core.replicas.engine import DEFAULTS, EngineOptions, Progress, train, train_all
from wgnn_core.replicas.model import Model
from wgnn_core.replicas.trainings import Trainings

MAX_SEEDS = 1000


@dataclass(frozen=True)
class Trial:
    """One retraining: the intervention and the position of the seed among the base's seeds."""

    intervention: Intervention
    position: int


@dataclass(frozen=True)
class Row:
    """What one training gave; accuracies in percent. `val` decides, the rest is for the reader.

    The fields are the columns of the store and of every table of results, so one more of them,
    with a default for the rows that were stored before, is one line here. `test` is the paper's
    tally: nodes of R' outside R keep their first prediction. `test_retrained` scores the retrained
    model's own predictions on all test nodes. `pseudo_labels` counts the nodes that joined,
    `pseudo_right` those of them whose predicted label is the true one, and `pseudo_unlabelled`
    those whose true label nobody knows, so that they are neither right nor wrong.
    """

    intervention: Intervention
    position: int
    val: float
    test: float
    test_retrained: float
    edges_dropped: int = 0
    pseudo_labels: int = 0
    pseudo_right: int = 0
    pseudo_unlabelled: int = 0


@dataclass(frozen=True, eq=False)
class Outcome:
    """A row, and the arrays beside it.

    Attributes:
        row: The numbers.
        predicted: Predicted class of every node, ``[N]``.
        w: Label non-uniformity of every node, ``[N]``.
        prob: Softmax probabilities, ``[N, C]``.
        curves: Loss, training and validation accuracy per epoch, ``[3, epochs]``, see `History`.
    """

    row: Row
    predicted: IntArray
    w: FloatArray
    prob: FloatArray
    curves: FloatArray


def check_seeds(seeds: Sequence[int] | int) -> IntArray:
    """Seeds 0..n-1 for a number n, or the given ones."""
    if isinstance(seeds, int):
        if not 1 <= seeds <= MAX_SEEDS:
            raise WGNNError(f"{seeds} seeds asked for; it must be between 1 and {MAX_SEEDS}.")
        return np.arange(seeds)
    given = list(seeds)
    allowed = f"give 1 to {MAX_SEEDS} different whole numbers from 0 to 2^63 - 1."
    if not 1 <= len(given) <= MAX_SEEDS or any(not 0 <= seed < 2**63 for seed in given):
        raise WGNNError(f"seeds are {given[:5]}; {allowed}")
    if len(set(given)) != len(given):
        raise WGNNError(f"seeds are {given[:5]}; {allowed}")
    return np.asarray(given, dtype=np.int64)


def train_base(
    graph: Graph,
    model: Model,
    seeds: Sequence[int] | int,
    options: EngineOptions = DEFAULTS,
    *,
    progress: Progress | None = None,
) -> Base:
    """Train the base model once per seed; seed s uses split s mod (number of splits)."""
    numbers = check_seeds(seeds)
    trainings = Trainings.of_seeds(graph, numbers)
    out = train_all(model, graph, trainings, options, stage="base", progress=progress)
    predicted = out.logits.argmax(-1)
    test = [accuracy(graph, int(seed), mine) for seed, mine in zip(numbers, predicted, strict=True)]
    return Base(
        graph,
        model,
        numbers,
        softmax(out.logits, axis=-1),
        out.val_accuracy,
        np.asarray(test),
        out.best_epoch,
        out.joined,
        out.history,
    )


def base_row(base: Base, position: int) -> Row:
    """The base model as the intervention with all etas 0."""
    val, test = float(base.val[position]), float(base.test[position])
    return Row(Intervention(), position, val, test, test)


def retrain(
    base: Base,
    wanted: Sequence[Trial],
    options: EngineOptions = DEFAULTS,
    *,
    progress: Progress | None = None,
) -> list[Outcome]:
    """Retrain each trial; outcomes in the order of `wanted`."""
    plans = [make_plan(base, trial.position, trial.intervention) for trial in wanted]
    if not plans:
        return []
    found: dict[int, Outcome] = {}
    trainings = _trainings(base, [trial.position for trial in wanted], plans)
    for part, out in train(
        base.model, base.graph, trainings, options, stage="wgnn", progress=progress
    ):
        assert out.history is not None
        for i, logits, val, curves in zip(
            map(int, part), out.logits, out.val_accuracy, out.history.stacked(), strict=True
        ):
            found[i] = _outcome(base, wanted[i], plans[i], logits, float(val), curves)
    return [found[i] for i in range(len(wanted))]


def _trainings(base: Base, positions: Sequence[int], plans: Sequence[Plan]) -> Trainings:
    """Retraining on R' and G': training i is for the seed ``positions[i]`` by ``plans[i]``."""
    first = Trainings.of_seeds(base.graph, base.seeds[list(positions)])
    added = np.stack([plan.supplement.added for plan in plans])
    pseudo = np.stack([plan.supplement.labels for plan in plans])
    return Trainings(
        seeds=first.seeds,
        labels=np.where(added, pseudo, first.labels),
        weight=np.maximum(first.weight, added.astype(np.float32)),
        val=first.val,
        kept_edges=np.stack([plan.edge_drop.kept for plan in plans]),
    )


def carried(first: IntArray, second: IntArray, plan: Plan) -> IntArray:
    """The predictions that the paper tallies: nodes of R' outside R keep their first one."""
    return np.where(plan.supplement.added, first, second)


def accuracy(graph: Graph, seed: int, predicted: IntArray) -> float:
    """Percent of the test nodes of the seed's split that are predicted right."""
    test: BoolArray = graph.split(seed).test
    return 100 * float((predicted == graph.y)[test].mean())


def _outcome(
    base: Base, trial: Trial, plan: Plan, logits: FloatArray, val: float, curves: FloatArray
) -> Outcome:
    graph, seed = base.graph, int(base.seeds[trial.position])
    first, second = base.prob[trial.position].argmax(-1), logits.argmax(-1)
    added = plan.supplement.added
    row = Row(
        trial.intervention,
        trial.position,
        val,
        accuracy(graph, seed, carried(first, second, plan)),
        accuracy(graph, seed, second),
        int(plan.edge_drop.dropped.sum()),
        int(added.sum()),
        int((first[added] == graph.y[added]).sum()),  # an unlabelled node is never right
        int((added & graph.unlabelled).sum()),
    )
    prob = softmax(logits, axis=-1)
    return Outcome(row, second, nonuniformity(prob), prob, curves)
