import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgnn_core.errors import WGNNError
from wgnn_core.layout import ego_layout
from wgnn_core.layout.ego import _rings


def edge_array(g):
    return np.array(g.edges, dtype=np.int64).reshape(-1, 2)


def gaps(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2) + np.diag([np.inf] * len(points))


def connected(n, extra, seed):
    """A random tree from node 0 and some more edges."""
    rng = np.random.default_rng(seed)
    g = nx.Graph([(int(rng.integers(0, v)), v) for v in range(1, n)])
    g.add_edges_from(nx.gnm_random_graph(n, extra, seed=seed).edges)
    return g


@given(st.integers(2, 60), st.integers(0, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_hops_are_rings_and_no_two_nodes_are_closer_than_the_spacing(n, extra, seed):
    g = connected(n, extra, seed)
    points = ego_layout(edge_array(g), n)
    hops = nx.single_source_shortest_path_length(g, 0)
    far = np.linalg.norm(points - 0.5, axis=1)
    assert far[0] == pytest.approx(0, abs=1e-6)
    assert far.max() <= 0.5
    for hop in range(max(hops.values())):
        inner = max(far[v] for v in g if hops[v] == hop)
        assert inner < min(far[v] for v in g if hops[v] == hop + 1)
    rings = _rings(edge_array(g), n)
    assert gaps(np.stack([rings.real, rings.imag], axis=1)).min() > 1 - 1e-9
    np.testing.assert_allclose(
        points - 0.5, 0.49 * np.stack([rings.real, rings.imag], 1) / np.abs(rings).max(), atol=1e-6
    )


@pytest.mark.parametrize("leaves", [1, 6, 7, 40, 300])
def test_a_hub_is_readable_at_400_pixels(leaves):
    g = nx.star_graph(leaves)
    points = 400 * ego_layout(edge_array(g), leaves + 1)
    assert gaps(points).min() > 16
    circles = np.unique(np.linalg.norm(points - 200, axis=1).round())
    assert len(circles) - 1 == {1: 1, 6: 1, 7: 1, 40: 2, 300: 8}[leaves]


def test_connected_neighbours_stand_together():
    """A hub of two cliques: each clique fills one half of the turn."""
    first, second = list(range(1, 21, 2)), list(range(2, 21, 2))
    g = nx.Graph([(0, v) for v in range(1, 21)])
    for group in (first, second):
        g.add_edges_from((a, b) for a in group for b in group if a < b)
    points = ego_layout(edge_array(g), 21) - 0.5
    middles = [points[group].mean(axis=0) for group in (first, second)]
    assert np.dot(*middles) < 0
    assert min(np.linalg.norm(m) for m in middles) > 0.2


def test_second_hop_stands_behind_its_neighbour():
    g = nx.Graph([(0, v) for v in range(1, 7)] + [(v, v + 6) for v in range(1, 7)])
    points = ego_layout(edge_array(g), 13) - 0.5
    for v in range(1, 7):
        cosine = (
            points[v] @ points[v + 6] / np.linalg.norm(points[v]) / np.linalg.norm(points[v + 6])
        )
        assert cosine > 0.9


def test_a_single_second_hop_is_in_the_direction_of_its_neighbour():
    points = ego_layout(np.array([[0, 1], [0, 2], [0, 3], [2, 4]]), 5) - 0.5
    cosine = points[2] @ points[4] / np.linalg.norm(points[2]) / np.linalg.norm(points[4])
    assert cosine > 0.999


def test_a_wide_canvas_is_filled_and_a_lonely_node_is_in_the_middle():
    points = ego_layout(edge_array(nx.star_graph(60)), 61, aspect=2.0)
    np.testing.assert_allclose(np.ptp(points, axis=0), [0.98, 0.49], atol=0.02)
    empty = np.empty((0, 2), dtype=np.int64)
    np.testing.assert_allclose(ego_layout(empty, 1, aspect=2.0), [[0.5, 0.25]])


def test_a_node_out_of_reach_is_refused():
    with pytest.raises(WGNNError, match="Node 2 cannot be reached"):
        ego_layout(np.array([[0, 1]]), 3)
