"""The eta grid: many wGNN trainings on one base, chosen on validation only.

A *trial* is one (etas, seed). Trials that come to the same training are trained once: without V'
or without dropped edges the graph is the full one, and with eta0 = 0 too it is the base model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import softmax

from wgnn_core.errors import WGNNError
from wgnn_core.graph import FloatArray, Graph, IntArray
from wgnn_core.nonuniformity import nonuniformity
from wgnn_core.replicas.engine import EngineOptions, Progress, train
from wgnn_core.replicas.model import Model
from wgnn_core.wgnn import Base, Etas, Plan, Pool, make_plan, plan_trainings, tally, train_base

MAX_TRIALS = 20_000
COLUMNS = (
    "eta0", "eta1", "eta2", "seed", "val", "test", "test_retrained",
    "edges_dropped", "pseudo_labels", "pseudo_right",
)  # fmt: skip
STEPS = tuple(round(0.1 * i, 1) for i in range(1, 11))
"""The authors' grid, {0.1, ..., 1.0}."""


@dataclass(frozen=True)
class Trial:
    """One retraining: the etas and the position of the seed among the base's seeds."""

    etas: Etas
    run: int


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one trial gave. `val` decides; the rest is for the reader."""

    trial: Trial
    val: float
    test: float
    test_retrained: float
    edges_dropped: int
    pseudo_labels: int
    pseudo_right: int
    predicted: IntArray
    w: FloatArray


def canonical(etas: Etas) -> Etas:
    """The etas of the same training in their simplest form."""
    if etas.eta1 == 0 or etas.eta2 == 0:
        return Etas(etas.eta0, 0.0, 0.0)
    return etas


def full_grid(eta0s: Sequence[float], eta1s: Sequence[float], eta2s: Sequence[float]) -> list[Etas]:
    """Every combination, in the order of the axes."""
    return [Etas(*values) for values in product(eta0s, eta1s, eta2s)]


def paired_grid(eta0s: Sequence[float], eta12s: Sequence[float]) -> list[Etas]:
    """The paper's parameter study: eta1 = eta2."""
    return [Etas(eta0, eta, eta) for eta0, eta in product(eta0s, eta12s)]


def trials(grid: Sequence[Etas], runs: int) -> list[Trial]:
    """The different trainings a grid needs, base excluded, each once for every seed."""
    count = len(grid) * runs
    if count > MAX_TRIALS:
        raise WGNNError(
            f"the grid has {len(grid)} cells x {runs} seeds = {count} trainings; "
            f"the limit is {MAX_TRIALS}."
        )
    distinct = dict.fromkeys(canonical(etas) for etas in grid)
    distinct.pop(Etas(), None)
    return [Trial(etas, run) for etas in distinct for run in range(runs)]


def run_trials(
    base: Base,
    wanted: Sequence[Trial],
    *,
    pool: Pool = "all",
    progress: Progress | None = None,
    **engine: Any,
) -> Iterator[Outcome]:
    """Retrain each trial; outcomes come in the order of `wanted`, batch by batch."""
    plans = [make_plan(base, t.run, canonical(t.etas), pool) for t in wanted]
    if not plans:
        return
    trainings = plan_trainings(base, [t.run for t in wanted], plans)
    for part, out in train(
        base.model,
        base.graph,
        trainings,
        EngineOptions(**engine),
        stage="grid",
        progress=progress,
    ):
        for trial, plan, logits, val in zip(
            wanted[part], plans[part], out.logits, out.val_accuracy, strict=True
        ):
            yield _outcome(base, trial, plan, logits, float(val))


def base_outcome(base: Base, run: int) -> Outcome:
    """The base model as the trial with all etas 0."""
    prob = base.prob[run]
    return Outcome(
        Trial(Etas(), run),
        float(base.val[run]),
        float(base.test[run]),
        float(base.test[run]),
        0,
        0,
        0,
        prob.argmax(-1),
        nonuniformity(prob),
    )


def table(base: Base, grid: Sequence[Etas], outcomes: Sequence[Outcome]) -> pd.DataFrame:
    """One row per cell of `grid` and seed, finished ones only; columns as in `COLUMNS`."""
    known = {(canonical(o.trial.etas), o.trial.run): o for o in outcomes}
    known |= {(Etas(), run): base_outcome(base, run) for run in range(len(base.seeds))}
    rows = []
    for etas, run in product(grid, range(len(base.seeds))):
        o = known.get((canonical(etas), run))
        if o is not None:
            rows.append(
                (etas.eta0, etas.eta1, etas.eta2, int(base.seeds[run]), o.val, o.test,
                 o.test_retrained, o.edges_dropped, o.pseudo_labels, o.pseudo_right)
            )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def choose(rows: pd.DataFrame) -> Etas:
    """The etas with the highest mean *validation* accuracy; ties go to the smallest etas.

    One triple for all seeds, as in the authors' code. Only the columns it needs are read: test
    accuracy has no part in it.
    """
    if rows.empty:
        raise WGNNError("the grid has no finished cell to choose from.")
    mean = rows[["eta0", "eta1", "eta2", "val"]].groupby(["eta0", "eta1", "eta2"])["val"].mean()
    return Etas(*(float(eta) for eta in mean.sort_index().idxmax()))


def best_on_test(rows: pd.DataFrame) -> Etas:
    """The etas with the highest mean test accuracy: an upper bound nobody may choose.

    The authors' released code reports this one; it is shown beside `choose`, marked as such.
    """
    mean = rows.groupby(["eta0", "eta1", "eta2"])["test"].mean()
    return Etas(*(float(eta) for eta in mean.sort_index().idxmax()))


@dataclass(frozen=True, eq=False)
class GridResult:
    """A finished search: every row, and the triple that validation chose."""

    base: Base
    rows: pd.DataFrame
    chosen: Etas
    trainings: int

    def scores(self, etas: Etas) -> npt.NDArray[np.float64]:
        """Test accuracy of a cell for each seed, in percent."""
        values: npt.NDArray[np.float64] = self.rows[_is(self.rows, etas)]["test"].to_numpy()
        return values


def grid(
    graph: Graph,
    model: Model,
    eta0s: Sequence[float],
    eta1s: Sequence[float],
    eta2s: Sequence[float],
    seeds: Sequence[int] | int = 10,
    *,
    pool: Pool = "all",
    progress: Progress | None = None,
    **engine: Any,
) -> GridResult:
    """Every combination of the three lists, chosen on validation."""
    base = train_base(graph, model, seeds, progress=progress, **engine)
    return search_grid(base, full_grid(eta0s, eta1s, eta2s), pool, progress, **engine)


def search_grid(
    base: Base, cells: Sequence[Etas], pool: Pool, progress: Progress | None = None, **engine: Any
) -> GridResult:
    """Every cell of a grid on a trained base."""
    wanted = trials(cells, len(base.seeds))
    outcomes = list(run_trials(base, wanted, pool=pool, progress=progress, **engine))
    rows = table(base, cells, outcomes)
    return GridResult(base, rows, choose(rows), len(wanted) + len(base.seeds))


def two_stage(
    graph: Graph,
    model: Model,
    seeds: Sequence[int] | int = 10,
    *,
    steps: Sequence[float] = STEPS,
    pool: Pool = "all",
    progress: Progress | None = None,
    **engine: Any,
) -> GridResult:
    """The authors' greedy search: (eta1, eta2) with Algorithm 2 alone, then eta0 on that graph.

    The plain model is a candidate of the first stage, eta0 = 0 one of the second. Theirs chooses
    on test accuracy, this one on validation.
    """
    base = train_base(graph, model, seeds, progress=progress, **engine)
    first = search_grid(base, [Etas(), *full_grid([0.0], steps, steps)], pool, progress, **engine)
    best = first.chosen
    cells = [Etas(eta0, best.eta1, best.eta2) for eta0 in (0.0, *steps)]
    second = search_grid(base, cells[1:], pool, progress, **engine)
    rows = pd.concat([first.rows, second.rows], ignore_index=True)
    last = pd.concat([first.rows[_is(first.rows, best)], second.rows], ignore_index=True)
    trained = first.trainings + second.trainings - len(base.seeds)
    return GridResult(base, rows, choose(last), trained)


def _is(rows: pd.DataFrame, etas: Etas) -> Any:
    wanted = [etas.eta0, etas.eta1, etas.eta2]
    return (rows[["eta0", "eta1", "eta2"]] == wanted).all(axis=1)


def _outcome(base: Base, trial: Trial, plan: Plan, logits: FloatArray, val: float) -> Outcome:
    graph, seed = base.graph, int(base.seeds[trial.run])
    first, second, added = base.prob[trial.run].argmax(-1), logits.argmax(-1), plan.supplement.added
    test, retrained = tally(graph, seed, first, second, added)
    return Outcome(
        trial,
        val,
        test,
        retrained,
        int(plan.edge_drop.dropped.sum()),
        int(added.sum()),
        int((first[added] == graph.y[added]).sum()),
        second,
        nonuniformity(softmax(logits, axis=-1)),
    )
