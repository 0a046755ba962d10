"""A study through the store: what is left, what was found, the same numbers when resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from wgnn_core.errors import WGNNError
from wgnn_core.replicas.engine import Cancelled
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.store import Store
from wgnn_core.studies import running
from wgnn_core.studies.plan import Cell
from wgnn_core.studies.running import (
    QUICK_SECONDS,
    chosen_cells,
    collect,
    cost,
    duration,
    estimate,
    left_out,
    todo,
)
from wgnn_core.studies.table_1 import STUDY as TABLE_1

from .conftest import KARATE, TINY, cells


@pytest.fixture(autouse=True)
def no_raw_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))


def train(store: Store, plan: list[Cell]) -> int:
    """Everything, as the command does; how many runs it were."""
    count = 0
    while left := todo(plan, "full", store):
        for config in left:
            run_here(config, store)
            count += 1
    return count


def test_a_leader_runs_first_and_nothing_twice(tmp_path: Path) -> None:
    store, plan = Store(tmp_path / "s"), cells("full")
    before = estimate(plan, "full", store)
    assert before.trainings == sum(c.configs[0].trainings for c in plan[:2]) > 0
    assert todo(plan, "full", store) == [KARATE]
    empty = collect(TINY, plan, "full", store)
    assert empty.records == [] and [m.why for m in empty.missing] == [
        "not run yet", "not run yet", "the files of disease are not here"
    ]  # fmt: skip
    assert train(store, plan) == 2
    found = collect(TINY, plan, "full", store)
    assert [(r.row, r.cell) for r in found.records] == [
        ("GCN", ("GCN", "Karate")), ("DropEdge", ("DropEdge", "Karate"))
    ]  # fmt: skip
    assert [m.column for m in found.missing] == ["Disease"]
    assert set(found.runs) == {r.runs[0] for r in found.records}
    assert estimate(plan[:1], "full", store).trainings == 0
    assert train(store, plan) == 0


def test_interrupted_and_resumed_gives_the_same_numbers(store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "s")
    seen = []

    def stop(done: float, total: int) -> bool:
        seen.append(done)
        return done < 3

    with pytest.raises(Cancelled):
        run_here(KARATE, other, stop)
    assert collect(TINY, cells("full")[:1], "full", other).records == []
    run_here(KARATE, other)
    run_here(KARATE, store)
    whole, resumed = (collect(TINY, cells("full")[:1], "full", s).records for s in (store, other))
    assert whole == resumed != []


def test_a_part_is_picked_by_its_names() -> None:
    assert [c.row for c in chosen_cells(TINY, "full", "GCN")] == ["GCN", "GCN"]
    assert len(chosen_cells(TINY, "full", "GCN", "Karate")) == 1
    with pytest.raises(WGNNError, match=r"no row 'GIN'; it has GCN, DropEdge"):
        chosen_cells(TINY, "full", "GIN")


def test_quick_leaves_out_what_may_take_long_and_says_so(
    monkeypatch: pytest.MonkeyPatch, raw_data: Path
) -> None:
    monkeypatch.setenv("WGNN_DATA", str(raw_data))
    reasons = {(c.row, c.column): left_out(c, "quick") for c in TABLE_1.cells("quick")}
    assert reasons["GCN", "Cora"] == ""
    assert reasons["MaskGAE", "Pubmed"].startswith("not part of the quick size: about")
    assert "GCN comes first, about" in reasons["DropEdge", "Airport"]
    for cell in TABLE_1.cells("quick"):
        known = [cost(config) for config in (cell.configs[0], cell.leader) if config is not None]
        cheap = all(seconds is not None and seconds <= QUICK_SECONDS for seconds in known)
        assert cell.column == "Disease" or cheap == (reasons[cell.row, cell.column] == "")
    assert not any(left_out(c, "full") for c in TABLE_1.cells("full") if c.column != "Disease")


def test_what_is_stored_is_shown_though_it_would_take_long(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run may have been trained for something else."""
    monkeypatch.setattr(running, "cost", lambda config: 2 * QUICK_SECONDS)
    run_here(KARATE, store)
    plan = cells("quick")
    assert "quick size" in left_out(plan[0], "quick")
    found = collect(TINY, plan, "quick", store)
    assert [r.row for r in found.records] == ["GCN"] and found.runs.keys() == {KARATE.run_id}
    assert "quick size" in found.missing[0].why


def test_durations_in_words() -> None:
    assert [duration(s) for s in (80, 600, 7200)] == ["80 s", "10 min", "2.0 h"]
