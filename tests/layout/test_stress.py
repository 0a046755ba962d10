import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgnn_core.layout import stress
from wgnn_core.layout.stress import spread_out, stress_layout


def edge_array(g):
    return np.array(g.edges, dtype=np.int64).reshape(-1, 2)


def gaps(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2)


def stress_of(g, points):
    far = np.asarray(nx.floyd_warshall_numpy(g, nodelist=range(len(g))))
    off = ~np.eye(len(g), dtype=bool)
    return float((((gaps(points) - far)[off] / far[off]) ** 2).mean())


def test_a_path_is_a_line_with_its_lengths():
    lengths = np.array([1.0, 2.0, 0.5, 1.0])
    points = stress_layout(edge_array(nx.path_graph(5)), lengths, 5)
    places = np.cumsum(np.append(0, lengths))
    np.testing.assert_allclose(gaps(points), np.abs(places[:, None] - places), atol=0.02)
    assert np.ptp(points[:, 0]) > 20 * np.ptp(points[:, 1])  # the longest extent along x
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-9)


def test_a_cycle_is_round():
    points = stress_layout(edge_array(nx.cycle_graph(12)), np.ones(12), 12)
    radius = np.linalg.norm(points, axis=1)
    assert radius.std() < 0.02 * radius.mean()


@pytest.mark.parametrize("seed", range(4))
def test_sweeps_lower_the_stress(monkeypatch, seed):
    g = nx.connected_watts_strogatz_graph(40, 4, 0.2, seed=seed)
    edges = edge_array(g)
    after = stress_layout(edges, np.ones(len(edges)), 40)
    monkeypatch.setattr(stress, "SWEEPS", 0)
    before = stress_layout(edges, np.ones(len(edges)), 40)
    assert stress_of(g, after) < 0.8 * stress_of(g, before)


def test_leaves_of_a_star_stand_apart_and_one_node_is_a_point():
    points = stress_layout(edge_array(nx.star_graph(9)), np.ones(9), 10)
    assert (gaps(points) + 9 * np.eye(10)).min() > 0.2
    assert stress_layout(np.empty((0, 2), dtype=np.int64), np.empty(0), 1).tolist() == [[0, 0]]


def test_twins_do_not_start_at_one_place():
    """Four leaves at the corner of a grid have the same distances to all others."""
    g = nx.convert_node_labels_to_integers(nx.grid_2d_graph(10, 10))
    g.add_edges_from((0, leaf) for leaf in range(100, 104))
    far = np.asarray(nx.floyd_warshall_numpy(g, nodelist=range(104)))
    start = stress._classical(far)[100:]
    assert (gaps(start) + 9 * np.eye(4)).min() > 0.01


@given(st.integers(2, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_pushing_parts_the_nodes_and_stays_in_the_box(n, seed):
    rng = np.random.default_rng(seed)
    box = np.array([[0.0, 0.0], [20.0, 14.0]])
    apart = 0.6 * np.sqrt(280 / n)
    edge = np.array([[0, 1]])
    start = rng.uniform(*box, (n, 2))
    points = spread_out(start, box, apart, edge, 1.5 * apart)
    assert (points >= box[0]).all()
    assert (points <= box[1]).all()
    assert (gaps(points) + 99 * np.eye(n)).min() > 0.6 * apart
    assert gaps(points)[0, 1] > apart


def test_what_has_room_is_not_moved():
    points = np.array([[1.0, 1.0], [5.0, 1.0], [1.0, 5.0]])
    box = np.array([[0.0, 0.0], [9.0, 9.0]])
    moved = spread_out(points, box, 3.0, np.array([[0, 1]]), 3.5)
    np.testing.assert_array_equal(moved, points)
