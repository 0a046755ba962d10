"""Draws belong to a replica: same bits compiled and in torch, independent, evenly spread."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from wgnn_core.replicas import kernels, ops
from wgnn_core.replicas.random import DRAW_BITS, Noise, draws, threshold


@settings(max_examples=50)
@given(
    st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=4, unique=True),
    st.integers(0, 5000),
    st.integers(0, 100),
    st.integers(0, 2**40),
)
def test_compiled_and_torch_draw_the_same_bits(
    seeds: list[int], epoch: int, site: int, start: int
) -> None:
    keys = Noise.of_epoch(np.asarray(seeds), epoch).site(site)
    index = torch.arange(start, start + 20)
    compiled = [[int(kernels.draw(key, np.uint64(i))) for i in index.tolist()] for key in keys]
    assert draws(keys, index).tolist() == compiled
    assert ops.draws(keys, index).tolist() == compiled


def test_a_replica_draws_the_same_in_any_batch() -> None:
    together = Noise.of_epoch(np.asarray([5, 7, 11]), 3).site(2)
    alone = Noise.of_epoch(np.asarray([7]), 3).site(2)
    assert together[1] == alone[0]


def test_seed_epoch_and_site_give_different_streams() -> None:
    keys = [
        int(Noise.of_epoch(np.asarray([seed]), epoch).site(site)[0])
        for seed in range(10)
        for epoch in range(10)
        for site in range(5)
    ]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("p", [0.2, 0.5, 0.6])
def test_share_kept_and_correlations_are_those_of_independent_draws(p: float) -> None:
    n = 100_000
    keys = Noise.of_epoch(np.arange(3), 0).site(0)
    kept = (draws(keys, torch.arange(n)) < threshold(1 - p)).double()
    five_sigma = 5 * (p * (1 - p) / n) ** 0.5
    assert ((kept.mean(1) - (1 - p)).abs() < five_sigma).all()
    centred = kept - kept.mean(1, keepdim=True)
    between = (centred[0] * centred[1]).mean() / (p * (1 - p))
    neighbours = (centred[:, 1:] * centred[:, :-1]).mean(1) / (p * (1 - p))
    assert abs(between) < 5 / n**0.5
    assert (neighbours.abs() < 5 / n**0.5).all()


def test_draws_use_the_whole_range_evenly() -> None:
    sample = draws(Noise.of_epoch(np.asarray([1]), 0).site(0), torch.arange(64_000))
    counts = torch.histc(sample.double(), bins=64, min=0, max=1 << DRAW_BITS)
    chi2 = float(((counts - 1000) ** 2 / 1000).sum())
    assert 25 < chi2 < 125  # 63 degrees of freedom: beyond five sigma on either side
