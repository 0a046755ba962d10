"""The interventions of a run as a two-dimensional grid of etas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig

NAMES = ("η₀", "η₁", "η₂")
PAIRED = "η₁ = η₂"


@dataclass(frozen=True)
class Grid:
    """Axes of a heatmap.

    Attributes:
        x_name: Name of the x axis.
        y_name: Name of the y axis.
        xs: Values along x, rising.
        ys: Values along y, rising.
        cells: The intervention of row i and column j is ``cells[i * len(xs) + j]``.
        fixed: What is the same in all cells, such as ``η₀ = 0.4``; empty if nothing is.
    """

    x_name: str
    y_name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    cells: tuple[Intervention, ...]
    fixed: str

    def place(self, one: Intervention | None) -> tuple[int, int] | None:
        """(row, column) of a cell, if it is one."""
        if one not in self.cells:
            return None
        row, column = divmod(self.cells.index(one), len(self.xs))
        return row, column


def grid_of(config: RunConfig, chosen: Intervention | None = None) -> Grid | None:
    """What a run retrains as a full grid of at least two cells; None if it is none.

    With eta1 = eta2 everywhere (the paper's parameter study) the axes are that value and eta0.
    When all three vary, the slice at one eta0 is taken: the one with the most cells, at a tie the
    one validation chose; of a two-stage search that is its first stage. The base model (all 0) may
    stand beside a grid that it is no cell of.
    """
    planned = list(config.first_stage)
    others = [one for one in planned if not one.is_base]
    if len({one.at(0, 0, 0) for one in planned}) > 1:
        return None
    for cells in (planned, others):
        found = _full(_slice(cells, chosen))
        if found is not None:
            return found
    return None


def second_stage_of(config: RunConfig, winner: Intervention) -> Grid:
    """The second stage of a two-stage search as one row: eta0, from 0, on the graph that won.

    Args:
        config: The run.
        winner: What validation chose in the first stage, with eta0 = 0.
    """
    eta0s = tuple(sorted({0.0, *config.steps}))
    cells = tuple(winner.at(eta0, winner.eta1, winner.eta2) for eta0 in eta0s)
    return Grid(NAMES[0], NAMES[1], eta0s, (winner.eta1,), cells, f"{NAMES[2]} = {winner.eta2:g}")


def _varied(cells: Sequence[Intervention]) -> list[int]:
    return [i for i in range(3) if len({one.etas[i] for one in cells}) > 1]


def _paired(cells: Sequence[Intervention]) -> bool:
    return all(one.eta1 == one.eta2 for one in cells)


def _slice(cells: Sequence[Intervention], chosen: Intervention | None) -> list[Intervention]:
    if len(_varied(cells)) < 3 or _paired(cells):
        return list(cells)
    count = Counter(one.eta0 for one in cells)
    favourite = chosen.eta0 if chosen is not None else None
    eta0 = max(count, key=lambda value: (count[value], value == favourite, -value))
    return [one for one in cells if one.eta0 == eta0]


def _full(cells: Sequence[Intervention]) -> Grid | None:
    varied = _varied(cells)
    if not varied:
        return None
    if _paired(cells):
        x, y, x_name, fixed = 1, 0, PAIRED, ""
    else:
        y = 0 if 0 in varied else 2
        x = next((i for i in varied if i != y), 1)
        (third,) = {0, 1, 2} - {x, y}
        x_name, fixed = NAMES[x], f"{NAMES[third]} = {cells[0].etas[third]:g}"
    place = {(one.etas[y], one.etas[x]): one for one in cells}
    xs, ys = (tuple(sorted({one.etas[axis] for one in cells})) for axis in (x, y))
    if len(place) < len(xs) * len(ys):
        return None
    return Grid(x_name, NAMES[y], xs, ys, tuple(place[b, a] for b in ys for a in xs), fixed)
