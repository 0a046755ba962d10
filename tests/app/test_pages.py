"""Every page, on every kind of graph, in every state of its run."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.app.conftest import TITLES
from ui import pages
from wgnn_core import datasets
from wgnn_core.runs.config import RunConfig

PAGES = [page.name for page in pages.PAGES]
CHARTS = {"start": 1, "dataset": 4, "problem1": 2, "model": 3, "map": 5, "playground": 3, "grid": 3}
CHARTS |= {"paper": 1, "theory": 1}
"""Charts of a page once its run is finished."""

WITHOUT_RUN = {"start": 1, "dataset": 4, "paper": 1, "theory": 1}
"""Charts of a page that show without one."""

QUIET = ("dataset", "own", "theory", "runs", "paper")
"""Pages that train nothing."""


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


def uncaptioned(app: Any) -> list[str]:
    """Charts without alternative text, and charts that cannot be taken along."""
    charts = [*app.get("plotly_chart"), *app.get("iframe")]
    exports = [button for button in app.get("download_button") if "_download" in str(button)]
    return [str(chart) for chart in charts if not chart.proto.alt.endswith(".")] + [
        f"{len(charts)} charts, {len(exports)} exports"
    ] * (len(charts) != len(exports))


@pytest.mark.parametrize("graph", TITLES)
@pytest.mark.parametrize("page", PAGES)
def test_finished(page: str, graph: str, visit: Any, jobs_in: Any) -> None:
    jobs = jobs_in("finished")
    if page == "runs":
        jobs.submit(RunConfig("karate", seeds=(0, 1), hyper=(("epochs", 12),)))
    app = open_page(visit, page, graph)
    (entry,) = [entry for entry in pages.PAGES if entry.name == page]
    assert app.title[0].value == ("wGNN Explorer" if page == "start" else entry.title)
    assert not app.error
    if page in CHARTS:
        assert len(app.get("plotly_chart")) == CHARTS[page]
        assert uncaptioned(app) == []
    if page == "playground":
        (panels,) = app.get("iframe")
        assert "After</figcaption>" in panels.proto.srcdoc
        assert "After retraining" in texts(app)
    if page == "start":
        assert "points" in texts(app)
    if page == "runs":
        shelf = app.dataframe[0].value
        assert len(shelf) == len(jobs.list()) > 0 and "Karate club" in set(shelf["graph"])


@pytest.mark.parametrize("graph", ["karate", "csbm"])
@pytest.mark.parametrize("page", PAGES)
def test_fresh(page: str, graph: str, visit: Any, jobs_in: Any) -> None:
    """Nothing is trained yet: the page stands, says so, and has asked for the run."""
    jobs = jobs_in("fresh")
    app = open_page(visit, page, graph)
    assert not app.error
    assert len(app.get("plotly_chart")) == WITHOUT_RUN.get(page, 0)
    waiting = [run.config.dataset for run in jobs.list()]
    if page in QUIET:
        assert waiting == []
    else:
        assert waiting == [graph]
        assert re.search("Training|waits", texts(app)) or page == "grid"
        assert "Jobs" in [caption.value for caption in app.sidebar.caption], "nobody looks again"
    if page == "runs":
        assert "Nothing was trained yet" in texts(app)


@pytest.mark.parametrize("graph", ["karate", "csbm"])
@pytest.mark.parametrize("page", [p for p in PAGES if p not in QUIET])
def test_failed(page: str, graph: str, visit: Any, jobs_in: Any) -> None:
    """The reason stands on the page as plain text, with a way to try again."""
    jobs_in("failed")
    app = open_page(visit, page, graph)
    assert "the disk is full" in app.error[0].value
    assert "<script>" not in app.error[0].value
    assert any(button.label == "Try again" for button in app.button)
    assert len(app.get("plotly_chart")) == WITHOUT_RUN.get(page, 0)


@pytest.mark.parametrize("page", [p for p in PAGES if p != "paper"])
def test_graph_that_is_not_here(
    page: str, visit: Any, jobs_in: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    jobs_in("fresh")
    app = visit(page, dataset="PubMed")
    assert "not on this machine" in app.info[0].value
    assert app.button(key="get").label == "Get PubMed"
    assert not app.get("plotly_chart")
