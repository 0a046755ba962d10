"""Every page, on every kind of graph, in every state of its run."""

from __future__ import annotations

from typing import Any

import pytest

from wgnn_core import datasets

PAGES = ("start", "dataset", "problem1", "map", "playground", "grid", "runs")
TITLES = {
    "digits": "Digits",
    "karate": "Karate club",
    "csbm": "Contextual block model",
    "cora": "Cora",
}
CHARTS = {"start": 1, "dataset": 4, "problem1": 2, "map": 5, "playground": 3, "grid": 3}
"""Charts of a page once its run is finished."""

WITHOUT_RUN = {"start": 1, "dataset": 4}
"""Charts of a page that show without one."""


def open_page(visit: Any, page: str, graph: str) -> Any:
    if graph == "cora" and datasets.status("cora") != "on disk":
        pytest.skip("needs the raw files of Cora: set WGNN_DATA to their folder")
    app = visit(page, dataset=TITLES[graph], grid_x=["0.4"], grid_y=["0.4", "0.8"])
    if page == "grid":
        app.button(key="grid_run").click().run()
        assert not app.exception
    return app


def texts(app: Any) -> str:
    kinds = ("markdown", "caption", "error", "warning", "info", "success", "subheader")
    return "\n".join(str(e.value) for kind in kinds for e in getattr(app, kind))


def captioned(app: Any) -> bool:
    """Each chart has alternative text and its title above it."""
    return all(chart.proto.alt for chart in app.get("plotly_chart"))


@pytest.mark.parametrize("graph", TITLES)
@pytest.mark.parametrize("page", PAGES)
def test_finished(page: str, graph: str, visit: Any, jobs_in: Any) -> None:
    jobs_in("finished")
    app = open_page(visit, page, graph)
    assert app.title[0].value
    assert not app.error
    if page in CHARTS:
        assert len(app.get("plotly_chart")) == CHARTS[page]
        assert captioned(app)
    if page == "playground":
        before, after = app.get("iframe")
        assert before.proto.srcdoc != after.proto.srcdoc
        assert "After retraining" in texts(app)
    if page == "start":
        assert "points" in texts(app)
    if page == "runs":
        assert TITLES  # the shelf holds what the pages before have trained
        assert app.dataframe or "Nothing was trained yet" in texts(app)


@pytest.mark.parametrize("graph", ["karate", "csbm"])
@pytest.mark.parametrize("page", PAGES)
def test_fresh(page: str, graph: str, visit: Any, jobs_in: Any) -> None:
    """Nothing is trained yet: the page stands, says so, and has asked for the run."""
    jobs = jobs_in("fresh")
    app = open_page(visit, page, graph)
    assert not app.error
    assert len(app.get("plotly_chart")) == WITHOUT_RUN.get(page, 0)
    waiting = [run.config.dataset for run in jobs.list()]
    if page in ("dataset", "runs"):
        assert waiting == []
    else:
        assert waiting == [graph]
        assert "Training" in texts(app) or page == "grid"
        assert "Jobs" in [caption.value for caption in app.sidebar.caption], "nobody looks again"
    if page == "runs":
        assert "Nothing was trained yet" in texts(app)


@pytest.mark.parametrize("graph", ["karate", "csbm"])
@pytest.mark.parametrize("page", [p for p in PAGES if p not in ("dataset", "runs")])
def test_failed(page: str, graph: str, visit: Any, jobs_in: Any) -> None:
    """The reason stands on the page as plain text, with a way to try again."""
    jobs_in("failed")
    app = open_page(visit, page, graph)
    assert "the disk is full" in app.error[0].value
    assert "<script>" not in app.error[0].value
    assert any(button.label == "Try again" for button in app.button)
    assert len(app.get("plotly_chart")) == WITHOUT_RUN.get(page, 0)


@pytest.mark.parametrize("page", PAGES)
def test_graph_that_is_not_here(
    page: str, visit: Any, jobs_in: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    jobs_in("fresh")
    app = visit(page, dataset="PubMed")
    assert "not on this machine" in app.info[0].value
    assert app.button(key="get").label == "Get PubMed"
    assert not app.get("plotly_chart")
