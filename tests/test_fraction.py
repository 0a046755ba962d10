import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core.errors import WGNNError
from wgnn_core.fraction import ceil_fraction, floor_fraction


@given(tenths=st.integers(0, 100), count=st.integers(0, 50_000))
def test_floor_is_the_floor_of_the_decimal_a_user_typed(tenths, count):
    assert floor_fraction("eta", tenths / 100, count) == math.floor(Fraction(tenths, 100) * count)


def test_binary_rounding_does_not_lose_an_element():
    assert 0.29 * 100 < 29
    assert floor_fraction("eta", 0.29, 100) == 29


@pytest.mark.parametrize("eta", [1.3, -0.1, math.nan, math.inf])
def test_eta_outside_the_unit_interval_is_named(eta):
    with pytest.raises(WGNNError, match=f"^eta1 is {eta}; it must lie between 0 and 1"):
        floor_fraction("eta1", eta, 10)


@given(percent=st.integers(1, 100), count=st.integers(1, 50_000))
def test_ceil_is_the_ceil_of_the_decimal_a_user_typed(percent, count):
    assert ceil_fraction(percent / 100, count) == math.ceil(Fraction(percent, 100) * count)


def test_binary_rounding_does_not_add_a_node_and_one_is_always_trusted():
    assert 0.07 * 100 > 7
    assert ceil_fraction(0.07, 100) == 7
    assert ceil_fraction(1e-12, 100) == 1


@pytest.mark.parametrize("alpha", [0.0, -0.1, 1.01, math.nan])
def test_alpha_outside_its_interval_is_named(alpha):
    with pytest.raises(WGNNError, match=f"^alpha is {alpha}; it must be greater than 0"):
        ceil_fraction(alpha, 10)
