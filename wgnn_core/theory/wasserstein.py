"""The Lemma behind eq. (1): w(v) is twice a squared Wasserstein distance (appendix).

Classes are at distance 1 from each other. To turn mu_v into the uniform distribution, mass must
move from classes that have too much to classes that have too little; the least mass that has to
move is W^2, and w(v) = 2 W^2.
"""

from __future__ import annotations

import numpy as np

from wgnn_core.nonuniformity import check_distributions
from wgnn_core.theory.dirichlet import Signal
from wgnn_core.theory.statement import Hypothesis, Statement, Term, compare

TOLERANCE = 1e-6
"""Of a softmax in single precision."""


def optimal_coupling(mu: Signal, nu: Signal) -> Signal:
    """A coupling of two distributions on the same classes that moves the least mass.

    Entry (i, j) is the mass that moves from class i to class j. What both have in common stays,
    on the diagonal; the surplus of one class after the other fills the gaps in order. So a class
    with surplus gives and never takes: its *column* is zero off the diagonal, and the *row* of a
    class with a gap is. (The paper's proof puts the zeros the other way round.)

    Args:
        mu: ``[C]``, the row sums of the coupling.
        nu: ``[C]``, its column sums; the total is that of `mu`.
    """
    coupling = np.diag(np.minimum(mu, nu)).astype(np.float64)
    surplus, gap = np.maximum(mu - nu, 0.0), np.maximum(nu - mu, 0.0)
    # Along a line, give and take are intervals; the overlap of two intervals is what moves.
    given, taken = np.cumsum(surplus), np.cumsum(gap)
    start = np.maximum.outer(given - surplus, taken - gap)
    end = np.minimum.outer(given, taken)
    moved: Signal = coupling + np.maximum(end - start, 0.0)
    return moved


def moved_mass(coupling: Signal) -> float:
    """The cost of a coupling under the discrete metric: all mass off the diagonal."""
    return float(coupling.sum() - np.trace(coupling))


def wasserstein_lemma(mu: Signal) -> Statement:
    """w(v) = 2 W(mu_v, uniform)^2 for the distribution of one node, ``[C]``.

    That the coupling is the best one is shown by a lower bound that it attains: the classes with
    surplus must lose it, whatever the coupling.

    Raises:
        WGNNError: `mu` is no probability distribution on at least two classes.
    """
    check_distributions(mu)
    classes = len(mu)
    weights = np.asarray(mu, dtype=np.float64)
    weights = weights / weights.sum()
    uniform = np.full(classes, 1 / classes)
    w = float(np.abs(weights - uniform).sum())
    squared = moved_mass(optimal_coupling(weights, uniform))
    least = float(np.maximum(weights - uniform, 0.0).sum())
    return Statement(
        title="Lemma (Wasserstein)",
        words="The label non-uniformity of a node is twice the mass that must move to make its "
        "class probabilities equal.",
        hypotheses=(Hypothesis("the probabilities are at least 0 and sum to 1", True),),
        left=Term("w(v)", w),
        relation="=",
        right=Term("2 W(mu_v, uniform)^2", 2 * squared),
        holds=compare(w, "=", 2 * squared, TOLERANCE) and compare(squared, "=", least, TOLERANCE),
        terms=(
            Term("mass moved by the coupling", squared),
            Term("mass that must move at least", least),
        ),
    )
