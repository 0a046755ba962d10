"""The parameters of K replicas as one matrix: one row per replica.

An optimizer then has one tensor to update instead of many small ones. Rows are padded to whole
cache lines, so that a replica's numbers always meet the vector units in the same way: its bits
do not depend on its place in the batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor

Parameters = dict[str, Tensor]
LINE = 16
"""Floats in a cache line."""


@dataclass(frozen=True)
class Packing:
    """Where each named parameter of a replica lies in a row."""

    shapes: tuple[tuple[str, tuple[int, ...]], ...]

    @classmethod
    def of(cls, one: Parameters, names: Iterable[str]) -> Packing:
        """For the `names` among the parameters of one replica."""
        return cls(tuple((name, tuple(one[name].shape)) for name in names))

    @property
    def padding(self) -> int:
        return -sum(prod(shape) for _, shape in self.shapes) % LINE

    def pack(self, one: Parameters) -> Tensor:
        """The row of one replica."""
        parts = [one[name].reshape(-1) for name, _ in self.shapes]
        return torch.cat([*parts, torch.zeros(self.padding)])

    def unpack(self, rows: Tensor) -> Parameters:
        """Views ``[K, ...]`` into ``rows [K, P]``; gradients flow back to the rows."""
        sizes = [prod(shape) for _, shape in self.shapes]
        parts = torch.split(rows, [*sizes, self.padding], dim=1)
        return {
            name: part.reshape(len(rows), *shape)
            for (name, shape), part in zip(self.shapes, parts, strict=False)
        }
