"""The figure of a study, drawn from its records: bars, heatmap, curves of the existing kinds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wgnn_core.figures import AccuracyCoverage, ComparisonBars, DepthCurve, EtaGrid, Figure
from wgnn_core.studies import depth, m1_m2, mismatch, parameter_study
from wgnn_core.studies.records import Record

MOST_GROUPS = 12


def views(study: str, records: Sequence[Record]) -> list[str]:
    """What there is a figure of: the graphs, or the rows of a table; none where nothing fits."""
    if study == parameter_study.STUDY.name:
        found = [r.row.split(",")[0] for r in records]
    elif study == depth.STUDY.name:
        found = ["Cora"] if records else []
    elif study in (m1_m2.STUDY.name, mismatch.STUDY.name):
        found = [r.column for r in records]
    else:
        found = [r.row for r in records]
    return list(dict.fromkeys(found))


def chart(study: str, records: Sequence[Record], view: str) -> Figure:
    """The figure of one of the `views`."""
    if study == parameter_study.STUDY.name:
        return _heatmap(records, view)
    if study == depth.STUDY.name:
        return _depth(records)
    if study == m1_m2.STUDY.name:
        mine = [r for r in records if r.column == view]
        curves = {
            mine[0].reference: np.array([r.base for r in mine]).T,
            mine[0].method: np.array([r.tally for r in mine]).T,
        }
        alphas = [float(r.row.removeprefix("α = ")) for r in mine]
        return AccuracyCoverage.of(alphas, curves, graph=view)
    if study == mismatch.STUDY.name:
        mine = [r for r in records if r.column == view]
        bars = {
            r.row.removeprefix("η₁ = η₂ = "): {
                r.reference: _array(r.base),
                r.method: _array(r.tally),
            }
            for r in mine
        }
        return ComparisonBars.of(bars, f"η₁ = η₂ on {view}")
    mine = [r for r in records if r.row == view][:MOST_GROUPS]
    groups = {r.column: {r.reference: _array(r.base), r.method: _array(r.tally)} for r in mine}
    return ComparisonBars.of(groups)


def _heatmap(records: Sequence[Record], graph: str) -> Figure:
    found = parameter_study.by_etas(records, graph)
    ys, xs = (sorted({key[axis] for key in found}) for axis in (0, 1))
    val, test = (
        np.array([[getattr(found[y, x], name) for x in xs] for y in ys]).transpose(2, 0, 1)
        for name in ("val", "tally")
    )
    one = next(iter(found.values()))
    row, column = np.unravel_index(val.mean(axis=0).argmax(), val.shape[1:])
    return EtaGrid.of(
        xs, ys, val, test, base_test=_array(one.base), graph=graph, metric="gain",
        chosen=(int(row), int(column)), model=one.reference, overlap=one.overlap,
    )  # fmt: skip


def _depth(records: Sequence[Record]) -> Figure:
    found = {(int(r.row[4:]), float(r.column[5:])): r for r in records}
    layers = sorted({key[0] for key in found})
    etas = sorted({key[1] for key in found})
    curves = {0.0: np.array([found[depth, etas[0]].base for depth in layers]).T}
    for eta0 in etas:
        curves[eta0] = np.array([found[depth, eta0].tally for depth in layers]).T
    return DepthCurve.of(layers, curves, graph="Cora")


def _array(seeds: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.asarray(seeds, dtype=np.float64)
