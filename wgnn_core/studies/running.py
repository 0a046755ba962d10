"""From a study to runs of the store and back: what is left to train, how long, what was found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources

from wgnn_core import datasets
from wgnn_core.comparators import METHODS
from wgnn_core.errors import WGNNError
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult, load_result
from wgnn_core.runs.store import Store
from wgnn_core.studies.plan import Cell, Size, Study
from wgnn_core.studies.records import Claim, Missing, Record, with_holm

QUICK_SECONDS = 150.0
"""A cell that may take longer, or whose leader may, is left out of the quick size, and says so. By
these figures all 92 cells of the quick size take some 46 minutes on one thread; 91 of them took 17
on two cores."""
NOT_YET = "not run yet"
LEAST_TRAININGS = 20
"""A stored run of fewer says little about speed."""


@dataclass(frozen=True)
class RunNote:
    """How a run that records were made of came about."""

    dataset: str
    model: str
    config: dict[str, object]
    versions: object
    created: float
    seconds: float
    trainings: int


@dataclass(frozen=True)
class Found:
    """What a study has found so far."""

    study: str
    size: Size
    records: list[Record]
    claims: list[Claim]
    missing: list[Missing]
    runs: dict[str, RunNote] = field(default_factory=dict)


@dataclass(frozen=True)
class Estimate:
    """What is left to train: trainings, seconds for those of known speed, cells of unknown."""

    trainings: int
    seconds: float
    unknown: int

    def __str__(self) -> str:
        if not self.trainings:
            return "Everything is in the store; nothing is left to train."
        text = f"{self.trainings:,} trainings, at most about {duration(self.seconds)}"
        if self.unknown:
            text += f" and {self.unknown} runs of unknown speed"
        return f"{text} (measured on one thread of a busy machine; several cores are faster)."


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def chosen_cells(
    study: Study, size: Size, row: str | None = None, column: str | None = None
) -> list[Cell]:
    """The cells of a study, or those of one row or column.

    Raises:
        WGNNError: There is no such row or column.
    """
    cells = study.cells(size)
    for name, wanted, known in (
        ("row", row, [cell.row for cell in cells]),
        ("column", column, [cell.column for cell in cells]),
    ):
        if wanted is not None and wanted not in known:
            allowed = ", ".join(dict.fromkeys(known)) or "none"
            raise WGNNError(f"{study.name} has no {name} {wanted!r}; it has {allowed}.")
    return [c for c in cells if row in (None, c.row) and column in (None, c.column)]


def _no_files(cell: Cell) -> str:
    """What to say of a cell whose graph cannot be read; empty if it can."""
    dataset = cell.configs[0].dataset
    here = datasets.status(dataset) in ("built in", "on disk")
    return "" if here else f"the files of {dataset} are not here"


def left_out(cell: Cell, size: Size) -> str:
    """Why a cell is not run at all; empty if it is."""
    if reason := _no_files(cell):
        return reason
    if size == "quick":
        first = 0.0 if cell.leader is None else cost(cell.leader) or 0.0
        if first > QUICK_SECONDS:
            title = METHODS[cell.leader.model].title if cell.leader else ""
            return f"not part of the quick size: {title} comes first, about {duration(first)}"
        costs = [cost(config) for config in cell.configs]
        if any(seconds is None for seconds in costs):
            dear = METHODS[cell.configs[-1].model].cost == "dear"
            return "not part of the quick size: its speed is not known" if dear else ""
        total = sum(seconds or 0.0 for seconds in costs)
        if total > QUICK_SECONDS:
            return f"not part of the quick size: about {duration(total)}"
    return ""


def todo(cells: Sequence[Cell], size: Size, store: Store) -> list[RunConfig]:
    """Runs that can be started now and are not finished; leaders before those that follow them."""
    wanted: dict[str, RunConfig] = {}
    for cell in cells:
        if left_out(cell, size):
            continue
        led = None
        if cell.leader is not None:
            led = finished(store, cell.leader)
            if led is None:
                wanted.setdefault(cell.leader.run_id, cell.leader)
                continue
        for config in cell.settled(led):
            if not is_done(store, config):
                wanted.setdefault(config.run_id, config)
    return list(wanted.values())


def is_done(store: Store, config: RunConfig) -> bool:
    return store.has(config.run_id) and store.get(config.run_id).state == "done"


def finished(store: Store, config: RunConfig) -> RunResult | None:
    """The result of a run that is done."""
    return load_result(store, config.run_id) if is_done(store, config) else None


def collect(study: Study, cells: Sequence[Cell], size: Size, store: Store) -> Found:
    """Records of the cells whose runs are finished; why there are none of the others."""
    records: list[Record] = []
    missing: list[Missing] = []
    notes: dict[str, RunNote] = {}
    for cell in cells:
        results = [] if _no_files(cell) else _results(cell, store)
        if not results:
            why = left_out(cell, size) or NOT_YET
            missing.append(Missing(cell.row, cell.column, why))
            continue
        place = (cell.row, cell.column)
        records += [replace(one, cell=place) for one in cell.measure(results)]
        notes |= {result.summary.run_id: _note(result) for result in results}
    records = with_holm(records)
    return Found(study.name, size, records, study.claims(records), missing, notes)


def _results(cell: Cell, store: Store) -> list[RunResult]:
    """The results of all runs of a cell; none if one is not finished."""
    led = finished(store, cell.leader) if cell.leader is not None else None
    if cell.leader is not None and led is None:
        return []
    found = []
    for config in cell.settled(led):
        result = finished(store, config)
        if result is None:
            return []
        found.append(result)
    return found


def _note(result: RunResult) -> RunNote:
    run = result.summary
    return RunNote(
        run.dataset,
        run.model,
        run.config.to_json(),
        result.versions,
        run.created,
        round(run.seconds, 1),
        run.total,
    )


def estimate(cells: Sequence[Cell], size: Size, store: Store) -> Estimate:
    """What is left to train, followers as if their leader were done."""
    wanted: dict[RunConfig, None] = {}
    for cell in cells:
        if not left_out(cell, size):
            leader = [] if cell.leader is None else [cell.leader]
            wanted |= dict.fromkeys([*leader, *cell.configs])
    speeds, trainings, seconds, unknown = _speeds(store), 0, 0.0, 0
    for config in wanted:
        done = store.get(config.run_id).done if store.has(config.run_id) else 0
        left = config.trainings - done
        each = speeds.get((config.model, config.dataset), per_training(config))
        trainings += left
        seconds += left * (each or 0.0)
        unknown += bool(left) and each is None
    return Estimate(trainings, seconds, unknown)


def cost(config: RunConfig) -> float | None:
    """Seconds of a run at most, from what was measured once; None if nothing was."""
    each = per_training(config)
    return None if each is None else each * config.trainings


def per_training(config: RunConfig) -> float | None:
    return _seconds().get(config.model, {}).get(config.dataset)


@cache
def _seconds() -> dict[str, dict[str, float]]:
    """Seconds per training by model and dataset, on one thread beside another busy one.

    They come from full runs of studies, else from benchmarks/base_models.md; a graph in another
    form has those of the graph.
    """
    text = resources.files("wgnn_core.studies").joinpath("seconds.json").read_text("utf-8")
    found: dict[str, dict[str, float]] = json.loads(text)
    return found


def _speeds(store: Store) -> dict[tuple[str, str], float]:
    """Seconds per training of this machine, by model and dataset, where enough is stored."""
    return {
        (run.model, run.dataset): run.seconds / run.done
        for run in store.runs()
        if run.done >= LEAST_TRAININGS
    }
