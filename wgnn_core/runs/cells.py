"""A run cut into cells: batches of trainings, each stored as it ends.

The cut depends on the config and its graph alone, so whoever resumes a run finds the same cells.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from wgnn_core.graph import Graph
from wgnn_core.intervention import Base
from wgnn_core.replicas.engine import MAX_BATCH, EngineOptions, Progress, replica_bytes
from wgnn_core.replicas.history import History
from wgnn_core.replicas.model import Model
from wgnn_core.runs.arrays import Arrays
from wgnn_core.runs.config import RunConfig
from wgnn_core.search import second_stage, trials
from wgnn_core.wgnn import Row, Trial, base_row, retrain, train_base

CELL_BYTES = 2**29
"""Of a big graph fewer trainings make a cell, so that a cell takes seconds and not minutes."""
BASE_ARRAYS = ("prob", "val", "test", "best_epoch", "joined")
CURVES = "curves"
"""Training curves ``[trainings, 3, epochs]``; not in cells of the first versions."""
PROB, PROB_DECIMALS = "prob", 3
"""Probabilities of retrained models ``[trainings, N, C]``; not in cells of the first versions.
Pictures need no more decimals, and the many zeros take little room in a file."""


@dataclass(frozen=True)
class Cell:
    """Some base trainings or some retrainings.

    Attributes:
        number: Its place in the run.
        positions: Seeds of the base trainings, by their place among the run's seeds.
        edge_model: The model of the base trainings; empty for the run's own.
        trials: The retrainings.
    """

    number: int
    positions: tuple[int, ...] = ()
    edge_model: str = ""
    trials: tuple[Trial, ...] = ()

    def __len__(self) -> int:
        return len(self.positions) + len(self.trials)


@dataclass(frozen=True, eq=False)
class CellResult:
    """What a trained cell gives: a row per training and arrays stacked in that order.

    An edge model gives arrays alone: its accuracy is no result of the run.
    """

    rows: list[Row]
    arrays: Arrays = field(repr=False)
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Task:
    """Everything that training a cell needs, in plain values: it may travel to another machine.

    `bases` are the arrays of the base cells, by edge model ("" for the run's own).
    """

    config: RunConfig
    graph: Graph = field(repr=False)
    cell: Cell
    bases: Mapping[str, Arrays] = field(default_factory=dict, repr=False)

    def train(self, progress: Progress | None = None) -> CellResult:
        """Train the cell."""
        started = time.perf_counter()
        if self.cell.positions:
            result = self._train_base(progress)
        else:
            base = join_base(self.config, self.graph, self.bases)
            result = _retrain(base, self.cell, self.options, progress)
        return replace(result, seconds=time.perf_counter() - started)

    @property
    def options(self) -> EngineOptions:
        return EngineOptions(device=self.config.device)

    def _train_base(self, progress: Progress | None) -> CellResult:
        cell, config = self.cell, self.config
        model = config_of(config, cell.edge_model).base_model
        seeds = [config.seeds[position] for position in cell.positions]
        base = train_base(self.graph, model, seeds, self.options, progress=progress)
        return CellResult(base_rows(base, cell), arrays_of(base))


def cell_size(model: Model, graph: Graph) -> int:
    """Trainings in a cell."""
    return max(1, min(MAX_BATCH, CELL_BYTES // replica_bytes(model, graph)))


def first_cells(config: RunConfig, graph: Graph) -> list[Cell]:
    """The base cells, then those of the edge models, then the cells of the first stage."""
    cells: list[Cell] = []
    positions = range(len(config.seeds))
    for name in ("", *config.edge_models):
        size = cell_size(config_of(config, name).base_model, graph)
        cells += [
            Cell(len(cells) + number, tuple(positions[i : i + size]), name)
            for number, i in enumerate(range(0, len(positions), size))
        ]
    size = cell_size(config.base_model, graph)
    return cells + _cut(trials(config.first_stage, len(positions)), size, len(cells))


def second_cells(config: RunConfig, graph: Graph, rows: pd.DataFrame) -> list[Cell]:
    """The cells of the second stage, numbered after the first; `rows` are those of the first."""
    wanted = trials(second_stage(config.steps, rows), len(config.seeds))
    size = cell_size(config.base_model, graph)
    return _cut(wanted, size, len(first_cells(config, graph)))


def config_of(config: RunConfig, edge_model: str) -> RunConfig:
    """The run that trains the base model of a cell and nothing else."""
    return config.alone(edge_model or None)


def content_of(config: RunConfig, cell: Cell) -> str | None:
    """What a base cell computes, by which other runs find it; None for retrainings."""
    if not cell.positions:
        return None
    return config_of(config, cell.edge_model).base_id([config.seeds[i] for i in cell.positions])


def base_rows(base: Base, cell: Cell) -> list[Row]:
    """The rows of a base cell, whose seeds are all those of `base`."""
    if cell.edge_model:
        return []
    made = (base_row(base, i) for i in range(len(cell.positions)))
    return [
        replace(row, position=position) for row, position in zip(made, cell.positions, strict=True)
    ]


def join_base(config: RunConfig, graph: Graph, bases: Mapping[str, Arrays]) -> Base:
    """The base model of all seeds, and the edge models, from their arrays."""
    others = {
        name: _join(config_of(config, name), graph, arrays)
        for name, arrays in bases.items()
        if name
    }
    return replace(_join(config, graph, bases[""]), edge_models=others)


def stack(parts: Sequence[Arrays]) -> Arrays:
    """The arrays of base cells, one after another."""
    shared = set.intersection(*(set(part) for part in parts))
    return {name: np.concatenate([part[name] for part in parts]) for name in sorted(shared)}


def arrays_of(base: Base) -> Arrays:
    """What `_join` makes the base model of again."""
    curves = {} if base.history is None else {CURVES: base.history.stacked()}
    return {name: getattr(base, name) for name in BASE_ARRAYS} | curves


def _join(config: RunConfig, graph: Graph, arrays: Arrays) -> Base:
    seeds = np.asarray(config.seeds, dtype=np.int64)
    # cells stored before there were models that add nodes
    known: Arrays = {"joined": np.zeros(len(seeds), dtype=np.int64), **arrays}
    prob, val, test, best_epoch, joined = (known[name] for name in BASE_ARRAYS)
    history = History.of_stacked(known[CURVES]) if CURVES in known else None
    return Base(graph, config.base_model, seeds, prob, val, test, best_epoch, joined, history)


def base_of_cell(config: RunConfig, graph: Graph, cell: Cell, arrays: Arrays) -> Base:
    """The base model of the seeds of one cell."""
    own = config_of(config, cell.edge_model)
    seeds = tuple(config.seeds[i] for i in cell.positions)
    return _join(replace(own, seeds=seeds), graph, arrays)


def _retrain(
    base: Base, cell: Cell, options: EngineOptions, progress: Progress | None
) -> CellResult:
    outcomes = retrain(base, cell.trials, options, progress=progress)
    small = np.min_scalar_type(base.graph.num_classes)
    return CellResult(
        [outcome.row for outcome in outcomes],
        {
            "predicted": np.stack([outcome.predicted for outcome in outcomes]).astype(small),
            "w": np.stack([outcome.w for outcome in outcomes]),
            PROB: np.stack([o.prob.round(PROB_DECIMALS).astype(np.float16) for o in outcomes]),
            CURVES: np.stack([outcome.curves for outcome in outcomes]),
        },
    )


def _cut(wanted: Sequence[Trial], size: int, start: int) -> list[Cell]:
    return [
        Cell(start + number, trials=tuple(wanted[i : i + size]))
        for number, i in enumerate(range(0, len(wanted), size))
    ]
