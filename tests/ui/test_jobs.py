"""Tabs look after runs only while there are some."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from ui import jobs, load
from wgnn_core.runs.jobs import JobStatus


@pytest.fixture
def tab(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A tab without runs of its own, beside those that the job system is at work on."""
    found = SimpleNamespace(active=[], state={}, every=None, look=None)

    def fragment(part: Callable[[], None], name: str, every: float | None) -> Callable[[], None]:
        found.look, found.every = part, every
        return part

    status = SimpleNamespace(state="running", active=True)
    held = SimpleNamespace(active=found.active, status=lambda run_id: status)
    monkeypatch.setattr(load, "jobs", lambda: held)
    monkeypatch.setattr(jobs, "is_active", lambda run_id: run_id in found.active)
    monkeypatch.setattr(jobs, "fragment", fragment)
    monkeypatch.setattr(jobs, "progress", lambda run_id, status: None)
    monkeypatch.setattr(jobs.st, "session_state", found.state)
    return found


def test_a_tab_stops_looking_when_the_run_of_another_has_ended(tab: Any) -> None:
    tab.active.append("another tab's")
    jobs.panel("map")
    assert tab.every == jobs.LOOK_SECONDS and not tab.state.get(jobs.CHANGED)
    tab.active.clear()
    tab.look()
    assert tab.state[jobs.CHANGED]  # the page is drawn anew
    jobs.panel("map")
    assert tab.every is None


def test_a_tab_without_any_run_never_looks_and_its_own_run_is_followed(tab: Any) -> None:
    jobs.panel("map")
    assert tab.every is None and not tab.state.get(jobs.CHANGED)
    tab.active.append("mine")
    tab.state[jobs.WATCHED] = {"mine": "running"}
    jobs.panel("map")
    assert tab.every == jobs.POLL_SECONDS < jobs.LOOK_SECONDS


def test_a_job_on_a_graph_that_was_deleted_or_named_oddly_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    config = SimpleNamespace(model="gcn", dataset="mine[1]")
    store = SimpleNamespace(get=lambda run_id: SimpleNamespace(config=config))
    monkeypatch.setattr(load, "jobs", lambda: SimpleNamespace(store=store, cancel=print))
    monkeypatch.setattr(jobs.st, "progress", lambda share, text: said.append(text))
    jobs.progress("run", JobStatus("run", "queued", 0, 3, None, None, "", None, None))
    assert said == ["**GCN on mine\\[1\\]**  \nwaiting, 3 trainings"]
