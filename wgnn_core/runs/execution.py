"""One run on its way: which cells can be trained now, training one, storing it."""

from __future__ import annotations

import time
from functools import cached_property

from wgnn_core.replicas.engine import Progress
from wgnn_core.runs.cells import (
    Cell,
    CellResult,
    cell_size,
    first_cells,
    second_cells,
    train_base_cell,
    train_trials_cell,
)
from wgnn_core.runs.results import checked_graph, first_rows, load_base
from wgnn_core.runs.store import Store
from wgnn_core.wgnn import Base


class Execution:
    """A run that `owner` holds; reads from the store what was finished before."""

    def __init__(self, store: Store, run_id: str, owner: str) -> None:
        self.store, self.run_id, self.owner = store, run_id, owner
        self.summary = store.get(run_id)
        self.config = self.summary.config
        self.graph = checked_graph(self.summary)
        self.model = self.config.base_model
        self.size = cell_size(self.model, self.graph)
        self.finished = store.cells(run_id)
        self._first = first_cells(self.config, self.size)
        self._adopt()

    def _adopt(self) -> None:
        """Take over base cells that another run has trained in just the same batches."""
        for cell in self._first:
            if cell.runs and cell.number not in self.finished:
                found = self.store.same_cell(self.run_id, self._base_id(cell))
                if found is not None:
                    self.put(cell, found, 0.0)

    def _base_id(self, cell: Cell) -> str:
        return self.config.base_id([self.config.seeds[run] for run in cell.runs])

    def ready(self) -> list[Cell]:
        """Cells that are not stored and depend on nothing that is not; empty at the end."""
        bases = [cell for cell in self._first if cell.runs]
        for stage in (bases, self._first):
            left = [cell for cell in stage if cell.number not in self.finished]
            if left:
                return left
        if self.config.search == "list":
            return []
        return [cell for cell in self._second if cell.number not in self.finished]

    @cached_property
    def base(self) -> Base:
        """The base model, from the store: asked for only when every base cell is there."""
        base = load_base(self.store, self.summary, self.graph)
        assert base is not None
        return base

    @cached_property
    def _second(self) -> list[Cell]:
        scores = [score for _, _, score in self.store.scores(self.run_id)]
        return second_cells(self.config, self.size, first_rows(self.config, self.base, scores))

    def train(self, cell: Cell, progress: Progress | None = None) -> tuple[CellResult, float]:
        """Train a cell; also says how many seconds it took."""
        started = time.perf_counter()
        if cell.runs:
            result = train_base_cell(self.config, self.graph, self.model, cell, progress)
        else:
            result = train_trials_cell(
                self.base, cell, self.config.pool, self.config.device, progress
            )
        return result, time.perf_counter() - started

    def put(self, cell: Cell, result: CellResult, seconds: float) -> bool:
        """Store a cell; False if the run has been taken away meanwhile."""
        content = self._base_id(cell) if cell.runs else None
        stored = self.store.put_cell(self.run_id, self.owner, cell, result, seconds, content)
        self.finished.add(cell.number)
        return stored
