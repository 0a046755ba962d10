"""Label non-uniformity w(v), eq. (1) of the paper."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from wgnn_core.errors import WGNNError

Float = TypeVar("Float", bound=np.floating[Any])

SUM_TOLERANCE = 1e-3
"""A float32 softmax sums to 1 within about 1e-6; logits mistaken for probabilities do not."""


def nonuniformity(prob: npt.NDArray[Float]) -> npt.NDArray[Float]:
    """Label non-uniformity w(v) = sum_s |mu_v(s) - 1/C|, eq. (1).

    It is twice the total variation distance between mu_v and the uniform distribution on the
    C classes, which is twice the squared 2-Wasserstein distance under the discrete metric
    (d(s, s') = 1 for s != s'). Its range is [0, `max_nonuniformity(C)`]: 0 exactly at the
    uniform distribution, the maximum exactly at a one-hot one.

    Args:
        prob: Softmax probabilities mu, ``[..., C]``, such as ``[N, C]`` or ``[K, N, C]``.

    Returns:
        w, ``[...]``, in the precision of `prob`.

    Raises:
        WGNNError: If there are fewer than two classes or a row is no probability distribution.
    """
    check_distributions(prob)
    w: npt.NDArray[Float] = np.abs(prob - prob.dtype.type(1 / prob.shape[-1])).sum(axis=-1)
    return w


def max_nonuniformity(num_classes: int) -> float:
    """The largest value of w over distributions on `num_classes` classes: 2 (1 - 1/C)."""
    if num_classes < 2:
        raise WGNNError(f"The number of classes is {num_classes}; it must be at least 2.")
    return 2 * (1 - 1 / num_classes)


def check_distributions(prob: npt.NDArray[Float]) -> None:
    """Raise unless each row of `prob` is a probability distribution on at least two classes."""
    if prob.ndim < 1 or prob.shape[-1] < 2:
        raise WGNNError(
            f"Probabilities have shape {prob.shape}; the last axis must hold at least 2 classes."
        )
    total = prob.sum(axis=-1)
    bad = ~(np.abs(total - 1) <= SUM_TOLERANCE) | (prob < -SUM_TOLERANCE).any(axis=-1)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise WGNNError(
            f"The probabilities at {where} are {prob[where]}; "
            "they must be at least 0 and sum to 1 (a softmax, not logits)."
        )
