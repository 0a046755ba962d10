"""What a run gave, read back from the store; partial while it is being trained."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from wgnn_core import datasets
from wgnn_core.errors import WGNNError
from wgnn_core.graph import FloatArray, Graph, IntArray
from wgnn_core.intervention import Base, Intervention, Plan, make_plan
from wgnn_core.replicas.history import History
from wgnn_core.runs.arrays import Arrays
from wgnn_core.runs.cells import CURVES, PROB, first_cells, join_base, stack
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.store import Store
from wgnn_core.runs.summaries import RunSummary
from wgnn_core.search import as_table, choose, interventions, is_of, second_stage, table
from wgnn_core.statistics import Comparison, compare, overlap_of
from wgnn_core.wgnn import Row


@dataclass(frozen=True, eq=False)
class RunResult:
    """The numbers of a run.

    Attributes:
        summary: What the run is, and its state.
        graph: Its graph.
        base: The base model; None until it is trained for every seed.
        rows: One row per finished (intervention, seed) of the config, see `search.table`.
        chosen: The intervention with the best validation accuracy; None until the run is complete.
    """

    summary: RunSummary
    graph: Graph
    base: Base | None
    rows: pd.DataFrame
    chosen: Intervention | None
    _store: Store = field(repr=False)
    _where: dict[tuple[Intervention, int], tuple[int, int]] = field(repr=False)
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

    @property
    def trained(self) -> Base:
        """The base model.

        Raises:
            WGNNError: It is not trained for every seed yet.
        """
        if self.base is None:
            raise WGNNError(
                f"the base model of run {self.summary.run_id} is not trained for every seed yet; "
                "wait for it."
            )
        return self.base

    @property
    def overlap(self) -> float:
        """How far the splits of the seeds overlap, for `statistics.compare`."""
        return overlap_of(self.graph, self.config.seeds)

    @cached_property
    def finished(self) -> list[Intervention]:
        """The interventions that are finished for every seed, in the order of the run."""
        return [i for i in interventions(self.rows) if len(self.of(i)) == len(self.config.seeds)]

    def of(self, intervention: Intervention) -> pd.DataFrame:
        """The rows of an intervention, in the order of the seeds."""
        return self.rows[is_of(self.rows, intervention)]

    def plan(self, intervention: Intervention, position: int) -> Plan:
        """What Algorithms 1 and 2 decide for the seed at `position`; nothing is trained."""
        return make_plan(self.trained, position, intervention)

    def outcome(self, intervention: Intervention, position: int) -> tuple[IntArray, FloatArray]:
        """Predicted classes ``[N]`` and w ``[N]`` of the model retrained for a seed.

        Raises:
            WGNNError: That training is no part of the run, or not finished.
        """
        base = self.base
        if base is not None and intervention.is_base and 0 <= position < len(base.seeds):
            return base.predicted[position], base.w[position]
        arrays, place = self._found(intervention, position)
        return arrays["predicted"][place].astype(np.int64), arrays["w"][place]

    def prob(self, intervention: Intervention, position: int) -> FloatArray | None:
        """Probabilities ``[N, C]`` of the model retrained for a seed, to three decimals.

        Those of the base model are exact. None where they are not stored.

        Raises:
            WGNNError: That training is no part of the run, or not finished.
        """
        base = self.base
        if base is not None and intervention.is_base and 0 <= position < len(base.seeds):
            exact: FloatArray = base.prob[position]
            return exact
        arrays, place = self._found(intervention, position)
        if PROB not in arrays:
            return None
        prob = arrays[PROB][place].astype(np.float32)
        return np.asarray(prob / prob.sum(axis=1, keepdims=True))

    def _found(self, intervention: Intervention, position: int) -> tuple[Arrays, int]:
        """The arrays of a retraining, and its place in them."""
        found = self._where.get((intervention.canonical, position))
        if found is None:
            raise WGNNError(
                f"wGNN with {intervention.text} for seed number {position} is not among the "
                "finished trainings."
            )
        cell, place = found
        return self._arrays(cell), place

    def history(self, intervention: Intervention) -> History | None:
        """Training curves of every seed; None where some are not stored."""
        asked = intervention.canonical
        if asked.is_base:
            return None if self.base is None else self.base.history
        found = [self._where.get((asked, i)) for i in range(len(self.config.seeds))]
        parts = [self._arrays(at[0])[CURVES][at[1]] for at in found if at and self._has(at[0])]
        return History.of_stacked(np.stack(parts)) if len(parts) == len(found) else None

    def _has(self, cell: int) -> bool:
        return CURVES in self._arrays(cell)

    def _arrays(self, cell: int) -> Arrays:
        if cell not in self._loaded:
            self._loaded.clear()  # one cell at a time: a page looks at neighbours
            self._loaded[cell] = self._store.arrays(self.summary.run_id, cell)
        return self._loaded[cell]

    def comparison(self, intervention: Intervention, retrained: bool = False) -> Comparison:
        """The intervention against the base model, seed by seed; its `test` says by which test.

        Raises:
            WGNNError: It is not finished for every seed.
        """
        mine = self.of(intervention)
        if self.base is None or len(mine) != len(self.base.seeds):
            raise WGNNError(
                f"wGNN with {intervention.text} is not finished for every seed of the run."
            )
        scores = mine["test_retrained" if retrained else "test"]
        return compare(self.base.test, scores, self.overlap)


def load_result(store: Store, run_id: str, graph: Graph | None = None) -> RunResult:
    """Everything finished of a run; `graph` is needed where no catalogue has it."""
    summary = named_now(store.get(run_id), graph)
    graph = checked_graph(summary)
    found = store.rows(run_id)
    base = load_base(store, run_id, summary.config, graph)
    where = {
        (row.intervention.canonical, row.position): (cell, i)
        for cell, i, row in found
        if not row.intervention.is_base  # its arrays are those of `Base`
    }
    if base is None:
        return RunResult(summary, graph, None, as_table([]), None, store, where)
    rows, candidates = _rows(summary.config, base, [row for _, _, row in found])
    complete = summary.done == summary.total and len(candidates) > 0
    chosen = choose(candidates) if complete else None
    return RunResult(summary, graph, base, rows, chosen, store, where)


def named_now(summary: RunSummary, graph: Graph | None = None) -> RunSummary:
    """The run with the name that its graph has now, or with the graph that is given.

    An imported graph may have been renamed since, or deleted and imported again.

    Raises:
        WGNNError: The graph is not here.
    """
    name = summary.dataset
    if graph is None:
        entries = {entry.name: entry.imported for entry in datasets.catalogue()}
        content = summary.dataset_hash
        same = [other for other, own in entries.items() if own and own.content_hash == content]
        if same and name not in same:
            name = same[0]
        elif name not in entries:
            raise WGNNError(
                f"the graph {name} of run {summary.run_id} is not here (deleted, or imported on "
                "another machine); import it again."
            )
    return replace(summary, config=replace(summary.config, dataset=name, given=graph))


def checked_graph(summary: RunSummary) -> Graph:
    """The graph of a run, if it is still the one the run began with."""
    found = summary.config.graph()
    if found.content_hash != summary.dataset_hash:
        raise WGNNError(
            f"the dataset {summary.dataset} has changed since run {summary.run_id} was started; "
            "start a new run."
        )
    return found


def load_base(store: Store, run_id: str, config: RunConfig, graph: Graph) -> Base | None:
    """The base model of all seeds with its edge models, or None while one is missing."""
    wanted = [cell for cell in first_cells(config, graph) if cell.positions]
    if not store.cells(run_id).issuperset(cell.number for cell in wanted):
        return None
    parts: dict[str, list[Arrays]] = {}
    for cell in wanted:
        arrays = store.arrays(run_id, cell.number)
        parts.setdefault(cell.edge_model, []).append(arrays)
    return join_base(config, graph, {name: stack(found) for name, found in parts.items()})


def _rows(config: RunConfig, base: Base, found: list[Row]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All finished rows, and those among which validation chooses in the end."""
    rows = table(base, config.first_stage, found)
    if config.search == "list" or len(rows) < len(config.first_stage) * len(config.seeds):
        return rows, rows
    later = table(base, second_stage(config.steps, rows), found)
    plain = rows[is_of(rows, choose(rows))]
    return (
        pd.concat([rows, later], ignore_index=True),
        pd.concat([plain, later], ignore_index=True),
    )
