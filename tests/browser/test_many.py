"""Ten visitors at once: each turns sliders and retrains, none sees another's selection."""

from __future__ import annotations

import gc
import time
from typing import Any

import psutil
import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

VISITORS = 10


def megabytes(pid: int) -> float:
    return float(psutil.Process(pid).memory_info().rss) / 1e6


@pytest.mark.timeout(400)
def test_ten_visitors(server: Any, browser: Any, say: Any) -> None:
    address = f"{server.address}/playground?dataset=Karate+club&seeds=2&gcn_epochs=20"
    first = browser.new_page()
    first.goto(address)
    expect(first.get_by_role("heading", name="After retraining")).to_be_visible(timeout=120_000)
    first.close()
    before = megabytes(server.pid)
    pages = [browser.new_page() for _ in range(VISITORS)]
    for i, page in enumerate(pages):
        page.goto(f"{address}&eta0={0.05 * (i + 1):.2f}")
    for page in pages:
        expect(page.get_by_role("slider", name="η₀")).to_be_visible(timeout=60_000)
        page.get_by_role("slider", name="η₀").focus()
        page.keyboard.press("ArrowRight")
    for i, page in enumerate(pages):
        mine = f"η₀ = {0.05 * (i + 2):g}"
        shown = page.get_by_role("heading", name="After retraining").filter(has_text=mine)
        expect(shown).to_be_visible(timeout=180_000)
        value = page.get_by_test_id("stMetric").filter(has_text="Join R′")
        joined = int(24 * 0.05 * (i + 2) + 1e-9)
        expect(value.get_by_test_id("stMetricValue")).to_have_text(str(joined))
    during = megabytes(server.pid)
    for page in pages:
        page.close()
    end = time.monotonic() + 60
    while (after := megabytes(server.pid)) > 1.2 * before and time.monotonic() < end:
        gc.collect()
        time.sleep(1)
    say(f"server memory: {before:.0f} MB, with ten visitors {during:.0f} MB, after {after:.0f} MB")
    assert after <= 1.2 * before
