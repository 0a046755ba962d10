"""The story of a newcomer: open the app, read, wait a little, see a result."""

from __future__ import annotations

import time
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_a_link_into_a_page_is_the_first_request_of_a_server(bare_server: Any, visit: Any) -> None:
    """Streamlit would run the page's file without the router, see `ui.shell.page_start`."""
    visit.page.goto(f"{bare_server.address}/dataset?dataset=Karate+club")
    expect(visit.page.get_by_role("heading", name="Dataset", exact=True)).to_be_visible(
        timeout=60_000
    )
    expect(visit.page.get_by_test_id("stMetricValue").first).to_have_text("34", timeout=30_000)
    expect(visit.page.get_by_test_id("stSidebar").get_by_text("Base model")).to_be_visible()
    expect(visit.page.get_by_role("link", name="Playground")).to_be_visible()
    assert visit.problems == []
    assert visit.outside == []


def test_first_visit_to_first_result(bare_server: Any, visit: Any, say: Any) -> None:
    began = time.monotonic()
    visit.page.goto(bare_server.address)
    expect(visit.page.get_by_role("heading", name="wGNN Explorer")).to_be_visible(timeout=60_000)
    painted = time.monotonic() - began
    verdict = visit.page.get_by_test_id("stAlert").filter(has_text="points")
    expect(verdict).to_be_visible(timeout=120_000)
    say(f"first visit: page {painted:.1f} s, result {time.monotonic() - began:.1f} s")
    base, wgnn = (
        float(visit.page.get_by_role("heading", name="%").nth(i).inner_text().split()[0])
        for i in (0, 1)
    )
    assert 50 < base <= 100
    assert 50 < wgnn <= 100
    expect(visit.page).to_have_title("wGNN Explorer")
    assert visit.problems == []
    assert any(url.startswith("ws://localhost") for url in visit.requests), "nothing was recorded"
    assert visit.outside == []


def test_a_visit_notices_problems_and_outside_requests(visit: Any) -> None:
    """The two recorders above are trusted only because they see what is really there."""
    visit.page.route("**/*", lambda route: route.fulfill(body="<p>hello</p>"))
    visit.page.goto("http://example.invalid/page")
    visit.page.evaluate("console.error('broken')")
    visit.page.wait_for_timeout(100)
    assert visit.outside[0] == "http://example.invalid/page"
    assert "broken" in visit.problems
