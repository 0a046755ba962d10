"""The methods of a run and the table of them."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from wgnn_core.errors import WGNNError
from wgnn_core.figures.methods import methods_of, scores_of
from wgnn_core.figures.text import latex_text
from wgnn_core.graph import Graph
from wgnn_core.intervention import Intervention
from wgnn_core.reports import table_of, tables_of
from wgnn_core.runs.results import RunResult

Runs = dict[str, RunResult]


def test_table_by_hand(runs: Runs, graph: Graph) -> None:
    result = runs["ablation"]
    table = table_of(result, graph)
    assert list(table.columns) == [
        "method", "dataset", "mean_percent", "std_percent", "n", "gain_points", "p_value"
    ]  # fmt: skip
    assert table["method"].tolist() == ["GCN", "wGNN", "wGNN1", "wGNN2"]
    base = result.base.test
    assert np.isnan(table.loc[0, ["gain_points", "p_value"]].astype(float)).all()
    for position, eta0, eta1 in ((1, 0.5, 0.3), (2, 0.5, 0.0), (3, 0.0, 0.3)):
        mine = result.rows[(result.rows["eta0"] == eta0) & (result.rows["eta1"] == eta1)]["test"]
        row = table.iloc[position]
        assert row["mean_percent"] == pytest.approx(mine.mean())
        assert row["std_percent"] == pytest.approx(mine.std(ddof=1))
        assert row["n"] == 3
        assert row["gain_points"] == pytest.approx((mine.to_numpy() - base).mean())
        assert row["p_value"] == pytest.approx(stats.ttest_rel(mine, base).pvalue, nan_ok=True)


def test_the_three_forms_say_the_same(runs: Runs, graph: Graph) -> None:
    table = table_of(runs["ablation"], graph)
    forms = tables_of(runs["ablation"], graph)
    back = pd.read_csv(io.StringIO(forms["results.csv"]))
    pd.testing.assert_frame_equal(back, table, check_exact=True)
    for row in table.to_dict("records"):
        number = f"{row['mean_percent']:.2f}"
        assert any(
            line.startswith(row["method"] + " &") and number in line
            for line in forms["results.tex"].splitlines()
        )
        assert any(
            line.startswith(f"| {row['method']} |") and number in line
            for line in forms["results.md"].splitlines()
        )
        if not np.isnan(row["gain_points"]):
            points = f"{row['gain_points']:+.2f}".replace("-", "−")
            gain = f"{row['method']} {points}"
            assert latex_text(gain) in forms["results.tex"]
            assert gain in forms["results.md"]


def test_equal_names_carry_their_etas(runs: Runs) -> None:
    result = runs["grid"]
    assert list(methods_of(result)) == [
        f"wGNN, η₀ = {a:g}, η₁ = {b:g}, η₂ = {b:g}" for a in (0.2, 0.6) for b in (0.2, 0.4, 0.6)
    ]


def test_a_large_grid_counts_what_validation_chose(runs: Runs) -> None:
    result = runs["full"]
    assert len(result.finished) == 12
    assert methods_of(result) == {"wGNN": result.chosen}
    assert list(scores_of(result)) == ["GCN", "wGNN"]
    assert methods_of(replace(result, chosen=None)) == {}


def test_the_halves_of_the_chosen_etas_count_too(runs: Runs) -> None:
    rows = runs["full"].rows
    seeds = rows.iloc[:3]
    best = runs["full"].chosen
    halves = [seeds.assign(eta0=best.eta0, eta1=0.0, eta2=0.0)]
    halves.append(seeds.assign(eta0=0.0, eta1=best.eta1, eta2=best.eta2))
    result = replace(runs["full"], rows=pd.concat([rows, *halves], ignore_index=True))
    assert methods_of(result) == {
        "wGNN": best,
        "wGNN1": Intervention(best.eta0, 0.0, 0.0),
        "wGNN2": Intervention(0.0, best.eta1, best.eta2),
    }


def test_a_method_that_lacks_a_seed_does_not_count(runs: Runs) -> None:
    result = runs["ablation"]
    partial = replace(result, rows=result.rows.iloc[:-1])
    assert list(scores_of(partial)) == ["GCN", "wGNN", "wGNN1"]


def test_base_alone(runs: Runs, graph: Graph) -> None:
    table = table_of(runs["base"], graph)
    assert table["method"].tolist() == ["GCN"]
    assert "Gain" not in tables_of(runs["base"], graph)["results.tex"]
    with pytest.raises(WGNNError, match="not trained for every seed"):
        table_of(replace(runs["base"], base=None), graph)
