from __future__ import annotations

from dataclasses import replace

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core.models import make_model
from wgnn_core.runs.cells import CELL_BYTES, cell_size, first_cells, second_cells, second_etas
from wgnn_core.runs.config import RunConfig
from wgnn_core.search import COLUMNS, trials


@given(st.integers(1, 40), st.integers(0, 9), st.integers(1, 32))
def test_every_training_is_in_one_cell(seeds: int, etas: int, size: int) -> None:
    triples = tuple((0.1 * i, 0.5, 0.5) for i in range(etas))
    config = RunConfig("digits", seeds=tuple(range(seeds)), etas=triples)
    cells = first_cells(config, size)
    assert [cell.number for cell in cells] == list(range(len(cells)))
    assert all(1 <= len(cell) <= size and not (cell.runs and cell.trials) for cell in cells)
    assert [run for cell in cells for run in cell.runs] == list(range(seeds))
    assert [t for cell in cells for t in cell.trials] == trials(config.first_etas, seeds)
    assert sum(map(len, cells)) == config.trainings
    kinds = [bool(cell.runs) for cell in cells]
    assert kinds == sorted(kinds, reverse=True)  # the base comes first


def test_the_second_stage_follows_validation(config: RunConfig) -> None:
    two = replace(config, etas=(), search="two-stage", steps=(0.3, 0.6), seeds=(0, 1))
    rows = pd.DataFrame(
        [
            (e.eta0, e.eta1, e.eta2, s, 0.0, 0.0, 0.0, 0, 0, 0)
            for e in two.first_etas
            for s in (0, 1)
        ],
        columns=list(COLUMNS),
    )
    wanted = (rows.eta1 == 0.3) & (rows.eta2 == 0.6)
    rows.loc[wanted, "val"] = 80.0
    rows.loc[~wanted, "test"] = 99.0  # must not matter
    assert {(e.eta0, e.eta1, e.eta2) for e in second_etas(two, rows)} == {
        (0.3, 0.3, 0.6),
        (0.6, 0.3, 0.6),
    }
    first, second = first_cells(two, 3), second_cells(two, 3, rows)
    assert [c.number for c in second] == [len(first), len(first) + 1]
    assert sum(map(len, first + second)) == two.trainings


def test_big_graphs_have_small_cells(config: RunConfig) -> None:
    def size(model: str, nodes: int) -> int:
        parameters = (("nodes", nodes), ("features", 64))
        return cell_size(make_model(model), RunConfig("csbm", parameters).graph())

    assert size("gcn", 300) == 32
    assert 1 <= size("gat", 20_000) < 32
    assert CELL_BYTES < 2**30
