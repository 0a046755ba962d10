"""From finished runs to records: which eta counts, and what is compared with what.

Eta is chosen on validation accuracy: one for all seeds where they share a split. With several
splits a test node of one is a validation node of another, so that a shared choice would see test
labels: there each split chooses for itself among the rows trained, and the shared choice stands
beside it (`records.CANDIDATES` says what of a search is shared even so).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from wgnn_core import datasets
from wgnn_core.intervention import Intervention
from wgnn_core.runs.results import RunResult
from wgnn_core.search import best_on_test, choose, is_of
from wgnn_core.statistics import overlap_of
from wgnn_core.studies.published import Published
from wgnn_core.studies.records import Record, Seeds


def grid_text(result: RunResult) -> str:
    """What a run searched, in a phrase."""
    config = result.config
    if config.search == "two-stage":
        steps = ", ".join(f"{step:g}" for step in config.steps)
        return f"two stages, each η in {{{steps}}}"
    found = [one for one in config.interventions if not one.is_base]
    values = {name: sorted({getattr(i, name) for i in found}) for name in ("eta0", "eta1", "eta2")}
    parts = [
        f"η{'₀₁₂'[k]} in {{{', '.join(f'{v:g}' for v in values[name])}}}"
        for k, name in enumerate(values)
        if values[name] not in ([], [0.0])
    ]
    asked = {one.edge_model for one in found if one.drops_edges} - {"same"}
    behind = f", G′ of {', '.join(sorted(asked)).upper()}" if asked else ""
    return (", ".join(parts) or "nothing") + behind


def tuned(
    result: RunResult,
    row: str,
    column: str,
    published: Published,
    method: str = "wGNN",
    rows: pd.DataFrame | None = None,
) -> Record:
    """wGNN, or a part of it, with eta chosen among `rows` (all of the run by default).

    The base model is among the candidates in every search of a study.
    """
    rows = result.rows if rows is None else rows
    config, graph = result.config, result.graph
    place = {seed: seed % len(graph.splits) for seed in config.seeds}
    splits = sorted(set(place.values()))
    of_split = {
        split: choose(rows[rows["seed"].map(place) == split]) if len(splits) > 1 else choose(rows)
        for split in splits
    }
    picked = {seed: of_split[place[seed]] for seed in config.seeds}
    common, best = choose(rows), best_on_test(rows)
    best_retrained = best_on_test(rows, retrained=True)
    several = len(splits) > 1
    return Record(
        row=row,
        column=column,
        graph=datasets.spec(config.dataset).title,
        reference=type(result.trained.model).title,
        method=method,
        runs=(result.summary.run_id,),
        grid=grid_text(result),
        etas=tuple(_etas(of_split[split]) for split in splits),
        base=seeds(result.trained.test),
        tally=_scores(rows, picked, "test"),
        retrained=_scores(rows, picked, "test_retrained"),
        val=_scores(rows, picked, "val"),
        shared=_scores(rows, dict.fromkeys(config.seeds, common), "test") if several else (),
        shared_etas=_etas(common) if several else "",
        best=_scores(rows, dict.fromkeys(config.seeds, best), "test"),
        best_etas=_etas(best),
        best_retrained=_scores(rows, dict.fromkeys(config.seeds, best_retrained), "test_retrained"),
        splits=len(splits),
        overlap=overlap_of(graph, config.seeds),
        published=published,
    )


def first_stage_rows(result: RunResult) -> pd.DataFrame:
    """Rows of Algorithm 2 alone, the base model among them: wGNN2, tuned by itself."""
    return result.rows[result.rows["eta0"] == 0]


def fixed(result: RunResult, at: Intervention, row: str, column: str) -> Record:
    """wGNN with an eta that was given and not chosen, against the base model."""
    rows = result.of(at)
    return record_of(
        result,
        row,
        column,
        method="wGNN",
        reference=type(result.trained.model).title,
        base=seeds(result.trained.test),
        tally=seeds(rows["test"]),
        retrained=seeds(rows["test_retrained"]),
        val=seeds(rows["val"]),
        etas=(_etas(at),),
        grid="nothing",
    )


def against(
    reference: tuple[RunResult, Intervention],
    other: tuple[RunResult, Intervention],
    names: tuple[str, str],
    row: str,
    column: str,
) -> Record:
    """One retrained method against another, or against a base model, on the same seeds."""
    (first, at), (second, to) = reference, other
    mine = second.of(to)
    return record_of(
        second,
        row,
        column,
        reference=names[0],
        method=names[1],
        base=seeds(first.of(at)["test"]),
        tally=seeds(mine["test"]),
        retrained=seeds(mine["test_retrained"]),
        val=seeds(mine["val"]),
        etas=(_etas(to),),
        grid="nothing",
        runs=tuple(dict.fromkeys((first.summary.run_id, second.summary.run_id))),
    )


def model(
    reference: RunResult, other: RunResult, row: str, column: str, published: Published
) -> Record:
    """Another model against a base model on the same seeds."""
    return record_of(
        other,
        row,
        column,
        reference=type(reference.trained.model).title,
        method=type(other.trained.model).title,
        base=seeds(reference.trained.test),
        tally=seeds(other.trained.test),
        val=seeds(other.trained.val),
        grid="nothing",
        published=published,
        runs=(reference.summary.run_id, other.summary.run_id),
    )


def record_of(result: RunResult, row: str, column: str, **given: object) -> Record:
    """A record with what every record of a run says."""
    config, graph = result.config, result.graph
    told: dict[str, object] = {
        "row": row,
        "column": column,
        "graph": datasets.spec(config.dataset).title,
        "runs": (result.summary.run_id,),
        "splits": len({seed % len(graph.splits) for seed in config.seeds}),
        "overlap": overlap_of(graph, config.seeds),
    }
    return Record(**told | given)  # type: ignore[arg-type]


def _scores(rows: pd.DataFrame, picked: dict[int, Intervention], column: str) -> Seeds:
    """A column for each seed, of the intervention that was picked for it."""
    tables = {one: rows[is_of(rows, one)].set_index("seed")[column] for one in set(picked.values())}
    return seeds([tables[one].loc[seed] for seed, one in picked.items()])


def seeds(values: object) -> Seeds:
    """Percent, rounded to where floats agree; a record is read by people too."""
    return tuple(round(float(v), 6) for v in np.asarray(values, dtype=float))


def _etas(one: Intervention) -> str:
    return str(one)
