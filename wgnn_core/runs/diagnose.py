"""Predictions of another program as a run like any other."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import replace

import numpy as np

from wgnn_core.intervention import Base
from wgnn_core.predictions import Predictions
from wgnn_core.runs.cells import CellResult, arrays_of, base_rows, first_cells
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.results import RunResult, load_result
from wgnn_core.runs.store import Store
from wgnn_core.wgnn import accuracy


def diagnose(
    run: RunConfig, predictions: Predictions, store: Store | None = None, label: str = ""
) -> RunResult:
    """Store predictions for the graph of `run` as a finished run; returns it.

    Matrix k is taken for seed k, and scored on the split of that seed.

    Args:
        run: Says the graph; its other settings are not read.
        predictions: One matrix per seed.
        store: Where to keep it; by default a store that goes with the result.
        label: What they are called.
    """
    store = store if store is not None else Store.temporary()
    graph = run.graph()
    content = hashlib.sha256(np.ascontiguousarray(predictions.prob).tobytes()).hexdigest()
    config = RunConfig(
        run.dataset,
        run.parameters,
        "predictions",
        (("content", content[:32]), ("label", label)),
        seeds=tuple(range(len(predictions.prob))),
        given=run.given,
    )
    if store.has(config.run_id) and store.get(config.run_id).state == "done":
        return load_result(store, config.run_id, run.given)
    store.create(config)
    owner = owner_name(uuid.uuid4().hex)
    store.claim(config.run_id, owner)
    seeds = np.arange(len(predictions.prob))
    predicted = predictions.prob.argmax(-1)
    val = [
        100 * float((p == graph.y)[graph.split(int(s)).val].mean())
        for s, p in zip(seeds, predicted, strict=True)
    ]
    test = [accuracy(graph, int(s), p) for s, p in zip(seeds, predicted, strict=True)]
    zeros = np.zeros(len(seeds), dtype=np.int64)
    base = Base(
        graph, config.base_model, seeds, predictions.prob,
        np.asarray(val), np.asarray(test), zeros, zeros,
    )  # fmt: skip
    for cell in first_cells(config, graph):
        at = list(cell.positions)
        mine = replace(
            base, seeds=seeds[at], prob=base.prob[at], val=base.val[at], test=base.test[at],
            best_epoch=zeros[at], joined=zeros[at],
        )  # fmt: skip
        store.put_cell(
            config.run_id, owner, cell, CellResult(base_rows(mine, cell), arrays_of(mine))
        )
    store.set_state(config.run_id, owner, "done")
    return load_result(store, config.run_id, run.given)
