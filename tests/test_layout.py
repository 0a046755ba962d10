import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from wgnn_core.errors import WGNNError
from wgnn_core.layout import _pack, _relax, layout


def edge_array(g):
    return np.array(sorted(g.edges), dtype=np.int64).reshape(-1, 2)


def lengths(points, pairs):
    return np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)


@pytest.fixture(scope="module")
def blocks():
    """Edges and classes of a block model: four classes of 60, mostly joined inside."""
    chance = np.full((4, 4), 0.004) + 0.1 * np.eye(4)
    g = nx.stochastic_block_model([60] * 4, chance, seed=1)
    return edge_array(g), np.repeat(np.arange(4), 60)


@given(nodes=st.integers(1, 30), edges=st.integers(0, 40), seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=40)
def test_every_node_gets_its_own_finite_place_in_the_unit_box(nodes, edges, seed):
    pairs = edge_array(nx.gnm_random_graph(nodes, edges, seed=seed))
    points = layout(pairs, nodes, seed=seed, epochs=20)
    assert points.shape == (nodes, 2)
    assert points.dtype == np.float32
    assert np.isfinite(points).all()
    assert points.min() >= 0
    assert points.max() <= 1
    assert len(np.unique(points, axis=0)) == nodes
    if nodes > 1:
        assert np.ptp(points, axis=0).max() == pytest.approx(1, abs=1e-5)


def test_same_seed_same_map(blocks):
    first, again, other = (layout(blocks[0], 240, seed=s, epochs=30) for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize("seed", range(3))
def test_edges_are_shorter_than_random_pairs_and_classes_stay_together(blocks, seed):
    edges, classes = blocks
    points = layout(edges, 240, seed=seed)
    pairs = np.random.default_rng(0).integers(0, 240, (4000, 2))
    random_length = np.median(lengths(points, pairs))
    assert np.median(lengths(points, edges)) < 0.25 * random_length

    distance = np.linalg.norm(points[:, None] - points[None], axis=2) + 9 * np.eye(240)
    nearest = np.argsort(distance, axis=1)[:, :10]
    assert (classes[nearest] == classes[:, None]).mean() > 0.8  # chance is 0.25


def test_gradient_steps_improve_on_the_start(blocks):
    edges, _ = blocks
    pairs = np.random.default_rng(0).integers(0, 240, (4000, 2))

    def ratio(epochs):
        points = layout(edges, 240, epochs=epochs)
        return np.median(lengths(points, edges)) / np.median(lengths(points, pairs))

    assert ratio(200) < 0.6 * ratio(1)


def test_small_components_surround_the_largest_and_stay_near():
    g = nx.disjoint_union(nx.grid_2d_graph(15, 15), nx.path_graph(4))
    g.add_nodes_from(range(229, 259))
    points = layout(edge_array(g), 259, epochs=50)
    middle = points[:225].mean(axis=0)
    inside = np.linalg.norm(points[:225] - middle, axis=1).max()
    outside = np.linalg.norm(points[225:] - middle, axis=1)
    assert outside.min() > inside
    assert outside.max() < 1.6 * inside


def test_a_component_is_pushed_apart_by_its_own_nodes_only(blocks):
    single = nx.to_scipy_sparse_array(nx.Graph(blocks[0].tolist()), nodelist=range(240))
    both = sparse.csr_array(sparse.block_diag([single, single]), dtype=np.float32)
    rng = np.random.default_rng(0)
    start = rng.standard_normal((480, 2)).astype(np.float32)
    component = np.repeat([0, 1], 240)
    start[240:] += 1000
    points = _relax(start, both, component, 100, rng)
    assert points[240:].std(axis=0).min() > 0.5 * points[:240].std(axis=0).max()
    np.testing.assert_allclose(points[240:].mean(axis=0), 1000, atol=20)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=60))
@settings(deadline=None)
def test_discs_do_not_overlap_and_have_area_by_size(sizes):
    centres, radii = _pack(np.array(sizes))
    np.testing.assert_allclose(radii**2, np.where(np.array(sizes) > 1, sizes, 0))
    gap = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    touching = radii[:, None] + radii[None]
    apart = ~np.eye(len(sizes), dtype=bool)
    assert (gap[apart] > touching[apart]).all()


@pytest.mark.parametrize(("nodes", "epochs", "name"), [(0, 10, "num_nodes"), (3, 0, "epochs")])
def test_nothing_to_draw_is_refused(nodes, epochs, name):
    with pytest.raises(WGNNError, match=f"{name} is 0"):
        layout(np.empty((0, 2), dtype=np.int64), nodes, epochs=epochs)
