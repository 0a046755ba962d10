"""The story of a newcomer: open the app, read, press the button, see a result."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_first_visit_shows_the_page_quietly(server: str, visit: Any) -> None:
    visit.page.goto(server)
    expect(visit.page.get_by_role("heading", name="wGNN Explorer")).to_be_visible(timeout=30_000)
    expect(visit.page.get_by_role("button", name="Run wGNN")).to_be_enabled()
    expect(visit.page).to_have_title("wGNN Explorer")
    visit.page.wait_for_load_state("networkidle")
    assert visit.problems == []
    assert any(url.startswith("ws://localhost") for url in visit.requests), "nothing was recorded"
    assert visit.outside == []


@pytest.mark.skipif(find_spec("wgnn_core.__main__") is None, reason="no command line yet")
def test_first_visit_to_first_result(server: str, visit: Any) -> None:
    visit.page.goto(server)
    button = visit.page.get_by_role("button", name="Run wGNN")
    expect(button).to_be_enabled(timeout=30_000)
    button.click()
    expect(visit.page.get_by_role("button", name="Cancel")).to_be_visible(timeout=10_000)
    shown = visit.page.get_by_test_id("stMetricValue")
    expect(shown).to_have_count(3, timeout=120_000)
    base, wgnn = (float(text.removesuffix(" %")) for text in shown.all_inner_texts()[:2])
    assert 50 < base <= 100
    assert 50 < wgnn <= 100
    assert visit.problems == []
    assert visit.outside == []


def test_a_visit_notices_problems_and_outside_requests(visit: Any) -> None:
    """The two recorders above are trusted only because they see what is really there."""
    visit.page.route("**/*", lambda route: route.fulfill(body="<p>hello</p>"))
    visit.page.goto("http://example.invalid/page")
    visit.page.evaluate("console.error('broken')")
    visit.page.wait_for_timeout(100)
    assert visit.outside[0] == "http://example.invalid/page"
    assert "broken" in visit.problems
