"""How a fraction η or α of a finite set becomes a whole number of its elements."""

from __future__ import annotations

import math

from wgnn_core.errors import WGNNError

ROUNDING_SLACK = 1e-9
"""Absorbs binary rounding: 0.29 of 100 is 29, although 0.29 * 100 < 29 in floats."""


def floor_fraction(name: str, eta: float, count: int) -> int:
    """floor(eta * count): the rounding rule of η0, η1 and η2 (the authors' code floors too).

    Args:
        name: Name of the hyperparameter, for the error message.
        eta: Fraction in [0, 1].
        count: Size of the set.

    Raises:
        WGNNError: If `eta` is not a number in [0, 1].
    """
    check_fraction(name, eta)
    return math.floor(eta * count + ROUNDING_SLACK)


def ceil_fraction(alpha: float, count: int) -> int:
    """ceil(alpha * count), at least 1: how many of `count` ranked nodes a coverage alpha trusts.

    Args:
        alpha: Coverage in (0, 1].
        count: Number of nodes, at least 1.

    Raises:
        WGNNError: If `alpha` is not a number in (0, 1].
    """
    if not 0 < alpha <= 1:
        raise WGNNError(f"alpha is {alpha}; it must be greater than 0 and at most 1.")
    return max(1, math.ceil(alpha * count - ROUNDING_SLACK))


def check_fraction(name: str, eta: float) -> None:
    """Raise unless `eta` is a number in [0, 1]; NaN fails too."""
    if not 0 <= eta <= 1:
        raise WGNNError(f"{name} is {eta}; it must lie between 0 and 1.")
