"""`make screenshots`: pictures of every page in light and dark at 1280 px, and at 800 px.

Not named test_*, so the test suite does not collect it; it borrows the suite's server and browser.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "screenshots"
MAX_BYTES = 250_000
PAGES = {
    path.stem: "" if path.stem == "start" else path.stem
    for path in sorted((ROOT / "app_pages").glob("*.py"))
}
LOOKS = {"light": ("light", 1280), "dark": ("dark", 1280), "narrow": ("light", 800)}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_screenshot(name: str, look: str, server: str, browser: Browser) -> None:
    scheme, width = LOOKS[look]
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(f"{server}/{PAGES[name]}")
    expect(page.get_by_role("heading").first).to_be_visible(timeout=30_000)
    if name == "start":
        page.get_by_role("button", name="Run wGNN").click()
        expect(page.get_by_test_id("stMetricValue")).to_have_count(3, timeout=120_000)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=30_000)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)  # fonts and formulas settle after the last request
    FOLDER.mkdir(parents=True, exist_ok=True)
    picture = FOLDER / f"{name}-{look}.png"
    page.screenshot(path=picture, full_page=True)
    page.close()
    assert picture.stat().st_size < MAX_BYTES
