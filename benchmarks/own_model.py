"""A plain PyG module as "your own model", beside the built-in GCN of the same recipe, on Cora.

    PYTHONPATH=. python benchmarks/own_model.py [--seeds 10] [--dataset cora] [--epochs 200]

Prints both base models, their difference, and what wGNN with eta = (0.8, 0.3, 0.4) gains around
each. Then saves the module's predictions with numpy, diagnoses them, and compares w and the plan
with those of the run, number for number.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import stats
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import GCNConv

import wgnn_core as wgnn

ASKED = wgnn.Intervention(0.8, 0.3, 0.4)


class PlainGCN(nn.Module):
    """Two `GCNConv`, dropout on the features and on the hidden layer."""

    def __init__(
        self, in_channels: int, out_channels: int, hidden: int = 16, dropout: float = 0.5
    ) -> None:
        super().__init__()
        self.first = GCNConv(in_channels, hidden)
        self.second = GCNConv(hidden, out_channels)
        self.dropout = dropout

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = functional.dropout(x, self.dropout, self.training)
        h = functional.relu(self.first(x, edge_index))
        return self.second(functional.dropout(h, self.dropout, self.training), edge_index)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("--dataset", default="cora")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=200)
    asked = parser.parse_args()
    results = {}
    for title, model in (("built-in GCN", "gcn"), ("PlainGCN", PlainGCN)):
        begun = time.monotonic()
        results[title] = wgnn.run(
            asked.dataset, model, seeds=asked.seeds, hyper={"epochs": asked.epochs}
        )  # eta = (0.8, 0.3, 0.4) by default
        print(f"{title}, {time.monotonic() - begun:.0f} s")
        for tally, retrained in (("the paper's tally", False), ("retrained model", True)):
            seen = results[title].run.comparison(ASKED, retrained)
            print(
                f"  {seen.base_mean:.2f} ± {seen.base_std:.2f} -> {seen.other_mean:.2f} ± "
                f"{seen.other_std:.2f} ({tally}): {seen.difference:+.2f} "
                f"[{seen.low:+.2f}, {seen.high:+.2f}], p = {seen.pvalue:.1g}, n = {seen.n}",
                flush=True,
            )
    ours, plain = (results[title].run.trained.test for title in results)
    print(
        f"difference of the base models {plain.mean() - ours.mean():+.2f}, "
        f"two-sample t-test p = {stats.ttest_ind(plain, ours).pvalue:.2g}"
    )
    run = results["PlainGCN"].run
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "prob.npy"
        np.save(file, run.trained.prob)
        again = wgnn.diagnose(asked.dataset, file).run
    np.testing.assert_array_equal(again.trained.w, run.trained.w)
    for seed in range(asked.seeds):
        before, after = run.plan(ASKED, seed), again.plan(ASKED, seed)
        np.testing.assert_array_equal(after.supplement.added, before.supplement.added)
        np.testing.assert_array_equal(after.edge_drop.kept, before.edge_drop.kept)
    print("predictions saved with numpy and diagnosed: the same w and the same plans")


if __name__ == "__main__":
    main()
