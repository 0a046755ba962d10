"""The formulas of the Poincare ball against geoopt in double precision."""

from __future__ import annotations

from math import tanh

import geoopt
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core.models import ball

REFERENCE = geoopt.PoincareBall(c=1.0)
lengths = st.floats(1e-3, 8.0)


def vectors(seed: int, long: float, *shape: int) -> torch.Tensor:
    """Random directions, all of one length."""
    rng = torch.Generator().manual_seed(seed)
    found = torch.randn(*shape, generator=rng, dtype=torch.float64)
    return long * found / found.norm(dim=-1, keepdim=True)


def same(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


@given(st.integers(0, 1000), lengths)
def test_points_and_their_logarithms(seed, long) -> None:
    v = vectors(seed, long, 5, 3)
    x = ball.exp0(v)
    same(x, v / long * min(tanh(long), ball.EDGE))
    same(ball.log0(x), REFERENCE.logmap0(x))
    same(ball.within_reach(v), ball.log0(x))
    same(ball.inside(v), v / long * min(long, ball.EDGE))


@given(st.integers(0, 1000), lengths, lengths)
def test_addition_and_distance(seed, long_x, long_y) -> None:
    x, y = ball.exp0(vectors(seed, long_x, 5, 3)), ball.exp0(vectors(seed + 1, long_y, 5, 3))
    same(ball.add(x, y), REFERENCE.mobius_add(x, y, project=False))
    same(ball.distance(x, y), REFERENCE.dist(x, y, keepdim=True))


@given(st.integers(0, 1000), lengths, st.floats(1e-3, 3.0))
def test_distance_to_planes(seed, long, normal) -> None:
    z = ball.exp0(vectors(seed, long, 2, 5, 3))
    points = ball.exp0(vectors(seed + 1, 0.7, 2, 4, 3))
    normals = vectors(seed + 2, normal, 2, 4, 3)
    theirs = REFERENCE.dist2plane(
        z.unsqueeze(2), points.unsqueeze(1), normals.unsqueeze(1), signed=True
    )
    same(ball.distance_to_planes(z, points, normals), theirs)


@pytest.mark.parametrize("f", [ball.exp0, ball.log0, ball.within_reach, ball.inside])
def test_the_origin_stays_where_it_is_and_has_a_slope(f) -> None:
    zero = torch.zeros(2, 3, requires_grad=True)
    out = f(zero)
    assert (out == 0).all()
    out.sum().backward()
    assert zero.grad.isfinite().all()
