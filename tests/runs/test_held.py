"""Faults that once broke a run, its store or the list of runs, and are held now."""

from __future__ import annotations

import os
from dataclasses import replace

import psutil
import pytest

from tests.runs.run_helpers import train_here
from wgnn_core.errors import WGNNError
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import Jobs, Limits
from wgnn_core.runs.owners import alive, owner_name
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store


def test_a_clock_that_is_set_makes_no_owner_look_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = owner_name("x")
    before = psutil.Process.create_time
    monkeypatch.setattr(psutil.Process, "create_time", lambda self: before(self) + 1.0)
    assert alive(mine)
    pid, started, token = mine.split(":")
    assert not alive(f"{pid}:{int(float(started)) + 1}:{token}")
    assert not alive(f"{2**22 + os.getpid()}:{started}:{token}")


@pytest.mark.parametrize("cell", [0, 1])
def test_flipped_bits_cost_one_cell_and_no_other_run(
    store: Store, config: RunConfig, cell: int
) -> None:
    run = train_here(store, config)
    expected = load_result(store, run)
    predicted = expected.outcome(config.interventions[0], 0)[0]
    file = store.path / "arrays" / run / f"{cell}.npz"
    content = bytearray(file.read_bytes())
    for place in range(60, 100):
        content[place] ^= 0xFF  # inside the compressed data
    file.write_bytes(content)
    other = replace(config, interventions=config.interventions[:1])
    train_here(store, other)  # would have adopted the base cell
    damaged = load_result(store, run)  # the other run has noticed it, if it is the base cell
    assert (damaged.base is None) == (cell == 0)
    if cell == 1:
        with pytest.raises(WGNNError, match="resume the run"):
            damaged.outcome(config.interventions[0], 0)
    assert store.get(run).state == "interrupted"
    assert store.get(run).done < store.get(run).total
    train_here(store, config)
    again = load_result(store, run)
    assert again.rows.equals(expected.rows)
    assert (again.outcome(config.interventions[0], 0)[0] == predicted).all()


def test_what_the_queue_refuses_leaves_no_row(store: Store, config: RunConfig) -> None:
    class Idle:
        def __init__(self, *_: object) -> None: ...
        def warm(self) -> None: ...
        def start(self, run_id: str) -> None: ...
        def cancel(self, run_id: str) -> None: ...
        def close(self) -> None: ...

    jobs = Jobs(store, Limits(queue=1), Idle)
    jobs.submit(config)
    with pytest.raises(WGNNError, match="the limit is 1"):
        jobs.submit(replace(config, seeds=(9,)))
    assert [run.run_id for run in store.runs()] == [config.run_id]
    jobs.close()
