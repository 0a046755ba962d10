"""The declarations: full size is what `sweep` would run, and no printed number is left out."""

from __future__ import annotations

import pytest

from wgnn_core.errors import WGNNError
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.search import STEPS, choose
from wgnn_core.studies import STUDIES, appendix, study, table_1, table_2, table_3
from wgnn_core.studies.measures import first_stage_rows
from wgnn_core.studies.plan import BIG, HEAVY, Size, search
from wgnn_core.studies.published import SLIP, base_of, of_table, tables

from .conftest import FOLLOWS, KARATE, cells

SIZES: tuple[Size, Size] = ("quick", "full")


@pytest.mark.parametrize("model", ["gcn", "gat", "dropedge", "acmgcn"])
@pytest.mark.parametrize("graph", ["Cora", "Citeseer", "Pubmed", "Texas", "Chameleon"])
def test_full_size_of_a_plain_model_is_the_two_stage_search_of_ten_seeds(
    model: str, graph: str
) -> None:
    assert search(model, graph, "full") == (
        RunConfig(graph.lower(), model=model, search="two-stage"),
        None,
    )


@pytest.mark.parametrize("size", SIZES)
def test_every_declaration_gives_configs_with_the_base_model_to_compare_with(size: Size) -> None:
    for one in STUDIES.values():
        names = [(cell.row, cell.column) for cell in one.cells(size)]
        assert len(set(names)) == len(names)
        for cell in one.cells(size):
            for config in cell.configs:
                assert config.seeds[0] == 0 and config.trainings > 0
                if cell.leader is not None:
                    assert cell.leader.dataset == config.dataset
                    assert cell.leader.parameters == config.parameters


def test_heavy_models_and_big_graphs_follow_gcn() -> None:
    config, leader = search("gil", "Cora", "full")
    assert leader == RunConfig("cora", model="gcn", search="two-stage")
    assert len(config.seeds) == 5 and config.search == "list"
    assert {i.edge_model for i in config.interventions if i.eta0} == {"gcn"}
    config, leader = search("gat", "Photo", "full")
    assert leader is not None and leader.parameters == (("splits", 10),)
    assert len(config.seeds) == 10
    assert set(HEAVY) & {"gcn", "gat"} == set() and "cora" not in BIG and STEPS[0] == 0.1


def test_a_follower_takes_eta1_and_eta2_of_its_leader(karate: RunResult) -> None:
    follower = cells("full")[1]
    (settled,) = follower.settled(karate)
    winner = choose(first_stage_rows(karate))
    assert settled.interventions == (
        Intervention(),
        Intervention(0.4, winner.eta1, winner.eta2, edge_model="gcn"),
    )
    assert (settled.model, settled.seeds) == (FOLLOWS.model, FOLLOWS.seeds)
    assert follower.leader == KARATE


@pytest.mark.parametrize(
    ("module", "table"),
    [(table_1, table_1.TABLE), (table_2, table_2.TABLE), (table_3, table_3.TABLE)],
)
def test_every_printed_cell_of_a_table_is_declared(module, table: str) -> None:
    declared = {(cell.row, cell.column) for cell in module.STUDY.cells("full")}
    for model, parts in tables()[table].items():
        for graph in next(iter(parts.values())):
            assert (model, graph) in declared


def test_every_printed_method_of_the_appendix_is_declared() -> None:
    declared = {(cell.row, cell.column) for cell in appendix.STUDY.cells("full")}
    for method, printed in tables()[appendix.TABLE].items():
        row = "GCN" if method.startswith("wGNN") else method
        assert {(row, graph) for graph in printed} <= declared


def test_printed_numbers() -> None:
    cora = of_table(table_1.TABLE, "GCN", "Cora")
    assert (cora.base, cora.method, cora.gain) == ((80.65, 0.49), (83.12, 0.31), 2.47)
    assert base_of("GCN", "Texas") == (54.6, 6.47)
    assert appendix.published("PTDNet", "Airport").note == SLIP
    assert appendix.published("wGNN2", "Chameleon").note == SLIP
    assert appendix.published("wGNN2", "Texas").method is None


def test_an_unknown_study_lists_those_there_are() -> None:
    with pytest.raises(WGNNError, match=r"no study 'table-9'; choose one of table-1, table-2"):
        study("table-9")
