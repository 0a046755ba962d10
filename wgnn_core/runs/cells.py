"""A run cut into cells: batches of trainings, each stored as it ends.

The cut depends on the config and its graph alone, so whoever resumes a run finds the same cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wgnn_core.graph import Graph
from wgnn_core.replicas.engine import MAX_BATCH, Progress, replica_bytes
from wgnn_core.replicas.model import Model
from wgnn_core.runs.arrays import Arrays
from wgnn_core.runs.config import RunConfig
from wgnn_core.search import Outcome, Trial, base_outcome, choose, run_trials, trials
from wgnn_core.wgnn import Base, Etas, Pool, train_base

CELL_BYTES = 2**29
"""Of a big graph fewer trainings make a cell, so that a cell takes seconds and not minutes."""


@dataclass(frozen=True)
class Cell:
    """Some base trainings (`runs`: positions among the seeds) or some retrainings (`trials`)."""

    number: int
    runs: tuple[int, ...] = ()
    trials: tuple[Trial, ...] = ()

    def __len__(self) -> int:
        return len(self.runs) + len(self.trials)


@dataclass(frozen=True, eq=False)
class Score:
    """A row of the table of outcomes, without its arrays."""

    etas: Etas
    run: int
    val: float
    test: float
    test_retrained: float
    edges_dropped: int = 0
    pseudo_labels: int = 0
    pseudo_right: int = 0


@dataclass(frozen=True, eq=False)
class CellResult:
    """What a trained cell gives: a score for each training and arrays stacked in that order."""

    scores: list[Score]
    arrays: Arrays = field(repr=False)


def cell_size(model: Model, graph: Graph) -> int:
    """Trainings in a cell."""
    return max(1, min(MAX_BATCH, CELL_BYTES // replica_bytes(model, graph)))


def first_cells(config: RunConfig, size: int) -> list[Cell]:
    """The base cells, then the cells of the first stage."""
    runs = range(len(config.seeds))
    base = [
        Cell(number, runs=tuple(runs[i : i + size]))
        for number, i in enumerate(range(0, len(runs), size))
    ]
    return base + _cut(trials(config.first_etas, len(runs)), size, len(base))


def second_etas(config: RunConfig, rows: pd.DataFrame) -> list[Etas]:
    """The second stage of a two-stage search: eta0 on the graph that validation chose.

    Args:
        config: The run.
        rows: The finished rows of the first stage.
    """
    best = choose(rows)
    return [Etas(eta0, best.eta1, best.eta2) for eta0 in config.steps]


def second_cells(config: RunConfig, size: int, rows: pd.DataFrame) -> list[Cell]:
    """The cells of the second stage, numbered after the first."""
    start = len(first_cells(config, size))
    return _cut(trials(second_etas(config, rows), len(config.seeds)), size, start)


def train_base_cell(
    config: RunConfig, graph: Graph, model: Model, cell: Cell, progress: Progress | None = None
) -> CellResult:
    """Train the base model for the seeds of the cell."""
    seeds = [config.seeds[run] for run in cell.runs]
    base = train_base(graph, model, seeds, device=config.device, progress=progress)
    outcomes = [base_outcome(base, i) for i in range(len(seeds))]
    return CellResult(
        [_score(o, run) for o, run in zip(outcomes, cell.runs, strict=True)],
        {name: getattr(base, name) for name in ("prob", "val", "test", "best_epoch", "joined")},
    )


def train_trials_cell(
    base: Base, cell: Cell, pool: Pool, device: str = "auto", progress: Progress | None = None
) -> CellResult:
    """Retrain the trials of the cell on a trained base."""
    outcomes = list(
        run_trials(base, list(cell.trials), pool=pool, progress=progress, device=device)
    )
    small = np.min_scalar_type(base.graph.num_classes)
    return CellResult(
        [_score(o, o.trial.run) for o in outcomes],
        {
            "predicted": np.stack([o.predicted for o in outcomes]).astype(small),
            "w": np.stack([o.w for o in outcomes]),
        },
    )


def join_base(config: RunConfig, graph: Graph, parts: Sequence[Arrays]) -> Base:
    """The base model of all seeds from the arrays of the base cells, in their order."""
    stacked = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    # cells stored before there were models that add nodes
    stacked.setdefault("joined", np.zeros(len(config.seeds), dtype=np.int64))
    return Base(graph, config.base_model, np.asarray(config.seeds, dtype=np.int64), **stacked)


def _cut(wanted: Sequence[Trial], size: int, start: int) -> list[Cell]:
    return [
        Cell(start + number, trials=tuple(wanted[i : i + size]))
        for number, i in enumerate(range(0, len(wanted), size))
    ]


def _score(outcome: Outcome, run: int) -> Score:
    return Score(
        outcome.trial.etas,
        run,
        outcome.val,
        outcome.test,
        outcome.test_retrained,
        outcome.edges_dropped,
        outcome.pseudo_labels,
        outcome.pseudo_right,
    )
