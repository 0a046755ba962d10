"""The transforms do what the plan of the library does, and compose."""

import numpy as np
import pytest
import torch
from torch_geometric.transforms import Compose
from torch_geometric.utils import to_undirected

from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.intervention import Intervention, make_plan
from wgnn_core.models import make_model
from wgnn_core.transforms import AddPseudoLabels, DropBoundaryEdges
from wgnn_core.wgnn import train_base


@pytest.mark.parametrize("ranker", ["w", "margin"])
@pytest.mark.parametrize("pool", ["all", "test"])
def test_equal_to_the_plan(csbm_small: Graph, ranker: str, pool: str) -> None:
    base = train_base(csbm_small, make_model("gcn", epochs=20), 1)
    asked = Intervention(0.4, 0.6, 0.5, pool=pool, ranker=ranker, edge_ranker=ranker)
    plan = make_plan(base, 0, asked)
    both = Compose(
        [
            DropBoundaryEdges(base.prob[0], 0.6, 0.5, pool, ranker),
            AddPseudoLabels(torch.from_numpy(base.prob[0]), 0.4, ranker),
        ]
    )
    before = csbm_small.to_pyg(0)
    before.edge_weight = torch.arange(before.num_edges)
    after = both(before.clone())
    assert plan.supplement.added.any() and plan.edge_drop.dropped.any()
    np.testing.assert_array_equal(after.train_mask.numpy(), plan.supplement.train)
    added = plan.supplement.added
    np.testing.assert_array_equal(after.y.numpy()[added], plan.supplement.labels[added])
    np.testing.assert_array_equal(after.y.numpy()[~added], csbm_small.y[~added])
    kept = csbm_small.edges[plan.edge_drop.kept]
    expected = to_undirected(torch.from_numpy(kept.T))
    got = after.edge_index[:, np.lexsort(after.edge_index.numpy()[::-1])]
    assert torch.equal(got, expected)
    assert len(after.edge_weight) == after.num_edges
    assert torch.equal(before.edge_index[:, after.edge_weight], after.edge_index)
    assert before.train_mask.sum() < after.train_mask.sum()  # the data given is left alone


def test_self_loops_stay_and_shapes_are_checked(csbm_small: Graph) -> None:
    data = csbm_small.to_pyg(0)
    loops = torch.arange(data.num_nodes).repeat(2, 1)
    data.edge_index = torch.cat([data.edge_index, loops], 1)
    prob = np.full((data.num_nodes, csbm_small.num_classes), 1 / csbm_small.num_classes)
    after = DropBoundaryEdges(prob, 1.0, 1.0)(data.clone())
    assert (after.edge_index[0] == after.edge_index[1]).sum() == data.num_nodes
    assert after.num_edges < data.num_edges
    with pytest.raises(WGNNError, match="it must be \\[nodes, classes\\]"):
        DropBoundaryEdges(prob[1:], 1.0, 1.0)(data)
    del data.test_mask
    with pytest.raises(WGNNError, match="needs test_mask"):
        AddPseudoLabels(prob, 0.5)(data)
