"""Ten visitors on one server: everybody gets their own result, and the memory comes back."""

from __future__ import annotations

import contextlib
import re
import time
from typing import Any

import psutil
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import serve

pytestmark = [
    pytest.mark.browser,
    pytest.mark.crowd,
    pytest.mark.xdist_group("browser"),
]

VISITORS = 10
LEAVING = ("-m", "streamlit", "run", "app.py", "--server.disconnectedSessionTTL", "1")
"""A session that has left is forgotten after a second, not after two minutes."""
ADDRESS = "playground?dataset=Digits&seeds=2&gcn_epochs=15&playground_view=Whole+graph"


def slider(page: Page, name: str) -> Any:
    return page.get_by_role("slider", name=name)


def memory(pid: int) -> float:
    """Resident megabytes."""
    return psutil.Process(pid).memory_info().rss / 1e6


def turn(page: Page) -> None:
    """Move η₁ from 0.3 to 0.35; a key pressed while a page is still being drawn may be lost."""
    handle = slider(page, "η₁")
    for _ in range(10):
        handle.focus(timeout=120_000)
        if handle.input_value() == "0.3":
            page.keyboard.press("ArrowRight")
        with contextlib.suppress(AssertionError):
            expect(page).to_have_url(re.compile("eta1=0.35"), timeout=10_000)
            return
    pytest.fail(f"η₁ did not move: {handle.input_value()} at {page.url}")


def retrained(page: Page, eta0: str, eta1: str) -> None:
    text = f"After retraining with η₀ = {eta0}, η₁ = {eta1}, η₂ = 0.4"
    heading = page.get_by_role("heading", name=text)
    expect(heading, f"not yet at {page.url}").to_be_visible(timeout=120_000)


@pytest.mark.timeout(420)
def test_ten_visitors_at_once(
    tmp_path_factory: pytest.TempPathFactory, light_browser: Browser, say: Any
) -> None:
    home = tmp_path_factory.mktemp("ten")
    with serve(home, home / "data", *LEAVING) as server:
        visitors = light_browser.new_context(viewport={"width": 800, "height": 500})
        first = visitors.new_page()
        first.goto(f"{server.address}/{ADDRESS}")
        retrained(first, "0.8", "0.3")  # libraries, graph and layout are loaded from here on
        first.close()
        before, began = memory(server.pid), time.monotonic()

        etas = [f"{0.05 * (i + 1):g}" for i in range(VISITORS)]
        pages = [visitors.new_page() for _ in etas]  # a session each; they share what is fetched
        for page, eta0 in zip(pages, etas, strict=True):
            page.goto(f"{server.address}/{ADDRESS}&eta0={eta0}", wait_until="commit")
        for page in pages:
            turn(page)
        for page, eta0 in zip(pages, etas, strict=True):
            retrained(page, eta0, "0.35")
            assert slider(page, "η₀").input_value() == eta0
            assert f"eta0={eta0}&" in page.url + "&"
            expect(page.get_by_test_id("stException")).to_have_count(0)
        say(f"{VISITORS} visitors retrained in {time.monotonic() - began:.0f} s")
        during = memory(server.pid)
        for page in pages:
            page.close()

        end = time.monotonic() + 30
        while (after := memory(server.pid)) > 1.2 * before and time.monotonic() < end:
            time.sleep(1)
        say(f"server memory: {before:.0f} MB before, {during:.0f} with them, {after:.0f} after")
        assert after <= 1.2 * before
