"""Compiled additive attention (GAT): scores, softmax, dropout and sum fused per target row.

Heads lie side by side in the columns, head h in columns h*d to (h+1)*d. Dropped attention weights
cost nothing: only kept entries are summed, and the backward pass visits only those.
"""

from __future__ import annotations

import math

import numpy as np

from wgnn_core.replicas.kernels import U, _jit, draw, gather, longest_row, scatter

_NEGATIVE = np.float32(-np.inf)
_ONE = np.float32(1)


@_jit
def _slope(x, negative_slope):  # type: ignore[no-untyped-def]
    return _ONE if x > 0 else negative_slope


@_jit
def attention(  # type: ignore[no-untyped-def]
    indptr, idx, present, rows, position, h, source, target, heads, negative_slope,
    keys, thr, scale, alpha, out,
):  # fmt: skip
    """out[k, i] = sum_j dropout(softmax_j(leaky(source_j + target_i))) h_j, head by head.

    Absent slots (`present` 0) take no part. The softmax goes to alpha[k, t, head], where t counts
    the slots of `rows` in order; the backward pass needs it.
    """
    K, width = h.shape[0], U(h.shape[2])
    d = width // U(heads)
    size = longest_row(indptr)
    local, kept = np.empty(size, np.uint32), np.empty(size, np.uint32)
    value = np.empty(size, np.float32)
    for k in range(K):
        h_k, out_k = h[k].reshape(-1), out[k].reshape(-1)
        present_k = present[k % present.shape[0]]
        first = 0
        for i in range(len(rows)):
            row = U(rows[i])
            lo, hi = indptr[row], indptr[row + U(1)]
            count = hi - lo
            me = U(position[row])
            for t in range(count):
                local[U(t)] = position[U(idx[lo + t])]
            for head in range(heads):
                top = _NEGATIVE
                for t in range(count):
                    s = source[k, U(local[U(t)]), head] + target[k, me, head]
                    s = s * _slope(s, negative_slope) if present_k[lo + t] > 0 else _NEGATIVE
                    value[U(t)] = s
                    top = max(top, s)
                total = np.float32(0)
                for t in range(count):
                    value[U(t)] = math.exp(value[U(t)] - top)
                    total += value[U(t)]
                m = U(0)
                for t in range(count):
                    a = value[U(t)] / total
                    alpha[k, first + t, head] = a
                    kept[m] = local[U(t)]
                    value[m] = a
                    if len(keys) > 0:
                        m += U(draw(keys[k], U(lo + t) * U(heads) + U(head)) < thr)
                    else:
                        m += U(1)
                gather(kept, value, m, scale, h_k, width, U(head) * d, d, out_k,
                       U(i) * width + U(head) * d)  # fmt: skip
            first += count


@_jit
def attention_backward(  # type: ignore[no-untyped-def]
    indptr, idx, rows, position, h, source, target, heads, negative_slope,
    keys, thr, scale, alpha, grad, grad_h, grad_source, grad_target,
):  # fmt: skip
    """Adds the gradients with respect to h, source and target."""
    K, width = h.shape[0], U(h.shape[2])
    d = width // U(heads)
    size = longest_row(indptr)
    local, kept = np.empty(size, np.uint32), np.empty(size, np.uint32)
    slot, value = np.empty(size, np.int64), np.empty(size, np.float32)
    for k in range(K):
        h_k, grad_k, out_k = h[k].reshape(-1), grad[k].reshape(-1), grad_h[k].reshape(-1)
        first = 0
        for i in range(len(rows)):
            row = U(rows[i])
            lo, hi = indptr[row], indptr[row + U(1)]
            count = hi - lo
            me = U(position[row])
            for t in range(count):
                local[U(t)] = position[U(idx[lo + t])]
            for head in range(heads):
                o = U(i) * width + U(head) * d
                m = U(0)
                for t in range(count):
                    kept[m] = local[U(t)]
                    slot[m] = t
                    value[m] = alpha[k, first + t, head]
                    if len(keys) > 0:
                        m += U(draw(keys[k], U(lo + t) * U(heads) + U(head)) < thr)
                    else:
                        m += U(1)
                scatter(kept, value, m, scale, grad_k, o, width, U(head) * d, d, out_k)
                # softmax: de = alpha (dalpha - sum alpha dalpha); dalpha is 0 where dropped
                inner = np.float32(0)
                for q in range(m):
                    j = U(kept[U(q)]) * width + U(head) * d
                    dot = np.float32(0)
                    for c in range(d):
                        dot += grad_k[o + U(c)] * h_k[j + U(c)]
                    inner += value[U(q)] * dot * scale
                    value[U(q)] = dot * scale
                at = U(0)
                for t in range(count):
                    a = alpha[k, first + t, head]
                    dalpha = np.float32(0)
                    if at < m and slot[at] == t:
                        dalpha = value[at]
                        at += U(1)
                    j = U(local[U(t)])
                    s = source[k, j, head] + target[k, me, head]
                    de = a * (dalpha - inner) * _slope(s, negative_slope)
                    grad_source[k, j, head] += de
                    grad_target[k, me, head] += de
            first += count
