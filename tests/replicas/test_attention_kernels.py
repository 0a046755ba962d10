"""The exponential that LLVM can vectorise."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wgnn_core.replicas.attention_kernels import exp_in_place


def approximate(x: np.ndarray) -> np.ndarray:
    out, bits = x.copy(), np.empty(len(x), np.int32)
    exp_in_place(out, bits, bits.view(np.float32))
    return out


def test_exp_against_numpy() -> None:
    x = -np.linspace(0, 87, 100_001, dtype=np.float32)
    exact = np.exp(x.astype(np.float64))
    # the argument's own rounding moves exp(x) by up to |x| * 6e-8
    tolerance = 3e-7 + 1.2e-7 * np.abs(x)
    assert (np.abs(approximate(x) / exact - 1) < tolerance).all()
    assert approximate(np.zeros(3, np.float32)).tolist() == [1, 1, 1]
    assert (approximate(np.full(3, -3e38, np.float32)) < 2e-38).all()


@settings(max_examples=30)
@given(st.lists(st.floats(-80, 0, width=32), min_size=1, max_size=40), st.integers(0, 9))
def test_exp_does_not_depend_on_the_place(values: list[float], before: int) -> None:
    """Vector lanes and the scalar remainder give the same bits."""
    x = np.asarray(values, np.float32)
    shifted = approximate(np.concatenate([np.zeros(before, np.float32), x]))[before:]
    np.testing.assert_array_equal(shifted, approximate(x))
