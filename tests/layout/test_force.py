import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from wgnn_core.errors import WGNNError
from wgnn_core.layout import layout
from wgnn_core.layout.force import ASPECT, _relax


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


@given(
    nodes=st.integers(1, 30),
    edges=st.integers(0, 40),
    seed=st.integers(0, 2**32 - 1),
    aspect=st.sampled_from([0.5, 1.0, 1.6, 3.0]),
)
@settings(max_examples=40)
def test_every_node_gets_its_own_finite_place_on_the_canvas(nodes, edges, seed, aspect):
    pairs = edge_array(nx.gnm_random_graph(nodes, edges, seed=seed))
    points = layout(pairs, nodes, seed=seed, epochs=20, aspect=aspect)
    assert points.shape == (nodes, 2)
    assert points.dtype == np.float32
    assert np.isfinite(points).all()
    assert points.min() >= 0
    assert (points.max(axis=0) <= np.float32([min(1, aspect), min(1, 1 / aspect)])).all()
    assert len(np.unique(points, axis=0)) == nodes


@pytest.mark.parametrize("aspect", [0.6, 1.0, 1.6, 2.5])
def test_the_canvas_is_used(blocks, aspect):
    points = layout(blocks[0], 240, aspect=aspect)
    used = np.ptp(points, axis=0) / [min(1, aspect), min(1, 1 / aspect)]
    assert used.min() > 0.9
    cells = np.histogram2d(*points.T, bins=4)[0]
    assert (cells > 0).sum() >= 11  # of 16, though the four classes are clusters


@pytest.mark.parametrize(("aspect", "axis"), [(2.0, 0), (0.5, 1)])
def test_a_long_graph_lies_along_the_longer_side(aspect, axis):
    g = nx.convert_node_labels_to_integers(nx.grid_2d_graph(30, 4), ordering="sorted")
    points = layout(edge_array(g), 120, aspect=aspect)
    along = np.abs(np.corrcoef(points.T, np.arange(120) // 4)[2, :2])
    assert along[axis] > 0.85 > 2 * along[1 - axis]


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


@pytest.fixture(scope="module")
def islands():
    """A grid of 225 nodes, eight paths of 4 and 30 nodes without an edge."""
    g = nx.disjoint_union_all([nx.grid_2d_graph(15, 15)] + [nx.path_graph(4)] * 8)
    g.add_nodes_from(range(257, 287))
    points = layout(edge_array(g), 287, epochs=50)
    return [points[:225], *np.split(points[225:257], 8), points[257:]]


def test_components_stand_apart_and_the_largest_is_large(islands):
    boxes = [(part.min(axis=0), part.max(axis=0)) for part in islands]
    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:i]:
            assert (np.minimum(high, other_high) - np.maximum(low, other_low)).min() < 0
    area = [(high - low).prod() for low, high in boxes]
    assert area[0] > 0.66 / ASPECT  # of the canvas
    assert area[0] > 20 * max(area[1:-1])
    assert boxes[0][0][0] < 0.05  # from the left
    assert min(low[0] for low, _ in boxes[1:]) > boxes[0][1][0]


def test_nodes_without_an_edge_stand_in_rows(islands):
    single = islands[-1]
    gap = np.linalg.norm(single[:, None] - single[None], axis=2) + 9 * np.eye(30)
    assert gap.min() > 0.5 * np.median(gap.min(axis=1))
    assert len(np.unique(single[:, 1].round(4))) < 16


def test_equal_components_get_equal_room():
    g = nx.disjoint_union(nx.cycle_graph(30), nx.cycle_graph(30))
    points = layout(edge_array(g), 60)
    first, second = (np.ptp(part, axis=0).prod() for part in (points[:30], points[30:]))
    assert first == pytest.approx(second, rel=0.1)


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


@pytest.mark.parametrize(("nodes", "epochs", "name"), [(0, 10, "num_nodes"), (3, 0, "epochs")])
def test_nothing_to_draw_is_refused(nodes, epochs, name):
    with pytest.raises(WGNNError, match=f"{name} is 0"):
        layout(np.empty((0, 2), dtype=np.int64), nodes, epochs=epochs)


def test_an_impossible_canvas_is_refused():
    with pytest.raises(WGNNError, match="aspect is 0"):
        layout(np.empty((0, 2), dtype=np.int64), 3, aspect=0)
