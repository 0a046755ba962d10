"""A cell of the grid goes to the playground; runs are chosen, compared, taken along, deleted."""

from __future__ import annotations

import csv
import io
import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import serve
from tests.runs.run_helpers import train_here
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.store import Store

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

HYPER = (("epochs", 15),)
QUICK = "seeds=2&gcn_epochs=15"
X, Y = (0.2, 0.6, 0.8), (0.4, 0.9)
BASE = RunConfig("karate", hyper=HYPER, seeds=(0, 1))
GRID = replace(BASE, interventions=tuple(Intervention(y, x, x) for y in Y for x in X))
OTHER = replace(BASE, interventions=(Intervention(0.5, 0.6, 0.6),))
ROW = 35
"""Height of a row of a table, in pixels."""


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Any]:
    """A server whose store holds two finished runs."""
    for config in (GRID, OTHER):
        train_here(Store(tmp_path), config)
    with serve(tmp_path, tmp_path / "data") as running:
        yield running


def settled(page: Page) -> None:
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=60_000)


def click_cell(page: Page, key: str, column: int, row: int) -> None:
    """Click beside the middle of a cell of a heatmap, where plotly itself has drawn it."""
    chart = page.locator(f".st-key-{key} .js-plotly-plot")
    chart.scroll_into_view_if_needed()
    settled(page)
    place = chart.evaluate(
        "(plot, at) => { const l = plot._fullLayout, b = plot.getBoundingClientRect();"
        " return [b.x + l.xaxis._offset + l.xaxis.l2p(at[0]),"
        " b.y + l.yaxis._offset + l.yaxis.l2p(at[1])]; }",
        [column + 0.3, row - 0.3],
    )
    page.mouse.move(*place)
    page.wait_for_timeout(300)  # plotly looks for what is under the pointer a little later
    page.mouse.down()
    page.mouse.up()


def test_a_clicked_cell_opens_in_the_playground(shelf: Any, visit: Any) -> None:
    page = visit.page
    values = "&".join([*(f"grid_x={x}" for x in X), *(f"grid_y={y}" for y in Y)])
    page.goto(f"{shelf.address}/grid?dataset=Karate+club&{QUICK}&{values}")
    expect(page.get_by_text("Look into a cell")).to_be_visible(timeout=60_000)
    for column, row in ((2, 1), (1, 0)):  # not square: rows and columns cannot be mixed up
        click_cell(page, "grid_gain", column, row)
        text = f"η₀ = {Y[row]:g}, η₁ = {X[column]:g}, η₂ = {X[column]:g}: s.d."
        expect(page.get_by_text(text)).to_be_visible(timeout=15_000)
        chart = page.locator(".st-key-grid_gain .js-plotly-plot")
        faded = chart.evaluate(
            "plot => [...plot.querySelectorAll('text')].map(getComputedStyle)"
            ".filter(s => s.fillOpacity < 1 || s.opacity < 1).length"
        )
        assert faded == 0, "the other numbers stay as they were"
    page.get_by_role("link", name="Open in the playground").click()
    expect(page.get_by_role("heading", name="Playground", exact=True)).to_be_visible()
    for name, value in (("η₀", Y[0]), ("η₁", X[1]), ("η₂", X[1])):
        handle = page.get_by_role("slider", name=name)
        expect(handle).to_have_value(f"{value:g}", timeout=90_000)
    expect(page.get_by_text("Retrained: see the results below.")).to_be_visible(timeout=90_000)
    settled(page)
    page.go_back()
    for axis, tried in (("grid_x", X), ("grid_y", Y)):
        shown = page.locator(f".st-key-{axis}")
        for value in tried:
            expect(shown.get_by_text(f"{value:g}", exact=True)).to_be_visible(timeout=15_000)
        expect(shown.get_by_text("0.0", exact=True)).to_have_count(0)
    assert visit.problems == []


def tick(page: Page, row: int) -> None:
    """Choose a row of the shelf by its box; the table is a picture, so by its place."""
    table = page.locator('[class*="st-key-runs_table"]')
    table.scroll_into_view_if_needed()
    table.get_by_test_id("stDataFrame").click(position={"x": 17, "y": ROW * (row + 1.5)})
    settled(page)


def taken(page: Page, name: str) -> str:
    with page.expect_download(timeout=30_000) as waiting:
        page.get_by_role("button", name=name).click()
    return Path(waiting.value.path()).read_text()


def test_runs_are_chosen_compared_taken_along_and_deleted(shelf: Any, visit: Any) -> None:
    page = visit.page
    page.goto(f"{shelf.address}/runs?dataset=Karate+club&{QUICK}")
    expect(page.get_by_text("2 of 2 runs")).to_be_visible(timeout=60_000)
    settled(page)
    tick(page, 0)
    tick(page, 1)
    for key in ("runs_bars", "runs_curves"):
        chart = page.locator(f".st-key-{key} .js-plotly-plot")
        expect(chart).to_be_visible(timeout=30_000)
    rows = list(csv.DictReader(io.StringIO(taken(page, "Rows as CSV"))))
    ids = {GRID.run_id, OTHER.run_id}
    assert {row["run"] for row in rows} == ids
    assert len(rows) == 2 * (len(GRID.interventions) + len(OTHER.interventions))
    assert set(json.loads(taken(page, "Settings as JSON"))) == ids

    tick(page, 1)  # the older run is let go, the newer stays chosen
    expect(page.locator(".st-key-runs_bundle_export")).to_be_visible(timeout=15_000)
    page.locator(".st-key-runs_delete_box").get_by_role("button").click()
    expect(page.get_by_text("Delete 1 run for good?")).to_be_visible()
    page.locator(".st-key-runs_delete").get_by_role("button").click()
    expect(page.get_by_text("1 of 1 run.")).to_be_visible(timeout=15_000)
    # the row that took its place is not chosen, so a second click deletes nothing
    expect(page.locator(".st-key-runs_delete")).to_have_count(0)
    expect(page.locator(".st-key-runs_delete_box")).to_have_count(0)
    page.reload()
    expect(page.get_by_text("1 of 1 run.")).to_be_visible(timeout=30_000)
    assert visit.problems == []


@pytest.mark.dataset
@pytest.mark.timeout(240)
def test_the_map_of_pubmed(raw_data: Path, tmp_path: Path, visit: Any, say: Any) -> None:
    """19,717 nodes: five seconds on an idle machine, the first time."""
    config = RunConfig("pubmed", hyper=(("epochs", 3),), seeds=(0, 1))
    train_here(Store(tmp_path), config)
    page = visit.page
    with serve(tmp_path, Path(os.environ["WGNN_DATA"])) as server:
        page.goto(f"{server.address}/map?dataset=Karate+club&seeds=2&gcn_epochs=15")
        expect(page.get_by_text("Click a node to inspect it")).to_be_visible(
            timeout=60_000
        )  # a warm server
        settled(page)
        began = time.monotonic()
        page.goto(f"{server.address}/map?dataset=PubMed&seeds=2&gcn_epochs=3")
        expect(page.get_by_text("The 19,717 nodes")).to_be_visible(timeout=60_000)
        drawn = page.locator(".st-key-map_map canvas.gl-canvas").first
        expect(drawn).to_be_visible(timeout=60_000)
        seconds = time.monotonic() - began
    say(f"PubMed's map, first time: {seconds:.1f} s")
    assert seconds < 20
    assert visit.problems == []
