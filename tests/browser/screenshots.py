"""`make screenshots`: pictures of every page in light and dark at 1280 px, and at 800 px.

Not named test_*, so the test suite does not collect it; it borrows the suite's server and browser.
With the raw files of Cora (`WGNN_DATA`) the pictures show Cora, else digits.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from ui import pages

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "screenshots"
MAX_BYTES = 300_000
KEPT = ("start-light", "map-light", "playground-dark", "grid-light")
"""In the README; the others are written beside them and stay out of the repository."""

HEIGHT = {"start": 1240, "map": 1180, "playground": 1280, "grid": 1000}
ADDRESS = {"grid": "&seeds=3&" + "&".join(f"grid_{a}={v}" for a in "xy" for v in (0.2, 0.5, 0.8))}
LOOKS = {"light": ("light", 1280), "dark": ("dark", 1280), "narrow": ("light", 800)}
PAGES = [page.name for page in pages.PAGES]
HAS_CORA = (Path(os.environ.get("WGNN_DATA") or "-") / "Cora").is_dir()
GRAPH = "dataset=Cora" if HAS_CORA else "dataset=Digits"


def wait(page: Page) -> None:
    page.wait_for_timeout(3000)  # until the page has said what it waits for
    for part in ("stStatusWidget", "stSkeleton"):
        expect(page.get_by_test_id(part)).to_have_count(0, timeout=240_000)
    expect(page.get_by_text("Training the base model")).to_have_count(0, timeout=120_000)
    page.wait_for_timeout(1000)  # a page may start its next run now
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=120_000)
    page.wait_for_timeout(2500)  # charts, fonts and formulas settle after the last message


@pytest.mark.timeout(600)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_screenshot(name: str, look: str, server: Any, browser: Browser) -> None:
    scheme, width = LOOKS[look]
    size = {"width": width, "height": HEIGHT.get(name, 1000)}
    page = browser.new_page(viewport=size, color_scheme=scheme)
    address = "" if name == "start" else name
    page.goto(f"{server.address}/{address}?{GRAPH}{ADDRESS.get(name, '')}")
    expect(page.get_by_role("heading").first).to_be_visible(timeout=60_000)
    if name == "grid" and page.get_by_role("button", name="Run the grid").is_enabled():
        page.get_by_role("button", name="Run the grid").click()
        expect(page.get_by_role("button", name="Cancel").first).to_be_visible(timeout=30_000)
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=500_000)
    wait(page)
    FOLDER.mkdir(parents=True, exist_ok=True)
    picture = FOLDER / f"{name}-{look}.png"
    page.screenshot(path=picture)
    page.close()
    if picture.stem in KEPT:
        assert picture.stat().st_size < MAX_BYTES
