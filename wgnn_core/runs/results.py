"""What a run gave, read back from the store; partial while it is being trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wgnn_core.errors import WGNNError
from wgnn_core.graph import FloatArray, Graph, IntArray
from wgnn_core.runs.arrays import Arrays
from wgnn_core.runs.cells import Score, cell_size, first_cells, join_base, second_etas
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.store import RunSummary, Store
from wgnn_core.search import COLUMNS, Outcome, Trial, canonical, choose, table
from wgnn_core.statistics import Comparison, compare
from wgnn_core.wgnn import Base, Etas


@dataclass(frozen=True, eq=False)
class RunResult:
    """The numbers of a run.

    Attributes:
        summary: What the run is, and its state.
        base: The base model; None until it is trained for every seed.
        rows: One row for each finished (etas, seed) of the config; columns `search.COLUMNS`.
        chosen: The etas with the best validation accuracy; None until the run is complete.
    """

    summary: RunSummary
    base: Base | None
    rows: pd.DataFrame
    chosen: Etas | None
    _store: Store = field(repr=False)
    _where: dict[tuple[Etas, int], tuple[int, int]] = field(repr=False)
    _loaded: dict[int, Arrays] = field(default_factory=dict, repr=False)

    @property
    def config(self) -> RunConfig:
        return self.summary.config

    @property
    def graph_hash(self) -> str:
        return self.summary.dataset_hash

    @property
    def versions(self) -> object:
        """Of the packages it was begun with."""
        return self._store.identity(self.summary.run_id)["versions"]

    @property
    def complete(self) -> bool:
        return self.summary.done == self.summary.total

    def outcome(self, etas: Etas, run: int) -> tuple[IntArray, FloatArray]:
        """Predicted classes ``[N]`` and w ``[N]`` of the model retrained for the run-th seed.

        Raises:
            WGNNError: That training is no part of the run, or not finished.
        """
        if self.base is not None and canonical(etas) == Etas() and 0 <= run < len(self.base.seeds):
            return self.base.predicted[run], self.base.w[run]
        place = self._where.get((canonical(etas), run))
        if place is None:
            raise WGNNError(f"{etas} for seed number {run} is not among the finished trainings.")
        cell, position = place
        if cell not in self._loaded:
            self._loaded.clear()  # one cell at a time: a page looks at neighbours
            self._loaded[cell] = self._store.arrays(self.summary.run_id, cell)
        arrays = self._loaded[cell]
        return arrays["predicted"][position].astype(np.int64), arrays["w"][position]

    def comparison(self, etas: Etas, retrained: bool = False) -> Comparison:
        """The etas against the base model, seed by seed.

        Raises:
            WGNNError: They are not finished for every seed.
        """
        mine = self.rows[(self.rows[["eta0", "eta1", "eta2"]] == list(_triple(etas))).all(axis=1)]
        if self.base is None or len(mine) != len(self.base.seeds):
            raise WGNNError(f"{etas} is not finished for every seed of the run.")
        return compare(self.base.test, mine["test_retrained" if retrained else "test"])


def load_result(store: Store, run_id: str) -> RunResult:
    """Everything finished of a run."""
    summary = store.get(run_id)
    scores = store.scores(run_id)
    base = load_base(store, summary, checked_graph(summary))
    where = {(score.etas, score.run): (cell, i) for cell, i, score in scores}
    if base is None:
        empty = pd.DataFrame(columns=list(COLUMNS))
        return RunResult(summary, None, empty, None, store, where)
    rows, candidates = _rows(summary.config, base, [score for _, _, score in scores])
    complete = summary.done == summary.total and len(candidates) > 0
    return RunResult(summary, base, rows, choose(candidates) if complete else None, store, where)


def checked_graph(summary: RunSummary) -> Graph:
    """The graph of a run, if it is still the one the run began with."""
    graph = summary.config.graph()
    if graph.content_hash != summary.dataset_hash:
        raise WGNNError(
            f"the dataset {summary.dataset} has changed since run {summary.run_id} was started; "
            "start a new run."
        )
    return graph


def load_base(store: Store, summary: RunSummary, graph: Graph) -> Base | None:
    """The base model of all seeds, or None while one is missing."""
    config = summary.config
    cells = first_cells(config, cell_size(config.base_model, graph))
    wanted = [cell.number for cell in cells if cell.runs]
    if not store.cells(summary.run_id).issuperset(wanted):
        return None
    parts = [store.arrays(summary.run_id, number) for number in wanted]
    return join_base(config, graph, parts)


def first_rows(config: RunConfig, base: Base, scores: Sequence[Score]) -> pd.DataFrame:
    """The finished rows of the first stage (of all, where there is but one)."""
    return table(base, config.first_etas, _outcomes(scores))


def _rows(
    config: RunConfig, base: Base, scores: Sequence[Score]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All finished rows, and those among which validation chooses in the end."""
    rows = first_rows(config, base, scores)
    if config.search == "list" or len(rows) < len(config.first_etas) * len(config.seeds):
        return rows, rows
    best = choose(rows)
    later = table(base, second_etas(config, rows), _outcomes(scores))
    plain = rows[(rows[["eta0", "eta1", "eta2"]] == list(_triple(best))).all(axis=1)]
    return (
        pd.concat([rows, later], ignore_index=True),
        pd.concat([plain, later], ignore_index=True),
    )


def _outcomes(scores: Sequence[Score]) -> list[Outcome]:
    none = np.empty(0)  # `table` reads no arrays
    return [
        Outcome(
            Trial(s.etas, s.run),
            s.val,
            s.test,
            s.test_retrained,
            s.edges_dropped,
            s.pseudo_labels,
            s.pseudo_right,
            none.astype(np.int64),
            none.astype(np.float32),
        )
        for s in scores
    ]


def _triple(etas: Etas) -> tuple[float, float, float]:
    return etas.eta0, etas.eta1, etas.eta2
