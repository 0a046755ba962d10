"""Every specimen is sound, and shows what its sentence says."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from wgnn_core.errors import WGNNError
from wgnn_core.theory.boundary_gap import boundary
from wgnn_core.theory.gallery import GALLERY, Specimen, specimen
from wgnn_core.theory.harmonic import Flow, flow_between
from wgnn_core.theory.sets import edges_of


def flow_of(item: Specimen) -> Flow:
    return flow_between(item.adjacency, item.mask(item.zeros), item.mask(item.ones))


@pytest.mark.parametrize("name", GALLERY)
def test_specimens_are_sound(name: str) -> None:
    item = specimen(name)
    assert item.name == name and item.title and item.sentence.endswith(".")
    assert item.shows.endswith(".")
    graph = nx.empty_graph(item.num_nodes)
    graph.add_edges_from(item.edges)
    assert len(graph) == item.num_nodes and graph.number_of_edges() == len(item.edges)
    assert edges_of(item.adjacency).tolist() == sorted(map(sorted, item.edges))
    assert set(item.ones) <= set(item.upper) and not set(item.zeros) & set(item.upper)
    assert {tuple(sorted(edge)) for edge in item.dropped} <= {tuple(e) for e in item.edges}
    assert all(0 <= v < item.num_nodes for v in item.least + item.upper + item.joining)


def test_there_is_no_other_specimen() -> None:
    with pytest.raises(WGNNError, match="there is no specimen 'star'; choose from path, barbell"):
        specimen("star")


def test_the_path_rises_in_equal_steps_and_the_grid_in_straight_layers() -> None:
    np.testing.assert_allclose(np.diff(flow_of(specimen("path")).f), 1 / 8)
    grid = flow_of(specimen("grid")).f.reshape(6, 8)
    np.testing.assert_allclose(grid, np.tile(np.arange(8) / 7, (6, 1)), atol=1e-12)


def test_the_barbell_rises_on_its_bridge() -> None:
    f = flow_of(specimen("barbell")).f
    assert f[4] < 0.15 and f[7] > 0.85  # the two ends of the bridge


def test_the_bridge_of_the_communities_has_the_largest_mean_gap() -> None:
    item = specimen("communities")
    flow, side = flow_of(item), item.mask(item.upper)
    terms = boundary(item.adjacency, flow, side)
    assert len(terms.edges) == 3
    for v in np.flatnonzero(flow.free):  # moving any one node to the other side makes it smaller
        other = side.copy()
        other[v] = not other[v]
        assert boundary(item.adjacency, flow, other).mean_gap < terms.mean_gap


def test_the_leaky_path_goes_below_a_billionth() -> None:
    flow = flow_of(specimen("leaky-path"))
    assert 0 < flow.f[0] <= 1e-9
