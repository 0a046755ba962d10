"""The table of benchmarks/base_models.py: rows are replaced one by one and kept in order."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from wgnn_core.comparators import METHODS
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
    return [model, dataset, "10", "80.00", test, "-", "-", "1.00", "-", "-", "-"]


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
        assert script.plain_name(name) in METHODS
        assert dataset in script.ORDER
        assert len(cells) == len(script.COLUMNS)


def test_a_row_is_measured(script: ModuleType, csbm_small, monkeypatch) -> None:
    quick = MODELS["gcn"](epochs=5)
    monkeypatch.setattr(script, "make_method", lambda name, dataset, preset: quick)
    cells = script.measure("gcn", csbm_small, range(3, 5))
    _, test, _ = script.scores(quick, csbm_small, [3, 4])
    assert cells[:3] == ["gcn", "csbm", "2"]
    assert cells[4] == f"{np.mean(test):.2f} ± {np.std(test, ddof=1):.2f}"
    assert cells[5] == "-"


def test_a_row_far_below_the_paper_is_marked(script: ModuleType) -> None:
    assert script._difference("gcn", "cora", -1.4) == "-1.40"
    assert script._difference("gcn", "cora", -1.6) == "-1.60 short"
    assert script._difference("renode", "cora", -1.6) == "-1.60"
    assert script._difference("self-training:share", "cora", -2.1) == "-2.10 short"
    assert script._difference("acmgcn", "texas", -3.9) == "-3.90"
    assert script._difference("acmgcn", "texas", -4.1) == "-4.10 short"
    assert script._difference("gcn", "disease-sim", -9.0) == "-"


@pytest.mark.parametrize("name", METHODS)
def test_the_plain_loop_trains_every_model(script: ModuleType, csbm_small, name) -> None:
    """It stands for the usual code, so it has to learn what the usual code learns."""
    model = script.shortened(script.recipe(name, "csbm"), 40)
    assert script.plain_training(model, csbm_small, 0) > 0.5


def test_the_plain_loop_computes_what_the_model_computes(script: ModuleType, csbm_small) -> None:
    import torch

    from wgnn_core.replicas.model import Sizes
    from wgnn_core.replicas.view import Batch, Domain, View

    model = MODELS["gat"]()
    domain = Domain.of(csbm_small, torch.device("cpu"))
    sizes = Sizes(csbm_small.num_nodes, csbm_small.num_features, csbm_small.num_classes)
    p = {k: v.unsqueeze(0) for k, v in model.init(sizes, torch.Generator()).items()}
    field = domain.field(np.ones(csbm_small.num_nodes, dtype=bool), model.depth)
    ours = model.forward(p, View(Batch(domain, None), field), None)
    plain = script.PlainBatch(script.replace(domain, compiled=False), None).view(model.depth)
    torch.testing.assert_close(model.forward(p, plain, None), ours, rtol=1e-4, atol=1e-5)


def test_speed_has_both_times_and_their_ratio(script: ModuleType, csbm_small, monkeypatch) -> None:
    monkeypatch.setattr(script, "ROUNDS", 1)
    monkeypatch.setattr(script, "an_epoch", lambda train: 0.5 if "together" in str(train) else 0.2)
    assert script.speed("gcn", csbm_small, 5) == ["100.0", "200.0", "2.0"]


def test_a_row_that_was_not_run_says_its_cost(script: ModuleType, csbm_small, monkeypatch) -> None:
    monkeypatch.setattr(script, "an_epoch", lambda train: 6.0)
    cells = script.not_run("gcn", csbm_small)
    assert len(cells) == len(script.COLUMNS)
    assert cells[2:5] == ["0", "-", "not run: about 20.0 min per training"]
