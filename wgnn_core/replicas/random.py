"""Random numbers that belong to a replica, not to a batch.

A draw is a hash of (replica seed, epoch, site, index): no state, nothing stored for the backward
pass, and the same bits whatever else is in the batch, in whichever order, on whichever device.
`site` tells apart the places of a model that draw; `index` is a position in the whole graph
(node, stored feature, edge slot), so that leaving out rows nobody needs changes no other draw.

The mixer is SplitMix64 (Steele, Lea, Flood 2014). Draws are compared with 24 bits, so a keep
probability is exact to 6e-8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

UIntArray = npt.NDArray[np.uint64]

GOLDEN = 0x9E3779B97F4A7C15
MIX1 = 0xBF58476D1CE4E5B9
MIX2 = 0x94D049BB133111EB
DRAW_BITS = 24


def mix(z: UIntArray) -> UIntArray:
    """SplitMix64's finaliser on an array of 64-bit words."""
    with np.errstate(over="ignore"):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(MIX1)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX2)
    return z ^ (z >> np.uint64(31))


def threshold(keep_probability: float) -> int:
    """Draws below this 24-bit number are kept."""
    return round(keep_probability * (1 << DRAW_BITS))


@dataclass(frozen=True)
class Noise:
    """The randomness of one epoch: one 64-bit key for each replica."""

    keys: UIntArray
    epoch: int = 0

    @classmethod
    def of_epoch(cls, seeds: npt.NDArray[np.int64], epoch: int) -> Noise:
        with np.errstate(over="ignore"):
            keys = mix(seeds.astype(np.uint64) * np.uint64(GOLDEN))
            return cls(mix(keys + np.uint64(epoch + 1) * np.uint64(GOLDEN)), epoch)

    def site(self, site: int) -> UIntArray:
        """Keys for one place that draws, independent of every other place."""
        with np.errstate(over="ignore"):
            return mix(self.keys ^ (np.uint64(site + 1) * np.uint64(MIX1)))


def draws(keys: UIntArray, index: Tensor) -> Tensor:
    """24-bit draws ``[K, n]`` for the positions `index` ``[n]``, on the device of `index`.

    The same bits as the compiled kernels produce (`wgnn_core.replicas.kernels.draw`).
    """
    key = torch.from_numpy(keys.view(np.int64).copy()).to(index.device).unsqueeze(1)
    z = key + index.unsqueeze(0) * _signed(GOLDEN)
    z = (z ^ _shift(z, 30)) * _signed(MIX1)
    z = (z ^ _shift(z, 27)) * _signed(MIX2)
    return _shift(z ^ _shift(z, 31), 64 - DRAW_BITS)


def _signed(word: int) -> int:
    return word - (1 << 64) if word >= 1 << 63 else word


def _shift(z: Tensor, by: int) -> Tensor:
    """Logical shift right (torch's shift of int64 is arithmetic)."""
    return (z >> by) & ((1 << (64 - by)) - 1)
