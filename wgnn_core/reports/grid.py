"""The eta triples of a run as a two-dimensional grid, and the heatmap of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wgnn_core.figures.eta_grid import EtaGrid, Metric
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.wgnn import Base, Etas

NAMES = ("η₀", "η₁", "η₂")
PAIRED = "η₁ = η₂"

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Grid:
    """Axes of a heatmap.

    Attributes:
        x_name: Name of the x axis.
        y_name: Name of the y axis.
        xs: Values along x, rising.
        ys: Values along y, rising.
        cells: The triple of row i and column j is ``cells[i * len(xs) + j]``.
        fixed: What is the same in all cells, such as ``η₀ = 0.4``; empty if nothing is.
    """

    x_name: str
    y_name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    cells: tuple[Triple, ...]
    fixed: str


def grid_of(config: RunConfig, chosen: Etas | None = None) -> Grid | None:
    """The triples a run retrains as a full grid of at least two cells; None if they are none.

    With eta1 = eta2 everywhere (the paper's parameter study) the axes are that value and eta0.
    When all three vary, the slice at one eta0 is taken: the one with the most cells, at a tie the
    one validation chose; of a two-stage search that is its first stage. The base model (all 0) may
    stand beside a grid that it is no cell of.
    """
    planned = [(e.eta0, e.eta1, e.eta2) for e in config.first_etas]
    without_base = [triple for triple in planned if triple != (0.0, 0.0, 0.0)]
    for triples in (planned, without_base):
        found = _full(_slice(triples, chosen))
        if found is not None:
            return found
    return None


def _varied(triples: Sequence[Triple]) -> list[int]:
    return [i for i in range(3) if len({triple[i] for triple in triples}) > 1]


def _paired(triples: Sequence[Triple]) -> bool:
    return all(eta1 == eta2 for _, eta1, eta2 in triples)


def _slice(triples: Sequence[Triple], chosen: Etas | None) -> list[Triple]:
    if len(_varied(triples)) < 3 or _paired(triples):
        return list(triples)
    count = Counter(eta0 for eta0, _, _ in triples)
    favourite = chosen.eta0 if chosen is not None else None
    eta0 = max(count, key=lambda value: (count[value], value == favourite, -value))
    return [triple for triple in triples if triple[0] == eta0]


def _full(triples: Sequence[Triple]) -> Grid | None:
    varied = _varied(triples)
    if not varied:
        return None
    if _paired(triples):
        x, y, x_name, fixed = 1, 0, PAIRED, ""
    else:
        y = 0 if 0 in varied else 2
        x = next((i for i in varied if i != y), 1)
        (third,) = {0, 1, 2} - {x, y}
        x_name, fixed = NAMES[x], f"{NAMES[third]} = {triples[0][third]:g}"
    place = {(triple[y], triple[x]): triple for triple in triples}
    xs, ys = (tuple(sorted({triple[axis] for triple in triples})) for axis in (x, y))
    if len(place) < len(xs) * len(ys):
        return None
    cells = tuple(place[b, a] for b in ys for a in xs)
    return Grid(x_name, NAMES[y], xs, ys, cells, fixed)


def eta_grid(result: RunResult, base: Base, grid: Grid, graph: str, metric: Metric) -> EtaGrid:
    """The heatmap of a run's grid; a cell is blank until it is finished for every seed."""
    groups = result.rows.groupby(["eta0", "eta1", "eta2"])[["val", "test"]]
    mean = groups.mean()[groups.size() == len(base.seeds)].reindex(list(grid.cells))
    shape = (len(grid.ys), len(grid.xs))
    val, test = (mean[name].to_numpy(dtype=float).reshape(shape) / 100 for name in ("val", "test"))
    winner = result.chosen
    if winner is not None and result.config.search == "two-stage":
        winner = replace(winner, eta0=0.0)  # what validation chose in the stage that is drawn
    at = None
    if winner is not None and (triple := (winner.eta0, winner.eta1, winner.eta2)) in grid.cells:
        row, column = divmod(grid.cells.index(triple), len(grid.xs))
        at = (row, column)
    return EtaGrid.of(
        grid.xs,
        grid.ys,
        val,
        test,
        base_test=float(np.mean(base.test)) / 100,
        graph=f"{graph}, {grid.fixed}" if grid.fixed else graph,
        metric=metric,
        chosen=at,
        x_name=grid.x_name,
        y_name=grid.y_name,
    )
