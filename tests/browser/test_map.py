"""The map in a real browser: what a click, a zoom, the wheel and a selection do."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_stories import QUICK, heading, settled, slide

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

RANGE = "el => [...el._fullLayout.xaxis.range]"
PLACE = """(el, node) => {
  const layout = el._fullLayout, box = el.getBoundingClientRect();
  const trace = el._fullData.find(t => t.customdata && [...t.customdata].includes(node));
  const at = [...trace.customdata].indexOf(node);
  return [box.left + layout.xaxis._offset + layout.xaxis.d2p(trace.x[at]),
          box.top + layout.yaxis._offset + layout.yaxis.d2p(trace.y[at])];
}"""
OPACITY = """el => Math.min(...[...el.querySelectorAll('.points path')]
  .filter(p => p.getAttribute('d')).map(p => parseFloat(getComputedStyle(p).opacity)))"""


@pytest.fixture
def the_map(server: Any, visit: Any) -> Page:
    page: Page = visit.page
    page.goto(f"{server.address}/map?{QUICK}")
    heading(page, "Non-uniformity map")
    expect(page.get_by_text("Click a node to inspect it")).to_be_visible(timeout=120_000)
    settled(page)
    chart(page).scroll_into_view_if_needed()
    return page


def chart(page: Page) -> Locator:
    return page.locator(".js-plotly-plot").first


def click_node(page: Page, node: int) -> None:
    x, y = chart(page).evaluate(PLACE, node)
    page.mouse.move(x - 3, y)
    page.mouse.move(x, y, steps=3)
    page.wait_for_timeout(300)  # plotly looks for the node under the mouse every 50 ms
    page.mouse.down()
    page.mouse.up()


def test_a_click_inspects_a_node_and_the_others_stay_visible(
    the_map: Page, browser: Any, visit: Any
) -> None:
    click_node(the_map, 33)
    expect(the_map).to_have_url(re.compile("map_node=33"), timeout=10_000)
    expect(the_map.get_by_text("1 node selected")).to_be_visible()
    settled(the_map)
    assert 0.15 < chart(the_map).evaluate(OPACITY) < 1
    other = browser.new_page()
    other.goto(the_map.url)
    expect(other.get_by_role("spinbutton", name="Node")).to_have_value("33", timeout=30_000)
    other.close()
    assert visit.problems == []


def test_controls_keep_the_zoom_and_clicks_still_work(the_map: Page) -> None:
    whole = chart(the_map).evaluate(RANGE)
    chart(the_map).locator("[data-title='Zoom in']").click()
    the_map.wait_for_timeout(500)
    zoomed = chart(the_map).evaluate(RANGE)
    assert zoomed[1] - zoomed[0] < 0.6 * (whole[1] - whole[0])
    slide(the_map, "Threshold on w")
    expect(the_map).to_have_url(re.compile("map_threshold="))
    settled(the_map)
    the_map.wait_for_timeout(1000)
    assert chart(the_map).evaluate(RANGE) == pytest.approx(zoomed)
    assert chart(the_map).evaluate("el => el._fullLayout.clickmode") == "event+select"


def test_the_wheel_scrolls_the_page_unless_it_is_asked_to_zoom(the_map: Page) -> None:
    top = "document.querySelector('[data-testid=stMain]').scrollTop"
    before, whole = the_map.evaluate(top), chart(the_map).evaluate(RANGE)
    chart(the_map).hover()
    the_map.mouse.wheel(0, 200)
    the_map.wait_for_timeout(500)
    assert the_map.evaluate(top) > before
    assert chart(the_map).evaluate(RANGE) == whole
    the_map.get_by_text("Wheel zooms").click()
    expect(the_map).to_have_url(re.compile("map_wheel=true"))
    settled(the_map)
    the_map.wait_for_timeout(1000)  # the chart is made anew
    chart(the_map).hover()
    the_map.mouse.wheel(0, -200)
    the_map.wait_for_timeout(500)
    assert chart(the_map).evaluate(RANGE) != whole
