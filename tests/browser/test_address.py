"""What a link says is what opens, from every tab, and what it cannot say is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import serve
from tests.browser.test_shelf import settled
from tests.runs.run_helpers import train_here
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.store import Store

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

KARATE = RunConfig("karate", hyper=(("epochs", 15),), seeds=(0, 1))
BY_HAND = replace(KARATE, model="gat", interventions=(Intervention(0.5, 0.3, 0.3),))
"""Of a model that pages train only when asked."""
WORSE = replace(KARATE, interventions=(Intervention(0.5, 0.3, 0.3),))
LONG = "dataset=Contextual+block+model&csbm_nodes=3000&seeds=5&gcn_epochs=4000"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server whose store holds finished runs of wGNN, and no run of a base model alone."""
    home = tmp_path_factory.mktemp("stored")
    for config in (WORSE, BY_HAND):
        train_here(Store(home), config)
    with serve(home, home / "data") as running:
        yield running


def test_the_graph_is_always_in_the_address(stored: Any, visit: Any) -> None:
    page = visit.page
    page.goto(f"{stored.address}/dataset?dataset=Digits")
    expect(page.get_by_text("1,797").first).to_be_visible(timeout=60_000)
    settled(page)
    assert "dataset=Digits" in page.url
    page.goto(f"{stored.address}/dataset")
    expect(page.get_by_role("heading", name="Dataset", exact=True)).to_be_visible(timeout=60_000)
    settled(page)
    assert "dataset=" in page.url  # whichever graph a machine begins with


def test_the_address_follows_every_change(stored: Any, visit: Any) -> None:
    """Also those after the first: nothing that is drawn only once moves a widget."""
    page = visit.page
    item = "paper_item=Table+2%3A+heterophilic+graphs&paper_how=Run+here%2C+quick"
    page.goto(f"{stored.address}/paper?{item}")
    rows = page.get_by_role("combobox", name="Rows")
    for row in ("GAT", "DropEdge", "GIL"):
        rows.click(timeout=60_000)
        page.get_by_role("option", name=row, exact=True).click()
        settled(page)
        assert f"paper_row_table-2={row}" in page.url
    page.reload()
    expect(rows).to_have_value("GIL", timeout=60_000)


def test_a_value_that_is_not_possible_is_named(stored: Any, visit: Any) -> None:
    page = visit.page
    page.goto(f"{stored.address}/dataset?dataset=Karate+club&seeds=7000")
    expect(page.get_by_text("The link asked for seeds = 7000")).to_be_visible(timeout=60_000)
    page.goto(f"{stored.address}/dataset?dataset=Karate+club&seeds=5")
    expect(page.get_by_role("heading", name="Dataset", exact=True)).to_be_visible(timeout=60_000)
    settled(page)
    expect(page.get_by_text("The link asked for")).to_have_count(0)


def test_a_base_model_that_is_there_is_not_asked_for(stored: Any, visit: Any) -> None:
    """It was trained as a part of another run, so the page needs no button and no training."""
    page = visit.page
    page.goto(f"{stored.address}/problem1?dataset=Karate+club&model=GAT&seeds=2&gat_epochs=15")
    expect(page.locator(".st-key-problem1_curves .js-plotly-plot")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("This page needs")).to_have_count(0)


def test_a_graph_that_cannot_be_fetched_has_no_button_and_says_why(stored: Any, visit: Any) -> None:
    page = visit.page
    page.goto(f"{stored.address}/dataset?dataset=Disease")
    expect(page.get_by_text("It cannot be fetched: no checksum of")).to_be_visible(timeout=60_000)
    settled(page)
    expect(page.get_by_role("button", name="Get Disease")).to_have_count(0)


def test_the_runs_show_the_number_of_their_eta(stored: Any, visit: Any) -> None:
    """Also where validation prefers the base model."""
    result = run_here(WORSE)
    base, rows = result.trained, result.rows
    wgnn = float(rows["test"].mean())
    page = visit.page
    page.goto(f"{stored.address}/runs?dataset=Digits&runs_text={WORSE.run_id[:8]}")
    expect(page.get_by_text("1 of")).to_be_visible(timeout=60_000)
    settled(page)
    shown = page.get_by_test_id("stDataFrame").locator("[role=gridcell]")
    expect(shown.first).to_be_attached(timeout=15_000)
    cells = shown.all_text_contents()
    place = next(i for i, text in enumerate(cells) if text.startswith("η₀ = 0.5"))
    numbers = [float(text) for text in cells[place + 1 : place + 4]]
    wanted = [base.test.mean(), wgnn, wgnn - base.test.mean()]
    assert numbers == pytest.approx(wanted, abs=0.01) and wanted[2] != 0
    assert base.val.mean() > rows["val"].mean() and cells[place + 4] == "base model"


def test_a_run_opens_in_the_pages_that_can_show_it(stored: Any, visit: Any) -> None:
    page = visit.page
    page.goto(f"{stored.address}/runs?dataset=Digits&runs_text={WORSE.run_id[:8]}")
    expect(page.get_by_text("1 of")).to_be_visible(timeout=60_000)
    settled(page)
    table = page.locator('[class*="st-key-runs_table"]').get_by_test_id("stDataFrame")
    table.click(position={"x": 17, "y": 52})
    links = page.get_by_test_id("stMain").get_by_role("link", name="Playground")
    expect(links).to_be_visible(timeout=15_000)
    links.click()
    expect(page.get_by_role("heading", name="Playground", exact=True)).to_be_visible()
    settled(page)
    for part in ("dataset=Karate", "seeds=2", "gcn_epochs=15", "eta0=0.5"):
        assert part in page.url, page.url


def test_a_job_is_seen_from_another_tab(stored: Any, visit: Any) -> None:
    page = visit.page
    page.goto(f"{stored.address}/problem1?{LONG}")
    expect(page.get_by_text("Training the base model")).to_be_visible(timeout=60_000)
    assert page.context.browser is not None
    other = page.context.browser.new_context().new_page()
    other.goto(f"{stored.address}/runs?dataset=Digits")
    expect(other.get_by_text("GCN on Contextual block model")).to_be_visible(timeout=30_000)
    other.get_by_role("button", name="Cancel").first.click()
    expect(page.get_by_text("The run was cancelled")).to_be_visible(timeout=15_000)
    other.context.close()


def test_what_nobody_looks_at_is_not_trained(stored: Any, visit: Any) -> None:
    page = visit.page
    page.goto(f"{stored.address}/problem1?{LONG}&model=DropEdge&dropedge_epochs=4000")
    expect(page.get_by_text("DropEdge on Contextual block model")).to_be_visible(timeout=60_000)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Runs").click()
    expect(page.get_by_role("heading", name="Runs", exact=True)).to_be_visible(timeout=30_000)
    expect(page.get_by_text("DropEdge on Contextual block model")).to_have_count(0, timeout=15_000)


def test_a_cold_server_names_its_pages(tmp_path: Path, visit: Any) -> None:
    """The first request of its life asks for a page inside; the file names never show."""
    page = visit.page
    with serve(tmp_path, tmp_path / "data") as cold:
        page.goto(f"{cold.address}/problem1?dataset=Karate+club")
        seen = set()
        for _ in range(40):
            seen |= set(page.get_by_test_id("stSidebarNavLink").all_inner_texts())
            page.wait_for_timeout(50)
        expect(page.get_by_role("heading", name="Problem 1", exact=True)).to_be_visible(
            timeout=60_000
        )
        seen |= set(page.get_by_test_id("stSidebarNavLink").all_inner_texts())
    assert not [name for name in seen if name.strip() in ("app", "problem1", "grid", "runs")]
    assert any("Eta grid" in name for name in seen)
