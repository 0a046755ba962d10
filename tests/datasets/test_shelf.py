"""Imported graphs on the shelf: kept, found, renamed, described, deleted, checked."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from wgnn_core import datasets
from wgnn_core.datasets import own, shelf
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph


def keep(name: str = "mine", shift: int = 0) -> Graph:
    y = np.arange(12) % 3 - 1 + (np.arange(12) % 3 == 0) * 3  # 2, 0, 1, ...
    x = np.arange(24).reshape(12, 2) + shift
    y[5] = -1
    data = {"edge_index": np.array([[0, 1, 2, 2], [1, 2, 3, 2]]), "y": y, "x": x}
    draft = own.read(data)
    draft.save(name, own.Choices(per_class=1, splits=2))
    return draft.graph(own.Choices(per_class=1, splits=2))


def test_a_kept_graph_is_in_the_catalogue():
    before = datasets.names()
    graph = keep()
    assert datasets.names() == (*before, "mine")
    spec = datasets.spec("Mine")
    assert (spec.title, spec.split_rule) == ("mine", "1 per class / 2 / rest, 2 seeded draws")
    about = spec.imported
    assert (about.nodes, about.edges, about.features, about.classes) == (12, 3, 2, 3)
    assert about.unlabelled == 1
    assert about.source == "data (PyG Data)"
    assert "1 self-loop removed." in about.changes
    assert not spec.built_in
    assert datasets.status("mine") == "on disk"
    loaded = datasets.load("mine")
    assert loaded.content_hash == graph.content_hash == about.content_hash
    assert loaded.self_loops_removed == 1
    with pytest.raises(WGNNError, match="mine is an imported graph; there is nothing to fetch"):
        datasets.fetch("mine")
    with pytest.raises(WGNNError, match="mine has no parameter 'nodes'; it takes: none"):
        datasets.load("mine", nodes=3)
    sums = np.abs(datasets.load("mine", normalise=True).x.toarray()).sum(axis=1)
    assert sums == pytest.approx(np.ones(12))


def test_rename_keeps_content_and_a_title_of_its_own():
    graph = keep()
    datasets.describe("mine", title="My graph", description="It is mine.")
    renamed = datasets.rename("mine", "yours")
    assert (renamed.name, renamed.title, renamed.description) == (
        "yours",
        "My graph",
        "It is mine.",
    )
    assert "mine" not in datasets.names()
    assert datasets.load("yours").content_hash == graph.content_hash
    assert datasets.rename("yours", "theirs").title == "My graph"
    keep("plain")
    assert datasets.rename("plain", "simple").title == "simple"


def test_a_pinned_name_finds_the_content_whatever_it_is_called_now():
    keep()
    pinned = datasets.spec("mine").pinned
    first = datasets.load(pinned)
    datasets.rename("mine", "old")
    keep("mine", shift=1)
    assert datasets.load(pinned).content_hash == first.content_hash
    assert datasets.load("mine").content_hash != first.content_hash
    assert datasets.spec(pinned).name == "old"
    datasets.delete("old")
    with pytest.raises(
        WGNNError, match=r"The graph 'mine' with content '[0-9a-f]{16}' is not here"
    ):
        datasets.load(pinned)
    with pytest.raises(WGNNError, match="is not here"):
        datasets.load("mine@")
    assert datasets.spec("cora").pinned == "cora"


def test_delete_leaves_nothing():
    before = datasets.names()
    keep()
    datasets.delete("mine")
    assert datasets.names() == before
    assert list(shelf.folder().iterdir()) == []
    keep()  # the name is free again


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "is not allowed"),
        ("../x", r"The name '\.\./x' is not allowed; use 1 to 64 of the characters a-z"),
        ("Mine", "is not allowed"),
        ("a" * 65, "is not allowed"),
        ("a\n", "is not allowed"),
        ("-a", "is not allowed"),
        ("a@b", "is not allowed"),
        ("cora", "The name 'cora' belongs to a graph of the program"),
        ("mine", "There is already a graph 'mine'"),
    ],
)
def test_names_that_are_taken_or_not_allowed(name, message):
    keep()
    with pytest.raises(WGNNError, match=message):
        keep(name)
    with pytest.raises(WGNNError, match=message):
        datasets.rename("mine", name)
    assert datasets.load("mine").num_nodes == 12


@pytest.mark.parametrize("name", ["cora", "nobody", "../mine"])
def test_only_imported_graphs_can_change(name):
    keep()
    for act in (lambda: datasets.rename(name, "x"), lambda: datasets.delete(name)):
        with pytest.raises(WGNNError, match=r"only imported graphs can change|no imported graph"):
            act()
    with pytest.raises(WGNNError, match="title has 101 characters; at most 100"):
        datasets.describe("mine", title="x" * 101)
    with pytest.raises(WGNNError, match=r"description 'a.*' holds a control character"):
        datasets.describe("mine", description="a\x1b[31m")


def damage_json(path: Path, **changes: object) -> None:
    said = json.loads(path.read_text())
    path.write_text(json.dumps(said | changes))


@pytest.mark.parametrize(
    "damage",
    ["byte", "no arrays", "no json", "json", "empty json", "version", "other graph", "arrays"],
)
def test_a_damaged_graph_is_refused_and_can_be_deleted(damage):
    keep()
    keep("other", shift=1)
    arrays, about = shelf.folder() / "mine/graph.npz", shelf.folder() / "mine/graph.json"
    content = bytearray(arrays.read_bytes())
    if damage == "byte":
        content[100] ^= 1
        arrays.write_bytes(content)
    elif damage == "no arrays":
        arrays.unlink()
    elif damage == "no json":
        about.unlink()
    elif damage == "json":
        about.write_text("{")
    elif damage == "empty json":
        about.write_text("{}")
    elif damage == "version":
        damage_json(about, version=99)
    elif damage == "other graph":  # consistent by itself, but not what was imported
        other = shelf.folder() / "other"
        arrays.write_bytes((other / "graph.npz").read_bytes())
        damage_json(about, sha256=json.loads((other / "graph.json").read_text())["sha256"])
    else:
        damage_json(about, imported=[])
    with pytest.raises(WGNNError, match=r"The imported graph mine cannot be read .*; delete it"):
        datasets.load("mine")
    assert "mine" in datasets.names()
    assert datasets.load("other").num_nodes == 12
    datasets.delete("mine")
    assert "mine" not in datasets.names()


def test_a_folder_that_cannot_be_written_to_is_named(home):
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file where the folder should be")
    with pytest.raises(WGNNError, match=r"graphs cannot be written to .*; set WGNN_HOME"):
        keep()
