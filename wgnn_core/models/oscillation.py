"""GraphCON's two heavy parts, compiled: attention by dot products, and all steps of oscillation.

Both are written for the whole graph. A replica is taken through all steps before the next, so that
its states stay in the cache. `wgnn_core.models.graphcon` has the same in plain torch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from wgnn_core.graph import IntArray
from wgnn_core.replicas.attention_kernels import softmax_by_head
from wgnn_core.replicas.compiled import jit_sums
from wgnn_core.replicas.kernels import NO_PREFETCH, NO_SHIFT, U, gather, longest_row
from wgnn_core.replicas.structure import Slots

_ZERO, _ONE = np.float32(0), np.float32(1)


class DotAttention(torch.autograd.Function):
    """Slot weights ``[K, nnz]``: the mean over heads of softmax_j(mine_i . theirs_j / sqrt(d)).

    The softmax runs over the slots (i, j) of each row i; absent ones have weight 0.
    """

    @staticmethod
    def forward(
        ctx: Any, mine: Tensor, theirs: Tensor, present: Tensor, slots: Slots, heads: int
    ) -> Tensor:
        mine, theirs = mine.contiguous(), theirs.contiguous()
        alpha = torch.empty(mine.shape[0], len(slots.idx), heads)
        ctx.save_for_backward(mine, theirs, alpha)
        ctx.slots = slots
        _dot_attention(
            slots.indptr, slots.idx, present.numpy(), mine.numpy(), theirs.numpy(), alpha.numpy()
        )
        return alpha.mean(-1)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        mine, theirs, alpha = ctx.saved_tensors
        grad_mine, grad_theirs = torch.zeros_like(mine), torch.zeros_like(theirs)
        _dot_attention_backward(
            ctx.slots.indptr, ctx.slots.idx, mine.numpy(), theirs.numpy(), alpha.numpy(),
            grads[0].contiguous().numpy(), grad_mine.numpy(), grad_theirs.numpy(),
        )  # fmt: skip
        return grad_mine, grad_theirs, None, None, None


class Oscillate(torch.autograd.Function):
    """y after T steps of two coupled states that both start at x ``[K, N, d]``.

    u <- u + c (C y - u) + a x and y <- y + e u + b x, with slot weights C ``[K, nnz]`` and
    `factors` ``[K, T, 4]``, the numbers c, a, e, b of each step. x has no gradient as a source.
    `turn` gives for the slot of (i, j) that of (j, i). The states of all steps are kept in a tensor
    that the backward pass hands back to `scratch`.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, change: Tensor, factors: Tensor, slots: Slots, turn: IntArray,
        scratch: list[Tensor],
    ) -> Tensor:  # fmt: skip
        x, change, factors = x.contiguous(), change.contiguous(), factors.contiguous()
        K, n, d = x.shape
        steps = factors.shape[1]
        if any(ctx.needs_input_grad):
            states = scratch.pop() if scratch else torch.empty(2, K, steps + 1, n, d)
        else:
            states = torch.empty(2, K, 2, n, d)
        ctx.save_for_backward(x, change, factors)
        ctx.arguments = (slots, turn, scratch, states)
        u, y = states.numpy()
        _oscillate(slots.indptr, slots.idx, change.numpy(), x.numpy(), factors.numpy(), u, y)
        return states[1, :, steps % states.shape[2]].clone()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x, change, factors = ctx.saved_tensors
        slots, turn, scratch, states = ctx.arguments
        ctx.arguments = None  # the states may change from now on: a second pass must fail
        u, y = states.numpy()
        turned = change.numpy()[:, turn]
        grad_turned = np.zeros_like(turned)
        grad_x = grads[0].clone(memory_format=torch.contiguous_format)
        grad_factors = torch.empty_like(factors)
        _oscillate_backward(
            slots.indptr, slots.idx, turned, x.numpy(), factors.numpy(), u, y,
            grad_x.numpy(), np.zeros(x.shape[1:], np.float32), grad_turned, grad_factors.numpy(),
        )  # fmt: skip
        grad_change = torch.from_numpy(grad_turned[:, turn])
        scratch.append(states)
        return grad_x, grad_change, grad_factors, None, None, None


@jit_sums
def _dot_attention(indptr, idx, present, mine, theirs, alpha):  # type: ignore[no-untyped-def]
    K, n, width = mine.shape
    heads = alpha.shape[2]
    d = width // heads
    scale = np.float32(1 / np.sqrt(d))
    bits = np.empty(longest_row(indptr) * heads, np.int32)
    power = bits.view(np.float32)
    top, total = np.empty(heads, np.float32), np.empty(heads, np.float32)
    for k in range(K):
        there = present[k % present.shape[0]]
        theirs_k, alpha_k = theirs[k].reshape(-1), alpha[k].reshape(-1)
        for i in range(n):
            lo, hi = indptr[i], indptr[i + 1]
            row, a = mine[k, i], alpha_k[lo * heads : hi * heads]
            for t in range(hi - lo):
                j = U(idx[U(lo + t)]) * U(width)
                for head in range(heads):
                    dot = _ZERO
                    for c in range(U(head * d), U((head + 1) * d)):
                        dot += row[c] * theirs_k[j + c]
                    a[U(t * heads + head)] = dot * scale
            softmax_by_head(a, there[lo:hi], heads, top, total, bits, power)


@jit_sums
def _dot_attention_backward(  # type: ignore[no-untyped-def]
    indptr, idx, mine, theirs, alpha, grad, grad_mine, grad_theirs
):
    K, n, width = mine.shape
    heads = alpha.shape[2]
    d = width // heads
    scale, share = np.float32(1 / np.sqrt(d)), np.float32(1 / heads)
    for k in range(K):
        theirs_k, to_theirs = theirs[k].reshape(-1), grad_theirs[k].reshape(-1)
        for i in range(n):
            lo, hi = indptr[i], indptr[i + 1]
            row, to_row = mine[k, i], grad_mine[k, i]
            for head in range(heads):
                inner = _ZERO
                for t in range(lo, hi):
                    inner += alpha[k, t, head] * grad[k, t]
                for t in range(lo, hi):
                    g = alpha[k, t, head] * (grad[k, t] - inner) * share * scale
                    j = U(idx[U(t)]) * U(width)
                    for c in range(U(head * d), U((head + 1) * d)):
                        to_row[c] += g * theirs_k[j + c]
                        to_theirs[j + c] += g * row[c]


@jit_sums
def _oscillate(indptr, idx, change, x, factors, u, y):  # type: ignore[no-untyped-def]
    K, n, d = x.shape
    kept, width = y.shape[1], U(d)
    force = np.empty(d, np.float32)
    for k in range(K):
        u[k, 0], y[k, 0] = x[k], x[k]
        x_k, change_k = x[k].reshape(-1), change[k]
        for t in range(factors.shape[1]):
            c, a, e, b = factors[k, t]
            before, after = t % kept, (t + 1) % kept
            u_k, y_k = u[k, before].reshape(-1), y[k, before].reshape(-1)
            new_u, new_y = u[k, after].reshape(-1), y[k, after].reshape(-1)
            for i in range(n):
                gather(
                    idx, change_k, indptr[i], indptr[i + 1], NO_SHIFT, NO_PREFETCH, _ONE,
                    y_k, width, U(0), width, force, U(0),
                )  # fmt: skip
                at = U(i) * width
                for col in range(width):
                    p = at + col
                    moved = u_k[p] + c * (force[col] - u_k[p]) + a * x_k[p]
                    new_u[p] = moved
                    new_y[p] = y_k[p] + e * moved + b * x_k[p]


@jit_sums
def _oscillate_backward(  # type: ignore[no-untyped-def]
    indptr, idx, turned, x, factors, u, y, grad_y, grad_u, grad_turned, grad_factors
):
    """Takes `grad_y` back through all steps to the gradient of x; `grad_u` is room to work in.

    `turned` is C with rows and columns exchanged, so that its gradient and C^T grad_u come from
    the same pass over the slots.
    """
    K, n, d = x.shape
    width, row = U(d), np.empty(d, np.float32)
    for k in range(K):
        x_k, turned_k, to_turned = x[k].reshape(-1), turned[k], grad_turned[k]
        gu, gy = grad_u.reshape(-1), grad_y[k].reshape(-1)
        last, to_e, to_b = u[k, factors.shape[1]].reshape(-1), _ZERO, _ZERO
        for at in range(U(n) * width):
            to_e += gy[at] * last[at]
            to_b += gy[at] * x_k[at]
        gu[:] = 0  # not by a factor of 0: a replica that has diverged leaves NaN behind
        stays = _ONE
        for t in range(factors.shape[1] - 1, -1, -1):
            c, _, e, _ = factors[k, t]
            grad_factors[k, t, 2], grad_factors[k, t, 3] = to_e, to_b
            u_k, y_k = u[k, t].reshape(-1), y[k, t].reshape(-1)
            for at in range(U(n) * width):
                gu[at] = stays * gu[at] + e * gy[at]
            to_c = to_a = to_e = to_b = _ZERO
            for j in range(n):
                mine = U(j) * width
                row[:] = 0
                for s in range(indptr[j], indptr[j + 1]):
                    i = U(idx[U(s)]) * width
                    weight, dot = turned_k[U(s)], _ZERO
                    for col in range(width):
                        g = gu[i + col]
                        row[col] += weight * g
                        dot += g * y_k[mine + col]
                    to_turned[U(s)] += c * dot
                # each state is read once: what the step before needs of it is summed here too
                for col in range(width):
                    place = mine + col
                    to_a += gu[place] * x_k[place]
                    to_c += row[col] * y_k[place] - gu[place] * u_k[place]
                    back = gy[place] + c * row[col]
                    to_e += back * u_k[place]
                    to_b += back * x_k[place]
                    gy[place] = back
            stays = _ONE - c
            grad_factors[k, t, 0], grad_factors[k, t, 1] = to_c, to_a
        gy += stays * gu
