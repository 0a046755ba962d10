"""Your own in a browser: a graph is imported, explored, run, exported and deleted."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import serve
from tests.browser.test_shelf import settled
from tests.datasets.own.writers import original, write
from wgnn_core import datasets
from wgnn_core.runs.store import Store

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

QUICK = "seeds=2&gcn_epochs=15"
FORMATS = ("csv", "parquet", "zip", "graphml", "gexf", "gml", "npz plain", "pt")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("own")


@pytest.fixture(scope="module")
def app(home: Path) -> Iterator[Any]:
    with serve(home, home / "data") as running:
        yield running


@pytest.fixture(autouse=True)
def in_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WGNN_HOME", str(home))


def upload(page: Page, key: str, *files: Path) -> None:
    page.locator(f"[class*='{key}'] input[type=file]").set_input_files(list(files))


def imported() -> list[str]:
    return [entry.name for entry in datasets.catalogue() if entry.imported]


@pytest.mark.parametrize("kind", FORMATS)
def test_import_explore_run_export_delete(
    kind: str, app: Any, home: Path, visit: Any, tmp_path: Path
) -> None:
    page, name = visit.page, f"mine-{kind.replace(' ', '-')}"
    page.goto(f"{app.address}/own?dataset=Karate+club&{QUICK}")
    expect(page.get_by_text("Template: edges.csv")).to_be_visible(timeout=60_000)
    settled(page)
    upload(page, "_files", *write(original(), kind, tmp_path))
    expect(page.get_by_text("What was understood")).to_be_visible(timeout=60_000)
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Name", exact=True).press("Enter")
    settled(page)
    page.locator(".st-key-own_save").get_by_role("button").click()
    expect(page.get_by_text("Every page knows it now")).to_be_visible(timeout=30_000)
    assert name in imported()

    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Dataset").click()
    expect(page.get_by_role("heading", name="Dataset", exact=True)).to_be_visible()
    expect(page.locator(".st-key-dataset_map .js-plotly-plot")).to_be_visible(timeout=30_000)

    page.goto(f"{app.address}/?dataset={name}&{QUICK}")
    # a small graph trains by itself; the verdict ends with this sentence
    expect(page.get_by_text("The Eta grid page chooses")).to_be_visible(timeout=90_000)
    content = datasets.load(name).content_hash
    runs = [run for run in Store(home).runs() if run.dataset_hash == content]
    assert runs and all(run.state == "done" for run in runs)

    page.locator(".st-key-start_map_export").get_by_role("button").click()
    with page.expect_download(timeout=60_000) as waiting:
        page.locator(".st-key-start_map_download").get_by_role("button").click()
    with zipfile.ZipFile(waiting.value.path()) as archive:
        assert any(member.endswith(".pdf") for member in archive.namelist())

    page.goto(f"{app.address}/own?dataset={name}&{QUICK}")
    page.get_by_role("radio", name="Imported graphs").click()
    expect(page.locator(".st-key-own_graph")).to_be_visible(timeout=30_000)
    page.locator(f"[class*='own_delete_box_{name}_']").get_by_role("button").click()
    expect(page.get_by_text(f"Delete {name} for good?")).to_be_visible()
    page.locator(".st-key-own_delete").get_by_role("button").click()
    expect(page.get_by_text(f"Delete {name} for good?")).to_have_count(0, timeout=30_000)
    settled(page)
    assert name not in imported()
    assert visit.problems == [] and visit.outside == []


def test_a_hostile_file_is_refused(app: Any, visit: Any, tmp_path: Path) -> None:
    evil = tmp_path / "evil.npz"
    np.savez(evil, edge_index=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    page, before = visit.page, imported()
    page.goto(f"{app.address}/own?dataset=Karate+club&{QUICK}")
    expect(page.get_by_text("Template: edges.csv")).to_be_visible(timeout=60_000)
    settled(page)
    upload(page, "_files", evil)
    expect(page.get_by_test_id("stAlert")).to_have_count(1, timeout=60_000)
    expect(page.get_by_text("What was understood")).to_have_count(0)
    assert imported() == before
    assert visit.problems == []


def test_predictions_come_in_and_the_plan_goes_out(
    app: Any, home: Path, visit: Any, tmp_path: Path
) -> None:
    graph = datasets.load("karate")
    logits = np.random.default_rng(1).normal(size=(graph.num_nodes, graph.num_classes))
    np.save(tmp_path / "theirs.npy", logits + 2 * np.eye(graph.num_classes)[graph.y])
    page = visit.page
    page.goto(f"{app.address}/own?dataset=Karate+club")
    page.get_by_role("radio", name="Predictions").click(timeout=60_000)
    expect(page.get_by_text("the graph that the sidebar has chosen")).to_be_visible()
    settled(page)
    upload(page, "own_prob", tmp_path / "theirs.npy")
    page.locator(".st-key-own_diagnose").get_by_role("button").click()
    expect(page.get_by_text("Stored as run")).to_be_visible(timeout=30_000)
    page.get_by_test_id("stMain").get_by_role("link", name="Playground").click()
    with page.expect_download(timeout=60_000) as waiting:
        page.locator(".st-key-playground_plan").get_by_role("button").click()
    with zipfile.ZipFile(waiting.value.path()) as archive:
        plan = np.load(io.BytesIO(archive.read("plan.npz")), allow_pickle=False)
        assert plan["added"].sum() > 0
    assert [run.model for run in Store(home).runs() if run.dataset == "karate"] == ["predictions"]
    assert visit.problems == []
