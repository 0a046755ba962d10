"""Which classes are taken for which, and which nodes a second model fixes or breaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wgnn_core.errors import WGNNError
from wgnn_core.graph import BoolArray, IntArray


def confusion_matrix(labels: IntArray, predicted: IntArray, num_classes: int) -> IntArray:
    """Number of nodes of true class i that are predicted as class j, ``[C, C]``.

    Args:
        labels: True classes of the judged nodes, 0 to C - 1, ``[n]``.
        predicted: Predicted classes, ``[n]``.
        num_classes: C.
    """
    if labels.shape != predicted.shape:
        raise WGNNError(
            f"The labels have shape {labels.shape} and the predictions {predicted.shape}; "
            "there must be one prediction for each label."
        )
    both = np.concatenate([labels.ravel(), predicted.ravel()])
    outside = (both < 0) | (both >= num_classes)
    if outside.any():
        raise WGNNError(f"A class is {both[outside][0]}; classes are 0 to {num_classes - 1}.")
    flat = num_classes * labels.ravel() + predicted.ravel()
    return np.bincount(flat, minlength=num_classes**2).reshape(num_classes, num_classes)


def class_accuracy(matrix: IntArray) -> npt.NDArray[np.float64]:
    """Accuracy in percent on the nodes of each true class, ``[C]``; nan for an absent class."""
    with np.errstate(invalid="ignore"):  # 0/0 = nan
        return np.asarray(100 * np.diag(matrix) / matrix.sum(axis=1))


@dataclass(frozen=True, eq=False)
class Changes:
    """Nodes by what happened to their prediction, disjoint masks that cover all nodes.

    Attributes:
        fixed: Wrong before, right after.
        broken: Right before, wrong after.
        right: Right both times.
        wrong: Wrong both times, whether or not the prediction changed.
    """

    fixed: BoolArray
    broken: BoolArray
    right: BoolArray
    wrong: BoolArray


def changes(labels: IntArray, before: IntArray, after: IntArray) -> Changes:
    """Compare two predictions of the same nodes, ``[N]`` each."""
    first, second = before == labels, after == labels
    return Changes(
        fixed=~first & second, broken=first & ~second, right=first & second, wrong=~first & ~second
    )
