"""The compiled parts of MaskGAE against plain torch: values, moments and gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional

from wgnn_core.models.autoencoding import BLOCK, NormalisedElu, PairProduct
from wgnn_core.replicas.ops import NO_KEYS, apply, keep_mask
from wgnn_core.replicas.random import Noise

K, D = 3, 20


def given(*shape: int, seed: int = 0) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=rng).requires_grad_()


@pytest.mark.parametrize("n", [2, BLOCK, BLOCK + 1, 5 * BLOCK - 3])
def test_normalised_elu(n: int) -> None:
    """Far from 0, where sums in single precision would be off."""
    h, scale, shift = given(K, n, D), given(K, 1, D, seed=1), given(K, 1, D, seed=2)
    weight = given(K, n, D, seed=3).detach()
    far = 3 * h + 100.0
    out, mean, variance = NormalisedElu.apply(far, scale, shift, 1e-5)
    mine = torch.autograd.grad((weight * out).sum(), (h, scale, shift))
    exact = (3 * h + 100.0).double()
    theirs = functional.elu(
        (exact - exact.mean(1, keepdim=True))
        * (exact.var(1, correction=0, keepdim=True) + 1e-5).rsqrt()
        * scale
        + shift
    )
    assert torch.allclose(out.double(), theirs, atol=2e-4)
    assert torch.allclose(mean.double(), exact.mean(1, keepdim=True), rtol=1e-6)
    assert torch.allclose(variance.double(), exact.var(1, correction=0, keepdim=True), rtol=1e-4)
    assert not mean.requires_grad and not variance.requires_grad
    wanted = torch.autograd.grad((weight * theirs).sum(), (h, scale, shift))
    for ours, their in zip(mine, wanted, strict=True):
        assert torch.allclose(ours, their.float(), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("p", [0.0, 0.4])
def test_pair_product(p: float) -> None:
    """A node may be in many pairs, also with itself."""
    z, M = given(K, 7, D), 40
    i, j = torch.randint(7, (2, K, M), generator=torch.Generator().manual_seed(4))
    i[:, 0] = j[:, 0]
    keys = Noise.of_epoch(np.arange(K), 5).site(2) if p else NO_KEYS
    weight = given(K, M, D, seed=5).detach()
    ours = apply(PairProduct, z, i, j, keys, p)
    theirs = torch.stack([z[k, i[k]] * z[k, j[k]] for k in range(K)])
    if p:
        kept = keep_mask(keys, torch.arange(M * D), p).reshape(K, M, D)
        assert 0.3 < kept.float().mean() < 0.9
        theirs = theirs * kept / (1 - p)
    assert torch.allclose(ours, theirs, atol=1e-6)
    mine, wanted = (torch.autograd.grad((weight * out).sum(), z)[0] for out in (ours, theirs))
    assert torch.allclose(mine, wanted, atol=1e-4)
