"""The benchmark compares like with like."""

import numpy as np
import pytest
import torch

from wgnn_core import datasets
from wgnn_core.benchmark.compare import compare_speed
from wgnn_core.benchmark.stock import _groups, _network, train_stock
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.models import make_model
from wgnn_core.wgnn import train_base


def test_a_row_has_what_it_promises() -> None:
    (row,) = compare_speed(["gcn"], ["karate"], replicas=2, rounds=1, accuracy_seeds=3)
    assert row.ratio == pytest.approx(row.stock_seconds / row.ours_seconds)
    assert row.stock_seconds > 0
    graph, model = datasets.load("karate"), make_model("gcn", "karate")
    stock = [train_stock(graph, model, seed).accuracy for seed in range(3)]
    for accuracies, mean, std in (
        (stock, row.stock_accuracy, row.stock_std),
        (train_base(graph, model, 3).test, row.ours_accuracy, row.ours_std),
    ):
        assert mean == pytest.approx(np.mean(accuracies))
        assert std == pytest.approx(np.std(accuracies, ddof=1))


@pytest.mark.parametrize("name", ["gcn", "gat"])
def test_both_reach_the_same_accuracy(csbm_small: Graph, name: str) -> None:
    model = make_model(name, epochs=100)
    stock = [train_stock(csbm_small, model, seed).accuracy for seed in range(4)]
    ours = train_base(csbm_small, model, 8).test
    spread = np.std([*stock, *ours], ddof=1)
    assert abs(np.mean(stock) - ours.mean()) < 3 * spread * (1 / 4 + 1 / 8) ** 0.5


@pytest.mark.parametrize("name", ["gcn", "gat"])
def test_both_have_the_same_parameters_and_weight_decay(digits: Graph, name: str) -> None:
    from wgnn_core.replicas.model import Sizes

    model = make_model(name)
    sizes = Sizes(digits.num_nodes, digits.num_features, digits.num_classes)
    ours = model.init(sizes, torch.Generator())
    network = _network(digits, model)
    groups = _groups(network, model)
    decayed = sum(p.numel() for g in groups if g["weight_decay"] for p in g["params"])
    assert sum(p.numel() for p in network.parameters()) == sum(v.numel() for v in ours.values())
    assert decayed == sum(v.numel() for n, v in ours.items() if n not in model.undecayed)


def test_models_without_a_stock_loop_are_refused(digits: Graph) -> None:
    with pytest.raises(WGNNError, match="no stock loop for dropedge"):
        train_stock(digits, make_model("dropedge"), 0, 1)
