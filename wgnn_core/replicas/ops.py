"""The compiled kernels as differentiable operations, for K replicas at a time.

Models reach them through `view.View`, which has each of them a second time in plain torch, for
devices other than the CPU. The two forms draw the same random bits and agree to rounding;
`view.Domain.compiled` says which one runs.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch
from torch import Tensor

from wgnn_core.replicas import attention_kernels, kernels, random
from wgnn_core.replicas.random import UIntArray, threshold

NO_KEYS = np.empty(0, dtype=np.uint64)

# Torch asks Linux for huge pages if this is set before its first allocation. Hidden rows of a
# large graph are read in random order: with small pages every read also misses the TLB.
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")


def apply(function: type[torch.autograd.Function], *arguments: Any) -> Tensor:
    """`function.apply`, which torch leaves untyped."""
    out: Tensor = function.apply(*arguments)  # type: ignore[no-untyped-call]
    return out


class SparseLinear(torch.autograd.Function):
    """dropout(X)[rows] W for X in CSR form; only W has a gradient."""

    @staticmethod
    def forward(ctx: Any, W: Tensor, x: Any, rows: Any, keys: UIntArray, p: float) -> Tensor:
        W = W.contiguous()
        out = torch.empty(W.shape[0], len(rows), W.shape[2])
        ctx.arguments = (x, rows, keys, threshold(1 - p), np.float32(1 / (1 - p)), W.shape)
        thr, scale = ctx.arguments[3:5]
        kernels.sparse_linear(
            x.indptr, x.idx, x.val, rows, W.numpy(), keys, np.uint64(thr), scale, out.numpy()
        )
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x, rows, keys, thr, scale, shape = ctx.arguments
        grad_W = torch.zeros(shape)
        kernels.sparse_linear_backward(
            x.indptr, x.idx, x.val, rows, grads[0].contiguous().numpy(), keys,
            np.uint64(thr), scale, grad_W.numpy(),
        )  # fmt: skip
        return grad_W, None, None, None, None


class Propagate(torch.autograd.Function):
    """A h for a weighted adjacency restricted to some rows; only h has a gradient."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, weight: Tensor, layer: Any) -> Tensor:
        h = h.contiguous()
        out = torch.empty(h.shape[0], len(layer.rows), h.shape[2])
        ctx.arguments = (weight, layer, h.shape)
        kernels.propagate(
            layer.indptr, layer.source, layer.first_slot, weight.numpy(), h.numpy(), out.numpy()
        )
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        weight, layer, shape = ctx.arguments
        grad_h = torch.zeros(shape)
        kernels.propagate_backward(
            layer.indptr, layer.source, layer.first_slot, weight.numpy(),
            grads[0].contiguous().numpy(), grad_h.numpy(),
        )  # fmt: skip
        return grad_h, None, None


class Product(torch.autograd.Function):
    """h W for dense h, replica by replica."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, W: Tensor) -> Tensor:
        h, W = h.contiguous(), W.contiguous()
        out = torch.empty(*h.shape[:2], W.shape[2])
        ctx.save_for_backward(h, W)
        kernels.product(h.numpy(), W.numpy(), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        h, W = ctx.saved_tensors
        grad_h, grad_W = torch.empty_like(h), torch.empty_like(W)
        kernels.product_backward(
            h.numpy(), W.numpy(), grads[0].contiguous().numpy(), grad_h.numpy(), grad_W.numpy()
        )
        return grad_h, grad_W


class AddBias(torch.autograd.Function):
    """h += b in place; sums the gradient of b row by row, see `kernels.column_sums`."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, b: Tensor) -> Tensor:
        ctx.mark_dirty(h)
        return h.add_(b)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        grad = grads[0].contiguous()
        grad_b = torch.zeros(grad.shape[0], 1, grad.shape[2])
        kernels.column_sums(grad.numpy(), grad_b.numpy())
        return grad, grad_b


class Dropout(torch.autograd.Function):
    """Dropout on node rows; the backward pass draws the same mask again."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, rows: Any, keys: UIntArray, p: float) -> Tensor:
        ctx.arguments = (rows, keys, p)
        return _dropout(h, rows, keys, p)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        return _dropout(grads[0], *ctx.arguments), None, None, None


def _dropout(h: Tensor, rows: Any, keys: UIntArray, p: float) -> Tensor:
    h = h.contiguous()
    out = torch.empty_like(h)
    kernels.dropout(
        h.numpy(), rows, keys, np.uint64(threshold(1 - p)), np.float32(1 / (1 - p)), out.numpy()
    )
    return out


def draws(keys: UIntArray, index: Tensor) -> Tensor:
    """`random.draws`: the same bits, by a kernel where `index` is on the CPU."""
    if index.device.type != "cpu":
        return random.draws(keys, index)
    out = torch.empty(len(keys), len(index), dtype=torch.int64)
    kernels.draws(keys, index.numpy(), out.numpy())
    return out


def uniforms(keys: UIntArray, index: Tensor) -> Tensor:
    """Uniform numbers ``[K, n]`` strictly between 0 and 1.

    One bit less than a draw, so that the midpoints are exact in single precision.
    """
    return ((draws(keys, index) >> 1).float() + 0.5) / (1 << (random.DRAW_BITS - 1))


def keep_mask(keys: UIntArray, index: Tensor, p: float) -> Tensor:
    """Boolean ``[K, n]``: which of the positions `index` survive dropout with probability p."""
    return draws(keys, index) < threshold(1 - p)


class Attention(torch.autograd.Function):
    """GAT's attention and sum, see `attention_kernels`; gradients for h, source and target."""

    @staticmethod
    def forward(
        ctx: Any, h: Tensor, source: Tensor, target: Tensor, present: Tensor,
        layer: Any, negative_slope: float, keys: UIntArray, p: float,
    ) -> Tensor:  # fmt: skip
        h, source, target = h.contiguous(), source.contiguous(), target.contiguous()
        heads = source.shape[2]
        alpha = torch.empty(h.shape[0], len(layer.source), heads)
        out = torch.empty(h.shape[0], len(layer.rows), h.shape[2])
        ctx.save_for_backward(h, source, target, alpha)
        ctx.arguments = (layer, np.float32(negative_slope), keys, p)
        attention_kernels.attention(
            layer.indptr, layer.source, layer.first_slot, present.numpy(), layer.own,
            h.numpy(), source.numpy(), target.numpy(), heads, np.float32(negative_slope),
            keys, np.uint64(threshold(1 - p)), np.float32(1 / (1 - p)), alpha.numpy(), out.numpy(),
        )  # fmt: skip
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        h, source, target, alpha = ctx.saved_tensors
        layer, negative_slope, keys, p = ctx.arguments
        grad_h, grad_source = torch.zeros_like(h), torch.zeros_like(source)
        grad_target = torch.zeros_like(target)
        attention_kernels.attention_backward(
            layer.indptr, layer.source, layer.first_slot, layer.own,
            h.numpy(), source.numpy(), target.numpy(), source.shape[2], negative_slope,
            keys, np.uint64(threshold(1 - p)), np.float32(1 / (1 - p)), alpha.numpy(),
            grads[0].contiguous().numpy(),
            grad_h.numpy(), grad_source.numpy(), grad_target.numpy(),
        )  # fmt: skip
        return grad_h, grad_source, grad_target, None, None, None, None, None
