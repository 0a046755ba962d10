"""Compiled additive attention (GAT): scores, softmax, dropout and sum fused per target row.

Heads lie side by side in the columns, head h in columns h*d to (h+1)*d. Dropped attention weights
cost nothing: only kept entries are summed, and the backward pass visits only those.
"""

from __future__ import annotations

import numpy as np

from wgnn_core.replicas.compiled import inlined, jit
from wgnn_core.replicas.kernels import (
    NO_PREFETCH,
    NO_SHIFT,
    U,
    draw,
    gather,
    longest_row,
    scatter,
)

_ZERO, _ONE, _HALF = np.float32(0), np.float32(1), np.float32(0.5)
_LOWEST = np.float32(-3e38)
_LOG2E, _LN2 = np.float32(1.4426950408889634), np.float32(0.6931471805599453)
_SMALLEST_EXPONENT = np.float32(-126)


@jit
def _slope(x, negative_slope):  # type: ignore[no-untyped-def]
    return _ONE if x > 0 else negative_slope


@jit
def exp_in_place(x, bits, power):  # type: ignore[no-untyped-def]
    """x = exp(x) for x <= 0, to 2e-7 relative; below 1e-38 it stays at 1e-38.

    exp(x) = 2^n exp(z) with n whole and |z| <= ln(2)/2, exp(z) by its Taylor polynomial. Free of
    branches and calls, so LLVM vectorises it: a third of an attention step is exponentials.
    `power` is `bits` (int32) seen as float32: writing an exponent field makes a power of two.
    """
    for t in range(len(x)):
        y = max(x[t] * _LOG2E, _SMALLEST_EXPONENT)
        n = np.floor(y + _HALF)
        z = (y - n) * _LN2
        e = _ONE + z * np.float32(1 / 6)
        e = _ONE + z * np.float32(1 / 5) * e
        e = _ONE + z * np.float32(1 / 4) * e
        e = _ONE + z * np.float32(1 / 3) * e
        e = _ONE + z * _HALF * e
        x[t] = _ONE + z * e
        bits[t] = (np.int32(n) + np.int32(127)) << np.int32(23)
    for t in range(len(x)):
        x[t] *= power[t]


@inlined
def softmax_by_head(a, there, heads, top, total, bits, power):  # type: ignore[no-untyped-def]
    """a[t, head] (flat) becomes its softmax over t, for each head; 0 where `there[t]` is 0.

    `top` and `total` are room for one number per head, `bits` and `power` as in `exp_in_place`.
    """
    top[:] = _LOWEST
    at = U(0)
    for t in range(len(there)):
        for head in range(heads):
            if there[U(t)] > 0:
                top[U(head)] = max(top[U(head)], a[at])
            at += U(1)
    at = U(0)
    for t in range(len(there)):
        for head in range(heads):
            # an absent entry must not be larger than the largest: its exponential is thrown away
            a[at] = a[at] - top[U(head)] if there[U(t)] > 0 else _ZERO
            at += U(1)
    exp_in_place(a, bits, power)
    total[:] = 0
    at = U(0)
    for t in range(len(there)):
        for head in range(heads):
            a[at] *= there[U(t)]
            total[U(head)] += a[at]
            at += U(1)
    at = U(0)
    for _ in range(len(there)):
        for head in range(heads):
            a[at] /= total[U(head)]
            at += U(1)


@inlined
def _attention(  # type: ignore[no-untyped-def]
    indptr, neighbour, first_slot, present, own, h, source, target, heads, negative_slope,
    keys, thr, scale, alpha, out,
):  # fmt: skip
    K, width = h.shape[0], U(h.shape[2])
    d = width // U(heads)
    size = longest_row(indptr)
    local, kept = np.empty(size, np.uint32), np.empty(size, np.uint32)
    value = np.empty(size, np.float32)
    top, total = np.empty(heads, np.float32), np.empty(heads, np.float32)
    bits = np.empty(size * heads, np.int32)
    power = bits.view(np.float32)
    for k in range(K):
        h_k, out_k, alpha_k = h[k].reshape(-1), out[k].reshape(-1), alpha[k].reshape(-1)
        present_k = present[k % present.shape[0]]
        for i in range(len(first_slot)):
            first, lo = indptr[U(i)], first_slot[U(i)]
            count = indptr[U(i + 1)] - first
            target_i = target[k, U(own[i])]
            a = alpha_k[first * heads : (first + count) * heads]
            top[:] = _LOWEST
            at = U(0)
            for t in range(count):
                j = U(neighbour[U(first + t)])
                local[U(t)] = j
                source_j, there = source[k, j], present_k[U(lo + t)] > 0
                for head in range(heads):
                    s = source_j[U(head)] + target_i[U(head)]
                    s = s * _slope(s, negative_slope) if there else _LOWEST
                    a[at] = s
                    top[U(head)] = max(top[U(head)], s)
                    at += U(1)
            at = U(0)
            for _ in range(count):
                for head in range(heads):
                    a[at] -= top[U(head)]
                    at += U(1)
            exp_in_place(a, bits, power)
            total[:] = 0
            at = U(0)
            for t in range(count):
                weight = present_k[U(lo + t)]  # exactly 0 where absent; other weights are 1
                for head in range(heads):
                    a[at] *= weight
                    total[U(head)] += a[at]
                    at += U(1)
            for head in range(heads):
                total[U(head)] = _ONE / total[U(head)]
            at = U(0)
            for _ in range(count):
                for head in range(heads):
                    a[at] *= total[U(head)]
                    at += U(1)
            for head in range(heads):
                m = U(0)
                for t in range(count):
                    kept[m] = local[U(t)]
                    value[m] = a[U(t) * U(heads) + U(head)]
                    if len(keys) > 0:
                        m += U(draw(keys[k], U(lo + t) * U(heads) + U(head)) < thr)
                    else:
                        m += U(1)
                gather(
                    kept, value, U(0), m, NO_SHIFT, NO_PREFETCH, scale,
                    h_k, width, U(head) * d, d, out_k, U(i) * width + U(head) * d,
                )  # fmt: skip


@jit
def attention(  # type: ignore[no-untyped-def]
    indptr, neighbour, first_slot, present, own, h, source, target, heads, negative_slope,
    keys, thr, scale, alpha, out,
):  # fmt: skip
    """out[k, i] = sum_j dropout(softmax_j(leaky(source_j + target_i))) h_j, head by head.

    Row i reads neighbour[t] for indptr[i] <= t < indptr[i+1]; the slots behind them are
    consecutive from first_slot[i] on. Absent slots (`present` 0) take no part. The softmax goes to
    alpha[k, t, head]; the backward pass needs it.
    """
    # the same with a number that LLVM knows: its loops over heads become single instructions
    if heads == 8:
        _attention(
            indptr, neighbour, first_slot, present, own, h, source, target, 8, negative_slope,
            keys, thr, scale, alpha, out,
        )  # fmt: skip
    elif heads == 1:
        _attention(
            indptr, neighbour, first_slot, present, own, h, source, target, 1, negative_slope,
            keys, thr, scale, alpha, out,
        )  # fmt: skip
    else:
        _attention(
            indptr, neighbour, first_slot, present, own, h, source, target, heads, negative_slope,
            keys, thr, scale, alpha, out,
        )  # fmt: skip


@jit
def attention_backward(  # type: ignore[no-untyped-def]
    indptr, neighbour, first_slot, own, h, source, target, heads, negative_slope,
    keys, thr, scale, alpha, grad, grad_h, grad_source, grad_target,
):  # fmt: skip
    """Adds the gradients with respect to h, source and target."""
    K, width = h.shape[0], U(h.shape[2])
    d = width // U(heads)
    size = longest_row(indptr)
    local, kept = np.empty(size, np.uint32), np.empty(size, np.uint32)
    place, value = np.empty(size, np.uint32), np.empty(size, np.float32)
    to_alpha, inner = np.empty(size * heads, np.float32), np.empty(heads, np.float32)
    for k in range(K):
        h_k, grad_k, out_k = h[k].reshape(-1), grad[k].reshape(-1), grad_h[k].reshape(-1)
        alpha_k, source_k = alpha[k].reshape(-1), source[k].reshape(-1)
        to_source = grad_source[k].reshape(-1)
        for i in range(len(first_slot)):
            first, lo = indptr[U(i)], first_slot[U(i)]
            count = indptr[U(i + 1)] - first
            me = U(own[i])
            for t in range(count):
                local[U(t)] = neighbour[U(first + t)]
            to_alpha[: count * heads] = 0
            for head in range(heads):
                o = U(i) * width + U(head) * d
                m = U(0)
                at = U(first) * U(heads) + U(head)
                for t in range(count):
                    kept[m] = local[U(t)]
                    place[m] = t
                    value[m] = alpha_k[at]
                    at += U(heads)
                    if len(keys) > 0:
                        m += U(draw(keys[k], U(lo + t) * U(heads) + U(head)) < thr)
                    else:
                        m += U(1)
                scatter(
                    kept, value, U(0), m, NO_SHIFT, NO_PREFETCH, scale,
                    grad_k, o, width, U(head) * d, d, out_k,
                )  # fmt: skip
                # softmax: de = alpha (dalpha - sum alpha dalpha); dalpha is 0 where dropped
                total = _ZERO
                for q in range(m):
                    j = U(kept[U(q)]) * width + U(head) * d
                    dot = _ZERO
                    for c in range(d):
                        dot += grad_k[o + U(c)] * h_k[j + U(c)]
                    total += value[U(q)] * dot * scale
                    to_alpha[U(place[U(q)]) * U(heads) + U(head)] = dot * scale
                inner[U(head)] = total
            target_i, to_target = target[k, me], grad_target[k, me]
            at, to = U(0), U(first) * U(heads)
            for t in range(count):
                j = U(local[U(t)]) * U(heads)
                for head in range(heads):
                    s = source_k[j + U(head)] + target_i[U(head)]
                    de = alpha_k[to + at] * (to_alpha[at] - inner[U(head)])
                    de = de * _slope(s, negative_slope)
                    to_source[j + U(head)] += de
                    to_target[U(head)] += de
                    at += U(1)
