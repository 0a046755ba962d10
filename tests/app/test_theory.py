"""The page Theory: every statement, small and odd graphs, edges that change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.app.test_pages import texts, uncaptioned
from ui import load
from wgnn_core import datasets

SECTIONS = {
    "Lemmas": 1,
    "Theorem 1": 2,
    "Corollary 1": 2,
    "Theorem 2": 1,
    "Theorem 3": 1,
    "Lemma on w": 2,
    "The assumption": 2,
}
"""Charts of each statement on a graph where it can be shown."""
NO_EDGE = "Counterexample: Two nodes without an edge"
NO_POLE = "Counterexample: A component without observed nodes"


def opened(visit: Any, **address: str) -> Any:
    return visit("theory", **({"dataset": "Karate club"} | address))


@pytest.mark.parametrize("section", SECTIONS)
def test_every_statement_on_a_dataset(section: str, visit: Any, jobs_in: Any) -> None:
    jobs_in("finished")
    app = opened(visit, theory_section=section)
    assert not app.error and not app.info
    assert len(app.get("plotly_chart")) == SECTIONS[section]
    assert uncaptioned(app) == []
    assert "**holds**" in texts(app) or section == "The assumption"


def test_an_edge_goes_and_comes_back_and_the_numbers_follow(visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    app = opened(visit, theory_graph="Barbell")
    assert "13/36" in texts(app), "A(V0) with a current of 5/18, by hand"
    app.number_input(key="theory_u_barbell").set_value(5).run()
    app.number_input(key="theory_v_barbell").set_value(6).run()
    assert app.button(key="theory_add").disabled
    app.button(key="theory_remove").click().run()
    assert app.text_input(key="theory_changes").value == "-5-6"
    assert "13/36" not in texts(app) and not app.error
    app.button(key="theory_add").click().run()
    assert app.text_input(key="theory_changes").value == ""
    assert "13/36" in texts(app)


def test_a_change_that_is_impossible_is_a_sentence(visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    for change, said in (
        ("-0-11", "have no edge"),
        ("+0-99", "has no node 99"),
        ("x", "look like"),
    ):
        app = opened(visit, theory_graph="Barbell", theory_changes=change)
        assert said in app.error[0].value
        assert len(app.get("plotly_chart")) == 1, "the graph of the gallery is shown all the same"


def test_the_counterexample_to_the_second_remedy(visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    title = "Counterexample: An edge of the boundary"
    app = opened(visit, theory_graph=title, theory_remedy="Fewer edges (Algorithm 2)")
    assert "1/11" in texts(app) and "1/15" in texts(app)
    assert "rule of thumb" in texts(app)


@pytest.mark.parametrize("graph", [NO_EDGE, NO_POLE])
@pytest.mark.parametrize("section", [name for name in SECTIONS if name != "The assumption"])
def test_graphs_that_are_not_connected(graph: str, section: str, visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    node = "1" if graph == NO_EDGE else "3"
    app = opened(visit, theory_graph=graph, theory_section=section, theory_node=node)
    assert len(app.get("plotly_chart")) >= 1
    assert "**fails**" in texts(app) or section in ("Theorem 2", "Lemma on w", "Lemmas")
    if section == "Theorem 1":
        assert "No rising path" in app.info[0].value
    if section == "Lemma on w" and graph == NO_POLE:
        assert "no smooth interpolation" in app.error[0].value


def test_the_gallery_has_no_network(visit: Any, jobs_in: Any) -> None:
    jobs = jobs_in("fresh")
    app = opened(visit, theory_graph="Path", theory_section="The assumption")
    assert "the graphs of the gallery have none" in app.info[0].value
    assert jobs.list() == []


def test_a_class_without_training_nodes_is_a_sentence(
    visit: Any, jobs_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs_in("fresh")
    graph = datasets.load("karate")
    wider = replace(graph, class_names=(*graph.class_names, "nobody"))
    monkeypatch.setattr(load, "graph", lambda *source: wider)
    app = opened(visit, theory_class_karate="nobody")
    assert "class nobody has no training node" in app.error[0].value


def test_the_address_says_what_is_chosen(visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    chosen = {"theory_graph": "Grid", "theory_section": "Corollary 1", "theory_r": "0.25"}
    app = opened(visit, **chosen)
    assert app.slider(key="theory_r").value == 0.25
    assert app.selectbox(key="theory_graph").value == "Grid"
    assert "12 nodes" in str([metric.delta for metric in app.metric]), "two columns of six"
    assert not app.info
