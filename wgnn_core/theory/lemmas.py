"""What Section 3 builds on: averaging, range and linearity of the smooth interpolation.

Each is checked by its residual: how far the computed values are from what is proved.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from wgnn_core.graph import BoolArray
from wgnn_core.theory.dirichlet import Signal, harmonic_extension
from wgnn_core.theory.harmonic import Flow
from wgnn_core.theory.statement import Hypothesis, Statement, Term

TOLERANCE = 1e-9
"""Above the error of every solve that this library does on graphs of moderate length."""


def averaging(adjacency: sparse.csr_array, flow: Flow) -> Statement:
    """The averaging property: outside O, f~ is the mean of f~ over the neighbours (first Lemma)."""
    values = np.where(flow.reached, flow.f, 0.0)
    degree = np.diff(adjacency.indptr)
    free = np.flatnonzero(flow.free)
    mean = (adjacency @ values)[free] / degree[free]
    off = np.abs(mean - values[free])
    worst = float(off.max(initial=0.0))
    return Statement(
        title="Lemma (averaging)",
        words="At every node that is not observed, the smooth interpolation is the average of "
        "its neighbours.",
        hypotheses=(_defined(flow),),
        left=Term("largest distance from the average", worst),
        relation="=",
        right=Term("zero", 0.0),
        holds=worst <= TOLERANCE,
        nodes={"worst node": free[off == worst][:1]},
    )


def value_range(flow: Flow) -> Statement:
    """The range: 0 <= f~ <= 1 everywhere (Corollary in the appendix)."""
    values = flow.f[flow.reached]
    overshoot = float(max(0.0, -values.min(), values.max() - 1))
    return Statement(
        title="Corollary (range)",
        words="The smooth interpolation never leaves the range of what is observed, 0 to 1.",
        hypotheses=(_defined(flow),),
        left=Term("farthest outside 0 to 1", overshoot),
        relation="=",
        right=Term("zero", 0.0),
        holds=overshoot <= TOLERANCE,
        terms=(Term("smallest value", values.min()), Term("largest value", values.max())),
    )


def linearity(
    adjacency: sparse.csr_array,
    given: BoolArray,
    first: Signal,
    second: Signal,
    factors: tuple[float, float] = (1.0, 1.0),
) -> Statement:
    """Smooth interpolation is well-defined and linear (second Lemma of the appendix).

    Args:
        adjacency: Symmetric 0/1 matrix without self-loops, ``[N, N]``.
        given: Mask of O, ``[N]``.
        first: A signal, ``[N]``, read on O only.
        second: Another.
        factors: Their factors in the combination that is interpolated directly.
    """
    a, b = factors
    combined = a * first + b * second
    extension = harmonic_extension(adjacency, given, np.stack([first, second, combined], axis=1))
    x, y, both = extension.values[extension.reached].T
    off = float(np.abs(both - a * x - b * y).max(initial=0.0))
    size = float(np.abs(both).max(initial=1.0))
    return Statement(
        title="Lemma (linearity)",
        words="Interpolating a combination of two signals gives the same combination of their "
        "interpolations. So signals that are close on the observed nodes stay close everywhere.",
        hypotheses=(
            Hypothesis("at least one node is observed", bool(given.any())),
            Hypothesis("every connected component has an observed node", not extension.islands),
        ),
        left=Term("largest distance between the two", off),
        relation="=",
        right=Term("zero", 0.0),
        holds=off <= TOLERANCE * size and not extension.islands,
        terms=(Term("components without an observed node", extension.islands),),
    )


def _defined(flow: Flow) -> Hypothesis:
    return Hypothesis(
        "every connected component has an observed node (others have no value and are left out)",
        bool(flow.reached.all()),
        needed=False,
    )
