"""A run trained by the calling program itself, without a worker: the pipeline as a Python call."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable

from wgnn_core.errors import WGNNError
from wgnn_core.replicas.engine import Cancelled
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.events import Ended, Event, Progressed, Stored
from wgnn_core.runs.life import Driver, Here
from wgnn_core.runs.owners import owner_name
from wgnn_core.runs.results import RunResult, load_result
from wgnn_core.runs.store import Store

Report = Callable[[float, int], bool]
"""Told (trainings done, trainings in all) from time to time; returns False to stop."""


def run_here(
    config: RunConfig, store: Store | None = None, report: Report | None = None
) -> RunResult:
    """Train a run, or what is left of it, in this process; returns its result.

    The same code as the worker's and the cluster's, so the same numbers.

    Args:
        config: The run.
        store: Where to keep it; by default a store that goes with the result.
        report: Told about progress.

    Raises:
        WGNNError: It failed.
        Cancelled: `report` returned False; what is finished is kept in the store.
    """
    store = store if store is not None else Store.temporary()
    store.create(config)
    ended: list[Ended] = []

    def tell(event: Event) -> None:
        if isinstance(event, Ended):
            ended.append(event)
        elif isinstance(event, Progressed | Stored) and report is not None:
            under_way = event.done if isinstance(event, Progressed) else 0.0
            if not report(store.get(config.run_id).done + under_way, config.trainings):
                driver.cancel(config.run_id)

    owner = owner_name(uuid.uuid4().hex)
    driver = Driver(store, owner, math.inf, Here(), tell, config.given)
    driver.add(config.run_id)
    try:
        while driver.busy:
            driver.step()
        store.set_state(config.run_id, owner, "cancelled")  # unless it has let go of the run
    finally:
        store.release(owner)  # this process lives on, and may want to resume the run
    if not ended or ended[-1].state == "cancelled":
        raise Cancelled
    if ended[-1].state != "done":
        raise WGNNError(ended[-1].message)
    return load_result(store, config.run_id, config.given)
