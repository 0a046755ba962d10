"""PyG's own readers as referee: same nodes, edges, features and labels from the same files."""

from __future__ import annotations

import io

import numpy as np
import pytest

from wgnn_core import datasets
from wgnn_core.graph import from_pyg

pytestmark = pytest.mark.dataset


@pytest.mark.parametrize(
    ("name", "folder"), [("cora", "Cora"), ("citeseer", "CiteSeer"), ("pubmed", "PubMed")]
)
@pytest.mark.filterwarnings("ignore")
def test_planetoid(raw_data, name, folder):
    from torch_geometric.io import read_planetoid_data

    theirs = from_pyg(read_planetoid_data(str(raw_data / folder / "raw"), name))
    assert datasets.load(name, normalise=False).content_hash == theirs.content_hash


def _pyg_npz(raw_data, path):
    from torch_geometric.io.npz import parse_npz

    with np.load(io.BytesIO((raw_data / path).read_bytes())) as arrays:
        return parse_npz(arrays)


def test_photo_is_the_largest_component(raw_data):
    from torch_geometric.transforms import LargestConnectedComponents

    whole = _pyg_npz(raw_data, "Photo/raw/amazon_electronics_photo.npz")
    theirs = LargestConnectedComponents()(whole)
    ours = datasets.load("photo").to_pyg()
    assert (ours.x == theirs.x).all() and (ours.y == theirs.y).all()
    assert ours.coalesce().edge_index.equal(theirs.coalesce().edge_index)


def test_cs_features_are_presence_not_counts(raw_data):
    """Without PyG's dense matrix (half a gigabyte): against the counts in the file."""
    graph = datasets.load("cs")
    with np.load(raw_data / "CS/raw/ms_academic_cs.npz") as arrays:
        assert arrays["attr_data"].max() > 1
        assert graph.x.nnz == (arrays["attr_data"] > 0).sum()
        assert (graph.x.data == 1).all()
        assert (graph.y == arrays["labels"]).all()


@pytest.mark.parametrize(
    ("name", "folder"), [("texas", "texas/raw"), ("chameleon", "chameleon/geom_gcn/raw")]
)
def test_geom_gcn(raw_data, tmp_path, name, folder):
    from torch_geometric.datasets import WebKB, WikipediaNetwork

    (tmp_path / folder).parent.mkdir(parents=True)
    (tmp_path / folder).symlink_to(raw_data / folder)
    reader = WebKB if name == "texas" else WikipediaNetwork
    theirs = from_pyg(reader(str(tmp_path), name)[0])
    assert datasets.load(name).content_hash == theirs.content_hash


def test_airport_classes_are_the_published_ones(raw_data):
    graph = datasets.load("airport")
    assert np.bincount(graph.y).tolist() == [521, 1443, 999, 225]
    for split in graph.splits:
        assert (split.train.astype(int) + split.val + split.test == 1).all(), "a leaking split"
