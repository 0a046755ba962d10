"""The Poincare ball of curvature -1, its points seen through their logarithms at 0.

GIL needs few places of the ball, and each depends on a vector by its length and a product or two:
written so, a layer takes some ten operations on nodes instead of hundreds.
"""

from __future__ import annotations

from math import atanh

import torch
from torch import Tensor

EDGE = 1 - 4e-3
"""Points stay within this radius; the usual choice for single precision."""
REACH = atanh(EDGE)
"""How long the logarithm of a point can be."""
TINY = 1e-15


def length(v: Tensor) -> Tensor:
    """|v| of every vector, above 0; without a slope at 0."""
    norm: Tensor = torch.linalg.vector_norm(v, dim=-1, keepdim=True)
    return norm.clamp(min=TINY)


def exp0(v: Tensor) -> Tensor:
    """The point tanh(|v|) v / |v|."""
    long = length(v)
    return v * (long.tanh().clamp(max=EDGE) / long)


def log0(x: Tensor) -> Tensor:
    """The vector v whose `exp0` is the point `x`, or the point at the edge before it."""
    long = length(x)
    return x * (long.clamp(max=EDGE).atanh() / long)


def within_reach(v: Tensor) -> Tensor:
    """log0(exp0 v)."""
    long = length(v)
    return v * (long.clamp(max=REACH) / long)


def inside(x: Tensor) -> Tensor:
    """`x`, or the point at the edge before it."""
    long = length(x)
    return x * (long.clamp(max=EDGE) / long)


def add(x: Tensor, y: Tensor) -> Tensor:
    """Moebius addition of points, not yet brought `inside`."""
    x2, y2 = x.square().sum(-1, keepdim=True), y.square().sum(-1, keepdim=True)
    xy = (x * y).sum(-1, keepdim=True)
    below = (1 + 2 * xy + x2 * y2).clamp(min=TINY)
    return x * ((1 + 2 * xy + y2) / below) + y * ((1 - x2) / below)


def distance(x: Tensor, y: Tensor) -> Tensor:
    """2 artanh |-x (+) y| = 2 arsinh(|x - y| / sqrt((1 - |x|^2) (1 - |y|^2)))."""
    room_x, room_y = (1 - point.square().sum(-1, keepdim=True) for point in (x, y))
    apart: Tensor = torch.linalg.vector_norm(x - y, dim=-1, keepdim=True)
    return 2 * (apart / (room_x * room_y).sqrt()).asinh()


def distance_to_planes(z: Tensor, points: Tensor, normals: Tensor) -> Tensor:
    """Signed distances of points z ``[K, n, d]`` to the hyperplanes through `points`.

    `points` and `normals` are ``[K, C, d]``, the result ``[K, n, C]``. With x = -p (+) z it is
    arsinh(2 <x, a> / ((1 - |x|^2) |a|)), and the denominators of <x, a> and 1 - |x|^2 cancel.
    """
    z2 = z.square().sum(-1, keepdim=True)
    p2 = points.square().sum(-1).unsqueeze(1)
    pa = (points * normals).sum(-1).unsqueeze(1)
    pz, za = z @ points.mT, z @ normals.mT
    along = (1 - p2) * za - (1 + z2 - 2 * pz) * pa
    return (2 * along / ((1 - p2) * (1 - z2) * length(normals).mT)).asinh()
