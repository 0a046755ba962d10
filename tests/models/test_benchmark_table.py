"""The table of benchmarks/base_models.py: rows are replaced one by one and kept in order."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from wgnn_core.comparators import COMPARATORS
from wgnn_core.models import MODELS

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "base_models.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("base_models_benchmark", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(model: str, dataset: str, test: str) -> list[str]:
    return [model, dataset, "10", "80.00", test, "-", "-", "1.00", "2.00"]


def test_rows_not_run_again_stay(script: ModuleType) -> None:
    empty = f"before\n{script.START}\n| h |\n| --- |\n{script.END}\nafter\n"
    first = {
        ("gcn", "pubmed"): row("gcn", "pubmed", "79"),
        ("gcn", "cora"): row("gcn", "cora", "81"),
    }
    text = script.write_rows(empty, first)
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    again = script.read_rows(text) | {("gcn", "cora"): row("gcn", "cora", "82")}
    found = script.read_rows(script.write_rows(text, again))
    assert list(found) == [("gcn", "cora"), ("gcn", "pubmed")]
    assert found["gcn", "cora"][4] == "82"
    assert found["gcn", "pubmed"] == row("gcn", "pubmed", "79")


def test_the_stored_table_is_whole(script: ModuleType) -> None:
    rows = script.read_rows(script.TABLE.read_text())
    for (name, dataset), cells in rows.items():
        assert name in [*MODELS, *COMPARATORS]
        assert dataset in script.ORDER
        assert len(cells) == len(script.COLUMNS)


def test_a_row_is_measured(script: ModuleType, csbm_small, monkeypatch) -> None:
    quick = MODELS["gcn"](epochs=5)
    monkeypatch.setattr(script, "make_model", lambda name, dataset: quick)
    cells = script.measure("gcn", csbm_small, 2)
    _, test, _ = script.scores(quick, csbm_small, 2)
    assert cells[:3] == ["gcn", "csbm", "2"]
    assert cells[4] == f"{np.mean(test):.2f} ± {np.std(test, ddof=1):.2f}"
    assert cells[5] == "-"
