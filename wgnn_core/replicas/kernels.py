"""Compiled CPU kernels (numba): the inner loops that dominate a training step.

Every kernel works on K replicas in turn, releases the GIL, and computes a replica's numbers in an
order that does not depend on its neighbours in the batch. `wgnn_core.replicas.ops` wraps them for
autograd. `wgnn_core.replicas.view` has the same operations in plain torch, for devices other than
the CPU; a test compares the two.

Two things make them fast, both measured in benchmarks/NOTES.md: unsigned indices (numba adds a
wrap-around test to signed ones, which stops vectorisation) and sixteen accumulators held in
registers, which LLVM's SLP pass turns into two vector registers (turned on in `compiled`).
"""

from __future__ import annotations

import numpy as np

from wgnn_core.replicas.compiled import inlined, jit
from wgnn_core.replicas.prefetch import AHEAD, WORTH_BYTES, prefetch
from wgnn_core.replicas.random import DRAW_BITS, GOLDEN, MIX1, MIX2

U = np.uint64
_GOLDEN, _MIX1, _MIX2 = U(GOLDEN), U(MIX1), U(MIX2)
_DRAW_SHIFT = U(64 - DRAW_BITS)
_ZERO, _ONE = np.float32(0), np.float32(1)
NO_SHIFT = NO_PREFETCH = U(0)


@jit
def draw(key, index):  # type: ignore[no-untyped-def]
    """The 24-bit draw at `index` of the stream `key`; equals `random.draws`."""
    z = key + U(index) * _GOLDEN
    z = (z ^ (z >> U(30))) * _MIX1
    z = (z ^ (z >> U(27))) * _MIX2
    return (z ^ (z >> U(31))) >> _DRAW_SHIFT


@jit
def draws(keys, index, out):  # type: ignore[no-untyped-def]
    """out[k, t] = the draw at index[t] of the stream keys[k]."""
    for k in range(len(keys)):
        for t in range(len(index)):
            out[k, t] = draw(keys[k], index[t])


@inlined
def gather(  # type: ignore[no-untyped-def]
    idx, val, lo, hi, shift, ahead, scale, source, stride, first, d, out, o
):
    """out[o : o+d] = scale * sum over lo <= t < hi of val[t + shift] * (row idx[t] of source).

    A row of `source` (flat) is `stride` long and read from column `first` on. The row that will be
    read `ahead` entries later is asked for, unless `ahead` is 0.
    """
    last = U(len(idx)) - U(1)
    c = U(0)
    while c + U(16) <= d:
        a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = _ZERO
        b0 = b1 = b2 = b3 = b4 = b5 = b6 = b7 = _ZERO
        for t in range(U(lo), U(hi)):
            if ahead > U(0):
                prefetch(source, U(idx[min(t + ahead, last)]) * stride + first + c)
            v = val[t + shift]
            j = U(idx[t]) * stride + first + c
            a0 += v * source[j]
            a1 += v * source[j + U(1)]
            a2 += v * source[j + U(2)]
            a3 += v * source[j + U(3)]
            a4 += v * source[j + U(4)]
            a5 += v * source[j + U(5)]
            a6 += v * source[j + U(6)]
            a7 += v * source[j + U(7)]
            b0 += v * source[j + U(8)]
            b1 += v * source[j + U(9)]
            b2 += v * source[j + U(10)]
            b3 += v * source[j + U(11)]
            b4 += v * source[j + U(12)]
            b5 += v * source[j + U(13)]
            b6 += v * source[j + U(14)]
            b7 += v * source[j + U(15)]
        p = o + c
        out[p] = scale * a0
        out[p + U(1)] = scale * a1
        out[p + U(2)] = scale * a2
        out[p + U(3)] = scale * a3
        out[p + U(4)] = scale * a4
        out[p + U(5)] = scale * a5
        out[p + U(6)] = scale * a6
        out[p + U(7)] = scale * a7
        out[p + U(8)] = scale * b0
        out[p + U(9)] = scale * b1
        out[p + U(10)] = scale * b2
        out[p + U(11)] = scale * b3
        out[p + U(12)] = scale * b4
        out[p + U(13)] = scale * b5
        out[p + U(14)] = scale * b6
        out[p + U(15)] = scale * b7
        c += U(16)
    while c + U(8) <= d:
        a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = _ZERO
        for t in range(U(lo), U(hi)):
            if ahead > U(0):
                prefetch(source, U(idx[min(t + ahead, last)]) * stride + first + c)
            v = val[t + shift]
            j = U(idx[t]) * stride + first + c
            a0 += v * source[j]
            a1 += v * source[j + U(1)]
            a2 += v * source[j + U(2)]
            a3 += v * source[j + U(3)]
            a4 += v * source[j + U(4)]
            a5 += v * source[j + U(5)]
            a6 += v * source[j + U(6)]
            a7 += v * source[j + U(7)]
        p = o + c
        out[p] = scale * a0
        out[p + U(1)] = scale * a1
        out[p + U(2)] = scale * a2
        out[p + U(3)] = scale * a3
        out[p + U(4)] = scale * a4
        out[p + U(5)] = scale * a5
        out[p + U(6)] = scale * a6
        out[p + U(7)] = scale * a7
        c += U(8)
    while c < d:
        a0 = _ZERO
        for t in range(U(lo), U(hi)):
            if ahead > U(0):
                prefetch(source, U(idx[min(t + ahead, last)]) * stride + first + c)
            a0 += val[t + shift] * source[U(idx[t]) * stride + first + c]
        out[o + c] = scale * a0
        c += U(1)


@inlined
def scatter(  # type: ignore[no-untyped-def]
    idx, val, lo, hi, shift, ahead, scale, source, o, stride, first, d, out
):
    """(row idx[t] of out) += scale * val[t + shift] * source[o : o+d]; otherwise like `gather`."""
    last = U(len(idx)) - U(1)
    c = U(0)
    while c + U(8) <= d:
        p = o + c
        g0 = scale * source[p]
        g1 = scale * source[p + U(1)]
        g2 = scale * source[p + U(2)]
        g3 = scale * source[p + U(3)]
        g4 = scale * source[p + U(4)]
        g5 = scale * source[p + U(5)]
        g6 = scale * source[p + U(6)]
        g7 = scale * source[p + U(7)]
        for t in range(U(lo), U(hi)):
            if ahead > U(0):
                prefetch(out, U(idx[min(t + ahead, last)]) * stride + first + c)
            v = val[t + shift]
            j = U(idx[t]) * stride + first + c
            s0 = out[j] + v * g0
            s1 = out[j + U(1)] + v * g1
            s2 = out[j + U(2)] + v * g2
            s3 = out[j + U(3)] + v * g3
            s4 = out[j + U(4)] + v * g4
            s5 = out[j + U(5)] + v * g5
            s6 = out[j + U(6)] + v * g6
            s7 = out[j + U(7)] + v * g7
            out[j] = s0
            out[j + U(1)] = s1
            out[j + U(2)] = s2
            out[j + U(3)] = s3
            out[j + U(4)] = s4
            out[j + U(5)] = s5
            out[j + U(6)] = s6
            out[j + U(7)] = s7
        c += U(8)
    while c < d:
        g0 = scale * source[o + c]
        for t in range(U(lo), U(hi)):
            if ahead > U(0):
                prefetch(out, U(idx[min(t + ahead, last)]) * stride + first + c)
            out[U(idx[t]) * stride + first + c] += val[t + shift] * g0
        c += U(1)


@inlined
def _kept(indptr, idx, val, row, key, thr, buffer_idx, buffer_val):  # type: ignore[no-untyped-def]
    """Copy the stored entries of `row` that survive dropout to the buffers; return how many."""
    m = U(0)
    for e in range(indptr[row], indptr[row + U(1)]):
        buffer_idx[m] = idx[e]
        buffer_val[m] = val[e]
        m += U(draw(key, e) < thr)  # branch-free: the next entry overwrites a dropped one
    return m


@jit
def longest_row(indptr):  # type: ignore[no-untyped-def]
    longest = 0
    for i in range(len(indptr) - 1):
        longest = max(longest, indptr[i + 1] - indptr[i])
    return longest + 1


@jit
def sparse_linear(indptr, idx, val, rows, W, keys, thr, scale, out):  # type: ignore[no-untyped-def]
    """out[k] = dropout(X)[rows] W[k]; an empty `keys` means no dropout."""
    K, d = W.shape[0], U(W.shape[2])
    size = longest_row(indptr)
    buffer_idx, buffer_val = np.empty(size, np.uint32), np.empty(size, np.float32)
    for k in range(K):
        W_k, out_k = W[k].reshape(-1), out[k].reshape(-1)
        for i in range(len(rows)):
            row = U(rows[i])
            if len(keys) > 0:
                m = _kept(indptr, idx, val, row, keys[k], thr, buffer_idx, buffer_val)
                gather(
                    buffer_idx, buffer_val, U(0), m, NO_SHIFT, NO_PREFETCH, scale,
                    W_k, d, U(0), d, out_k, U(i) * d,
                )  # fmt: skip
            else:
                lo, hi = indptr[row], indptr[row + U(1)]
                gather(
                    idx, val, lo, hi, NO_SHIFT, NO_PREFETCH, scale,
                    W_k, d, U(0), d, out_k, U(i) * d,
                )  # fmt: skip


@jit
def sparse_linear_backward(  # type: ignore[no-untyped-def]
    indptr, idx, val, rows, grad, keys, thr, scale, grad_W
):
    """grad_W[k] += dropout(X)[rows]^T grad[k], with the draws of the forward pass."""
    K, d = grad.shape[0], U(grad.shape[2])
    size = longest_row(indptr)
    buffer_idx, buffer_val = np.empty(size, np.uint32), np.empty(size, np.float32)
    for k in range(K):
        g_k, out_k = grad[k].reshape(-1), grad_W[k].reshape(-1)
        for i in range(len(rows)):
            row = U(rows[i])
            if len(keys) > 0:
                m = _kept(indptr, idx, val, row, keys[k], thr, buffer_idx, buffer_val)
                scatter(
                    buffer_idx, buffer_val, U(0), m, NO_SHIFT, NO_PREFETCH, scale,
                    g_k, U(i) * d, d, U(0), d, out_k,
                )  # fmt: skip
            else:
                lo, hi = indptr[row], indptr[row + U(1)]
                scatter(
                    idx, val, lo, hi, NO_SHIFT, NO_PREFETCH, scale,
                    g_k, U(i) * d, d, U(0), d, out_k,
                )  # fmt: skip


@jit
def _ahead(values):  # type: ignore[no-untyped-def]
    """How many slots ahead to ask for rows of `values`; 0 if they stay in the cache anyway."""
    return U(AHEAD) if 4 * values.shape[1] * values.shape[2] > WORTH_BYTES else U(0)


@jit
def propagate(indptr, source, first_slot, weight, h, out):  # type: ignore[no-untyped-def]
    """out[k, i] = sum over indptr[i] <= t < indptr[i+1] of weight[k, e] h[k, source[t]].

    e is the slot behind t: the slots of row i are consecutive from first_slot[i] on.
    """
    K, d, ahead = h.shape[0], U(h.shape[2]), _ahead(h)
    for k in range(K):
        h_k, out_k = h[k].reshape(-1), out[k].reshape(-1)
        w_k = weight[k % weight.shape[0]]
        for i in range(len(first_slot)):
            lo, hi = U(indptr[U(i)]), U(indptr[U(i + 1)])
            shift = U(first_slot[U(i)]) - lo
            gather(
                source, w_k, lo, hi, shift, ahead, _ONE,
                h_k, d, U(0), d, out_k, U(i) * d,
            )  # fmt: skip


@jit
def propagate_backward(  # type: ignore[no-untyped-def]
    indptr, source, first_slot, weight, grad, grad_h
):
    """grad_h[k, source[t]] += weight[k, e] grad[k, i] over indptr[i] <= t < indptr[i+1]."""
    K, d, ahead = grad.shape[0], U(grad.shape[2]), _ahead(grad_h)
    for k in range(K):
        g_k, out_k = grad[k].reshape(-1), grad_h[k].reshape(-1)
        w_k = weight[k % weight.shape[0]]
        for i in range(len(first_slot)):
            lo, hi = U(indptr[U(i)]), U(indptr[U(i + 1)])
            shift = U(first_slot[U(i)]) - lo
            scatter(
                source, w_k, lo, hi, shift, ahead, _ONE,
                g_k, U(i) * d, d, U(0), d, out_k,
            )  # fmt: skip


@jit
def dropout(h, rows, keys, thr, scale, out):  # type: ignore[no-untyped-def]
    """out = h with each entry kept (and scaled) by the draw at (node, column)."""
    K, n, d = h.shape
    for k in range(K):
        for i in range(n):
            base = U(rows[i]) * U(d)
            for c in range(d):
                kept = draw(keys[k], base + U(c)) < thr
                out[k, i, c] = scale * h[k, i, c] if kept else _ZERO


@jit
def _padded(d):  # type: ignore[no-untyped-def]
    """`d` rounded up to whole vectors."""
    return (d + 7) // 8 * 8


@jit
def product(h, W, out):  # type: ignore[no-untyped-def]
    """out[k] = h[k] W[k] for narrow W.

    Its sums run in one order. A BLAS product does not: the bits of a replica's result would
    depend on where in memory the batch put it.
    """
    K, n, inner = h.shape
    wide = _padded(W.shape[2])
    order = np.arange(inner).astype(np.uint32)
    W_k, row = np.zeros((inner, wide), np.float32), np.empty(wide, np.float32)
    for k in range(K):
        W_k[:, : W.shape[2]] = W[k]
        flat = W_k.reshape(-1)
        for i in range(n):
            gather(
                order, h[k, i], U(0), inner, NO_SHIFT, NO_PREFETCH, _ONE,
                flat, U(wide), U(0), U(wide), row, U(0),
            )  # fmt: skip
            out[k, i] = row[: W.shape[2]]


@jit
def product_backward(h, W, grad, grad_h, grad_W):  # type: ignore[no-untyped-def]
    """grad_h[k] = grad[k] W[k]^T and grad_W[k] = h[k]^T grad[k]."""
    K, n, inner = h.shape
    d, wide = W.shape[2], _padded(W.shape[2])
    order, columns = np.arange(inner).astype(np.uint32), np.arange(d).astype(np.uint32)
    sums, row = np.empty((inner, wide), np.float32), np.zeros(wide, np.float32)
    for k in range(K):
        sums[:] = 0
        flat, turned = sums.reshape(-1), W[k].T.copy().reshape(-1)
        for i in range(n):
            row[:d] = grad[k, i]
            scatter(
                order, h[k, i], U(0), inner, NO_SHIFT, NO_PREFETCH, _ONE,
                row, U(0), U(wide), U(0), U(wide), flat,
            )  # fmt: skip
            gather(
                columns, row, U(0), d, NO_SHIFT, NO_PREFETCH, _ONE,
                turned, U(inner), U(0), U(inner), grad_h[k, i], U(0),
            )  # fmt: skip
        grad_W[k] = sums[:, :d]


@jit
def column_sums(grad, out):  # type: ignore[no-untyped-def]
    """out[k, 0] += the rows of grad[k], one after the other.

    In that order rows of zeros, which other replicas of the batch may have asked for, leave no
    trace; a blocked sum would round differently around them.
    """
    K, n, d = grad.shape
    for k in range(K):
        for i in range(n):
            for c in range(d):
                out[k, 0, c] += grad[k, i, c]
