"""A graph whose every name attacks: nothing may run, nothing may break, on any page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from ui.kept import LEDGER
from ui.pages import PAGES
from wgnn_core.datasets import loading
from wgnn_core.runs import config as run_config

NAMES = (
    "<script>alert(1)</script>[x](javascript:alert(1))",
    "\"'><img src=x onerror=alert(1)> href $\\frac{1}{2}$ :material/home: 😀 " + "x" * 5000,
)


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Karate club with hostile names; the names are no part of its content hash."""
    real = loading._BUILDERS["karate"]

    def build() -> Any:
        graph = real()
        nodes = tuple(f"{NAMES[i % 2]} {i}" for i in range(graph.num_nodes))
        return replace(graph, class_names=NAMES, node_names=nodes)

    def forget() -> None:
        run_config._graph.cache_clear()
        LEDGER.clear()

    monkeypatch.setitem(loading._BUILDERS, "karate", build)
    forget()
    yield
    forget()


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_hostile_names_are_text(page: str, visit: Any, jobs_in: Any, hostile: Any) -> None:
    jobs_in("finished")
    app = visit(page, dataset="Karate club", grid_x=["0.2"], grid_y=["0.2", "0.8"])
    if page == "grid":
        app.button(key="grid_run").click().run()
    assert not app.exception
    assert not app.error
    for element in [*app.markdown, *app.caption]:
        assert not element.allow_html
        unescaped = re.sub(r"\\.", "", element.value)
        assert "[x](" not in unescaped
        assert "<img" not in unescaped
        assert "frac" not in unescaped or "$" not in unescaped
    for chart in app.get("plotly_chart"):
        spec = json.loads(chart.proto.spec)
        assert "<script" not in json.dumps(spec)
        assert "<img" not in json.dumps(spec)
        assert "x" * 100 not in json.dumps(spec)
    for frame in app.get("iframe"):
        assert "<script>alert" not in frame.proto.srcdoc
        assert "<img src=x" not in frame.proto.srcdoc
