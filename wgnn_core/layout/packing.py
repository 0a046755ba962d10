"""The canvas of a layout, and rectangles that fill it in reading order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from wgnn_core.errors import WGNNError

Float64Array = npt.NDArray[np.float64]

LONGEST_ROW = 400
"""Rows are sought up to this length; it bounds the work by 400 n."""


def canvas(aspect: float) -> tuple[float, float]:
    """Width and height of the canvas of a layout: the longer side is 1."""
    if not 0.1 <= aspect <= 10:
        raise WGNNError(f"aspect is {aspect}; a canvas has an aspect between 0.1 and 10.")
    return min(1.0, aspect), min(1.0, 1 / aspect)


@dataclass(frozen=True, eq=False)
class Boxes:
    """n rectangles inside a canvas, y upwards, ``[n, 2]`` each.

    Attributes:
        corner: Lower left corners.
        size: Widths and heights.
    """

    corner: Float64Array
    size: Float64Array

    @property
    def centre(self) -> Float64Array:
        return self.corner + self.size / 2


def pack_rows(areas: npt.ArrayLike, width: float, height: float, shape: float = 1.0) -> Boxes:
    """Fill a canvas with rectangles whose areas are proportional to `areas`.

    They stand like words on a page, in the given order: rows from the top, each from the left,
    every row as wide as the canvas and as high as its areas need. The breaks between rows are
    those that make the sum over the rectangles of log(width / (shape height))^2 smallest, found by
    dynamic programming.

    Args:
        areas: Positive numbers, ``[n]``.
        width: Width of the canvas.
        height: Height of the canvas.
        shape: Wished width over height of a rectangle.
    """
    area = np.asarray(areas, dtype=np.float64)
    if area.ndim != 1 or not (np.isfinite(area) & (area > 0)).all():
        raise WGNNError("The areas to pack must be a list of positive numbers.")
    if area.size == 0:
        return Boxes(np.empty((0, 2)), np.empty((0, 2)))
    area = area * (width * height / area.sum())
    breaks = _breaks(area, width, shape)
    corner, size = np.empty((len(area), 2)), np.empty((len(area), 2))
    top = height
    for first, last in pairwise(breaks):
        row = slice(first, last)
        high = area[row].sum() / width
        top -= high
        wide = area[row] / high
        corner[row, 0], corner[row, 1] = np.cumsum(wide) - wide, top
        size[row, 0], size[row, 1] = wide, high
    return Boxes(corner, size)


def pack_columns(areas: npt.ArrayLike, width: float, height: float) -> Boxes:
    """As `pack_rows`, in columns from the left, each from the top."""
    rows = pack_rows(areas, height, width)
    x = width - rows.corner[:, 1] - rows.size[:, 1]
    y = height - rows.corner[:, 0] - rows.size[:, 0]
    return Boxes(np.stack([x, y], axis=1), rows.size[:, ::-1])


def _breaks(area: Float64Array, width: float, shape: float) -> list[int]:
    """Where rows begin, and n. The cost of a row from i to j follows from three running sums:

    a rectangle of area a in a row of total area S has width / height = a W^2 / S^2.
    """
    n = len(area)
    log = np.log(area)
    total, logs, squares = (
        np.concatenate([[0.0], np.cumsum(values)]) for values in (area, log, log**2)
    )
    best, come_from = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    best[0] = 0
    for i in range(n):
        ends = np.arange(i + 1, min(n, i + LONGEST_ROW) + 1)
        wished = 2 * np.log((total[ends] - total[i]) / width) + np.log(shape)
        cost = (
            squares[ends]
            - squares[i]
            - 2 * wished * (logs[ends] - logs[i])
            + (ends - i) * wished**2
        )
        better = best[i] + cost < best[ends]
        best[ends[better]] = (best[i] + cost)[better]
        come_from[ends[better]] = i
    breaks = [n]
    while breaks[-1] > 0:
        breaks.append(int(come_from[breaks[-1]]))
    return breaks[::-1]
