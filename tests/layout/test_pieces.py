import dataclasses

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgnn_core import datasets
from wgnn_core.comparators import make_method
from wgnn_core.edgedrop import drop_edges
from wgnn_core.errors import WGNNError
from wgnn_core.layout import close_up
from wgnn_core.layout.cut import Parts, _level, growth
from wgnn_core.wgnn import train_base

RADIUS = 3.0


def random_drop(n, m, seed, eta1=0.8, eta2=0.7):
    edges = np.array(sorted(nx.gnm_random_graph(n, m, seed=seed).edges), dtype=np.int64)
    w = np.random.default_rng(seed).random(n)
    edges = edges.reshape(-1, 2)
    return edges, drop_edges(edges, n, w, eta1, eta2, seed), w


def gaps(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2) + np.diag([np.inf] * len(points))


def is_legible(shot, drop):
    """The two criteria in pixels: dropped edges of 12, at most 5 % of the nodes on another."""
    ends = shot.points[shot.pairs[drop.dropped[shot.edges]]]
    lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    overlapping = (gaps(shot.points) < 2 * RADIUS).any(axis=1)
    return lengths.min(initial=np.inf) >= 12 and overlapping.mean() <= 0.05


@given(
    n=st.integers(3, 60),
    density=st.floats(0, 3),
    seed=st.integers(0, 2**31),
    eta1=st.sampled_from([0.0, 0.4, 0.8, 1.0]),
    eta2=st.sampled_from([0.0, 0.5, 1.0]),
    budget=st.sampled_from([10, 25, 260]),
)
@settings(max_examples=80)
def test_what_is_shown_and_what_is_counted(n, density, seed, eta1, eta2, budget):
    edges, drop, _ = random_drop(n, int(density * n), seed, eta1, eta2)
    labels = np.arange(n) % 3
    shot = close_up(edges, drop, labels, budget=budget)

    # every shown node once, within the canvas, in the box of its piece
    assert len(np.unique(shot.nodes)) == len(shot.nodes) <= budget
    np.testing.assert_array_equal(shot.nodes[shot.pairs], edges[shot.edges])
    for i, piece in enumerate(shot.pieces):
        mine = shot.points[shot.piece == i]
        low, high = np.array(piece.corner), np.add(piece.corner, piece.size)
        assert (mine >= low).all()
        assert (mine <= high).all()
        assert (low >= -1e-6).all()
        assert (high <= np.array([shot.width, shot.height]) + 1e-6).all()
    assert drop.least[shot.nodes[shot.inside]].all()

    # all edges among the nodes of a piece, and all between them and its surroundings
    shown = dict(zip(shot.nodes.tolist(), range(len(shot.nodes)), strict=True))
    expected = {
        e
        for e, (u, v) in enumerate(edges.tolist())
        if u in shown
        and v in shown
        and shot.piece[shown[u]] == shot.piece[shown[v]]
        and (shot.inside[shown[u]] or shot.inside[shown[v]])
    }
    assert set(shot.edges.tolist()) == expected
    faint = ~shot.inside[shot.pairs].all(axis=1)
    assert not (drop.dropped[shot.edges] & faint).any()

    # the pieces are those of the induced subgraph, largest loss first
    induced = nx.Graph(edges[drop.least[edges].all(axis=1)].tolist())
    components = list(nx.connected_components(induced))
    losses = [p.dropped for p in shot.pieces]
    assert losses == sorted(losses, reverse=True)
    for i, piece in enumerate(shot.pieces):
        own = shot.nodes[(shot.piece == i) & shot.inside]
        (component,) = [c for c in components if int(own[0]) in c]
        assert set(own.tolist()) <= component
        assert (piece.nodes, piece.shown) == (len(component), len(own))
        lost = [e for e in np.flatnonzero(drop.dropped) if int(edges[e, 0]) in component]
        assert piece.dropped == len(lost)
        assert piece.crossing == sum(labels[edges[e, 0]] != labels[edges[e, 1]] for e in lost)
        assert piece.dropped_shown == sum(e in expected for e in lost)
        # it is in one piece after the drop too
        kept = nx.Graph(edges[[e for e in expected if not drop.dropped[e]]].tolist())
        kept = kept.subgraph(own.tolist())
        assert len(kept) == len(own)
        assert nx.is_connected(kept)

    # nothing is lost without being counted
    losing = [c for c in components if any(int(u) in c for u in edges[drop.dropped][:, 0])]
    shown_losing = sum(p.dropped > 0 for p in shot.pieces)
    assert shot.pieces_hidden == len(losing) - shown_losing
    assert shot.dropped_hidden == drop.dropped.sum() - sum(p.dropped_shown for p in shot.pieces)
    quiet = sum(len(c) for c in components if c not in losing)
    seen = set(shot.nodes.tolist()) & set(np.flatnonzero(drop.least).tolist())
    assert shot.trimmed == sum(p.nodes for p in shot.pieces) - len(seen)
    assert shot.intact == quiet - sum(p.nodes for p in shot.pieces if p.dropped == 0)
    assert shot.lonely == drop.least.sum() - len(induced)
    if drop.dropped.any() and budget == 260 and len(losing) <= 24:
        assert shot.pieces_hidden == 0
        assert min(p.dropped_shown for p in shot.pieces) > 0


@pytest.mark.parametrize("seed", range(6))
def test_random_graphs_are_legible_and_repeat(seed):
    edges, drop, _ = random_drop(400, 700, seed)
    shot, again = (close_up(edges, drop, np.zeros(400, dtype=int)) for _ in range(2))
    assert drop.dropped[shot.edges].sum() > 40
    assert is_legible(shot, drop)
    np.testing.assert_array_equal(shot.points, again.points)


def test_the_criteria_can_fail():
    edges, drop, _ = random_drop(400, 700, 0)
    shot = close_up(edges, drop, np.zeros(400, dtype=int))
    assert not is_legible(dataclasses.replace(shot, points=0.4 * shot.points), drop)


def test_a_cycle_is_shown_whole_with_the_path_that_stays():
    """A dropped edge alone explains nothing: the forest path between its ends belongs to it."""
    n = 30
    edges = np.array(sorted(tuple(sorted((i, (i + 1) % n))) for i in range(n)))
    edges = np.concatenate([edges, [[i, n + i] for i in range(n)]])  # a hair for each node
    w = np.append(np.zeros(n), np.ones(n))
    drop = drop_edges(edges, 2 * n, w, 0.5, 1.0, seed=0)
    shot = close_up(edges, drop, np.zeros(2 * n, dtype=int))
    assert set(shot.nodes[shot.inside].tolist()) == set(range(n))
    assert 0 < (~shot.inside).sum() <= 0.4 * n + 1
    assert shot.pieces[0].dropped == shot.pieces[0].dropped_shown == 1


def test_a_large_piece_is_cut_around_its_densest_losses():
    """A clique at the end of a long chain of triangles: the clique is what is shown."""
    triangles = [(2 * i + a, 2 * i + b) for i in range(400) for a, b in ((0, 1), (0, 2), (1, 2))]
    clique = [(a, b) for a in range(800, 815) for b in range(a + 1, 815)]
    edges = np.array(sorted({*triangles, *clique}))
    drop = drop_edges(edges, 815, np.zeros(815), 1.0, 0.5, seed=0)
    shot = close_up(edges, drop, np.zeros(815, dtype=int), budget=60)
    (piece,) = shot.pieces
    assert piece.nodes == 815
    assert np.isin(np.arange(800, 815), shot.nodes).sum() >= 8
    assert piece.dropped_shown < piece.dropped
    assert shot.dropped_hidden == piece.dropped - piece.dropped_shown


def test_no_dropped_edge_leads_into_the_surroundings():
    """Of a dense piece most nodes stay out, and each of them loses an edge to what is shown."""
    edges, drop, _ = random_drop(80, 1500, 0, 1.0, 1.0)
    shot = close_up(edges, drop, np.zeros(80, dtype=int))
    assert len(shot.nodes) < 40
    assert shot.inside.all()


def test_small_pieces_are_whole_beside_a_large_one():
    sizes = [60, 4, 4, 3]
    graphs = [nx.gnm_random_graph(60, 300, seed=1), *(nx.complete_graph(s) for s in sizes[1:])]
    g = nx.disjoint_union_all(graphs)
    edges = np.array(sorted(g.edges))
    drop = drop_edges(edges, len(g), np.zeros(len(g)), 1.0, 1.0, seed=0)
    shot = close_up(edges, drop, np.zeros(len(g), dtype=int), budget=50)
    assert [p.nodes for p in shot.pieces] == sizes
    assert [p.shown for p in shot.pieces][1:] == sizes[1:]
    assert shot.pieces[0].size[0] * shot.pieces[0].size[1] > 0.3 * shot.width * shot.height


def test_without_losses_pieces_with_circles_come_before_larger_trees():
    star, triangle = [(0, i) for i in range(1, 30)], [(30, 31), (30, 32), (31, 32)]
    edges = np.array(star + triangle)
    drop = drop_edges(edges, 33, np.zeros(33), 1.0, 0.0, seed=0)
    shot = close_up(edges, drop, np.zeros(33, dtype=int))
    assert [p.nodes for p in shot.pieces] == [3]
    assert shot.intact == 30


def test_without_losses_the_circles_that_could_open_are_shown():
    edges, drop, _ = random_drop(50, 70, 2, eta2=0.0)
    shot = close_up(edges, drop, np.zeros(50, dtype=int))
    open_ = drop.least[edges].all(axis=1) & ~drop.forest
    assert open_.any()
    assert open_[shot.edges].any()
    assert sum(p.dropped for p in shot.pieces) == shot.dropped_hidden == 0


def test_a_forest_is_shown_as_it_is_and_nothing_as_nothing():
    edges = np.array([[0, 1], [1, 2], [3, 4]])
    drop = drop_edges(edges, 6, np.zeros(6), 1.0, 1.0, seed=0)
    shot = close_up(edges, drop, np.zeros(6, dtype=int))
    assert [p.nodes for p in shot.pieces] == [3, 2]
    assert shot.lonely == 1
    empty = np.empty((0, 2), dtype=np.int64)
    nothing = close_up(empty, drop_edges(empty, 4, np.zeros(4), 0.5, 0.5, 0), np.zeros(4, int))
    assert (nothing.pieces, len(nothing.nodes), nothing.lonely) == ((), 0, 2)


def test_a_loss_too_far_from_everything_is_counted_as_hidden():
    n = 400
    edges = np.array(sorted(tuple(sorted((i, (i + 1) % n))) for i in range(n)))
    drop = drop_edges(edges, n, np.zeros(n), 1.0, 1.0, seed=0)
    shot = close_up(edges, drop, np.zeros(n, dtype=int), budget=10)
    assert (shot.pieces, shot.pieces_hidden, shot.dropped_hidden) == ((), 1, 1)


def test_every_cut_is_a_tree_of_the_forest_and_closes_what_it_says():
    edges, drop, _ = random_drop(300, 600, 4)
    parts = Parts.of(edges, drop)
    grown = growth(edges, parts, parts.listed[0], 100)
    forest = nx.Graph(edges[drop.forest].tolist())
    for end, losses in zip(grown.ends.tolist(), grown.losses.tolist(), strict=True):
        inside = np.isin(edges, grown.order[:end]).all(axis=1)
        assert (inside & drop.dropped).sum() == losses
        assert nx.is_connected(forest.subgraph(grown.order[:end].tolist()))


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.integers(1, 200))
def test_level_is_the_largest_that_fits(wants, total):
    level = _level(wants, total)
    assert sum(min(want, level) for want in wants) <= total
    if level < max(wants):
        assert sum(min(want, level + 1) for want in wants) > total


@pytest.mark.parametrize("budget", [9, 1001])
def test_budget_out_of_range_is_refused(budget):
    edges, drop, _ = random_drop(10, 10, 0)
    with pytest.raises(WGNNError, match=f"budget is {budget}; a close-up shows between 10 and"):
        close_up(edges, drop, np.zeros(10, dtype=int), budget=budget)


@pytest.mark.dataset
@pytest.mark.parametrize("name", ["Cora", "CiteSeer", "Photo", "Texas"])
def test_real_graphs_are_legible_at_every_eta(raw_data, name):
    graph = datasets.load(name)
    base = train_base(graph, make_method("gcn", name, None, epochs=30), 1)
    shown = 0
    for eta1, eta2 in [(0.3, 0.4), (0.1, 1.0), (0.6, 0.8), (1.0, 1.0)]:
        drop = drop_edges(graph.edges, graph.num_nodes, base.w[0], eta1, eta2, 0)
        shot = close_up(graph.edges, drop, graph.y)
        assert is_legible(shot, drop), (eta1, eta2)
        shown += int(drop.dropped[shot.edges].sum())
        assert len(shot.pieces) > 0
    assert shown > 50
