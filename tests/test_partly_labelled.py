"""A graph with half its labels missing goes through everything; nobody calls such a node wrong."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import wgnn_core as wgnn
from tests.half_labelled import CHOICES, draft, graph
from wgnn_core import datasets
from wgnn_core.api import Result
from wgnn_core.figures import KINDS, figure_of, kinds_of
from wgnn_core.figures.groups import NO_LABEL, label_quality, node_groups, true_classes, verdicts
from wgnn_core.graph import UNLABELLED, Graph
from wgnn_core.handout import Handout
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.life import Life
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store

HALF = graph()
ASKED = Intervention(0.8, 0.5, 0.6)
QUICK = {"seeds": 2, "hyper": {"epochs": 15}}


@pytest.fixture(scope="module")
def trained() -> Result:
    return wgnn.run(HALF, eta0=0.8, eta1=0.5, eta2=0.6, ablation=True, **QUICK)


def test_half_of_it_has_no_label() -> None:
    assert HALF.unlabelled.sum() == HALF.num_nodes // 2
    for split in HALF.splits:
        assert not HALF.unlabelled[split.train | split.val | split.test].any()


def test_unlabelled_nodes_join_with_predicted_labels_and_are_judged_nowhere(
    trained: Result,
) -> None:
    run = trained.run
    rows = run.of(ASKED)
    for position in range(2):
        plan, split = run.plan(ASKED, position).supplement, HALF.split(position)
        candidates = HALF.candidates(split)
        assert plan.added.sum() == int(0.8 * candidates.sum())
        joined = plan.added & HALF.unlabelled
        assert joined.any() and not plan.added[~candidates].any()
        first = run.trained.predicted[position]
        row = rows.iloc[position]
        assert row["pseudo_labels"] == plan.added.sum()
        assert row["pseudo_unlabelled"] == joined.sum()
        known = plan.added & ~HALF.unlabelled
        assert row["pseudo_right"] == (first[known] == HALF.y[known]).sum()
        test = split.test
        assert run.trained.test[position] == pytest.approx(100 * (first == HALF.y)[test].mean())


def test_what_nobody_knows_changes_no_number() -> None:
    """The same graph with labels invented for the unlabelled nodes, outside every set."""
    told = wgnn.run(HALF, **QUICK, eta0=0.0)
    invented = np.where(HALF.unlabelled, 0, HALF.y)
    other = wgnn.run(replace(HALF, y=invented), **QUICK, eta0=0.0)
    np.testing.assert_array_equal(told.run.trained.prob, other.run.trained.prob)
    np.testing.assert_array_equal(told.run.rows["test"], other.run.rows["test"])


def test_words_for_nodes_without_label(trained: Result) -> None:
    base, split = trained.run.trained, HALF.split(0)
    nodes = np.arange(6)
    assert true_classes(HALF, nodes)[1::2] == [NO_LABEL] * 3
    assert NO_LABEL not in true_classes(HALF, nodes)[::2]
    judged = verdicts(HALF, base.predicted[0])
    assert set(judged[HALF.unlabelled]) == {NO_LABEL}
    assert set(judged[~HALF.unlabelled]) <= {"correct", "wrong"}
    groups = node_groups(HALF, split, base.predicted[0])
    assert (groups[NO_LABEL] == HALF.unlabelled).all()
    for name, mask in groups.items():
        if name.startswith(("true class", "wrong", "correct", "class boundary")):
            assert not mask[HALF.unlabelled].any(), name
    only = HALF.unlabelled & (np.arange(HALF.num_nodes) < 10)
    assert label_quality(HALF, only, base.predicted[0]) == "5 without label"
    assert label_quality(HALF, only & ~only, base.predicted[0]) == "no node"


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_is_drawn(kind: str, trained: Result) -> None:
    runs = {
        "run": trained.run,
        "sweep": wgnn.sweep(HALF, steps=(0.3, 0.6), **QUICK).run if "grid" in kind else None,
    }
    found = [run for run in runs.values() if run is not None and kind in kinds_of(run, HALF)]
    alone = not found and kind in kinds_of((), HALF)
    if not found and not alone:
        pytest.skip(f"one run gives no {kind}")
    for run in found or [()]:
        figure = figure_of(kind, run, HALF)
        figure.to_plotly()
        assert figure.render("pdf")
        if "class_name" in figure.data and kind == "edge-drop":
            nodes = figure.data[figure.data["mark"] == "node"]
            told = HALF.unlabelled[nodes["node"].astype(int)]
            assert set(nodes["class_name"][told]) == {NO_LABEL}


@pytest.mark.parametrize("colour", ["class", "prediction", "correctness", "w", "distance"])
@pytest.mark.parametrize("layout", ["graph", "polygon"])
def test_every_map_is_drawn(colour: str, layout: str, trained: Result) -> None:
    figure = figure_of("node-map", trained.run, HALF, colour=colour, layout=layout, at=ASKED)
    figure.to_plotly()
    assert figure.render("pdf")
    nodes = figure.data[figure.data["mark"] == "node"]
    value = nodes["value"].to_numpy(dtype=float)[: HALF.num_nodes]
    if colour in ("class", "correctness"):
        np.testing.assert_array_equal(np.isnan(value), HALF.unlabelled)


def test_class_counts_say_how_many_have_none() -> None:
    assert "80 of the 160 nodes have no label" in figure_of("class-counts", (), HALF).caption


def test_everything_is_saved(trained: Result, tmp_path: Path) -> None:
    with zipfile.ZipFile(trained.save(tmp_path)) as archive:
        assert len(archive.namelist()) > 10


def test_predictions_are_diagnosed_and_handed_out(trained: Result) -> None:
    found = wgnn.diagnose(HALF, trained.run.trained.prob)
    np.testing.assert_array_equal(found.run.trained.w, trained.run.trained.w)
    np.testing.assert_array_equal(found.run.trained.test, trained.run.trained.test)
    handout = Handout(HALF, found.run.plan(ASKED, 0))
    added = handout.added()
    assert set(added["class"]) <= set(HALF.class_names)
    assert HALF.unlabelled[added["node"]].any()


def test_the_transform_adds_the_same_nodes(trained: Result) -> None:
    plan = trained.run.plan(ASKED.of("wgnn1"), 0).supplement
    data = wgnn.AddPseudoLabels(trained.run.trained.prob[0], 0.8)(HALF.to_pyg(0))
    np.testing.assert_array_equal(data.train_mask.numpy(), plan.train)
    np.testing.assert_array_equal(data.y.numpy()[plan.added], plan.labels[plan.added])
    assert (data.y[torch.from_numpy(HALF.unlabelled & ~plan.added)] == UNLABELLED).all()


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graph:
    monkeypatch.setenv("WGNN_HOME", str(tmp_path))
    draft().save("half", CHOICES)
    return datasets.load("half")


def test_a_reimported_graph_is_not_stale(kept: Graph) -> None:
    config = RunConfig("half", seeds=(0, 1))
    assert config.graph().content_hash == kept.content_hash
    datasets.delete("half")
    draft().save("half", replace(CHOICES, shares=(0.5, 0.2)))
    assert RunConfig("half", seeds=(0, 1)).graph().content_hash != kept.content_hash


def test_a_run_stays_with_its_graph_when_it_is_renamed(kept: Graph, tmp_path: Path) -> None:
    store = Store(tmp_path)
    before = run_here(RunConfig("half", hyper=(("epochs", 5),), seeds=(0, 1)), store)
    datasets.rename("half", "better")
    after = load_result(store, before.summary.run_id)
    assert after.config.dataset == "better" and after.graph.name == "better"
    assert after.config.run_id == before.summary.run_id
    np.testing.assert_array_equal(after.trained.prob, before.trained.prob)
    datasets.delete("better")
    with pytest.raises(wgnn.WGNNError, match=r"the graph half of run .* import it again"):
        load_result(store, before.summary.run_id)


def test_a_run_goes_on_when_its_graph_is_imported_again_under_another_name(
    kept: Graph, tmp_path: Path
) -> None:
    store, config = Store(tmp_path), RunConfig("half", hyper=(("epochs", 5),), seeds=(0, 1))
    store.create(config)
    datasets.delete("half")
    with pytest.raises(wgnn.WGNNError, match="import it again"):
        Life(store, config.run_id, "me")
    draft().save("again", CHOICES)
    led = Life(store, config.run_id, "me")
    assert led.config.dataset == led.graph.name == "again"
    assert led.config.run_id == config.run_id and led.ready()
