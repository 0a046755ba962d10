"""Is the softmax as sure as it is right? Reliability diagram and ECE."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wgnn_core.errors import WGNNError
from wgnn_core.graph import FloatArray, IntArray
from wgnn_core.nonuniformity import check_distributions

Float64Array = npt.NDArray[np.float64]

BINS = 15
"""Guo et al. (2017) use 15 bins."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """The nodes sorted into bins by confidence, the largest softmax value; all in percent.

    Attributes:
        edges: Ends of the bins, from 0 to 100, ``[M + 1]``; a bin includes its upper end.
        count: Nodes in each bin, ``[M]``.
        confidence: Mean confidence in each bin, ``[M]``; nan in an empty bin.
        accuracy: Accuracy in each bin, ``[M]``; nan in an empty bin.
        ece: Expected calibration error: the mean over the nodes of the distance between accuracy
            and confidence of their bin.
        gap: Mean confidence minus accuracy over all nodes; positive means too sure of itself.
    """

    edges: Float64Array
    count: IntArray
    confidence: Float64Array
    accuracy: Float64Array
    ece: float
    gap: float


def reliability(prob: FloatArray, labels: IntArray, bins: int = BINS) -> Reliability:
    """Reliability diagram and ECE (Guo et al., "On Calibration of Modern Neural Networks", 2017).

    Args:
        prob: Softmax probabilities of the judged nodes, ``[n, C]``; stack seeds to pool them.
        labels: Their true classes, ``[n]``.
        bins: Number M of bins of equal width.
    """
    check_distributions(prob)
    if prob.ndim != 2 or len(prob) != len(labels) or len(labels) == 0:
        raise WGNNError(
            f"Probabilities have shape {prob.shape} for {len(labels)} labels; "
            "a reliability diagram needs one row for each label and at least 1."
        )
    if bins < 1:
        raise WGNNError(f"bins is {bins}; a reliability diagram needs at least 1.")
    confidence = 100 * prob.max(axis=1).astype(np.float64)
    right = 100.0 * (prob.argmax(axis=1) == labels)
    edges = np.linspace(0, 100, bins + 1)
    place = (np.searchsorted(edges, confidence, side="left") - 1).clip(0, bins - 1)
    count = np.bincount(place, minlength=bins)
    with np.errstate(invalid="ignore"):  # 0/0 = nan in an empty bin
        mean = np.bincount(place, weights=confidence, minlength=bins) / count
        accuracy = np.bincount(place, weights=right, minlength=bins) / count
    ece = np.nansum(count * np.abs(accuracy - mean)) / len(labels)
    gap = confidence.mean() - right.mean()
    return Reliability(edges, count, mean, accuracy, float(ece), float(gap))
