"""Algorithm 1: supplement the training set R with the test nodes of largest w.

In a partly labelled graph the unlabelled nodes stand beside the test nodes: see
`Graph.candidates`, which gives the set to hand in as `test_mask`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from wgnn_core.fraction import floor_fraction
from wgnn_core.graph import HIDDEN, BoolArray, IntArray
from wgnn_core.ranking import order


@dataclass(frozen=True, eq=False)
class Supplement:
    """Outcome of Algorithm 1, over the nodes.

    Attributes:
        added: V' = R' minus R, the test nodes that join the training set.
        train: R', the supplemented training set.
        labels: Predicted label on `added`, `HIDDEN` elsewhere.
    """

    added: BoolArray
    train: BoolArray
    labels: IntArray


def supplement(
    w: npt.NDArray[np.floating[Any]],
    predicted: IntArray,
    split_train: BoolArray,
    test_mask: BoolArray,
    eta0: float,
) -> Supplement:
    """Algorithm 1, steps (b) to (d): R becomes R'.

    The floor(eta0 |T|) test nodes with the largest w join R with their predicted labels; nodes
    of equal w join in order of node number, so R' grows with eta0. No true label is read, and
    eta0 = 0 changes nothing.

    Args:
        w: Label non-uniformity of every node, ``[N]``.
        predicted: Label that the base model predicts for every node, ``[N]``.
        split_train: Training set R.
        test_mask: Test set T, or T and the unlabelled nodes (`Graph.candidates`).
        eta0: Fraction of T to add, in [0, 1].
    """
    count = floor_fraction("eta0", eta0, int(test_mask.sum()))
    added = np.zeros(len(w), dtype=np.bool_)
    added[order(w, test_mask)[:count]] = True
    labels = np.where(added, predicted, HIDDEN).astype(np.int64)
    return Supplement(added=added, train=split_train | added, labels=labels)
