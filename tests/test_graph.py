"""The door of the library: what `make_graph` accepts, refuses and guarantees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from wgnn_core.errors import WGNNError
from wgnn_core.graph import HIDDEN, Graph, Split, from_pyg, make_graph


def masks(train: list[int], val: list[int], test: list[int], n: int) -> Split:
    node = np.arange(n)
    return Split(np.isin(node, train), np.isin(node, val), np.isin(node, test))


def small(**changes: object) -> Graph:
    """Four nodes on a path; a test changes the one argument it is about."""
    arguments = {
        "name": "small",
        "x": np.eye(4, dtype=np.float32),
        "edges": [(0, 1), (1, 2), (2, 3)],
        "y": np.array([0, 0, 1, 1]),
        "splits": [masks([0], [1], [2, 3], 4)],
    }
    return make_graph(**(arguments | changes))


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30),
    st.randoms(use_true_random=False),
)
def test_edges_are_canonical_whatever_their_order_direction_and_repetition(pairs, random):
    split = masks([0], [1], [2], 7)
    again = [(v, u) if random.random() < 0.5 else (u, v) for u, v in pairs * 2]
    random.shuffle(again)
    graphs = [make_graph("g", np.eye(7), e, np.arange(7) % 2, [split]) for e in (pairs, again)]
    expected = sorted({(min(p), max(p)) for p in pairs if p[0] != p[1]})
    assert graphs[0].edges.tolist() == [list(p) for p in expected]
    assert graphs[0].content_hash == graphs[1].content_hash
    assert graphs[0].self_loops_removed == len({u for u, v in pairs if u == v})


def test_adjacency_is_symmetric_with_one_entry_each_way(tiny_graph):
    dense = tiny_graph.adjacency.toarray()
    assert (dense == dense.T).all()
    assert dense.sum() == 2 * tiny_graph.num_edges
    assert all(dense[u, v] == 1 for u, v in tiny_graph.edges)
    assert not dense.diagonal().any()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": np.array([0.5, 0, 1, 1])}, "labels must be a non-empty list of whole numbers"),
        ({"y": np.array([0, 10**9, 1, 1])}, "node 1 has label 1000000000; at most 100000 classes"),
        ({"y": np.array([], dtype=int)}, "labels must be a non-empty list"),
        ({"y": np.array([0, -3, 1, 1])}, "node 1 has label -3; labels start at 0, and -1 stands"),
        ({"y": np.zeros(4, dtype=int)}, "there is 1 class; classification needs at least 2"),
        ({"class_names": ["a", "b"], "y": np.array([0, 1, 2, 0])}, "node 2 has label 2, but .* 2"),
        ({"node_names": ["a"]}, "1 node names for 4 nodes"),
        ({"edges": [(0, 1), (1, 4)]}, "edge 1 joins 1 and 4; nodes are numbered 0 to 3"),
        ({"edges": [(0, -1)]}, "edge 0 joins 0 and -1"),
        ({"edges": [(0, 1, 2)]}, r"edges must be pairs of node numbers, shape \(E, 2\)"),
        ({"edges": [(0.0, 1.0)]}, "got shape .* of float64"),
        ({"x": np.eye(3)}, r"features have shape \(3, 3\); expected \(4, F\)"),
        ({"x": np.diag([1, 1, np.nan, 1])}, "feature 2 of node 2 is nan"),
        ({"x": np.diag([1, np.inf, 1, 1])}, "feature 1 of node 1 is inf"),
        ({"splits": []}, "no split given"),
        ({"splits": [masks([], [1], [2], 4)]}, "the train set of split 0 is empty"),
        ({"splits": [masks([0], [], [2], 4)]}, "the val set of split 0 is empty"),
        ({"splits": [masks([0], [1], [], 4)]}, "the test set of split 0 is empty"),
        ({"splits": [masks([0], [1], [2], 5)]}, r"shape \(5,\) of bool; expected 4 booleans"),
        ({"splits": [masks([0, 2], [1], [2], 4)]}, "node 2 is in more than one of train, val"),
    ],
)
def test_bad_input_is_refused_by_value_and_rule(changes, message):
    with pytest.raises(WGNNError, match=message):
        small(**changes)


def test_visible_labels_hide_every_label_outside_train_and_validation(tiny_graph):
    split = tiny_graph.split(0)
    visible = tiny_graph.visible_labels(split)
    seen = split.train | split.val
    assert (visible[seen] == tiny_graph.y[seen]).all()
    assert (visible[~seen] == HIDDEN).all()
    assert (~seen).sum() == 4


def test_nodes_without_label_are_known_and_belong_to_no_set():
    graph = small(y=np.array([0, 1, -1, 1]), splits=[masks([0], [1], [3], 4)])
    assert graph.unlabelled.tolist() == [False, False, True, False]
    assert graph.candidates(graph.split(0)).tolist() == [False, False, True, True]
    assert graph.visible_labels(graph.split(0)).tolist() == [0, 1, -1, -1]
    assert not small().unlabelled.any()
    with pytest.raises(WGNNError, match="node 2 has no label but is in the test set of split 0"):
        small(y=np.array([0, 1, -1, 1]))
    with pytest.raises(WGNNError, match="there is 0 class"):
        small(y=np.full(4, -1))


def test_runs_beyond_the_last_split_start_over():
    first, second = masks([0], [1], [2, 3], 4), masks([3], [2], [0, 1], 4)
    graph = small(splits=[first, second])
    assert [int(graph.split(i).train.argmax()) for i in range(4)] == [0, 3, 0, 3]


def test_arrays_cannot_be_changed(tiny_graph):
    for array in (tiny_graph.y, tiny_graph.edges, tiny_graph.x.data, tiny_graph.split(0).train):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    "changes",
    [
        {"x": np.eye(4, dtype=np.float32) * 2},
        {"x": np.eye(4, 5, dtype=np.float32)},
        {"edges": [(0, 1), (1, 2)]},
        {"y": np.array([0, 1, 1, 1])},
        {"class_names": ["a", "b", "c"]},
        {"splits": [masks([0], [2], [1, 3], 4)]},
        {"splits": [masks([0], [1], [2, 3], 4)] * 2},
    ],
)
def test_content_hash_changes_with_content(changes):
    assert small(**changes).content_hash != small().content_hash


def test_content_hash_ignores_names_and_storage():
    same = small(
        name="other",
        node_names=list("abcd"),
        class_names=["p", "q"],
        x=sparse.coo_array(np.eye(4)),
        y=np.array([0, 0, 1, 1], dtype=np.int32),
    )
    assert same.content_hash == small().content_hash


def test_with_edges_keeps_just_the_marked_edges(tiny_graph):
    keep = np.arange(tiny_graph.num_edges) % 3 == 0
    fewer = tiny_graph.with_edges(keep)
    assert fewer.edges.tolist() == tiny_graph.edges[keep].tolist()
    assert fewer.adjacency.nnz == 2 * keep.sum()
    assert tiny_graph.num_edges == len(keep)


def test_pyg_round_trip(tiny_graph):
    data = tiny_graph.to_pyg()
    assert data.is_undirected() and data.num_edges == 2 * tiny_graph.num_edges
    back = from_pyg(data, "tiny", tiny_graph.class_names)
    assert back.content_hash == tiny_graph.content_hash
    assert back.class_names == tiny_graph.class_names


def test_pyg_masks_with_columns_become_splits(tiny_graph):
    import torch

    data = tiny_graph.to_pyg()
    train, val = data.train_mask, data.val_mask
    data.train_mask = torch.stack([train, val], dim=1)
    data.val_mask = torch.stack([val, train], dim=1)
    data.test_mask = torch.stack([data.test_mask] * 2, dim=1)
    graph = from_pyg(data)
    assert len(graph.splits) == 2
    assert (graph.split(1).train == tiny_graph.split(0).val).all()


def test_pyg_without_masks_names_what_is_missing(tiny_graph):
    data = tiny_graph.to_pyg()
    del data.train_mask, data.y
    with pytest.raises(WGNNError, match="lacks y, train_mask"):
        from_pyg(data)
