"""What the user may choose, and what comes of it."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from wgnn_core.datasets import own
from wgnn_core.datasets.own.columns import sparse_matrix
from wgnn_core.errors import WGNNError


def frames(n: int = 30, **columns: object) -> own.Draft:
    nodes = {"id": range(n), "label": [f"c{i % 3}" for i in range(n)], "a": np.arange(n), **columns}
    return own.read(pd.DataFrame({"u": [0, 1, 2], "v": [1, 2, 0]}), pd.DataFrame(nodes))


def test_another_column_can_be_the_label_and_the_old_one_is_no_feature():
    draft = frames(kind=[i % 2 for i in range(30)])
    assert draft.columns == ("label", "a", "kind")
    graph = draft.graph(own.Choices(label="kind", per_class=5))
    assert graph.class_names == ("0", "1")
    assert graph.num_features == 1
    assert draft.graph(own.Choices(per_class=5)).num_features == 2
    assert draft.graph(own.Choices(per_class=5, features=("kind",))).num_features == 1


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            {"label": "nope"},
            "has no column 'nope' for the label; its columns are 'label', 'a', 't'",
        ),
        ({"features": ("nope",)}, "the feature 'nope' is not a column"),
        ({"features": ("label",)}, "the feature 'label' is label or split already"),
        ({"features": ("t",)}, "the column 't' holds text; features are numbers"),
        ({"split": "given"}, "gives no split; choose per-class or shares"),
        ({"split": "odd"}, "The split is 'odd'; choose one of given, per-class, shares"),
        ({"no_features": "odd"}, "no_features is 'odd'; choose one of degree, identity"),
        ({"per_class": 0}, "per_class is 0; it must be at least 1"),
        ({"per_class": 11}, "the class 'c0' has 10 nodes, but the split needs 11 of each class"),
        ({"per_class": 10}, "0 labelled nodes are left after 10 of each class"),
        ({"per_class": 5, "val": 15}, "too few for 15 validation nodes and a test set"),
        ({"splits": 0}, "splits is 0"),
        ({"splits": 101}, "has 101 splits; the cap on splits is 100"),
        ({"split": "shares", "shares": (0.5, 0.5)}, "sum to less than 1"),
        ({"split": "shares", "shares": (0.95, 0.04)}, "cannot be split by the shares 0.95 and"),
        ({"unlabelled": "c9"}, "has no value 'c9', so it cannot stand for no label"),
    ],
)
def test_choices_that_do_not_fit(choices, message):
    with pytest.raises(WGNNError) as seen:
        frames(t=[f"text {i}" for i in range(30)]).preview(own.Choices(**choices))
    assert message in str(seen.value)
    assert "\n" not in str(seen.value)


def test_splits_by_class_and_by_shares():
    graph = frames().graph(own.Choices(per_class=4, splits=3))
    assert [int(s.train.sum()) for s in graph.splits] == [12, 12, 12]
    assert len({s.train.tobytes() for s in graph.splits}) == 3
    made = frames().preview(own.Choices(split="shares", shares=(0.5, 0.2), splits=1))
    split = made.graph.split(0)
    assert (split.train.sum(), split.val.sum(), split.test.sum()) == (15, 6, 9)
    assert made.split_rule == "stratified 50 / 20 / 30 %, 1 seeded draw"


def test_a_given_split_loses_its_unlabelled_nodes_and_can_be_overruled():
    where = ["train", "Val", "test"] * 10
    label = [None if i == 4 else f"c{i % 2}" for i in range(30)]
    draft = frames(split=where, label=label)
    made = draft.preview()
    split = made.graph.split(0)
    assert (split.train.sum(), split.val.sum(), split.test.sum()) == (10, 9, 10)
    assert made.graph.unlabelled.nonzero()[0].tolist() == [4]
    texts = [c.text for c in made.changes]
    assert "1 node without label taken out of the given split." in texts
    assert len(draft.graph(own.Choices(split="per-class", per_class=3)).splits) == 10
    several = frames(split_0=where, split_1=where[1:] + where[:1])
    assert len(several.graph().splits) == 2


def test_a_label_can_stand_for_none():
    draft = frames(label=["unknown" if i % 3 == 0 else f"c{i % 3}" for i in range(30)])
    graph = draft.graph(own.Choices(per_class=3, unlabelled="unknown"))
    assert graph.class_names == ("c1", "c2")
    assert graph.unlabelled.sum() == 10


def test_without_features_degrees_or_nodes_stand_in():
    star = nx.star_graph(11)
    star.add_edge(0, 0)
    star.add_edge(1, 2)
    nx.set_node_attributes(star, {i: "ab"[i % 2] for i in star}, "class")
    choices = own.Choices(per_class=2)
    degree = own.read(star).graph(choices).x.toarray()
    assert degree.shape == (12, 3)  # degrees 1, 2 and 11
    assert degree[0].tolist() == [0, 0, 1]
    assert degree[1].tolist() == degree[2].tolist() == [0, 1, 0]
    assert degree[3:].tolist() == [[1, 0, 0]] * 9
    identity = own.Choices(per_class=2, no_features="identity")
    assert (own.read(star).graph(identity).x.toarray() == np.eye(12)).all()
    with pytest.raises(WGNNError, match="one column per node has 12 features; the cap on features"):
        own.read(star, caps=own.Caps(features=11)).graph(identity)


def test_rows_can_be_normalised():
    made = frames(b=-np.arange(30.0)).preview(own.Choices(per_class=5, normalise=True))
    sums = np.abs(made.graph.x.toarray()).sum(axis=1)
    assert sums == pytest.approx(np.append(0, np.ones(29)))


def test_lists_of_numbers_are_features():
    vectors = [[i, 2.0 * i, 1.0] for i in range(30)]
    graph = frames(v=vectors).graph(own.Choices(per_class=5, features=("v",)))
    assert graph.x.toarray().tolist() == vectors


@pytest.mark.parametrize("text", ["1:2:3", "a:1", "-1:2", "1.5:2", "3", "1:nan", "1:1e999"])
def test_a_bad_sparse_value_is_named(text):
    column = pd.Series(["0:1 2:0.5", text], dtype="str")
    with pytest.raises(WGNNError, match="write each value as index:number"):
        sparse_matrix(column, own.Caps(), "f")


def test_sparse_values_may_be_separated_in_three_ways():
    column = pd.Series(["0:1 2:0.5", None, "1:2,2:3;0:-1"], dtype="str")
    assert sparse_matrix(column, own.Caps(), "f").toarray().tolist() == [
        [1, 0, 0.5],
        [0, 0, 0],
        [-1, 2, 3],
    ]


def test_the_template_can_be_imported():
    files = [own.File(name, text.encode()) for name, text in own.template().items()]
    graph = own.read_files(files).graph()
    assert (graph.num_nodes, graph.num_edges, graph.num_features) == (4, 3, 2)
    assert graph.class_names == ("blue", "red")


def test_labels_are_sorted_as_numbers_where_they_are_numbers():
    graph = frames(label=[[10, 9, 2][i % 3] for i in range(30)]).graph(own.Choices(per_class=3))
    assert graph.class_names == ("2", "9", "10")
    assert graph.y[:3].tolist() == [2, 1, 0]
    words = frames(label=[["10", "9", "x"][i % 3] for i in range(30)])
    assert words.graph(own.Choices(per_class=3)).class_names == ("10", "9", "x")
