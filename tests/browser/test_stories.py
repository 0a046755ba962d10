"""Sliders, lasso, grid, links and hostile names in a real browser; latencies are printed."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from ui import pages

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

QUICK = "dataset=Karate+club&seeds=2&gcn_epochs=20"
PAGES = {"": "wGNN Explorer"} | {page.name: page.title for page in pages.PAGES[1:]}
HAS_CORA = (Path(os.environ.get("WGNN_DATA") or "-") / "Cora").is_dir()


def heading(page: Page, name: str, seconds: float = 60) -> None:
    place = page.get_by_role("heading", name=name, exact=True)
    expect(place).to_be_visible(timeout=1000 * seconds)


def settled(page: Page) -> None:
    """Nothing is running any more."""
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=60_000)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=60_000)


def metric(page: Page, label: str) -> Any:
    """Its value; while the page draws itself anew the old one can stand beside it for a moment."""
    place = page.get_by_test_id("stMetric").filter(has_text=label)
    return place.get_by_test_id("stMetricValue").first


def slide(page: Page, label: str, key: str = "ArrowRight") -> None:
    page.get_by_role("slider", name=label).focus()
    page.keyboard.press(key)


def test_every_page_is_quiet_and_soon_there(server: Any, visit: Any, say: Any) -> None:
    page = visit.page
    page.goto(f"{server.address}/?{QUICK}")
    expect(page.get_by_test_id("stAlert").filter(has_text="points")).to_be_visible(timeout=120_000)
    seconds = {}
    for name, title in PAGES.items():
        link = page.get_by_test_id("stSidebarNav").get_by_role("link").nth(list(PAGES).index(name))
        began = time.monotonic()
        link.click()
        heading(page, title)
        seconds[title] = time.monotonic() - began
        settled(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        assert "dataset=Karate" in page.url
    say("first paint: " + ", ".join(f"{k} {v:.2f} s" for k, v in seconds.items()))
    assert visit.problems == []
    assert visit.outside == []


def test_eta_moves_the_subgraph(server: Any, visit: Any, say: Any) -> None:
    graph = "dataset=Cora" if HAS_CORA else "dataset=Digits"
    page = visit.page
    page.goto(f"{server.address}/playground?{graph}&seeds=5")
    heading(page, "Playground")
    expect(metric(page, "Join R′")).to_be_visible(timeout=120_000)
    # what trains by itself at first must not take the processors from what is timed
    expect(page.get_by_text("Retrained: see the results below.")).to_be_visible(timeout=120_000)
    settled(page)
    page.get_by_text("Retrain by itself").click()  # off: the preview alone is timed
    settled(page)
    waits = []
    for label, shown in (("η₁", "In V′"), ("η₂", "Edges that go"), ("η₀", "Join R′")):
        before = metric(page, shown).inner_text()
        frame = page.locator("iframe").first.get_attribute("srcdoc") or ""
        assert "vis.Network" in frame
        page.get_by_role("slider", name=label).focus()
        began = time.monotonic()
        page.keyboard.press("ArrowLeft")
        expect(metric(page, shown)).not_to_have_text(before, timeout=10_000)
        waits.append(time.monotonic() - began)
        settled(page)
        if label != "η₀":
            expect(page.locator("iframe").first).not_to_have_attribute("srcdoc", frame)
    say(f"slider to preview ({graph}): " + ", ".join(f"{1000 * s:.0f} ms" for s in waits))
    page.get_by_text("Retrain by itself").click()
    began = time.monotonic()
    now = "After retraining with η₀ = 0.75, η₁ = 0.25, η₂ = 0.35"
    expect(page.get_by_role("heading", name=now)).to_be_visible(timeout=120_000)
    say(f"retrained, 5 seeds: {time.monotonic() - began:.1f} s")
    expect(page.get_by_role("heading", name="η₀ = 0.75")).to_be_visible(timeout=60_000)
    assert visit.problems == []


def test_lasso_selects_nodes(server: Any, visit: Any) -> None:
    page = visit.page
    page.goto(f"{server.address}/map?{QUICK}")
    heading(page, "Non-uniformity map")
    expect(page.get_by_text("Click a node to inspect it")).to_be_visible(timeout=120_000)
    settled(page)
    plot = page.locator(".js-plotly-plot").first
    plot.scroll_into_view_if_needed()
    plot.locator("[data-title='Lasso Select']").click()
    box = plot.locator(".nsewdrag").first.bounding_box()
    assert box is not None
    corners = [(0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98), (0.02, 0.03)]
    path = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in corners]
    page.mouse.move(*path[0])
    page.mouse.down()
    for x, y in path[1:]:
        page.mouse.move(x, y, steps=8)
    page.mouse.up()
    expect(page.get_by_text("34 nodes selected").first).to_be_visible(timeout=15_000)
    assert visit.problems == []


def test_grid_is_cancelled_resumed_and_finished(server: Any, visit: Any) -> None:
    page = visit.page
    axes = "&".join(f"grid_{axis}={value}" for axis in "xy" for value in (0.2, 0.5, 0.9))
    page.goto(f"{server.address}/grid?dataset=Digits&seeds=4&{axes}")
    heading(page, "Eta grid")
    run = page.get_by_role("button", name="Run the grid")
    run.click()
    page.get_by_role("button", name="Cancel").first.click(timeout=30_000)
    expect(page.get_by_text("what is finished is kept")).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Resume").click()
    expect(run).to_be_disabled()
    expect(page.get_by_text("Look into a cell")).to_be_visible(timeout=90_000)
    expect(run).to_be_disabled()
    assert visit.problems == []


def test_a_wrong_node_opens_in_the_inspector(server: Any, visit: Any) -> None:
    page = visit.page
    page.goto(f"{server.address}/model?{QUICK}")
    table = page.locator(".st-key-model_nodes")
    expect(table).to_be_visible(timeout=120_000)
    settled(page)
    table.scroll_into_view_if_needed()
    table.get_by_test_id("stDataFrame").click(position={"x": 17, "y": 35 * 1.5})
    link = page.get_by_role("link", name="Inspect node")
    expect(link).to_be_visible(timeout=15_000)
    node = re.search(r"node (\d+)", link.inner_text())
    assert node is not None
    link.click()
    heading(page, "Non-uniformity map")
    expect(page.get_by_role("spinbutton", name="Node")).to_have_value(node[1], timeout=30_000)
    assert visit.problems == []


def test_a_shared_link_opens_the_same_view(server: Any, browser: Any, visit: Any) -> None:
    page = visit.page
    page.goto(f"{server.address}/playground?{QUICK}")
    expect(metric(page, "Join R′")).to_be_visible(timeout=120_000)
    settled(page)
    slide(page, "η₀", "ArrowLeft")
    slide(page, "η₁", "ArrowRight")
    expect(page).to_have_url(re.compile("eta0=0.75&eta1=0.35"))
    expect(metric(page, "Join R′")).to_have_text("18")
    other = browser.new_page()
    other.goto(page.url)
    expect(metric(other, "Join R′")).to_have_text("18", timeout=30_000)
    expect(metric(other, "In V′")).to_have_text("11")
    other.close()


@pytest.mark.parametrize("name", PAGES)
def test_hostile_names_do_nothing(name: str, hostile_server: Any, visit: Any) -> None:
    page = visit.page
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(f"{hostile_server.address}/{name}?{QUICK}&grid_x=0.4&grid_y=0.4&grid_y=0.8")
    heading(page, PAGES[name])
    if name == "grid":
        page.get_by_role("button", name="Run the grid").click()
    expect(page.get_by_text("Training the base model")).to_have_count(0, timeout=60_000)
    settled(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert page.evaluate("window.hacked") is None
    for frame in page.frames:
        assert frame.evaluate("window.hacked") is None
    assert dialogs == []
    assert visit.problems == []
    assert visit.outside == []
