"""ReNode (Chen et al., 2021): training nodes near a class boundary count less."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from wgnn_core.fields import hyper
from wgnn_core.graph import BoolArray, Graph, IntArray
from wgnn_core.models.gcn import GCN
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Domain

STEPS = 100
"""Power iterations of PageRank: the rest is below 0.85^100, 1e-7."""
DENSE_NUMBERS = 2**27
"""From so many on, PageRank is started from the classes and not from every training node."""
CONSTANT_EPOCHS, SHRINK, LOWEST_LR = 20, 0.95, 1e-4


@dataclass(frozen=True)
class ReNode(GCN):
    """A GCN whose training nodes are weighted by their topological conflict.

    With personalised PageRank Pi = a (I - (1-a) A_sym)^-1, the conflict of a labelled node v is
    T(v) = sum_x Pi[v, x] sum_{c != y_v} g_c[x], g_c the mean of Pi's rows over class c's training
    nodes. The node of rank r among n, least conflict first, weighs
    w_base + w_scale (1 + cos(pi r / (n-1))) / 2. After epoch 20 the learning rate is multiplied by
    0.95 per epoch, down to 1e-4. Learning rate, weight decay and dropout on X were chosen on
    validation accuracy for row-normalised features; preset ``original`` has the values made for
    raw ones.
    """

    lr: float = hyper(0.05, "learning rate of Adam", 1e-5, 1.0, title="Learning rate")
    hidden: int = hyper(32, "width of the hidden layer", 1, 1024)
    teleport: float = hyper(0.15, "probability a of PageRank to return", 0.01, 0.99)
    w_base: float = hyper(0.5, "smallest weight of a training node", 0.0, 2.0)
    w_scale: float = hyper(1.0, "largest weight less the smallest", 0.0, 4.0)

    name: ClassVar[str] = "renode"
    title: ClassVar[str] = "ReNode"
    citation: ClassVar[str] = """@inproceedings{chen2021renode,
  author = {Chen, Deli and Lin, Yankai and Zhao, Guangxiang and Ren, Xuancheng and Li, Peng and
    Zhou, Jie and Sun, Xu},
  title = {{Topology-Imbalance Learning for Semi-Supervised Node Classification}},
  booktitle = {Advances in Neural Information Processing Systems},
  year = {2021}
}
"""
    cost = "cheap"
    revision: ClassVar[int] = 1  # the learning rate fell one epoch late
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "original": {"lr": 0.0075, "weight_decay": 0.0, "input_dropout": 0.0}
    }

    for_dataset: ClassVar[dict[str, dict[str, Any]]] = {
        "airport": {
            "hidden": 128, "weight_decay": 0.0, "input_dropout": 0.0, "dropout": 0.0,
        },
    }  # fmt: skip

    def lr_at(self, epoch: int) -> float:
        return max(self.lr * SHRINK ** max(0, epoch + 1 - CONSTANT_EPOCHS), LOWEST_LR)

    def adapt(self, domain: Domain, trainings: Trainings, tick: Callable[[int], None]) -> Trainings:
        weight = trainings.weight.copy()
        for k, row in enumerate(weight):
            train = row > 0
            graph = trainings.graph(domain.graph, k)
            conflict = totoro(graph, train, trainings.labels[k], self.teleport)
            row[train] *= ranked_weights(conflict, self.w_base, self.w_scale)
        return replace(trainings, weight=weight)


def totoro(
    graph: Graph, train: BoolArray, labels: IntArray, teleport: float
) -> npt.NDArray[np.float64]:
    """The conflict T(v) of each training node, in node order.

    Pi is symmetric, so its rows at the training nodes are PageRank started from them; nothing of
    size N x N is built. Where these rows would be many, PageRank is taken twice instead: g_c is
    that of class c, and Pi g_c that of g_c. The two ways differ by rounding.
    """
    nodes = np.flatnonzero(train)
    classes = labels[nodes]
    present, place = np.unique(classes, return_inverse=True)
    if graph.num_nodes * len(nodes) <= DENSE_NUMBERS:
        start = torch.zeros(graph.num_nodes, len(nodes))
        start[torch.from_numpy(nodes), torch.arange(len(nodes))] = 1
        rows = _pagerank(graph, start, teleport).numpy().T.astype(np.float64)
        influence = np.stack([rows[classes == c].mean(axis=0) for c in present])
        felt = rows @ influence.T
    else:
        start = torch.zeros(graph.num_nodes, len(present))
        share = 1 / np.bincount(place)[place]
        start[torch.from_numpy(nodes), torch.from_numpy(place)] = torch.from_numpy(share).float()
        twice = _pagerank(graph, _pagerank(graph, start, teleport), teleport)
        felt = twice.numpy()[nodes].astype(np.float64)
    own = felt[np.arange(len(nodes)), place]
    conflict: npt.NDArray[np.float64] = felt.sum(axis=1) - own
    return conflict


def _pagerank(graph: Graph, start: torch.Tensor, teleport: float) -> torch.Tensor:
    """Pi start, for each column of ``start [N, M]``."""
    # slow to import, and few processes need them
    from torch_geometric.nn import APPNP
    from torch_geometric.utils import to_torch_csr_tensor

    both = np.concatenate([graph.edges, graph.edges[:, ::-1]]).T
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # CSR tensors are called beta
        # as a sparse matrix: a list of edges would hold a message for each edge and start
        adjacency = to_torch_csr_tensor(
            torch.from_numpy(np.ascontiguousarray(both)), size=(graph.num_nodes, graph.num_nodes)
        )
        found: torch.Tensor = APPNP(K=STEPS, alpha=teleport)(start, adjacency)
    return found


def ranked_weights(
    conflict: npt.NDArray[np.float64], w_base: float, w_scale: float
) -> npt.NDArray[np.float64]:
    """Half a cosine from w_base + w_scale (least conflict) down to w_base; ties by node number."""
    rank = np.empty(len(conflict))
    rank[np.argsort(conflict, kind="stable")] = np.arange(len(conflict))
    last = max(len(conflict) - 1, 1)
    weights: npt.NDArray[np.float64] = w_base + 0.5 * w_scale * (1 + np.cos(np.pi * rank / last))
    return weights
