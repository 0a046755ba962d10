"""Studies as the page Paper sees them: what is in the store, what is left, and going on with it."""

from __future__ import annotations

import streamlit as st

from ui import load
from ui.jobs import status_of, submit, watch
from ui.kept import kept
from wgnn_core.errors import WGNNError
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import JobStatus
from wgnn_core.studies import STUDIES
from wgnn_core.studies.plan import Cell, Size
from wgnn_core.studies.running import Estimate, Found, chosen_cells, collect, estimate, todo

GOING = "paper_going"
ALL = "all"
Part = tuple[str, Size, str, str]
"""Name of a study, size, row and column; the last two may be `ALL`."""


def cells_of(part: Part) -> list[Cell]:
    name, size, row, column = part
    known = [None if one == ALL else one for one in (row, column)]
    return chosen_cells(STUDIES[name], size, *known)


def _stamp() -> tuple[str, ...]:
    """Changes whenever a run of the store ends: nothing kept from before is then asked for."""
    return tuple(run.run_id for run in load.jobs().store.runs() if run.state == "done")


def found(part: Part) -> Found:
    """Records of what the store has."""
    return _found(part, _stamp())


@kept("Reading the runs ...")
def _found(part: Part, stamp: tuple[str, ...]) -> Found:
    return collect(STUDIES[part[0]], cells_of(part), part[1], load.jobs().store)


def left(part: Part) -> list[RunConfig]:
    """Runs that can be started now."""
    return _left(part, _stamp())


@kept("Looking what is left to train ...")
def _left(part: Part, stamp: tuple[str, ...]) -> list[RunConfig]:
    return todo(cells_of(part), part[1], load.jobs().store)


def cost(part: Part) -> Estimate:
    return _cost(part, _stamp())


@kept()
def _cost(part: Part, stamp: tuple[str, ...]) -> Estimate:
    return estimate(cells_of(part), part[1], load.jobs().store)


def begin(part: Part) -> None:
    """Start what can be started, or was stopped; the page goes on with the rest as runs end."""
    st.session_state[GOING] = part
    go_on(part, again=True)


def stop(part: Part) -> None:
    """Cancel the runs of a part; what is finished is kept.

    Raises:
        WGNNError: Some are trained by another program; all others are cancelled.
    """
    st.session_state.pop(GOING, None)
    refused: list[str] = []
    for config, _ in active(part):
        try:
            load.jobs().cancel(config.run_id)
        except WGNNError as error:
            refused.append(str(error))
    if refused:
        raise WGNNError(" ".join(refused))


def active(part: Part) -> list[tuple[RunConfig, JobStatus]]:
    """The runs of a part that are queued or running, whoever began them."""
    going = set(load.jobs().active)
    found = [(one, status_of(one)) for one in left(part) if one.run_id in going]
    return [(config, status) for config, status in found if status is not None and status.active]


def go_on(part: Part, again: bool = False) -> list[JobStatus]:
    """Submit as many runs as the queue takes.

    Runs that failed or were cancelled are given back, or tried `again`.
    """
    jobs, broken = load.jobs(), []
    for config in left(part):
        status = status_of(config)
        if not again and status is not None and status.state in ("failed", "cancelled"):
            broken.append(status)
        elif status is not None and status.active:
            watch(status.run_id)
        elif len(jobs.active) < jobs.limits.queue:
            submit(config)
    return broken
