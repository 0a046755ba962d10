"""Take a figure, or a whole run, from a page as a zip file and look what is in it."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import serve
from tests.figures import pdf
from tests.runs.run_helpers import train_here
from wgnn_core.export import table_csv
from wgnn_core.figures import VENUES, figure_of, kinds_of
from wgnn_core.intervention import Intervention
from wgnn_core.reports import tables_of
from wgnn_core.reports.bundles import MEMBERS
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult, load_result
from wgnn_core.runs.store import Store

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

CONFIG = RunConfig("digits", hyper=(("epochs", 15),), seeds=(0, 1))
WHOLE = RunConfig(
    "karate",
    hyper=(("epochs", 15),),
    seeds=(0, 1),
    interventions=(Intervention(0.5, 0.6, 0.6),),
)
"""Small, since every figure it gives is drawn."""
CITED = ("ji2023nonuniformity", "alpaydin1998digits", "kipf2017gcn")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two finished runs: the pages have their results at once."""
    folder = tmp_path_factory.mktemp("download")
    for config in (CONFIG, WHOLE):
        train_here(Store(folder), config)
    return folder


@pytest.fixture(scope="module")
def result(home: Path) -> RunResult:
    return load_result(Store(home), CONFIG.run_id)


@pytest.fixture(scope="module")
def app(home: Path) -> Iterator[Any]:
    with serve(home, home / "data") as running:
        yield running


def download(page: Page, key: str, venue: str) -> tuple[str, dict[str, bytes]]:
    """Open the Export control `key`, choose a venue, click; the name of the file and its files."""
    page.set_viewport_size({"width": 1280, "height": 2600})  # what opens below it needs room
    page.locator(f".st-key-{key}_export").get_by_role("button").click()
    page.locator(f".st-key-{key}_venue").get_by_role("combobox").click()
    page.get_by_role("option", name=VENUES[venue].name, exact=True).click()
    named = f"Download for {VENUES[venue].name}"  # the button of another venue may stay a moment
    button = page.locator(f".st-key-{key}_download").get_by_role("button", name=named)
    expect(button).to_have_count(1, timeout=60_000)
    with page.expect_download(timeout=120_000) as waiting:
        button.click()
    file = waiting.value
    with zipfile.ZipFile(io.BytesIO(Path(file.path()).read_bytes())) as archive:
        assert archive.testzip() is None
        return file.suggested_filename, {name: archive.read(name) for name in archive.namelist()}


def check_figure(files: dict[str, bytes], kind: str, venue: str, result: RunResult) -> None:
    """The files of one figure hold what they should, with the numbers of the store."""
    assert set(files) == set(MEMBERS)
    figure = figure_of(kind, result, CONFIG.graph())
    assert files["data.csv"].decode() == table_csv(figure.data)
    assert abs(pdf.width(files["figure.pdf"]) - 72 * VENUES[venue].column) < 0.5
    assert b"<svg" in files["figure.svg"] and files["figure.png"].startswith(b"\x89PNG")
    assert figure.caption.split(";")[0] in " ".join(files["README.txt"].decode().split())
    assert r"\includegraphics{figure.pdf}" in files["figure.tex"].decode()
    record = json.loads(files["config.json"])
    assert record["figure"]["kind"] == kind and record["figure"]["style"]["venue"] == venue
    assert record["run"]["run_id"] == result.summary.run_id
    assert record["run"]["dataset_hash"] == CONFIG.graph().content_hash
    assert record["run"]["seeds"] == [0, 1] and record["run"]["hyper"]["epochs"] == 15
    assert record["run"]["versions"] == CONFIG.identity["versions"]
    assert "matplotlib" in record["export_versions"]
    words = shlex.split(files["command.txt"].decode())
    assert words[:4] == ["python", "-m", "wgnn_core", "export"] and "digits" in words
    assert words[words.index("--figure") + 1] == kind
    assert "makes data.csv again" in files["README.txt"].decode()
    for key in CITED:
        assert f"{{{key}," in files["references.bib"].decode()


def test_a_figure_of_a_page_comes_down_whole(app: Any, visit: Any, result: RunResult) -> None:
    page = visit.page
    page.goto(f"{app.address}/map?dataset=Digits&seeds=2&gcn_epochs=15")
    expect(page.locator(".st-key-map_histogram_export")).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=60_000)
    name, files = download(page, "map_histogram", "nature")
    assert name == "w-histogram-digits.zip"
    check_figure(files, "w-histogram", "nature", result)
    page.locator(".st-key-map_histogram_preview").get_by_text("Preview").click()
    expect(page.get_by_text("As it will print")).to_be_visible(timeout=20_000)
    assert visit.problems == [] and visit.outside == []


def test_a_whole_run_comes_down_from_the_shelf(app: Any, home: Path, visit: Any) -> None:
    page, stored = visit.page, load_result(Store(home), WHOLE.run_id)
    page.goto(f"{app.address}/runs?dataset=Karate+club&seeds=2&gcn_epochs=15")
    expect(page.get_by_text("2 of 2 runs")).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=60_000)
    page.locator('[class*="st-key-runs_table"]').scroll_into_view_if_needed()
    table = page.locator('[class*="st-key-runs_table"]').get_by_test_id("stDataFrame")
    expect(table).to_be_visible(timeout=60_000)
    export = page.locator(".st-key-runs_bundle_export")
    for _ in range(3):  # a picture takes no click before it is painted, and nothing says when
        table.click(position={"x": 17, "y": 52})  # the box of the newest run
        with contextlib.suppress(AssertionError):
            expect(export).to_be_visible(timeout=20_000)
            break
    expect(export).to_be_visible()
    name, files = download(page, "runs_bundle", "iclr")
    assert re.fullmatch(r"karate-gcn-[0-9a-f]{8}-all\.zip", name)
    graph = WHOLE.graph()
    assert {n.split("/")[0] for n in files if "/" in n} == {*kinds_of(stored, graph), "tables"}
    for kind in kinds_of(stored, graph):
        figure = figure_of(kind, stored, graph)
        assert files[f"{kind}/data.csv"].decode() == table_csv(figure.data)
        assert abs(pdf.width(files[f"{kind}/figure.pdf"]) - 72 * VENUES["iclr"].column) < 0.5
    for table, text in tables_of(stored, graph).items():
        assert files[f"tables/{table}"].decode() == text
    assert json.loads(files["config.json"])["run"]["run_id"] == stored.summary.run_id
    assert "--all" in files["command.txt"].decode()
    assert r"\includegraphics{w-histogram/figure.pdf}" in files["paper.tex"].decode()
    assert visit.problems == [] and visit.outside == []
