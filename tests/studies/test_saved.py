"""Shipped results: what follows from their seeds is what they say, and the report says no more."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wgnn_core.errors import WGNNError
from wgnn_core.figures.text import signed
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.results import RunResult
from wgnn_core.runs.store import Store
from wgnn_core.statistics import overlap_of
from wgnn_core.studies import STUDIES, table_1, table_2
from wgnn_core.studies.charts import chart, views
from wgnn_core.studies.published import of_table
from wgnn_core.studies.records import mean, spread, with_holm
from wgnn_core.studies.report import HEAD, report
from wgnn_core.studies.running import collect
from wgnn_core.studies.saved import command, joined, read, save, shipped
from wgnn_core.studies.tables import cell_table, claim_table, grids, latex

from .conftest import TINY, cells

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "wgnn_core" / "studies" / "results").glob("*.json"))
NUMBER = re.compile(r"[+\-−]?\d+\.\d+(?:e-?\d+)?|[+\-−]?\d+e-\d+")


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, str):
        yield from (float(token.replace("−", "-")) for token in NUMBER.findall(value))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def test_saving_and_reading_give_the_same(karate: RunResult, store: Store, tmp_path: Path) -> None:
    found = collect(TINY, cells("full")[:1], "full", store)
    file, dropped = save(TINY, found, tmp_path / "results")
    back = read(file.read_text())
    assert dropped == []
    assert back.found.records == found.records and back.found.missing == found.missing
    assert set(back.found.runs) == set(found.runs) and file.name == "tiny.json"
    assert back.machine["cores"] and "host" not in json.dumps(back.machine)
    with pytest.raises(WGNNError, match="no file of results"):
        read("{}")


def test_saving_adds_to_what_is_there(karate: RunResult, store: Store, tmp_path: Path) -> None:
    first, other, _ = cells("full")
    run_here(other.settled(karate)[0], store)
    both = collect(TINY, [first, other], "full", store)
    save(TINY, collect(TINY, [other], "full", store), tmp_path)
    file, dropped = save(TINY, collect(TINY, [first], "full", store), tmp_path)
    kept = read(file.read_text()).found
    assert kept.records == both.records and dropped == []
    assert [(one.row, one.column) for one in kept.missing] == [("GCN", "Disease")]
    assert set(kept.runs) == set(both.runs)


def test_what_would_be_another_run_today_is_left_out_and_said(
    karate: RunResult, store: Store, tmp_path: Path
) -> None:
    first, other, last = cells("full")
    run_here(other.settled(karate)[0], store)
    save(TINY, collect(TINY, [first, other], "full", store), tmp_path)
    changed = replace(other, configs=(replace(other.configs[0], hyper=(("epochs", 9),)),))
    study = replace(TINY, cells=lambda size: [first, changed, last])
    file, dropped = save(study, collect(study, [first], "full", store), tmp_path)
    assert [(one.row, one.column) for one in dropped] == [("DropEdge", "Karate")]
    kept = read(file.read_text()).found
    assert [record.row for record in kept.records] == ["GCN"]
    assert ("DropEdge", "Karate") in [(one.row, one.column) for one in kept.missing]


def test_another_size_never_replaces_a_file(
    karate: RunResult, store: Store, tmp_path: Path
) -> None:
    found = collect(TINY, cells("full")[:1], "full", store)
    file, _ = save(TINY, found, tmp_path)
    before = file.read_text()
    with pytest.raises(WGNNError, match="results of the full size"):
        save(TINY, replace(found, size="quick"), tmp_path)
    assert file.read_text() == before


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_shipped_would_be_the_same_runs_today(file: Path, raw_data: Path) -> None:
    """A change of a model that changes its numbers takes its results along."""
    found = shipped(file.stem)
    assert found is not None
    nothing = replace(found.found, records=[], claims=[], missing=[], runs={})
    kept, dropped = joined(STUDIES[file.stem], nothing, found.found)
    assert dropped == []
    assert kept.records == found.found.records


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_shipped_file_follows_from_its_seeds(file: Path) -> None:
    told, saved = json.loads(file.read_text()), read(file.read_text())
    assert file.stem in STUDIES and saved.found.study == file.stem
    again = with_holm(saved.found.records)
    for one, record in zip(told["records"], again, strict=True):
        expected = json.loads(json.dumps(record.to_json()))
        assert one["numbers"] == expected["numbers"]
        assert one["verdict"] == expected["verdict"] and one["n"] == len(one["base"])
        assert one["holm"] == expected["holm"]
        assert set(one["runs"]) <= set(told["runs"])
    if told["records"]:  # claims about sizes need the graphs
        claims = STUDIES[file.stem].claims(again)
        assert saved.found.claims == claims


@pytest.mark.parametrize("name", ["table-1", "table-2"])
def test_what_is_shipped_stands_beside_what_the_paper_prints(name: str) -> None:
    saved = shipped(name)
    assert saved is not None
    table = {"table-1": table_1.TABLE, "table-2": table_2.TABLE}[name]
    for record in saved.found.records:
        assert record.published == of_table(table, record.row, record.column)
        assert ("duplicates" in record.published.note) == (record.column == "Chameleon")


@pytest.mark.dataset
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shipped_tests_are_those_of_the_splits(file: Path, raw_data: Path) -> None:
    found, graphs = read(file.read_text()).found, dict[Any, Any]()
    for record in found.records:
        run = RunConfig.from_json(found.runs[record.runs[-1]].config)
        key = run.dataset, run.parameters
        graph = graphs[key] if key in graphs else graphs.setdefault(key, run.graph())
        assert record.overlap == pytest.approx(overlap_of(graph, run.seeds))
        assert record.n == len(run.seeds)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_shipped_file_can_be_shown(file: Path) -> None:
    saved = shipped(file.stem)
    assert saved is not None
    study, records = STUDIES[file.stem], saved.found.records
    for view in views(file.stem, records)[:1]:
        figure = chart(file.stem, records, view)
        assert len(figure.data) and figure.to_plotly().data
    if records:
        assert len(cell_table(study, records)) == len(records)
        assert r"\toprule" in latex(study, saved.found)
    else:
        assert len(claim_table(saved.found.claims)) == len(saved.found.claims)


def test_the_report_is_that_of_the_files() -> None:
    written = (ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8")
    assert written == report()


@pytest.mark.parametrize("name", [file.stem for file in FILES])
def test_n_and_grid_stand_with_every_number(name: str) -> None:
    saved = shipped(name)
    assert saved is not None
    part = report().split(f"\n## {STUDIES[name].title}\n")[1].split("\n## ")[0]
    rows = [line[2:-2].split(" | ") for line in part.splitlines() if line.startswith("| ")]
    head, body = rows[0], rows[1 : len(saved.found.records) + 1]
    records = saved.found.records
    letters = grids(records)
    for record, row in zip(records, body, strict=True):
        assert row[head.index("n")] == str(record.n)
        if "searched" in head:
            assert f"({row[head.index('searched')]}) {record.grid}" in part
        else:
            assert not records or "η" not in head or set(letters) == {record.grid}


def test_grids_have_letters_of_their_own(karate: RunResult, store: Store) -> None:
    (one,) = collect(TINY, cells("full")[:1], "full", store).records
    letters = grids([replace(one, grid=f"grid {i % 60}") for i in range(61)])
    assert len(set(letters.values())) == len(letters) == 60
    assert letters["grid 0"] == "a" and letters["grid 26"] == "aa"


def test_every_number_of_the_report_is_in_the_files() -> None:
    known = {float(v) for file in FILES for v in numbers_in(json.loads(file.read_text()))}
    forms = {f"{v:{form}}" for v in known for form in (".2f", "+.2f", ".2g", "g")}
    forms |= {f"{-v:.2f}" for v in known}
    body = (ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8")
    body = body[len(HEAD) :] if body.startswith(HEAD[:20]) else body
    versions = re.compile(r"^\*.*\*$", re.M)
    tokens = NUMBER.findall(versions.sub("", body).replace("−", "-"))
    unknown = [t for t in tokens if t not in forms and t.lstrip("+") not in forms]
    assert unknown == []
    assert len(tokens) > 20


def test_what_was_not_run_says_so() -> None:
    text = (ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8")
    for name, study in STUDIES.items():
        saved = shipped(name)
        if saved is None:
            assert f"*Not run.* `wgnn study {name}` runs it." in text
            continue
        for one in saved.found.missing:
            assert re.search(
                rf"^- .*{re.escape(one.row)}.* on {re.escape(one.column)}: ", text, re.M
            )
        for record in saved.found.records:
            assert not math.isnan(record.comparison.difference)
        assert study.title in text


def test_commands_are_words_of_a_shell() -> None:
    assert command(TINY, "L = 2", "Cora") == "wgnn study tiny --row 'L = 2' --column Cora"
    assert command(TINY, "", "Cora", quick=True) == "wgnn study tiny --column Cora --quick"


def test_the_first_result_of_the_readme_is_that_of_the_files() -> None:
    saved = shipped("table-1")
    assert saved is not None
    found = {(r.row, r.column): r for r in saved.found.records}
    cora, citeseer = found["GCN", "Cora"], found["GCN", "Citeseer"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, scores in (("the paper's tally", cora.tally), ("own predictions", cora.retrained)):
        c = cora.against(scores)
        row = f"| {c.other_mean:.2f} ± {c.other_std:.2f} % | {signed(c.difference)} |"
        row += f" {c.pvalue:.2g} |"
        assert any(name in line and row in line for line in text.splitlines())
    assert f"| GCN | {mean(cora.base):.2f} ± {spread(cora.base):.2f} % |" in text
    etas = "η₀ = {}, η₁ = {}, η₂ = {}".format(*cora.etas[0].split(","))
    assert etas in text
    assert citeseer.comparison.difference == 0
    gain = citeseer.against(citeseer.retrained).difference
    assert f"gains nothing by the paper's tally and {gain:.2f} points by the retrained" in text
