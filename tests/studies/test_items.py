"""Every declaration from run to table, claims and figure, on the karate club."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from wgnn_core.figures.accuracy_coverage import hits
from wgnn_core.figures.text import signed
from wgnn_core.ranking import accuracy_coverage
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.results import RunResult
from wgnn_core.runs.store import Store
from wgnn_core.studies import STUDIES, depth, m1_m2, mismatch, parameter_study, rankers, table_3
from wgnn_core.studies.charts import chart, views
from wgnn_core.studies.plan import Cell
from wgnn_core.studies.records import DIRECTION, NOT, REPRODUCED, Record, mean, with_holm
from wgnn_core.studies.running import Found
from wgnn_core.studies.tables import cell_table, latex

SHORT = {"epochs": 4}
TRAINED = [name for name, study in STUDIES.items() if study.cells("quick")]


def small(config: RunConfig) -> RunConfig:
    """The same run on the karate club, few epochs, two seeds."""
    hyper = dict(config.hyper) | SHORT
    return replace(
        config, dataset="karate", parameters=(), hyper=tuple(hyper.items()), seeds=(0, 1)
    )


def results_of(cell: Cell, store: Store) -> list[RunResult]:
    led = run_here(small(cell.leader), store) if cell.leader is not None else None
    return [run_here(small(config), store) for config in cell.settled(led)]


def some_cells(name: str) -> list[Cell]:
    """Cells of plain models, on one graph each; of an item of few cells all."""
    cells = [c for c in STUDIES[name].cells("quick") if c.configs[-1].model in ("gcn", "gat")]
    first = cells[0].column
    wanted = [c for c in cells if c.column == first] if len(cells) > 3 else cells
    return wanted[:3] if name != "depth" else [c for c in wanted if c.row in ("L = 2", "L = 7")]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Record]]:
    store = Store(tmp_path_factory.mktemp("items"))
    return {
        name: with_holm(
            [r for cell in some_cells(name) for r in cell.measure(results_of(cell, store))]
        )
        for name in TRAINED
    }


@pytest.mark.parametrize("name", TRAINED)
def test_an_item_goes_from_runs_to_table_claims_and_figure(
    name: str, found: dict[str, list[Record]]
) -> None:
    study, records = STUDIES[name], found[name]
    assert len({(r.row, r.column, r.method) for r in records}) == len(records) > 0
    for record in records:
        assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record
        assert record.n == 2 and record.splits == 2 and record.overlap > 0
    assert len(cell_table(study, records)) == len(records)
    assert r"\bottomrule" in latex(study, Found(name, "quick", records, [], []))
    for claim in study.claims(records):
        assert claim.verdict in (REPRODUCED, DIRECTION, NOT) and claim.found.endswith(".")
    for view in views(name, records):
        figure = chart(name, records, view)
        assert figure.to_plotly().data and figure.alt.endswith(".")


def test_parameter_claims_by_hand(found: dict[str, list[Record]]) -> None:
    records = found["parameters"]
    grid = parameter_study.by_etas(records, "Cora")
    assert len(grid) == 16
    low, high = (
        np.mean([mean(r.tally) for (a, _), r in grid.items() if a == eta]) for eta in (0.2, 0.8)
    )
    first = parameter_study.claims(records)[0]
    assert first.verdict == (REPRODUCED if high > low else NOT)
    assert f"0.2: {low:.2f}" in first.found and f"0.8: {high:.2f}" in first.found


def test_mismatch_compares_two_graphs_of_the_same_run(found: dict[str, list[Record]]) -> None:
    for record in found["mismatch"]:
        assert "G′ of GCN" in record.reference and "edge_model=gat" in record.etas[0]
    said = mismatch.claims(found["mismatch"])
    assert [claim.says.split(":")[0] for claim in said] == ["Cora", "Cora", "Citeseer", "Citeseer"]


def test_depth_claims_need_their_depths(found: dict[str, list[Record]]) -> None:
    said = depth.claims(found["depth"])
    assert len(said) == 3 and "of 2 depths" in said[0].found
    assert len(depth.claims([r for r in found["depth"] if r.row == "L = 2"])) == 2
    assert depth.claims([]) == []


def test_coverage_by_hand(tmp_path: Path) -> None:
    cell = m1_m2.cells("quick")[0]
    (result,) = results_of(cell, Store(tmp_path))
    records = cell.measure([result])
    for ranker, field in (("m1", "base"), ("m2", "tally")):
        for seed, right in enumerate(hits(result.trained, ranker)):
            mine = [getattr(r, field)[seed] for r in records]
            assert mine == pytest.approx(accuracy_coverage(right, m1_m2.ALPHAS), abs=1e-6)


def test_orders_are_compared_with_w_seed_by_seed(found: dict[str, list[Record]]) -> None:
    cora = {r.row: r for r in found["rankers"] if r.column == "Cora"}
    assert len(cora) == 7
    for ranker in rankers.RANKERS[1:]:
        beside = cora[f"{ranker} against w"]
        assert beside.base == cora["w against GCN"].tally
        assert beside.tally == cora[f"{ranker} against GCN"].tally


def test_the_orders_together_by_hand(found: dict[str, list[Record]]) -> None:
    one = next(r for r in found["rankers"] if r.row == "random against w")
    base = tuple(80.0 + i / 10 for i in range(8))
    records = [
        replace(one, column=graph, base=base, tally=tuple(b + gain for b in other))
        for graph, gain, other in (
            ("Cora", -2.0, base), ("Citeseer", -1.0, base[::-1]), ("Pubmed", 3.0, base)
        )
    ]  # fmt: skip
    *each, whole = rankers.claims(records)
    assert [claim.verdict for claim in each] == [REPRODUCED, DIRECTION, NOT]
    assert whole.verdict == DIRECTION and "n = 8 splits" in whole.found
    assert "behind in 2, with p < 0.05 in 1; ahead with p < 0.05 in 1." in whole.found
    assert rankers.claims([]) == []


def halves(records: Sequence[Record]) -> dict[str, Record]:
    return {r.method: r for r in records if r.row.startswith("GCN,")}


def test_the_ablation_tunes_each_part_by_itself(found: dict[str, list[Record]]) -> None:
    parts = halves(found["table-3"])
    assert set(parts) == {"wGNN", "wGNN1", "wGNN2"}
    for etas in zip(*(parts[name].etas for name in ("wGNN1", "wGNN2")), strict=True):
        assert etas[0].endswith(",0,0") and etas[1].startswith("0,")
    said = table_3.claims(found["table-3"])
    gap = mean(parts["wGNN"].tally) - mean(parts["wGNN1"].tally)
    assert f"GCN on Cora {signed(gap)}" in said[0].found
