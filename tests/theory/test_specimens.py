"""Specimens as graphs: their text, changed edges, and where their nodes stand."""

from __future__ import annotations

import numpy as np
import pytest

from wgnn_core.errors import WGNNError
from wgnn_core.theory.gallery import GALLERY, specimen
from wgnn_core.theory.specimens import (
    changed_edges,
    flipped,
    is_specimen,
    places,
    specimen_graph,
    specimen_of,
    text_of,
)


@pytest.mark.parametrize("item", GALLERY.values(), ids=GALLERY)
def test_a_specimen_is_a_graph(item) -> None:
    text = text_of(item)
    graph = specimen_graph(text)
    assert is_specimen(text) and specimen_of(text) is item and graph.origin == (text, ())
    assert graph.edges.tolist() == [list(edge) for edge in sorted(item.edges)]
    (split,) = graph.splits
    train = split.train
    assert set(np.flatnonzero(train & (graph.y == 0))) == set(item.zeros)
    assert set(np.flatnonzero(train & (graph.y == 1))) == set(item.ones)
    assert set(np.flatnonzero(graph.y == 1)) == set(item.upper)
    assert (split.test == ~train).all() and not split.val.any()


@pytest.mark.parametrize("item", GALLERY.values(), ids=GALLERY)
def test_no_node_covers_another_and_the_rise_goes_right(item) -> None:
    xy = places(item)
    assert xy.shape == (item.num_nodes, 2) and np.isfinite(xy).all()
    apart = np.linalg.norm(xy[:, None] - xy, axis=-1)
    size = np.ptp(xy, axis=0).max()
    assert (apart + 9 * size * np.eye(len(xy))).min() > 0.03 * size
    assert xy[list(item.zeros), 0].mean() < xy[list(item.ones), 0].mean()


def test_changes_and_back() -> None:
    item = specimen("barbell")
    once = flipped(item, "", 6, 5)
    assert once == "-5-6" and flipped(item, once, 5, 6) == ""
    twice = flipped(item, once, 11, 0)
    assert twice == "-5-6,+0-11"
    now = set(changed_edges(item, twice))
    assert now == set(item.edges) - {(5, 6)} | {(0, 11)}
    graph = specimen_graph(text_of(item, twice))
    assert {tuple(edge) for edge in graph.edges.tolist()} == now
    assert graph.origin == ("gallery:barbell,-5-6,+0-11", ())
    assert graph.file_name == "gallery-barbell--5-6-0-11"
    assert (places(specimen_of(graph.origin[0])) == places(item)).all(), "a change moves nothing"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ("5-6", "must look like -5-6"),
        ("-0-11", "nodes 0 and 11 have no edge"),
        ("+5-6", "have an edge already"),
        ("+5-5", "are the same"),
        ("+0-12", "has no node 12; its nodes are 0 to 11"),
        (",".join(["-5-6", "+5-6"] * 1001), "at most 2000"),
    ],
)
def test_wrong_changes(changes: str, message: str) -> None:
    with pytest.raises(WGNNError, match=message):
        changed_edges(specimen("barbell"), changes)


def test_an_unknown_specimen() -> None:
    with pytest.raises(WGNNError, match="no specimen 'nope'"):
        specimen_graph("gallery:nope")
