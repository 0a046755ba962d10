"""A layer of ACM-GCN from X W on, compiled; `wgnn_core.models.acmgcn` has it in plain torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from wgnn_core.replicas import kernels
from wgnn_core.replicas.compiled import jit_sums
from wgnn_core.replicas.kernels import U
from wgnn_core.replicas.structure import Layer

_ZERO, _ONE, _THREE = np.float32(0), np.float32(1), np.float32(3)


class Mix(torch.autograd.Function):
    """The three channels of every row and their mixture, ``[K, n, 3 d] -> [K, m, d]``.

    `xw` is X [W_L W_H W_I] on the rows that `layer` reads, `weight` the entries of A; with `after`
    the filters come after the ReLU (ACMII).
    """

    @staticmethod
    def forward(
        ctx: Any, xw: Tensor, v: Tensor, M: Tensor, weight: Tensor, layer: Layer, after: bool
    ) -> Tensor:
        xw, v, M = xw.contiguous(), v.contiguous(), M.contiguous()
        K, _, width = xw.shape
        d, m = width // 3, len(layer.rows)
        front = xw[..., : 2 * d].relu() if after else xw[..., : 2 * d].contiguous()
        passed = torch.empty(K, m, 2 * d)
        kernels.propagate(
            layer.indptr, layer.source, layer.first_slot, weight.numpy(), front.numpy(),
            passed.numpy(),
        )  # fmt: skip
        channels, out = torch.empty(K, m, width), torch.empty(K, m, d)
        gate, alpha = torch.empty(K, m, 3), torch.empty(K, m, 3)
        _mix(
            xw.numpy(), passed.numpy(), layer.own, v.numpy(), M.numpy(), after,
            channels.numpy(), gate.numpy(), alpha.numpy(), out.numpy(),
        )  # fmt: skip
        ctx.save_for_backward(xw, v, M, channels, gate, alpha)
        ctx.arguments = (weight, layer, after)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        xw, v, M, channels, gate, alpha = ctx.saved_tensors
        weight, layer, after = ctx.arguments
        K, n, width = xw.shape
        d = width // 3
        to_xw, to_v, to_M = torch.zeros_like(xw), torch.zeros_like(v), torch.zeros_like(M)
        to_passed, to_front = torch.empty(K, len(layer.rows), 2 * d), torch.zeros(K, n, 2 * d)
        _mix_backward(
            channels.numpy(), gate.numpy(), alpha.numpy(), layer.own, v.numpy(), M.numpy(), after,
            grads[0].contiguous().numpy(), to_xw.numpy(), to_passed.numpy(), to_v.numpy(),
            to_M.numpy(),
        )  # fmt: skip
        kernels.propagate_backward(
            layer.indptr, layer.source, layer.first_slot, weight.numpy(), to_passed.numpy(),
            to_front.numpy(),
        )  # fmt: skip
        to_xw[..., : 2 * d] += to_front
        if after:
            to_xw[..., : 2 * d] *= xw[..., : 2 * d] > 0
        return to_xw, to_v, to_M, None, None, None


@jit_sums
def _mix(xw, passed, own, v, M, after, channels, gate, alpha, out):  # type: ignore[no-untyped-def]
    K, m, d = len(out), out.shape[1], U(out.shape[2])
    high, same = d, U(2) * d  # where the second and the third channel begin
    mixed = np.empty(3, np.float32)
    for k in range(K):
        for i in range(m):
            row, gone, found = xw[k, own[i]], passed[k, i], channels[k, i]
            if after:
                for c in range(d):
                    found[c] = gone[c]
                    found[high + c] = max(row[high + c], _ZERO) - gone[high + c]
            else:
                for c in range(d):
                    found[c] = max(gone[c], _ZERO)
                    found[high + c] = max(row[high + c] - gone[high + c], _ZERO)
            for c in range(d):
                found[same + c] = max(row[same + c], _ZERO)
            t = gate[k, i]
            for j in range(3):
                total, begin, part = _ZERO, U(j) * d, v[k, j]
                for c in range(d):
                    total += found[begin + c] * part[c]
                t[j] = _ONE / (_ONE + np.exp(-total))
            for j in range(3):
                mixed[j] = (t[0] * M[k, 0, j] + t[1] * M[k, 1, j] + t[2] * M[k, 2, j]) / _THREE
            top = max(mixed[0], mixed[1], mixed[2])
            for j in range(3):
                mixed[j] = np.exp(mixed[j] - top)
            total = mixed[0] + mixed[1] + mixed[2]
            for j in range(3):
                alpha[k, i, j] = mixed[j] / total
            a, b, e = _THREE * alpha[k, i, 0], _THREE * alpha[k, i, 1], _THREE * alpha[k, i, 2]
            mixture = out[k, i]
            for c in range(d):
                mixture[c] = a * found[c] + b * found[high + c] + e * found[same + c]


@jit_sums
def _mix_backward(  # type: ignore[no-untyped-def]
    channels, gate, alpha, own, v, M, after, grad, to_xw, to_passed, to_v, to_M
):
    K, m, d = len(grad), grad.shape[1], U(grad.shape[2])
    high, same = d, U(2) * d
    to_mixed, to_sum = np.empty(3, np.float32), np.empty(3, np.float32)
    for k in range(K):
        for i in range(m):
            found, g, t, a = channels[k, i], grad[k, i], gate[k, i], alpha[k, i]
            for j in range(3):
                total, begin = _ZERO, U(j) * d
                for c in range(d):
                    total += g[c] * found[begin + c]
                to_mixed[j] = _THREE * total
            inner = a[0] * to_mixed[0] + a[1] * to_mixed[1] + a[2] * to_mixed[2]
            for j in range(3):
                to_mixed[j] = a[j] * (to_mixed[j] - inner) / _THREE
            for j in range(3):
                total = _ZERO
                for other in range(3):
                    to_M[k, j, other] += t[j] * to_mixed[other]
                    total += M[k, j, other] * to_mixed[other]
                to_sum[j] = total * t[j] * (_ONE - t[j])
            for j in range(3):
                to_part, begin, slope = to_v[k, j], U(j) * d, to_sum[j]
                for c in range(d):
                    to_part[c] += slope * found[begin + c]
            row, gone = to_xw[k, own[i]], to_passed[k, i]
            share, slope, part = _THREE * a[0], to_sum[0], v[k, 0]
            for c in range(d):
                back = share * g[c] + slope * part[c]
                gone[c] = back if after or found[c] > _ZERO else _ZERO
            share, slope, part = _THREE * a[1], to_sum[1], v[k, 1]
            for c in range(d):
                back = share * g[c] + slope * part[c]
                row[high + c] = back if after or found[high + c] > _ZERO else _ZERO
                gone[high + c] = -row[high + c]
            share, slope, part = _THREE * a[2], to_sum[2], v[k, 2]
            for c in range(d):
                back = share * g[c] + slope * part[c]
                row[same + c] = back if found[same + c] > _ZERO else _ZERO
