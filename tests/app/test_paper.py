"""The page Paper: shipped results at once, verdicts, and running an item here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.app.test_pages import texts
from tests.studies.conftest import FOLLOWS, KARATE, TINY, measure
from ui.text import md
from wgnn_core.errors import WGNNError
from wgnn_core.studies import STUDIES
from wgnn_core.studies.plan import Cell
from wgnn_core.studies.records import RULE
from wgnn_core.studies.saved import shipped, verdict_of_all


@pytest.mark.parametrize("name", STUDIES)
def test_every_item_shows_what_was_run_or_says_that_nothing_was(
    name: str, visit: Any, jobs_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No raw file is needed to look at results."""
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    jobs = jobs_in("fresh")
    app = visit("paper", dataset="PubMed", paper_item=STUDIES[name].title)
    assert not app.error and jobs.list() == []
    saved = shipped(name)
    if saved is None:
        assert "No results of this item" in texts(app)
        return
    if saved.found.records:
        table = app.dataframe[0].value
        assert len(table) == len(saved.found.records)
        assert "Really run" in texts(app)
    if any(r.published.gain is not None for r in saved.found.records):
        assert "The rule" in texts(app) and md(RULE, 1200)[:40] in texts(app)
        assert set(table["verdict"]) <= {"reproduced", "same direction", "not reproduced", ""}
    for claim in saved.found.claims:
        assert f"**{claim.verdict}.**" in texts(app)


def test_an_item_is_run_here_leader_first(
    visit: Any, jobs_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    monkeypatch.setitem(STUDIES, "tiny", TINY)
    jobs = jobs_in("finished")
    app = visit("paper", dataset="Karate club", paper_item=TINY.title, paper_how="Run here, full")
    assert f"{KARATE.trainings + FOLLOWS.trainings} trainings" in texts(app)
    assert "3 cells not run" in [expander.label for expander in app.expander]
    app.button(key="paper_run").click().run()
    app.run()
    assert not app.exception and not app.error
    assert {run.model for run in jobs.list()} == {"gcn", "dropedge"}
    assert app.dataframe[0].value["Model"].tolist() == ["GCN", "DropEdge"]
    assert "1 cell not run" in [expander.label for expander in app.expander]
    assert "nothing is left to train" in texts(app)


def test_a_run_that_is_going_on_is_shown_whoever_began_it(
    visit: Any, jobs_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another tab, or this one before it was reloaded; of this item alone, and nothing is begun."""
    monkeypatch.setitem(STUDIES, "tiny", TINY)
    jobs = jobs_in("fresh")
    asked = {"dataset": "Karate club", "paper_item": TINY.title, "paper_how": "Run here, full"}
    other = jobs.submit(replace(KARATE, seeds=(5,)))
    assert "waiting" not in "".join(c.value for c in visit("paper", **asked).main.caption)
    mine = jobs.submit(KARATE)
    app = visit("paper", **asked)
    assert f"GCN on Karate club: waiting, {KARATE.trainings} trainings." in texts(app)
    assert not app.button(key="paper_run").disabled
    assert jobs.active == [other, mine]


def test_all_runs_of_an_item_stop_and_go_on_together(
    visit: Any, jobs_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One click each, not one for every run; runs of nothing else are touched."""
    monkeypatch.setitem(STUDIES, "tiny", TINY)
    jobs = jobs_in("fresh")
    other, mine = jobs.submit(replace(KARATE, seeds=(5,))), jobs.submit(KARATE)
    asked = {"dataset": "Karate club", "paper_item": TINY.title, "paper_how": "Run here, full"}
    app = visit("paper", **asked)
    app.button(key="paper_cancel").click().run()
    assert not app.exception and not app.error
    assert jobs.active == [other] and jobs.status(mine).state == "cancelled"
    assert "paper_cancel" not in [button.key for button in app.button]
    app.button(key="paper_run").click().run()
    assert not app.exception and not app.error
    assert jobs.active == [other, mine]
    assert app.button(key="paper_run").disabled and app.button(key="paper_cancel")


def test_a_run_that_cannot_be_cancelled_is_named_and_the_others_are(
    visit: Any, jobs_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gat = replace(KARATE, model="gat")
    cells = [Cell("GCN", "Karate", (KARATE,), measure), Cell("GAT", "Karate", (gat,), measure)]
    pair = replace(TINY, name="pair", title="A pair", cells=lambda size: cells)
    monkeypatch.setitem(STUDIES, pair.name, pair)
    jobs = jobs_in("fresh")
    mine, other = jobs.submit(KARATE), jobs.submit(gat)
    cancel = jobs.cancel

    def refuse(run_id: str) -> None:
        if run_id == mine:
            raise WGNNError("run x is being trained by another program; cancel it there.")
        cancel(run_id)

    monkeypatch.setattr(jobs, "cancel", refuse)
    asked = {"dataset": "Karate club", "paper_item": pair.title, "paper_how": "Run here, full"}
    app = visit("paper", **asked)
    app.button(key="paper_cancel").click().run()
    assert not app.exception
    assert any("another program" in error.value for error in app.error)
    assert jobs.active == [mine] and jobs.status(other).state == "cancelled"


def test_row_and_column_are_in_the_address(
    visit: Any, jobs_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(STUDIES, "tiny", TINY)
    jobs_in("fresh")
    asked = {"dataset": "Karate club", "paper_item": TINY.title, "paper_how": "Run here, full"}
    app = visit("paper", **asked, paper_row_tiny="DropEdge")
    assert app.selectbox(key="paper_row_tiny").value == "DropEdge"
    assert not app.error


def test_the_verdict_on_the_whole_paper_is_that_of_the_files(visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    shown = texts(visit("paper"))
    first, answers = next(iter(verdict_of_all().items()))
    item, claim = answers[0][0].split(":")[0], answers[0][1]
    assert f"- **{first}** {item}: :material/" in shown
    assert f"{md(claim.short, 200)} ({claim.verdict})" in shown
    for question, found in verdict_of_all().items():
        assert md(question, 200) in shown
        for title, claim in found:
            assert f"{md(title, 200)}: **{claim.verdict}.**" in shown
            assert md(claim.found, 1500) in shown
