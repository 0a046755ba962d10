"""The gradient of a propagation with respect to its slot weights, for models that learn them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from wgnn_core.replicas.compiled import jit_sums


class WeightGradient(torch.autograd.Function):
    """Hands `out` = A h through and adds the gradient of A's weights to the backward pass."""

    @staticmethod
    def forward(ctx: Any, out: Tensor, weight: Tensor, h: Tensor, layer: Any) -> Tensor:
        ctx.save_for_backward(h)
        ctx.arguments = (layer, weight.shape)
        return out.view_as(out)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (h,) = ctx.saved_tensors
        layer, shape = ctx.arguments
        grad_weight = torch.zeros(shape)
        products(
            layer.indptr, layer.source, layer.first_slot,
            grads[0].contiguous().numpy(), h.contiguous().numpy(), grad_weight.numpy(),
        )  # fmt: skip
        return grads[0], grad_weight, None, None


@jit_sums
def products(indptr, source, first_slot, grad, h, out):  # type: ignore[no-untyped-def]
    """out[k, e] = <grad[k, i], h[k, source[t]]>, e the slot behind t; see `kernels.propagate`."""
    K, d = h.shape[0], np.uint64(h.shape[2])
    for k in range(K):
        g_k, h_k, out_k = grad[k].reshape(-1), h[k].reshape(-1), out[k]
        for i in range(len(first_slot)):
            mine = np.uint64(i) * d
            shift = first_slot[i] - indptr[i]
            for t in range(indptr[i], indptr[i + 1]):
                theirs = np.uint64(source[np.uint64(t)]) * d
                total = np.float32(0)
                for c in range(d):
                    total += g_k[mine + np.uint64(c)] * h_k[theirs + np.uint64(c)]
                out_k[np.uint64(t + shift)] = total
