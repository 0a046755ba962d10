"""The smooth interpolation f~ of observed label weights (Section 3.1).

For a class s the nodes of O_1 are observed at 1 (this class) and those of O_0 at 0 (other
classes); f~ minimises f' L f' among all f' that agree with the observations. All classes are
interpolated at once: the matrix is the same, only the right-hand sides differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from wgnn_core.errors import WGNNError
from wgnn_core.graph import HIDDEN, BoolArray, IntArray
from wgnn_core.theory.dirichlet import Signal, harmonic_extension


@dataclass(frozen=True, eq=False)
class Flow:
    """f~ of one class, between its two poles.

    Attributes:
        f: f~, ``[N]``; nan on every connected component without an observed node.
        rest: 1 - f~, without the cancellation that `1 - f` suffers where f~ is nearly 1.
        zeros: O_0, ``[N]``.
        ones: O_1, ``[N]``.
        iterated: Whether conjugate gradients were used, whose error is absolute: values below
            about 1e-12 are then noise. A factor is exact to rounding, relative to each value.
    """

    f: Signal
    rest: Signal
    zeros: BoolArray
    ones: BoolArray
    iterated: bool

    @property
    def free(self) -> BoolArray:
        """The nodes outside O that have a value."""
        return ~(self.zeros | self.ones) & self.reached

    @property
    def reached(self) -> BoolArray:
        """The nodes whose connected component holds an observed node."""
        return np.isfinite(self.f)


@dataclass(frozen=True, eq=False)
class Interpolation:
    """f~ for every class.

    Attributes:
        weights: ``[N, C]``; each row sums to 1, or is nan where no observed node is reached.
        labels: The observed class of each node, else `HIDDEN`, ``[N]``.
        reached: Nodes whose connected component holds an observed node, ``[N]``.
        islands: How many connected components hold none.
        iterated: See `Flow`.
    """

    weights: Signal
    labels: IntArray
    reached: BoolArray
    islands: int
    iterated: bool

    def flow(self, label: int) -> Flow:
        """f~ of class `label` against all others.

        Raises:
            WGNNError: No node is observed as this class, or none as another.
        """
        num_classes = self.weights.shape[1]
        if not 0 <= label < num_classes:
            raise WGNNError(f"class {label} is none; classes are 0 to {num_classes - 1}.")
        ones = self.labels == label
        zeros = (self.labels != HIDDEN) & ~ones
        _check_poles(zeros, ones)
        others = np.arange(num_classes) != label
        return Flow(
            self.weights[:, label], self.weights[:, others].sum(axis=1), zeros, ones, self.iterated
        )


def interpolate(adjacency: sparse.csr_array, labels: IntArray, num_classes: int) -> Interpolation:
    """f~ of every class from one factorisation (Section 3.1).

    Args:
        adjacency: Symmetric 0/1 matrix without self-loops, ``[N, N]``.
        labels: Observed class numbers, `HIDDEN` on every node that is not observed, ``[N]``.
        num_classes: C.

    Raises:
        WGNNError: No node is observed, or a label is no class.
    """
    wrong = (labels != HIDDEN) & ((labels < 0) | (labels >= num_classes))
    if wrong.any():
        node = int(np.argmax(wrong))
        raise WGNNError(
            f"node {node} is observed as class {labels[node]}; classes are 0 to {num_classes - 1}."
        )
    given = labels != HIDDEN
    one_hot = np.eye(num_classes)[np.where(given, labels, 0)]
    extension = harmonic_extension(adjacency, given, one_hot)
    return Interpolation(
        extension.values, labels, extension.reached, extension.islands, extension.iterated
    )


def flow_between(adjacency: sparse.csr_array, zeros: BoolArray, ones: BoolArray) -> Flow:
    """f~ between the poles O_0 and O_1, given as masks.

    Raises:
        WGNNError: O_0 or O_1 is empty, or they share a node.
    """
    _check_poles(zeros, ones)
    labels = np.where(ones, 1, np.where(zeros, 0, HIDDEN)).astype(np.int64)
    return interpolate(adjacency, labels, 2).flow(1)


def smooth_interpolation(adjacency: sparse.csr_array, zeros: BoolArray, ones: BoolArray) -> Signal:
    """f~ between O_0 and O_1 in [0, 1], ``[N]``, for a figure: rounding errors are cut off.

    See `flow_between`.
    """
    return np.clip(flow_between(adjacency, zeros, ones).f, 0.0, 1.0)


def _check_poles(zeros: BoolArray, ones: BoolArray) -> None:
    for name, mask in (("O_0", zeros), ("O_1", ones)):
        if not mask.any():
            raise WGNNError(f"{name} is empty; it needs at least one observed node.")
    both = zeros & ones
    if both.any():
        raise WGNNError(f"node {int(np.argmax(both))} is in O_0 and in O_1; they are disjoint.")
