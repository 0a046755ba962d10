"""Algorithms 1 and 2 as PyG transforms of a `Data`, from a matrix of class probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from wgnn_core.edgedrop import drop_edges
from wgnn_core.errors import WGNNError
from wgnn_core.graph import UNLABELLED, FloatArray
from wgnn_core.ranking import score
from wgnn_core.supplement import supplement


@dataclass(frozen=True, eq=False)
class AddPseudoLabels(BaseTransform):  # type: ignore[misc]
    """Algorithm 1: the surest test nodes join ``train_mask``, with predicted labels in ``y``.

    Nodes without label, -1 in ``y``, stand beside the test nodes.

    Attributes:
        prob: Class probabilities of the trained model, ``[N, C]``.
        eta0: Share of the test nodes to add.
        ranker: What orders them, a key of `wgnn_core.ranking.SCORES`.
        seed: Of the random ranker.
    """

    prob: npt.ArrayLike
    eta0: float
    ranker: str = "w"
    seed: int = 0

    def forward(self, data: Data) -> Data:
        prob = _checked(self.prob, data)
        masks = [_mask(data, name) for name in ("train_mask", "test_mask")]
        unlabelled = (data.y == UNLABELLED).cpu().numpy()
        plan = supplement(
            score(self.ranker, prob, self.seed),
            prob.argmax(-1),
            masks[0],
            masks[1] | unlabelled,
            self.eta0,
        )
        y = data.y.clone()
        added = torch.from_numpy(plan.added).to(y.device)
        y[added] = torch.from_numpy(plan.labels[plan.added]).to(y)
        data.y, data.train_mask = y, torch.from_numpy(plan.train).to(y.device)
        data.test_mask = data.test_mask & ~added  # they keep their first prediction (the tally)
        return data


@dataclass(frozen=True, eq=False)
class DropBoundaryEdges(BaseTransform):  # type: ignore[misc]
    """Algorithm 2: edges among the least sure nodes go, but for a spanning forest.

    Both directions of an edge go together, with their attributes; self-loops stay.

    Attributes:
        prob: Class probabilities of the trained model, ``[N, C]``.
        eta1: Share of the nodes, the least sure ones, that form V'.
        eta2: Share of the edges inside V' and outside its forest that go.
        pool: Whether V' is chosen from ``all`` nodes or ``test`` nodes.
        ranker: What orders them, a key of `wgnn_core.ranking.SCORES`.
        seed: Of the forest and of the choice of edges.
    """

    prob: npt.ArrayLike
    eta1: float
    eta2: float
    pool: str = "all"
    ranker: str = "w"
    seed: int = 0

    def forward(self, data: Data) -> Data:
        prob = _checked(self.prob, data)
        if self.pool not in ("all", "test"):
            raise WGNNError(f"pool is {self.pool!r}; it must be one of all, test.")
        pairs = np.sort(data.edge_index.cpu().numpy().T, axis=1)
        proper = pairs[:, 0] != pairs[:, 1]
        edges, which = np.unique(pairs[proper], axis=0, return_inverse=True)
        drop = drop_edges(
            edges, data.num_nodes, score(self.ranker, prob, self.seed), self.eta1, self.eta2,
            self.seed, _mask(data, "test_mask") if self.pool == "test" else None,
        )  # fmt: skip
        kept = np.ones(len(pairs), dtype=bool)
        kept[proper] = drop.kept[which.reshape(-1)]
        keep = torch.from_numpy(kept).to(data.edge_index.device)
        for name, value in data.to_dict().items():
            if name != "edge_index" and data.is_edge_attr(name):
                data[name] = value[keep]
        data.edge_index = data.edge_index[:, keep]
        return data


def _checked(prob: npt.ArrayLike, data: Data) -> FloatArray:
    values: Any = prob.detach().cpu() if isinstance(prob, torch.Tensor) else prob
    matrix = np.asarray(values, dtype=np.float32)
    if matrix.ndim != 2 or len(matrix) != data.num_nodes:
        raise WGNNError(
            f"prob has the shape {matrix.shape}; it must be [nodes, classes] with "
            f"{data.num_nodes} nodes."
        )
    return matrix


def _mask(data: Data, name: str) -> npt.NDArray[np.bool_]:
    mask = data.get(name)
    if mask is None or mask.shape != (data.num_nodes,):
        raise WGNNError(f"the data needs {name}, one truth value per node.")
    return np.asarray(mask.cpu().numpy(), dtype=np.bool_)
