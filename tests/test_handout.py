"""What another program gets: the plan's nodes and edges in every form, and nothing else."""

from __future__ import annotations

import io

import networkx as nx
import numpy as np
import pandas as pd
import torch
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.storage import GlobalStorage
from torch_geometric.utils import to_networkx

from wgnn_core.graph import Graph
from wgnn_core.handout import Handout
from wgnn_core.intervention import Intervention, make_plan
from wgnn_core.models import make_model
from wgnn_core.wgnn import train_base


def test_every_form_is_the_plan(csbm_small: Graph) -> None:
    base = train_base(csbm_small, make_model("gcn", epochs=20), 1)
    plan = make_plan(base, 0, Intervention(0.4, 0.6, 0.5))
    files = Handout(csbm_small, plan).files()
    added = pd.read_csv(io.BytesIO(files["added_nodes.csv"]))
    np.testing.assert_array_equal(added["node"], np.flatnonzero(plan.supplement.added))
    np.testing.assert_array_equal(added["label"], base.predicted[0][added["node"]])
    for name, mask in (("edges", plan.edge_drop.kept), ("dropped_edges", plan.edge_drop.dropped)):
        pairs = pd.read_csv(io.BytesIO(files[f"{name}.csv"]))[["source", "target"]]
        np.testing.assert_array_equal(pairs, csbm_small.edges[mask])
    with np.load(io.BytesIO(files["plan.npz"]), allow_pickle=False) as arrays:
        train = csbm_small.split(0).train
        np.testing.assert_array_equal(arrays["train_mask"], train | plan.supplement.added)
        y = arrays["y"]
        np.testing.assert_array_equal(y[train], csbm_small.y[train])
        assert (y[~arrays["train_mask"]] == -1).all()  # no label of a test node leaves
        assert arrays["edge_index"].shape == (2, 2 * plan.edge_drop.kept.sum())
    with torch.serialization.safe_globals([DataEdgeAttr, DataTensorAttr, GlobalStorage]):
        data = torch.load(io.BytesIO(files["data.pt"]), weights_only=True)
    whole = nx.Graph(csbm_small.edges.tolist())
    whole.add_nodes_from(range(csbm_small.num_nodes))
    after = to_networkx(data, to_undirected=True)
    assert nx.number_connected_components(after) == nx.number_connected_components(whole)
    assert after.number_of_edges() == plan.edge_drop.kept.sum() < csbm_small.num_edges
