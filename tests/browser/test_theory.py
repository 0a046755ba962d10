"""The page Theory in a real browser: a click takes an edge away, and the numbers follow."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_map import chart
from tests.browser.test_stories import heading, settled

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

PLACE = """(el, [name, told]) => {
  const layout = el._fullLayout, box = el.getBoundingClientRect();
  const trace = el._fullData.find(t => t.name === name);
  const at = [...trace.customdata].findIndex(c => String(c[0]) === told);
  return [box.left + layout.xaxis._offset + layout.xaxis.d2p(trace.x[at]),
          box.top + layout.yaxis._offset + layout.yaxis.d2p(trace.y[at])];
}"""


def click(page: Page, trace: str, told: str) -> None:
    x, y = chart(page).evaluate(PLACE, [trace, told])
    page.mouse.move(x - 3, y)
    page.mouse.move(x, y, steps=3)
    page.wait_for_timeout(300)  # plotly looks for what is under the mouse every 50 ms
    page.mouse.down()
    page.mouse.up()


def test_clicks_on_the_barbell_change_its_edges(server: Any, visit: Any) -> None:
    page: Page = visit.page
    page.goto(f"{server.address}/theory?dataset=Karate+club&theory_graph=Barbell")
    heading(page, "Theory")
    expect(page.get_by_text("13/36")).to_be_visible(timeout=60_000)  # A(V0), by hand
    settled(page)
    chart(page).scroll_into_view_if_needed()
    click(page, "edge", "5-6")
    expect(page).to_have_url(re.compile("theory_changes=-5-6"), timeout=15_000)
    expect(page.get_by_text("13/36")).to_have_count(0)
    settled(page)
    for node in ("5", "6"):
        click(page, "nodes", node)
        if node == "5":
            expect(page.get_by_text("Node 5 is one end")).to_be_visible(timeout=15_000)
            settled(page)
    expect(page.get_by_text("13/36")).to_be_visible(timeout=15_000)
    assert "theory_changes" not in page.url
    assert visit.problems == [] and visit.outside == []
