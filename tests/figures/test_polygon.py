"""The class polygon on maps: places, corners, arrows, and names that fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.figures.samples import whole_graph
from tests.figures.test_contract import unclipped_pdf
from wgnn_core.errors import WGNNError
from wgnn_core.figures import NodeMap, Style, figure_of, missing
from wgnn_core.figures.maps import nodes_of
from wgnn_core.figures.polygon import arrows, corner_names, place
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.results import RunResult

WGNN = Intervention(0.8, 0.3, 0.4)


@pytest.fixture(scope="module")
def result() -> RunResult:
    small = (("nodes", 120), ("classes", 3), ("features", 8))
    return run_here(
        RunConfig("csbm", small, hyper=(("epochs", 30),), seeds=(0, 1), interventions=(WGNN,))
    )


def on_polygon(classes: int, arrows_at_most: int = 30) -> NodeMap:
    """A map of random probabilities before and after; names are long."""
    names = [f"the class called {i}" for i in range(classes)]
    graph = whole_graph(names, nodes=max(200, 6 * classes))
    belief = np.random.default_rng(0).dirichlet(np.full(classes, 0.3), (2, graph.num_nodes))
    first, after = belief.astype(np.float32)
    found = place(graph, first, after, np.arange(graph.num_nodes), arrows_at_most)
    return NodeMap.of(
        found.points, [], graph.y, colour="class", graph="g", class_names=names, rows=found.rows
    )


@pytest.mark.parametrize("classes", [2, 3, 7, 10, 15, 40])
@pytest.mark.parametrize("style", [Style(), Style("nature"), Style("slides", "full")])
def test_names_of_corners_stay_on_the_page_and_apart(classes: int, style: Style) -> None:
    figure = on_polygon(classes)
    assert unclipped_pdf(figure, style).startswith(b"%PDF")
    told = corner_names(figure.data, 15)
    assert len(told) == classes if classes <= 15 else 10 < len(told) < classes


def test_nodes_stand_at_the_mean_of_the_corners(result: RunResult) -> None:
    figure = figure_of("node-map", result, result.graph, layout="polygon", colour="class", seed=1)
    rows = figure.data[figure.data["mark"] == "corner"].set_index("node")[["x", "y"]]
    corners = rows.sort_index().to_numpy(dtype=float)
    weight = result.trained.prob[1].astype(float) ** 2
    weight /= weight.sum(axis=1, keepdims=True)
    gap = nodes_of(figure.data)[["x", "y"]].to_numpy(dtype=float) - weight @ corners
    assert np.hypot(*gap.T).max() <= 0.02 + 1e-6  # the jitter
    assert not (figure.data["mark"] == "edge").any()
    names = [name.lines[0] for name in corner_names(figure.data, 15)]
    counts = np.bincount(result.trained.predicted[1], minlength=3)
    assert sorted(names) == [f"{k} ({n})" for k, n in enumerate(counts)]


def test_arrows_lead_from_the_base_model_to_wgnn(result: RunResult) -> None:
    graph, first = result.graph, result.trained.prob[0]
    after = result.prob(WGNN, 0)
    assert after is not None
    seen = {"layout": "polygon", "colour": "class"}
    before = figure_of("node-map", result, graph, **seen)
    figure = figure_of("node-map", result, graph, at=WGNN, movers=7, **seen)
    moves = figure.data[figure.data["mark"] == "move"]
    assert len(moves) == 7 and "for the 7 of" in figure.caption
    old = nodes_of(before.data).set_index("node").loc[moves["node"], ["x", "y"]]
    np.testing.assert_allclose(moves[["x", "y"]], old, atol=1e-6)
    share = [p**2 / (p**2).sum(axis=1, keepdims=True) for p in (first, after)]
    change = np.abs(share[1] - share[0]).sum(axis=1)
    assert change[moves["node"]].min() >= np.delete(change, moves["node"]).max() - 1e-6
    right = [p.argmax(-1) == graph.y for p in (first, after)]
    for node, turn in zip(moves["node"], moves["turn"], strict=True):
        was, now = right[0][node], right[1][node]
        assert turn == ("fixed" if now and not was else "broken" if was and not now else "neither")
    drawn = arrows(figure.data)
    assert sum(map(len, drawn.values())) == 7
    now = nodes_of(figure.data).set_index("node")[["x", "y"]]
    for turn, paths in drawn.items():
        mine = moves[moves["turn"] == turn]
        np.testing.assert_allclose(paths[:, 0], mine[["x", "y"]].to_numpy(dtype=float))
        np.testing.assert_allclose(paths[:, -2], now.loc[mine["node"]].to_numpy(dtype=float))
    assert not (before.data["mark"] == "move").any()


def test_the_polygon_needs_a_model_and_its_probabilities(
    result: RunResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {"layout": "polygon", "colour": "class"}
    assert "needs a trained model" in missing("node-map", (), result.graph, **seen)
    monkeypatch.setattr(RunResult, "prob", lambda *_: None)
    assert "not stored" in missing("node-map", result, result.graph, at=WGNN, **seen)
    with pytest.raises(WGNNError, match="not stored"):
        figure_of("node-map", result, result.graph, at=WGNN, **seen)


def test_stored_probabilities_are_those_of_the_retrained_model(result: RunResult) -> None:
    for position in (0, 1):
        prob, (predicted, w) = result.prob(WGNN, position), result.outcome(WGNN, position)
        assert prob is not None
        np.testing.assert_allclose(prob.sum(axis=1), 1, atol=1e-6)
        np.testing.assert_allclose(np.abs(prob - 1 / 3).sum(axis=1), w, atol=0.005)
        top = np.sort(prob, axis=1)
        sure = top[:, -1] - top[:, -2] > 0.01
        assert (prob.argmax(-1) == predicted)[sure].all() and sure.mean() > 0.8
    base = result.prob(Intervention(), 1)
    assert base is not None
    np.testing.assert_array_equal(base, result.trained.prob[1])
    with pytest.raises(WGNNError, match="not among the finished"):
        result.prob(replace(WGNN, eta0=0.1), 0)


def test_a_neighbourhood_has_a_layout_of_its_own(result: RunResult) -> None:
    graph = result.graph
    hub = int(np.diff(graph.adjacency.indptr).argmax())
    figure = figure_of("node-map", (), graph, colour="class", around=hub, radius=2)
    nodes = nodes_of(figure.data)
    xy = nodes[["x", "y"]].to_numpy(dtype=float)
    size = np.ptp(xy, axis=0)
    np.testing.assert_allclose(xy[nodes["node"] == hub][0], (xy.min(0) + xy.max(0)) / 2, atol=0.1)
    gaps = np.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1)) + np.eye(len(xy))
    assert gaps.min() > 0.3 * size.max() / len(xy) ** 0.5 / 2
    full = figure_of("node-map", (), graph, colour="class", around=hub, radius=10)
    assert f"{len(nodes_of(full.data)):,} nodes" in full.caption


def test_the_legend_has_what_is_drawn() -> None:
    xy = np.random.default_rng(0).random((3000, 2))
    classes = np.arange(3000) % 3
    names = ("a", "b", "c", "nobody")
    shape = {"colour": "class", "graph": "g", "class_names": names}
    large = NodeMap.of(xy, [], classes, **shape).to_plotly()
    told = [trace for trace in large.data if trace.showlegend is not False]
    assert [trace.name for trace in told] == ["a", "b", "c"]
    assert {trace.marker.symbol for trace in told} == {"circle"}
    drawn = next(trace for trace in large.data if trace.name == "nodes")
    assert drawn.marker.symbol is None
    small = NodeMap.of(xy[:30], [], classes[:30], **shape).to_plotly()
    marks = [t.marker.symbol for t in small.data if t.showlegend is not False]
    drawn = next(trace for trace in small.data if trace.name == "nodes")
    assert set(marks) == set(drawn.marker.symbol) and len(marks) == 3


def test_nodes_without_label_are_grey() -> None:
    graph = whole_graph(["a", "b"], nodes=50, unlabelled=5)
    figure = figure_of("node-map", (), graph, colour="class")
    names = [trace.name for trace in figure.to_plotly().data]
    assert "no label (5)" in names
    assert figure.render("png", Style(), 60)
