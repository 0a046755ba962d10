"""How a fraction η of a finite set becomes a whole number of its elements."""

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


def check_fraction(name: str, eta: float) -> None:
    """Raise unless `eta` is a number in [0, 1]; NaN fails too."""
    if not 0 <= eta <= 1:
        raise WGNNError(f"{name} is {eta}; it must lie between 0 and 1.")
