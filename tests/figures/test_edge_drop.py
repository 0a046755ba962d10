"""The close-up of Algorithm 2: its numbers, its words and its page."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from tests.figures import samples
from wgnn_core.edgedrop import EdgeDrop
from wgnn_core.errors import WGNNError
from wgnn_core.figures import EdgeDropMap
from wgnn_core.figures.edge_drop_page import close_up_html
from wgnn_core.figures.edge_drop_words import piece_line


@pytest.mark.parametrize("kind", ["edge-drop", "edge-drop whole", "edge-drop difference"])
def test_both_panels_share_coordinates_and_differ_by_the_dropped_edges(kind) -> None:
    figure = samples.build()[kind]()
    states = figure.data["state"].value_counts()
    page = figure.to_plotly()
    names = {"other edges", "spanning forest", "edges that go"}
    lines = [trace for trace in page.data if trace.name in names]
    drawn = {side: sum(len(t.x) // 3 for t in lines if t.xaxis == side) for side in ("x", "x2")}
    lost = states["dropped"]
    assert drawn["x"] == states.sum() > lost > 0
    assert drawn["x2"] == (lost if "difference" in kind else states.sum() - lost)
    dots = [t for t in page.data if t.mode == "markers" and t.xaxis]
    before, after = (np.concatenate([t.x for t in dots if t.xaxis == a]) for a in ("x", "x2"))
    np.testing.assert_array_equal(before, after)
    assert page.layout.xaxis2.matches == "x"


def test_the_close_up_counts_what_it_shows_and_what_it_leaves_out() -> None:
    n, triangle = 12, [(0, 1), (1, 2), (0, 2)]
    edges = np.array([*triangle, (2, 8), (3, 4), (8, 9)])
    least = np.arange(n) < 8  # a triangle, a pair, and three nodes without an edge
    forest = np.array([True, True, False, False, True, False])
    drop = EdgeDrop(kept=~(edges == [0, 2]).all(1), forest=forest, least=least,
        dropped=(edges == [0, 2]).all(1))  # fmt: skip
    classes = np.array([0, 0, 1] + [0] * 9)
    given = {"classes": classes, "predicted": classes, "w": np.ones(n), "class_names": ["a", "b"]}
    figure = EdgeDropMap.of(edges, drop, **given, graph="g")
    assert figure.caption.startswith(
        "1 of 6 edges goes among the 8 nodes of V': it joins two classes; "
        "of the other edges 40 % join two classes."
    )
    assert figure.caption.endswith(
        "Left out: 2 nodes of V' in pieces that lose no edge; "
        "3 nodes of V' without an edge to another."
    )
    (piece,) = figure.pieces.to_dict("records")
    assert piece_line(piece, 99) == "1 edge goes, 1 joins two classes"
    assert piece_line(piece, 8) == "1 (1)" and piece_line(piece, 2) == ""
    nodes = figure.data[figure.data["mark"] == "node"]
    assert dict(zip(nodes["node"], nodes["inside"], strict=True)) == {
        0: True, 1: True, 2: True, 8: False,
    }  # fmt: skip
    none = EdgeDrop(kept=np.ones(6, bool), dropped=np.zeros(6, bool), forest=forest, least=least)
    nothing = EdgeDropMap.of(edges, none, **given, graph="g")
    assert nothing.caption.startswith(
        "No edge goes among the 8 nodes of V': its spanning forest leaves 1 edge, and the share "
        "eta2 of that is less than one edge."
    )
    tree = EdgeDrop(none.kept, forest | (edges == [0, 2]).all(1), none.dropped, least)
    assert "holds every edge" in EdgeDropMap.of(edges, tree, **given, graph="g").caption
    lonely = EdgeDrop(none.kept, none.dropped, none.dropped, np.arange(n) > 9)
    with pytest.raises(WGNNError, match="no edge joins two nodes of V'"):
        EdgeDropMap.of(edges, lonely, **given, graph="g")


def vis_data(source: str) -> tuple[list[dict], list[dict]]:
    nodes = re.search(r"nodes = new vis\.DataSet\((\[.*?\])\);", source, re.S)
    edges = re.search(r"edges = new vis\.DataSet\((\[.*?\])\);", source, re.S)
    return json.loads(nodes[1]), json.loads(edges[1])


@pytest.mark.parametrize(
    ("kind", "panel", "states"),
    [("edge-drop", "After", "kept forest"), ("edge-drop difference", "Difference", "dropped")],
)
def test_the_close_up_page_is_offline_and_holds_both_panels(kind, panel, states) -> None:
    figure = samples.build()[kind]()
    source = close_up_html(figure)
    nodes, edges = vis_data(source)
    shown = figure.data[figure.data["mark"] == "node"]
    np.testing.assert_allclose([n["x"] for n in nodes], shown["x"])
    np.testing.assert_allclose([-n["y"] for n in nodes], shown["y"])
    counts = {s: sum(e["state"] == s for e in edges) for s in ("kept", "forest", "dropped")}
    assert counts == figure.data["state"].value_counts().to_dict()
    assert all(bool(e["dashes"]) == (e["state"] == "dropped") for e in edges)
    told = json.loads(re.search(r"const told = (.*);", source)[1])
    assert told["states"] == states.split() and f"<figcaption>{panel}</figcaption>" in source
    assert len(told["boxes"]) == len(told["lines"]) == len(figure.pieces) > 0
    assert (told["lost"] is None) == (kind == "edge-drop")
    assert not re.search(r"""<(?:script|link|img)[^>]*(?:src|href)\s*=""", source)
    assert '"enabled": false' in source
    row = shown.iloc[0]
    assert nodes[0]["title"] == (
        f"node {row['node']} {row['node_name']}\nclass: {row['class_name']}\n"
        f"prediction: {row['predicted_name']}\nw = {row['w']:.3f}"
    )


def test_the_close_up_page_shows_hostile_names_as_text() -> None:
    hostile = [
        "<script>alert(1)</script>",
        "x HREF='javascript:1'",
        "</script><img src=x onerror=1>",
    ]
    source = close_up_html(samples.build(hostile)["edge-drop"]())
    assert "alert(1)</script>" not in source and "<img src=x" not in source
    assert "popup.innerHTML" not in source  # the branch pyvis takes for titles with a link
    titles = {node["title"].split("\n")[1] for node in vis_data(source)[0]}
    assert f"class: {hostile[0]}" in titles
    assert "&lt;script&gt;alert(1)&lt;/script&gt;</span>" in source  # in the legend


def test_nothing_is_named_that_is_not_drawn() -> None:
    """Where no edge goes: two pairs of V', each a tree."""
    edges, n = np.array([(0, 1), (2, 3)]), 4
    none, every = np.zeros(2, dtype=bool), np.ones(2, dtype=bool)
    drop = EdgeDrop(kept=every, forest=every, least=np.ones(n, dtype=bool), dropped=none)
    classes = np.array([0, 0, 1, 1])
    figure = EdgeDropMap.of(
        edges, drop, classes=classes, predicted=classes, w=np.ones(n), class_names=["a", "b"],
        graph="g",
    )  # fmt: skip
    assert (
        "Strong: the spanning forest of V', which stays; colours: true classes." in figure.caption
    )
    for word in ("ashed red", "thin", "faint", "lose no edge"):
        assert word not in figure.caption
    shown = {trace.name for trace in figure.to_plotly().data if trace.mode == "lines"}
    assert "spanning forest" in shown and not shown & {"edges that go", "other edges"}
    page = close_up_html(figure)
    assert "spanning forest</span>" in page and "edges that go</span>" not in page
