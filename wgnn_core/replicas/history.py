"""How K trainings went, epoch by epoch, and the accuracy that is measured on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from wgnn_core.graph import BoolArray, FloatArray, IntArray
from wgnn_core.replicas.compiled import jit


@dataclass(frozen=True, eq=False)
class History:
    """Training curves ``[K, epochs]`` in single precision, NaN after a replica has stopped.

    Loss and training accuracy are those of the training pass: with dropout, and before the update
    of that epoch. The loss is the one that is minimised, without weight decay. Training accuracy
    counts every node of the training set once, and a pseudo-label as if it were right. Validation
    accuracy is measured after the update and without dropout. Accuracies are in percent.
    """

    loss: FloatArray
    train_accuracy: FloatArray
    val_accuracy: FloatArray

    def stacked(self) -> FloatArray:
        """One array ``[K, 3, epochs]``, for a store."""
        return np.stack([self.loss, self.train_accuracy, self.val_accuracy], axis=1)

    @classmethod
    def of_stacked(cls, stacked: FloatArray) -> History:
        """What `stacked` made one array of."""
        return cls(*stacked.swapaxes(0, 1))

    @classmethod
    def of_batches(cls, batches: Sequence[History], order: IntArray) -> History:
        """The curves of several batches as one: curve i is the one at place `order[i]` of all."""
        names = [item.name for item in fields(cls)]
        together = (np.concatenate([getattr(one, name) for one in batches]) for name in names)
        return cls(*(curves[order] for curves in together))


def accuracy(logits: FloatArray, labels: IntArray, counted: BoolArray) -> npt.NDArray[np.float64]:
    """Percent of the nodes `counted` ``[K, n]`` whose largest logit is at their label."""
    share = np.empty(len(logits), np.float32)
    _share_right(logits, labels, counted, share)
    return 100 * share.astype(np.float64)


@jit
def _share_right(logits, labels, counted, share):  # type: ignore[no-untyped-def]
    """share[k] = (how many of `counted` are right) / (how many are counted).

    The first of equal logits wins, and NaN is larger than any number, as in torch.
    """
    K, n, C = logits.shape
    for k in range(K):
        right, total = 0, 0
        for i in range(n):
            if not counted[k, i]:
                continue
            best = 0
            for c in range(1, C):
                value, top = logits[k, i, c], logits[k, i, best]
                if value > top or (np.isnan(value) and not np.isnan(top)):
                    best = c
            total += 1
            right += best == labels[k, i]
        share[k] = np.float32(right) / np.float32(total)
