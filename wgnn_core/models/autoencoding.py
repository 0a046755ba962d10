"""Two parts of MaskGAE, compiled: batch normalisation with ELU, and products of nodes' vectors.

`wgnn_core.models.maskgae` has them in plain torch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from wgnn_core.replicas.attention_kernels import exp_in_place
from wgnn_core.replicas.compiled import jit
from wgnn_core.replicas.kernels import U, draw
from wgnn_core.replicas.random import UIntArray, threshold

_ZERO, _ONE = np.float32(0), np.float32(1)
BLOCK = 64
"""So many rows are summed in single precision, which is faster; their sums in double."""


class NormalisedElu(torch.autograd.Function):
    """ELU((h - mean) / sqrt(variance + epsilon) * scale + shift), moments over a replica's nodes.

    Gives the moments ``[K, 1, d]`` as well, through which no gradient goes back from outside.
    """

    @staticmethod
    def forward(
        ctx: Any, h: Tensor, scale: Tensor, shift: Tensor, epsilon: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        h, scale, shift = h.contiguous(), scale.contiguous(), shift.contiguous()
        out, mean, variance = torch.empty_like(h), torch.empty_like(scale), torch.empty_like(scale)
        _moments(h.numpy(), mean.numpy(), variance.numpy())
        root = (variance + epsilon).rsqrt()
        factor = root * scale
        _elu(h.numpy(), factor.numpy(), (shift - mean * factor).numpy(), out.numpy())
        ctx.save_for_backward(h, out, mean, root, scale)
        ctx.mark_non_differentiable(mean, variance)
        return out, mean, variance

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        h, out, mean, root, scale = ctx.saved_tensors
        to_h, to_scale, to_shift = map(torch.empty_like, (h, mean, mean))
        _elu_backward(
            grads[0].contiguous().numpy(), h.numpy(), out.numpy(), mean.numpy(), root.numpy(),
            scale.numpy(), to_h.numpy(), to_scale.numpy(), to_shift.numpy(),
        )  # fmt: skip
        return to_h, to_scale, to_shift, None


class PairProduct(torch.autograd.Function):
    """dropout(z_i * z_j) for the pairs i, j ``[K, M]`` of each replica: ``[K, n, d] -> [K, M, d]``.

    An empty `keys` means no dropout.
    """

    @staticmethod
    def forward(ctx: Any, z: Tensor, i: Tensor, j: Tensor, keys: UIntArray, p: float) -> Tensor:
        z, i, j = z.contiguous(), i.contiguous(), j.contiguous()
        out = torch.empty(*i.shape, z.shape[2])
        factors = torch.empty_like(out) if len(keys) else torch.empty(0, 0, 0)
        _pairs(
            z.numpy(), i.numpy(), j.numpy(), keys, U(threshold(1 - p)), np.float32(1 / (1 - p)),
            factors.numpy(), out.numpy(),
        )  # fmt: skip
        ctx.save_for_backward(z, i, j, factors)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        z, i, j, factors = ctx.saved_tensors
        to_z = torch.zeros_like(z)
        grad = grads[0] * factors if len(factors) else grads[0].contiguous()
        _pairs_backward(z.numpy(), i.numpy(), j.numpy(), grad.numpy(), to_z.numpy())
        return to_z, None, None, None, None


@jit
def _moments(h, mean, variance):  # type: ignore[no-untyped-def]
    K, n, d = h.shape[0], h.shape[1], U(h.shape[2])
    part, total = np.empty(h.shape[2], np.float32), np.empty(h.shape[2], np.float64)
    for k in range(K):
        total[:] = 0
        for begin in range(0, n, BLOCK):
            part[:] = 0
            for i in range(begin, min(begin + BLOCK, n)):
                row = h[k, i]
                for c in range(d):
                    part[c] += row[c]
            for c in range(d):
                total[c] += part[c]
        for c in range(d):
            mean[k, 0, c] = total[c] / n
        total[:] = 0
        middle = mean[k, 0]
        for begin in range(0, n, BLOCK):
            part[:] = 0
            for i in range(begin, min(begin + BLOCK, n)):
                row = h[k, i]
                for c in range(d):
                    apart = row[c] - middle[c]
                    part[c] += apart * apart
            for c in range(d):
                total[c] += part[c]
        for c in range(d):
            variance[k, 0, c] = total[c] / n


@jit
def _elu(h, factor, offset, out):  # type: ignore[no-untyped-def]
    K, n, d = h.shape[0], h.shape[1], U(h.shape[2])
    below = np.empty(h.shape[2], np.float32)
    bits = np.empty(h.shape[2], np.int32)
    power = bits.view(np.float32)
    for k in range(K):
        a, b = factor[k, 0], offset[k, 0]
        for i in range(n):
            row, found = h[k, i], out[k, i]
            for c in range(d):
                y = row[c] * a[c] + b[c]
                found[c] = max(y, _ZERO)
                below[c] = min(y, _ZERO)
            exp_in_place(below, bits, power)
            for c in range(d):
                found[c] += below[c] - _ONE


@jit
def _elu_backward(  # type: ignore[no-untyped-def]
    grad, h, out, mean, root, scale, to_h, to_scale, to_shift
):
    K, n, d = h.shape[0], h.shape[1], U(h.shape[2])
    sums, products = np.empty(h.shape[2], np.float64), np.empty(h.shape[2], np.float64)
    sum_part, product_part = np.empty(h.shape[2], np.float32), np.empty(h.shape[2], np.float32)
    for k in range(K):
        sums[:] = 0
        products[:] = 0
        middle, size = mean[k, 0], root[k, 0]
        for begin in range(0, n, BLOCK):
            sum_part[:] = 0
            product_part[:] = 0
            for i in range(begin, min(begin + BLOCK, n)):
                row, g, found, to_row = h[k, i], grad[k, i], out[k, i], to_h[k, i]
                for c in range(d):
                    back = g[c] * (min(found[c], _ZERO) + _ONE)
                    to_row[c] = back
                    sum_part[c] += back
                    product_part[c] += back * ((row[c] - middle[c]) * size[c])
            for c in range(d):
                sums[c] += sum_part[c]
                products[c] += product_part[c]
        for c in range(d):
            to_shift[k, 0, c] = sums[c]
            to_scale[k, 0, c] = products[c]
        level, slope, factor = to_shift[k, 0] / n, to_scale[k, 0] / n, scale[k, 0] * size
        for i in range(n):
            row, to_row = h[k, i], to_h[k, i]
            for c in range(d):
                place = (row[c] - middle[c]) * size[c]
                to_row[c] = factor[c] * (to_row[c] - level[c] - place * slope[c])


@jit
def _pairs(z, i, j, keys, thr, scale, factors, out):  # type: ignore[no-untyped-def]
    """`factors` becomes what dropout multiplies with, 0 or `scale`."""
    K, M, d = out.shape[0], out.shape[1], U(out.shape[2])
    for k in range(K):
        for m in range(M):
            one, other, found = z[k, U(i[k, m])], z[k, U(j[k, m])], out[k, m]
            for c in range(d):
                found[c] = one[c] * other[c]
            if len(keys):
                base, factor = U(m) * d, factors[k, m]
                for c in range(d):
                    factor[c] = scale if draw(keys[k], base + c) < thr else _ZERO
                for c in range(d):
                    found[c] *= factor[c]


@jit
def _pairs_backward(z, i, j, grad, to_z):  # type: ignore[no-untyped-def]
    K, M, d = grad.shape[0], grad.shape[1], U(grad.shape[2])
    for k in range(K):
        for m in range(M):
            g, a, b = grad[k, m], U(i[k, m]), U(j[k, m])
            one, other, to_one, to_other = z[k, a], z[k, b], to_z[k, a], to_z[k, b]
            for c in range(d):
                to_one[c] += g[c] * other[c]
            for c in range(d):
                to_other[c] += g[c] * one[c]
