"""R' and G' for another program: added nodes with labels, dropped edges, the new edge list."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from wgnn_core.export import table_csv
from wgnn_core.graph import Graph, IntArray
from wgnn_core.intervention import Plan
from wgnn_core.replicas.plain import both_directions


@dataclass(frozen=True, eq=False)
class Handout:
    """What a plan changes, in the forms that programs read."""

    graph: Graph
    plan: Plan

    def _names(self, nodes: IntArray) -> list[object]:
        names = self.graph.node_names
        return [names[i] if names else int(i) for i in nodes]

    def added(self) -> pd.DataFrame:
        """The nodes that join R, with their predicted labels (Algorithm 1)."""
        nodes = np.flatnonzero(self.plan.supplement.added)
        labels = self.plan.supplement.labels[nodes]
        return pd.DataFrame(
            {
                "node": nodes,
                "name": self._names(nodes),
                "label": labels,
                "class": [self.graph.class_names[k] for k in labels],
            }
        )

    def edges(self, dropped: bool) -> pd.DataFrame:
        """The edges that go, or those of G' (Algorithm 2), each once."""
        drop = self.plan.edge_drop
        pairs = self.graph.edges[drop.dropped if dropped else drop.kept]
        return pd.DataFrame(
            {
                "source": pairs[:, 0],
                "target": pairs[:, 1],
                "source_name": self._names(pairs[:, 0]),
                "target_name": self._names(pairs[:, 1]),
            }
        )

    def npz(self) -> bytes:
        """``edge_index [2, 2E']``, ``train_mask [N]`` of R', ``y [N]`` with pseudo-labels, -1 where
        a training on R' sees no label, and ``added``, ``dropped``."""
        plan = self.plan
        out = io.BytesIO()
        np.savez_compressed(
            out,
            allow_pickle=False,
            edge_index=both_directions(self.graph.with_edges(plan.edge_drop.kept)).numpy(),
            train_mask=plan.supplement.train,
            y=self._labels(),
            added=plan.supplement.added,
            dropped=self.graph.edges[plan.edge_drop.dropped],
        )
        return out.getvalue()

    def pt(self) -> bytes:
        """A PyG `Data` of R' and G', to be read with ``weights_only=True`` and its allow-list."""
        data = self.graph.with_edges(self.plan.edge_drop.kept).to_pyg()
        data.train_mask = torch.from_numpy(self.plan.supplement.train.copy())
        data.y_train = torch.from_numpy(self._labels())
        out = io.BytesIO()
        torch.save(data, out)
        return out.getvalue()

    def files(self) -> dict[str, bytes]:
        """Every form, by file name."""
        return {
            "added_nodes.csv": table_csv(self.added()).encode(),
            "dropped_edges.csv": table_csv(self.edges(dropped=True)).encode(),
            "edges.csv": table_csv(self.edges(dropped=False)).encode(),
            "plan.npz": self.npz(),
            "data.pt": self.pt(),
        }

    def zip(self) -> bytes:
        """All of them in one archive."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self.files().items():
                archive.writestr(name, content)
        return out.getvalue()

    def _labels(self) -> IntArray:
        """Labels of R' and nothing else."""
        plan, y = self.plan.supplement, self.graph.y
        return np.where(plan.added, plan.labels, np.where(plan.train, y, -1)).astype(np.int64)
