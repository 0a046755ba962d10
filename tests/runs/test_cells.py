from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wgnn_core.intervention import Intervention
from wgnn_core.models import make_model
from wgnn_core.runs import cells as module
from wgnn_core.runs.cells import CELL_BYTES, cell_size, content_of, first_cells, second_cells
from wgnn_core.runs.config import RunConfig
from wgnn_core.search import as_table, trials
from wgnn_core.wgnn import Row

KARATE = RunConfig("karate").graph()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(1, 40),
    st.integers(0, 9),
    st.integers(1, 32),
    st.sampled_from(["same", "gcn", "gat"]),
)
def test_every_training_is_in_one_cell(
    monkeypatch: pytest.MonkeyPatch, seeds: int, count: int, size: int, edge_model: str
) -> None:
    asked = tuple(Intervention(0.1 * i, 0.5, 0.5, edge_model=edge_model) for i in range(count))
    config = RunConfig("karate", seeds=tuple(range(seeds)), interventions=asked)
    monkeypatch.setattr(module, "MAX_BATCH", size)
    cells = first_cells(config, KARATE)
    assert [cell.number for cell in cells] == list(range(len(cells)))
    assert all(1 <= len(cell) <= size and not (cell.positions and cell.trials) for cell in cells)
    for name in ("", *config.edge_models):
        mine = [cell for cell in cells if cell.positions and cell.edge_model == name]
        assert [p for cell in mine for p in cell.positions] == list(range(seeds))
    assert config.edge_models == ((edge_model,) if edge_model != "same" and count else ())
    assert [t for cell in cells for t in cell.trials] == trials(config.first_stage, seeds)
    assert sum(map(len, cells)) == config.trainings
    kinds = [bool(cell.positions) for cell in cells]
    assert kinds == sorted(kinds, reverse=True)  # the base and the edge models come first
    assert all((content_of(config, cell) is None) == bool(cell.trials) for cell in cells)


def test_the_second_stage_follows_validation(
    config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = replace(config, interventions=(), search="two-stage", steps=(0.3, 0.6), seeds=(0, 1))
    best = (0.0, 0.3, 0.6)
    rows = as_table(
        [  # the test accuracy of the others must not matter
            (i, s, Row(i, s, *((80.0, 0.0, 0.0) if i.etas == best else (0.0, 99.0, 99.0))))
            for i in two.first_stage
            for s in (0, 1)
        ]
    )
    monkeypatch.setattr(module, "MAX_BATCH", 3)
    first, second = first_cells(two, two.graph()), second_cells(two, two.graph(), rows)
    assert {t.intervention.etas for cell in second for t in cell.trials} == {
        (0.3, 0.3, 0.6),
        (0.6, 0.3, 0.6),
    }
    assert [c.number for c in second] == [len(first), len(first) + 1]
    assert sum(map(len, first + second)) == two.trainings


def test_big_graphs_have_small_cells() -> None:
    def size(model: str, nodes: int) -> int:
        parameters = (("nodes", nodes), ("features", 64))
        return cell_size(make_model(model), RunConfig("csbm", parameters).graph())

    assert size("gcn", 300) == 32
    assert 1 <= size("gat", 20_000) < 32
    assert CELL_BYTES < 2**30
