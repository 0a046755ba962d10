"""The store is deleted while the app runs: the next look begins a new one, without a restart."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

KARATE = {"dataset": "Karate club"}


@pytest.fixture
def finished_store(tmp_path: Path) -> Path:
    """One of this test alone."""
    return tmp_path / "finished"


@pytest.mark.parametrize("page", ["start", "map", "playground"])
def test_a_page_trains_again_into_a_new_store(
    page: str, visit: Any, jobs_in: Any, finished_store: Path
) -> None:
    jobs = jobs_in("finished")
    app = visit(page, **KARATE)
    before = {run.run_id: run.state for run in jobs.list()}
    assert set(before.values()) == {"done"}
    shutil.rmtree(finished_store)
    for _ in before:
        app.run()
        assert not app.exception and not app.error
    assert {run.run_id: run.state for run in jobs.list()} == before
    assert (finished_store / "runs.sqlite").exists()


def test_the_page_runs_says_that_there_is_none(
    visit: Any, jobs_in: Any, finished_store: Path
) -> None:
    jobs_in("finished")
    visit("map", **KARATE)
    app = visit("runs")
    assert not app.info
    shutil.rmtree(finished_store)
    app.run()
    assert not app.exception and not app.error
    assert ["Nothing was trained yet" in info.value for info in app.info] == [True]


def test_a_run_that_a_page_waits_for_is_asked_for_again(
    visit: Any, jobs_in: Any, tmp_path: Path
) -> None:
    jobs = jobs_in("fresh")
    app = visit("map", **KARATE)
    (run,) = jobs.list()
    shutil.rmtree(tmp_path / "fresh")
    for _ in range(2):
        app.run()
        assert not app.exception and not app.error
    assert [(again.run_id, again.state) for again in jobs.list()] == [(run.run_id, run.state)]
