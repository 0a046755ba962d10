"""GIL's attention in the Poincare ball, compiled; `wgnn_core.models.gil` has it in plain torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from wgnn_core.replicas.attention_kernels import softmax_by_head
from wgnn_core.replicas.compiled import inlined_sums, jit_sums
from wgnn_core.replicas.kernels import U, draw, longest_row
from wgnn_core.replicas.random import UIntArray, threshold
from wgnn_core.replicas.structure import Layer

_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)


class HyperbolicAttention(torch.autograd.Function):
    """sum_j dropout(softmax_j(leaky((sender_j + receiver_i) closeness_ij))) u_j, head by head.

    `closeness` is the softmax over j of the distance in the ball between z_i and z_j. `sender` and
    `receiver` are ``[K, n, heads]`` and belong, as z and u, to the rows that `layer` reads.
    """

    @staticmethod
    def forward(
        ctx: Any, z: Tensor, u: Tensor, sender: Tensor, receiver: Tensor, present: Tensor,
        layer: Layer, slope: float, keys: UIntArray, p: float,
    ) -> Tensor:  # fmt: skip
        z, u = z.contiguous(), u.contiguous()
        sender, receiver = sender.contiguous(), receiver.contiguous()
        K, heads = len(u), sender.shape[2]
        close = torch.empty(K, len(layer.source))
        alpha = torch.empty(K, len(layer.source), heads)
        out = torch.empty(K, len(layer.rows), u.shape[2])
        ctx.save_for_backward(z, u, sender, receiver, close, alpha)
        drawn = (keys, np.uint64(threshold(1 - p)), np.float32(1 / (1 - p)))
        ctx.arguments = (layer, np.float32(slope), drawn)
        _attention(
            layer.indptr, layer.source, layer.first_slot, layer.own, present.numpy(),
            z.numpy(), u.numpy(), sender.numpy(), receiver.numpy(), np.float32(slope), *drawn,
            close.numpy(), alpha.numpy(), out.numpy(),
        )  # fmt: skip
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        z, u, sender, receiver, close, alpha = ctx.saved_tensors
        layer, slope, drawn = ctx.arguments
        to_z, to_u = torch.zeros_like(z), torch.zeros_like(u)
        to_sender, to_receiver = torch.zeros_like(sender), torch.zeros_like(receiver)
        _attention_backward(
            layer.indptr, layer.source, layer.first_slot, layer.own,
            z.numpy(), u.numpy(), sender.numpy(), receiver.numpy(), slope, *drawn,
            close.numpy(), alpha.numpy(), grads[0].contiguous().numpy(),
            to_z.numpy(), to_u.numpy(), to_sender.numpy(), to_receiver.numpy(),
        )  # fmt: skip
        return to_z, to_u, to_sender, to_receiver, None, None, None, None, None


@jit_sums
def _room(z):  # type: ignore[no-untyped-def]
    """1 - |z_i|^2 of every point, for all replicas."""
    K, n, d = z.shape
    out = np.empty((K, n), np.float32)
    for k in range(K):
        for i in range(n):
            total = _ZERO
            for c in range(d):
                total += z[k, i, c] * z[k, i, c]
            out[k, i] = _ONE - total
    return out


@inlined_sums
def _apart(z, x, y, d):  # type: ignore[no-untyped-def]
    """|x - y|^2 of the points that begin at x and at y in z."""
    total = _ZERO
    for c in range(d):
        gap = z[x + c] - z[y + c]
        total += gap * gap
    return total


@inlined_sums
def _rows(  # type: ignore[no-untyped-def]
    indptr, source, first_slot, own, present, z, u, sender, receiver, heads, d, slope, keys, thr,
    scale, close, alpha, out,
):  # fmt: skip
    K, width = len(u), U(u.shape[2])
    size = longest_row(indptr)
    top, total = np.empty(heads, np.float32), np.empty(heads, np.float32)
    bits = np.empty(size * heads, np.int32)
    power = bits.view(np.float32)
    room = _room(z)
    for k in range(K):
        u_k, out_k, alpha_k = u[k].reshape(-1), out[k].reshape(-1), alpha[k].reshape(-1)
        z_k, sender_k = z[k].reshape(-1), sender[k].reshape(-1)
        for i in range(len(first_slot)):
            lo, hi, slot, me = indptr[i], indptr[i + 1], first_slot[i], own[i]
            there = present[k % len(present)][slot : slot + hi - lo]
            near, a, among = close[k, lo:hi], alpha_k[lo * heads : hi * heads], _ZERO
            for t in range(hi - lo):
                j = U(source[U(lo + t)])
                q = _apart(z_k, j * width, U(me) * width, width) / (room[k, j] * room[k, me])
                # the distance in the ball is 2 arsinh(sqrt(q)); its exponential, for the softmax:
                grown = _ONE + _TWO * (q + np.sqrt(q * (_ONE + q)))
                near[U(t)] = grown if there[U(t)] != 0 else _ZERO
                among += near[U(t)]
            for t in range(hi - lo):
                near[U(t)] /= among
            at, receiver_i = U(0), receiver[k, me]
            for t in range(hi - lo):
                j, factor = U(source[U(lo + t)]) * U(heads), near[U(t)]
                for head in range(heads):
                    x = (sender_k[j + U(head)] + receiver_i[U(head)]) * factor
                    a[at] = x if x > 0 else slope * x
                    at += U(1)
            softmax_by_head(a, there, heads, top, total, bits, power)
            row = out_k[i * width : (i + 1) * width]
            row[:] = _ZERO
            at = U(0)
            for t in range(hi - lo):
                j, begin = U(source[U(lo + t)]) * width, U(slot + t) * U(heads)
                for head in range(heads):
                    weight = a[at]
                    if len(keys) > 0:
                        weight = weight if draw(keys[k], begin + U(head)) < thr else _ZERO
                    for c in range(d):
                        row[U(head * d + c)] += weight * u_k[j + U(head * d + c)]
                    at += U(1)
            for c in range(width):
                row[U(c)] *= scale


@jit_sums
def _attention(  # type: ignore[no-untyped-def]
    indptr, source, first_slot, own, present, z, u, sender, receiver, slope, keys, thr, scale,
    close, alpha, out,
):  # fmt: skip
    heads, d = sender.shape[2], u.shape[2] // sender.shape[2]
    # the same with numbers that LLVM knows, see `attention_kernels.attention`
    if heads == 8 and d == 2:
        _rows(
            indptr, source, first_slot, own, present, z, u, sender, receiver, 8, 2, slope, keys,
            thr, scale, close, alpha, out,
        )  # fmt: skip
    elif heads == 1 and d == 16:
        _rows(
            indptr, source, first_slot, own, present, z, u, sender, receiver, 1, 16, slope, keys,
            thr, scale, close, alpha, out,
        )  # fmt: skip
    else:
        _rows(
            indptr, source, first_slot, own, present, z, u, sender, receiver, heads, d, slope,
            keys, thr, scale, close, alpha, out,
        )  # fmt: skip


@inlined_sums
def _rows_backward(  # type: ignore[no-untyped-def]
    indptr, source, first_slot, own, z, u, sender, receiver, heads, d, slope, keys, thr, scale,
    close, alpha, grad, to_z, to_u, to_sender, to_receiver,
):  # fmt: skip
    K, width = len(u), U(u.shape[2])
    size = longest_row(indptr)
    slopes, inner = np.empty(size * heads, np.float32), np.empty(heads, np.float32)
    room = _room(z)
    for k in range(K):
        u_k, to_u_k, grad_k = u[k].reshape(-1), to_u[k].reshape(-1), grad[k].reshape(-1)
        z_k, to_z_k, alpha_k = z[k].reshape(-1), to_z[k].reshape(-1), alpha[k].reshape(-1)
        sender_k, to_sender_k = sender[k].reshape(-1), to_sender[k].reshape(-1)
        for i in range(len(first_slot)):
            lo, hi, slot, me = indptr[i], indptr[i + 1], first_slot[i], own[i]
            near, a = close[k, lo:hi], alpha_k[lo * heads : hi * heads]
            g_i = grad_k[i * width : (i + 1) * width]
            inner[:] = _ZERO
            at = U(0)
            for t in range(hi - lo):
                j, begin = U(source[U(lo + t)]) * width, U(slot + t) * U(heads)
                for head in range(heads):
                    kept = scale
                    if len(keys) > 0:
                        kept = scale if draw(keys[k], begin + U(head)) < thr else _ZERO
                    dot, weight = _ZERO, a[at] * kept
                    for c in range(d):
                        dot += g_i[U(head * d + c)] * u_k[j + U(head * d + c)]
                        to_u_k[j + U(head * d + c)] += weight * g_i[U(head * d + c)]
                    slopes[at] = dot * kept
                    inner[U(head)] += weight * dot
                    at += U(1)
            at, receiver_i, to_receiver_i = U(0), receiver[k, me], to_receiver[k, me]
            among = _ZERO
            for t in range(hi - lo):
                j, factor, to_close = U(source[U(lo + t)]) * U(heads), near[U(t)], _ZERO
                for head in range(heads):
                    both = sender_k[j + U(head)] + receiver_i[U(head)]
                    bent = _ONE if both * factor > 0 else slope
                    g = a[at] * (slopes[at] - inner[U(head)]) * bent
                    to_sender_k[j + U(head)] += g * factor
                    to_receiver_i[U(head)] += g * factor
                    to_close += g * both
                    at += U(1)
                slopes[U(t)] = to_close  # read by now: t is never before t * heads
                among += factor * to_close
            for t in range(hi - lo):
                j, g = U(source[U(lo + t)]), near[U(t)] * (slopes[U(t)] - among)
                x, y, room_x, room_y = j * width, U(me) * width, room[k, j], room[k, me]
                q = _apart(z_k, x, y, width) / (room_x * room_y)
                if q == 0 or g == 0:  # at distance 0, as on a self-loop, there is no direction
                    continue
                g *= _TWO / np.sqrt(q * (_ONE + q))
                between, to_x, to_y = g / (room_x * room_y), g * q / room_x, g * q / room_y
                for c in range(width):
                    gap = between * (z_k[x + c] - z_k[y + c])
                    to_z_k[x + c] += gap + to_x * z_k[x + c]
                    to_z_k[y + c] += to_y * z_k[y + c] - gap


@jit_sums
def _attention_backward(  # type: ignore[no-untyped-def]
    indptr, source, first_slot, own, z, u, sender, receiver, slope, keys, thr, scale,
    close, alpha, grad, to_z, to_u, to_sender, to_receiver,
):  # fmt: skip
    heads, d = sender.shape[2], u.shape[2] // sender.shape[2]
    if heads == 8 and d == 2:
        _rows_backward(
            indptr, source, first_slot, own, z, u, sender, receiver, 8, 2, slope, keys, thr, scale,
            close, alpha, grad, to_z, to_u, to_sender, to_receiver,
        )  # fmt: skip
    elif heads == 1 and d == 16:
        _rows_backward(
            indptr, source, first_slot, own, z, u, sender, receiver, 1, 16, slope, keys, thr,
            scale, close, alpha, grad, to_z, to_u, to_sender, to_receiver,
        )  # fmt: skip
    else:
        _rows_backward(
            indptr, source, first_slot, own, z, u, sender, receiver, heads, d, slope, keys, thr,
            scale, close, alpha, grad, to_z, to_u, to_sender, to_receiver,
        )  # fmt: skip
