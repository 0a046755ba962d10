"""The example of CONTRIBUTING.md is a base model that works."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from wgnn_core import models
from wgnn_core.graph import Graph
from wgnn_core.intervention import Intervention
from wgnn_core.wgnn import Trial, retrain, train_base

GUIDE = Path(__file__).resolve().parents[2] / "CONTRIBUTING.md"


def example() -> str:
    section = GUIDE.read_text().split("## Add a base model in one file")[1].split("\n## ")[0]
    found = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert len(found) == 1
    return found[0]


@pytest.fixture
def sgc(monkeypatch: pytest.MonkeyPatch) -> type:
    module = types.ModuleType("example_of_the_guide")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(example(), str(GUIDE), "exec"), module.__dict__)
    cls: type = module.__dict__["SGC"]
    monkeypatch.setitem(models.MODELS, "sgc", cls)
    return cls


def test_the_example_trains_and_wgnn_wraps_it(sgc: type, csbm_small: Graph) -> None:
    model = models.make_model("sgc", epochs=40)
    assert isinstance(model, sgc)
    base = train_base(csbm_small, model, 2)
    trials = [Trial(Intervention(0.3, 0.3, 0.5), position) for position in range(2)]
    assert (base.test > 70).all()
    assert min(out.row.test for out in retrain(base, trials)) > 70


def test_the_example_computes_what_it_says(sgc: type, irregular_graph, make_view, dense) -> None:
    import torch

    model = sgc(hops=3)
    W = torch.randn(1, irregular_graph.num_features, 3)
    A = dense(irregular_graph).numpy()
    root = 1 / np.sqrt(A.sum(1))
    A = root[:, None] * A * root
    expected = A @ A @ A @ irregular_graph.x.toarray() @ W[0].numpy()
    ours = model.forward({"W": W}, make_view(irregular_graph, None, 3), None)[0]
    np.testing.assert_allclose(ours, expected, atol=1e-5)
