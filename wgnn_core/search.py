"""The eta grid: which interventions to try, their rows, and the one that validation chooses.

Interventions that come to the same training are trained once: without V' or without dropped edges
the graph is the full one, and with eta0 = 0 too it is the base model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import product

import pandas as pd

from wgnn_core.errors import WGNNError
from wgnn_core.graph import BoolArray
from wgnn_core.intervention import KNOBS, Base, Intervention
from wgnn_core.wgnn import Row, Trial, base_row

MAX_TRIALS = 20_000
STEPS = tuple(round(0.1 * i, 1) for i in range(1, 11))
"""The authors' grid, {0.1, ..., 1.0}."""


def full_grid(
    eta0s: Sequence[float],
    eta1s: Sequence[float],
    eta2s: Sequence[float],
    like: Intervention | None = None,
) -> list[Intervention]:
    """Every combination, in the order of the axes; the other knobs are those of `like`.

    Raises:
        WGNNError: There are more than `MAX_TRIALS`; said before any is made.
    """
    count = len(eta0s) * len(eta1s) * len(eta2s)
    if count > MAX_TRIALS:
        raise WGNNError(f"the grid has {count} cells; the limit is {MAX_TRIALS}.")
    like = like or Intervention()
    return [like.at(*etas) for etas in product(eta0s, eta1s, eta2s)]


def paired_grid(
    eta0s: Sequence[float], eta12s: Sequence[float], like: Intervention | None = None
) -> list[Intervention]:
    """The paper's parameter study: eta1 = eta2."""
    return [i.at(i.eta0, i.eta1, i.eta1) for i in full_grid(eta0s, eta12s, [0.0], like)]


def first_stage(steps: Sequence[float], like: Intervention) -> list[Intervention]:
    """The authors' greedy search begins with Algorithm 2 alone; the base model is a candidate."""
    return [like.at(0.0, 0.0, 0.0), *full_grid([0.0], steps, steps, like)]


def second_stage(steps: Sequence[float], rows: pd.DataFrame) -> list[Intervention]:
    """Then eta0 on the graph that validation chose among the rows of the first stage."""
    best = choose(rows)
    return [best.at(eta0, best.eta1, best.eta2) for eta0 in steps]


def trials(grid: Sequence[Intervention], seeds: int) -> list[Trial]:
    """The different trainings a grid needs, base excluded, each once per seed."""
    count = len(grid) * seeds
    if count > MAX_TRIALS:
        raise WGNNError(
            f"the grid has {len(grid)} cells x {seeds} seeds = {count} trainings; "
            f"the limit is {MAX_TRIALS}."
        )
    distinct = dict.fromkeys(i.canonical for i in grid if not i.is_base)
    return [Trial(intervention, position) for intervention in distinct for position in range(seeds)]


def table(base: Base, grid: Sequence[Intervention], rows: Sequence[Row]) -> pd.DataFrame:
    """One row per intervention of `grid` and seed, finished ones only.

    Columns: the knobs of the intervention, ``seed``, then what a `Row` holds.
    """
    seeds = range(len(base.seeds))
    known = {(row.intervention.canonical, row.position): row for row in rows}
    known |= {(Intervention(), position): base_row(base, position) for position in seeds}
    return as_table(
        [
            (asked, int(base.seeds[position]), row)
            for asked, position in product(grid, seeds)
            if (row := known.get((asked.canonical, position))) is not None
        ]
    )


def as_table(found: Sequence[tuple[Intervention, int, Row]]) -> pd.DataFrame:
    """Rows as a frame: (the intervention as it was asked for, the seed, the row)."""
    results = [
        name for name in Row.__dataclass_fields__ if name not in ("intervention", "position")
    ]
    return pd.DataFrame(
        [
            (*asdict(asked).values(), seed, *(getattr(row, name) for name in results))
            for asked, seed, row in found
        ],
        columns=[*KNOBS, "seed", *results],
    )


def is_of(rows: pd.DataFrame, intervention: Intervention) -> BoolArray:
    """Which rows are of the intervention."""
    mine: BoolArray = (rows[list(KNOBS)] == list(asdict(intervention).values())).all(axis=1)
    return mine


def interventions(rows: pd.DataFrame) -> list[Intervention]:
    """The different interventions of the rows, in their order."""
    found = rows[list(KNOBS)].drop_duplicates().to_numpy()
    return [Intervention.of_values(values) for values in found]


def choose(rows: pd.DataFrame) -> Intervention:
    """The intervention with the highest mean *validation* accuracy; ties go to the smallest etas.

    One for all seeds, as in the authors' code. Only the columns it needs are read: test accuracy
    has no part in it.
    """
    return _best(rows, "val")


def best_on_test(rows: pd.DataFrame, retrained: bool = False) -> Intervention:
    """The intervention with the highest mean test accuracy: an upper bound nobody may choose.

    The authors' released code reports this one, by the predictions of the retrained model; it is
    shown beside `choose`, marked as such.
    """
    return _best(rows, "test_retrained" if retrained else "test")


def _best(rows: pd.DataFrame, column: str) -> Intervention:
    if rows.empty:
        raise WGNNError("there is no finished row to choose from.")
    mean = rows[[*KNOBS, column]].groupby(list(KNOBS))[column].mean()
    return Intervention.of_values(mean.sort_index().idxmax())
