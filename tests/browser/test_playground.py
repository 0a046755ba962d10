"""The playground in a real browser: retraining by hand, and the close-up measured in its pixels."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Frame, Page, expect

from wgnn_core import datasets

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

DATA = Path(os.environ.get("WGNN_DATA") or "-")
MEASURED = """() => {
  const camera = (panel) => {
    const { x, y } = panel.getViewPosition();
    return [panel.getScale(), x, y];
  };
  const scale = network.getScale();
  const dots = nodes.getIds().map((id) => {
    const place = network.canvasToDOM(network.getPosition(id));
    return { ...place, radius: scale * nodes.get(id).size };
  });
  const far = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
  const covered = dots.filter((a) => dots.some(
    (b) => a !== b && far(a, b) < a.radius + b.radius));
  const frame = document.getElementById("mynetwork");
  const seen = dots.filter((a) => a.x > 0 && a.y > 0
    && a.x < frame.clientWidth && a.y < frame.clientHeight);
  const lost = edges.get({ filter: (edge) => edge.state === "dropped" });
  return {
    nodes: dots.length,
    seen: seen.length,
    covered: covered.length,
    lengths: lost.map((edge) => far(dots[edge.from], dots[edge.to])),
    cameras: [camera(network), camera(second)],
    cut: document.documentElement.scrollHeight - window.innerHeight,
  };
}"""


def train_base(page: Page) -> None:
    """Press the button where the graph is large or the model dear."""
    button = page.get_by_role("button", name="Train the base model")
    preview = page.get_by_test_id("stMetric").filter(has_text="Join R′")
    expect(button.or_(preview).first).to_be_visible(timeout=60_000)
    if button.is_visible():
        button.click()
    expect(preview).to_be_visible(timeout=120_000)


def test_retraining_by_hand_shows_progress_and_result_without_a_reload(
    server: Any, visit: Any
) -> None:
    page = visit.page
    graph = "Texas" if (DATA / "Texas").is_dir() else "Karate+club"
    page.goto(f"{server.address}/playground?dataset={graph}&model=ACM-GCN&eta1=0.5&seeds=3")
    train_base(page)
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_text("Jobs")).to_have_count(0, timeout=30_000)
    page.get_by_role("button", name="Retrain (18 trainings)").click()
    expect(sidebar.get_by_text("Jobs")).to_be_visible(timeout=15_000)
    result = page.get_by_role("heading", name="After retraining with η₀ = 0.8, η₁ = 0.5, η₂ = 0.4")
    expect(result).to_be_visible(timeout=60_000)
    test = page.get_by_test_id("stMetric").filter(has_text="Test accuracy")
    expect(test).to_contain_text("points")
    assert visit.problems == []


def close_up(page: Page) -> Frame:
    done = page.get_by_text("Retrained: see the results below.")
    by_hand = page.get_by_role("button", name="Retrain (")
    expect(done.or_(by_hand)).to_be_visible(timeout=60_000)  # until then the page is drawn anew
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=60_000)
    deadline = time.monotonic() + 20
    while (frame := page.locator("iframe").first.element_handle().content_frame()) is None:
        assert time.monotonic() < deadline
        page.wait_for_timeout(100)  # another close-up just took its place
    frame.wait_for_function("typeof second !== 'undefined'")
    return frame


@pytest.mark.dataset
@pytest.mark.parametrize(
    ("name", "epochs"), [("cora", 40), ("citeseer", 40), ("photo", 10), ("texas", 40)]
)
def test_the_close_up_can_be_read(
    name: str, epochs: int, server: Any, visit: Any, say: Any, raw_data: Path
) -> None:
    page, title = visit.page, datasets.spec(name).title
    page.goto(f"{server.address}/playground?dataset={title}&seeds=2&gcn_epochs={epochs}")
    train_base(page)
    frame = close_up(page)
    page.wait_for_timeout(500)  # the frame takes the height of its content
    found = frame.evaluate(MEASURED)
    shortest = min(found["lengths"], default=float("nan"))
    say(
        f"{title}: {found['nodes']} nodes, {found['covered']} covered, "
        f"{len(found['lengths'])} dropped edges, the shortest {shortest:.1f} px"
    )
    assert all(length >= 12 for length in found["lengths"])
    assert found["covered"] <= 0.05 * found["nodes"]
    assert found["seen"] == found["nodes"] > 0
    assert found["cut"] <= 0
    before, after = found["cameras"]
    assert before == pytest.approx(after)
    # both cameras follow a button and a drag of one panel
    frame.get_by_label("Zoom in").click()
    panel = frame.locator("#second")
    panel.hover()  # scrolls to it and waits until it stands still
    box = panel.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 40, middle[1] + 25, steps=5)
    page.mouse.up()
    first, second = frame.evaluate(MEASURED)["cameras"]
    assert first == pytest.approx(second)
    assert first[0] > before[0] and first[1] < before[1]
    assert visit.problems == [] and visit.outside == []
