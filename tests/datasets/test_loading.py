from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from wgnn_core import datasets
from wgnn_core.errors import WGNNError

# nodes, undirected edges, features, classes, (train, val, test), splits, self-loops
SIZES = {
    "cora": (2708, 5278, 1433, 7, (140, 500, 1000), 1, 0),
    "citeseer": (3327, 4552, 3703, 6, (120, 500, 1000), 1, 124),
    "pubmed": (19717, 44324, 500, 3, (60, 500, 1000), 1, 3),
    "photo": (7487, 119043, 745, 8, (160, 500, 1000), 1, None),
    "cs": (18333, 81894, 6805, 15, (300, 500, 1000), 1, None),
    "airport": (3188, 18630, 4, 4, (2232, 478, 478), 10, 1),
    "texas": (183, 279, 1703, 5, (87, 59, 37), 10, 16),
    "chameleon": (2277, 31371, 2325, 5, (1092, 729, 456), 10, 50),
    "disease_lp": (2665, 2664, 11, 2, (800, 266, 1599), 10, 0),
    "chameleon_filtered": (890, 8854, 2325, 5, None, 10, 0),
    "photo_1234": (7650, 119081, 745, 8, (160, 500, 1000), 1, None),
    "cs_1234": (18333, 81894, 6805, 15, (300, 500, 1000), 1, None),
}


@pytest.mark.dataset
@pytest.mark.parametrize("name", SIZES)
def test_benchmarks_have_the_published_sizes(raw_data, name):
    nodes, edges, features, classes, sizes, splits, loops = SIZES[name]
    graph = datasets.load(name)
    assert (graph.num_nodes, graph.num_edges) == (nodes, edges)
    assert (graph.num_features, graph.num_classes) == (features, classes)
    assert len(graph.splits) == splits
    for split in graph.splits:
        if sizes is not None:  # the masks of chameleon_filtered differ by a node or two
            assert (split.train.sum(), split.val.sum(), split.test.sum()) == sizes
    if loops is not None:
        assert graph.self_loops_removed == loops


@pytest.mark.dataset
@pytest.mark.parametrize("name", SIZES)
def test_two_loads_of_a_benchmark_are_equal(raw_data, name):
    assert datasets.load(name).content_hash == datasets.load(name).content_hash


@pytest.mark.dataset
def test_random_splits_replace_the_given_one_and_nothing_else(raw_data):
    given, drawn = datasets.load("citeseer"), datasets.load("citeseer", splits=12)
    assert len(drawn.splits) == 12 and drawn.origin == ("citeseer", (("splits", 12),))
    assert given.origin == ("citeseer", ())
    np.testing.assert_array_equal(given.edges, drawn.edges)
    np.testing.assert_array_equal(given.y, drawn.y)
    bare = np.diff(given.x.indptr) == 0
    assert bare.sum() == 15
    for split in drawn.splits:
        assert np.bincount(drawn.y[split.train]).tolist() == [20] * 6
        assert (split.val.sum(), split.test.sum()) == (500, 1000)
        assert not (bare & (split.train | split.val | split.test)).any()
    assert len({split.train.tobytes() for split in drawn.splits}) == 12


@pytest.mark.parametrize("name", ["digits", "karate", "csbm", "disease-sim"])
def test_two_loads_of_a_built_in_graph_are_equal(name):
    assert datasets.load(name).content_hash == datasets.load(name).content_hash


def test_normalise_scales_rows_to_one_and_can_be_chosen():
    raw = datasets.load("digits")
    scaled = datasets.load("digits", normalise=True)
    assert scaled.x.sum(axis=1) == pytest.approx(np.ones(1797), abs=1e-5)
    assert datasets.load("digits", normalise=False).content_hash == raw.content_hash
    assert not scaled.x.data.flags.writeable
    expected = raw.x.toarray() / raw.x.sum(axis=1)[:, None]
    assert np.allclose(scaled.x.toarray(), expected, atol=1e-6)


@pytest.mark.dataset
def test_rows_without_features_stay_zero_when_normalised(raw_data):
    sums = datasets.load("citeseer").x.sum(axis=1)
    assert (sums == 0).sum() == 15
    assert sums[sums > 0] == pytest.approx(1.0, abs=1e-5)
    assert datasets.load("citeseer", normalise=False).x.data.max() == 1.0


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("imaginary", {}, "no dataset 'imaginary'; choose one of digits"),
        ("cora", {"nodes": 5}, "cora has no parameter 'nodes'; it takes: splits"),
        ("csbm", {"edges": 5}, "no parameter 'edges'; it takes: nodes, classes, features"),
        ("csbm", {"homophily": 1.5}, "homophily of csbm is 1.5; it must be a number from 0.0 to 1"),
        ("csbm", {"homophily": math.nan}, "homophily of csbm is nan"),
        ("csbm", {"nodes": 100.5}, "nodes of csbm is 100.5; it must be a whole number from 20"),
        ("csbm", {"nodes": "many"}, "nodes of csbm is 'many'"),
        ("csbm", {"nodes": True}, "nodes of csbm is True"),
        ("csbm", {"classes": 1}, "classes of csbm is 1; it must be a whole number from 2 to 20"),
        ("csbm", {"nodes": 10**12}, "nodes of csbm is 1000000000000"),
        ("disease-sim", {"seed": -1}, "seed of disease-sim is -1"),
    ],
)
def test_bad_requests_say_what_is_allowed(name, parameters, message):
    with pytest.raises(WGNNError, match=message):
        datasets.load(name, **parameters)


def test_whole_numbers_may_be_written_as_floats_and_the_other_way_round():
    a = datasets.load("csbm", nodes=200.0, average_degree=4)
    assert a.content_hash == datasets.load("csbm", nodes=200, average_degree=4.0).content_hash


def test_missing_files_are_named_with_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    with pytest.raises(WGNNError, match=r"lacks Cora/raw/ind\.cora\.x, .*data get cora"):
        datasets.load("cora")


@pytest.fixture
def disease_folder(raw_data, monkeypatch, tmp_path):
    """The two known files of Disease and room for the third."""
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    folder = tmp_path / "Disease/raw"
    folder.mkdir(parents=True)
    for name in ("disease_nc.edges.csv", "disease_nc.labels.npy"):
        (folder / name).write_bytes((raw_data / "Disease/raw" / name).read_bytes())
    return folder


@pytest.mark.dataset
def test_disease_without_features_names_the_file_and_offers_the_simulation(disease_folder):
    with pytest.raises(WGNNError, match=r"lacks Disease/raw/disease_nc\.feats\.npz in .*") as seen:
        datasets.load("disease")
    assert str(disease_folder.parent.parent) in str(seen.value)
    assert "disease-sim" in str(seen.value)
    assert "edges.csv" not in str(seen.value)


@pytest.mark.dataset
def test_disease_reads_a_features_file_put_there_by_hand(disease_folder):
    x = sparse.random_array((1044, 1000), density=0.01, rng=np.random.default_rng(0), format="csr")
    sparse.save_npz(disease_folder / "disease_nc.feats.npz", x)
    assert datasets.status("disease") == "on disk"
    graph = datasets.load("disease")
    assert np.allclose(graph.x.toarray(), x.toarray())
    assert (graph.num_edges, np.bincount(graph.y).tolist()) == (1043, [833, 211])
    split = graph.split(0)
    assert (split.train.sum(), split.val.sum(), split.test.sum()) == (313, 104, 627)


@pytest.mark.dataset
@pytest.mark.parametrize("kind", ["junk", "object array", "bomb", "wrong shape"])
def test_disease_refuses_a_bad_features_file(disease_folder, kind):
    path = disease_folder / "disease_nc.feats.npz"
    if kind == "junk":
        path.write_bytes(b"not a zip file")
    elif kind == "object array":
        np.savez(path, format=np.array(["csr"], dtype=object))
    elif kind == "bomb":
        np.savez_compressed(path, data=np.zeros(13_000_000))
        assert path.stat().st_size < 200_000
    else:
        sparse.save_npz(path, sparse.csr_array(np.eye(3)))
    message = "features have shape" if kind == "wrong shape" else "not a sparse matrix"
    with pytest.raises(WGNNError, match=message):
        datasets.load("disease")
