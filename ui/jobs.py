"""Jobs as the pages see them: submit, wait, watch. The page itself never trains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import streamlit as st

from ui import load
from ui.text import md
from wgnn_core.comparators import METHODS
from wgnn_core.errors import WGNNError
from wgnn_core.figures.text import count
from wgnn_core.graph import Graph
from wgnn_core.models.predictions import PredictionsOnly
from wgnn_core.reports.shelf import graph_title, model_title
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import JobStatus

WATCHED, UNASKED, NEEDED = "watched_jobs", "unasked_jobs", "needed_jobs"
CHANGED, SAID = "jobs_changed", "jobs_error"
POLL_SECONDS, LOOK_SECONDS = 0.5, 5.0
"""How often a tab looks after runs of its own, and after those of other tabs: there may be 200."""
SHOWN = 4
CHEAP_NODES = 4000


class PageEnd(Exception):  # noqa: N818, it is no error
    """The page has said all it can for now; the router goes on with the job panel.

    `st.stop` would end the panel too, and with it the looking whether the run is done.
    """


def is_cheap(graph: Graph, model: str) -> bool:
    """Whether five trainings take seconds, so that they may start unasked."""
    return graph.num_nodes <= CHEAP_NODES and METHODS[model].cost == "cheap"


@contextmanager
def said() -> Iterator[None]:
    """An expected error becomes a sentence on the page."""
    try:
        yield
    except WGNNError as error:
        st.error(md(error, 600), icon=":material/error:")


def asked(action: Callable[..., object]) -> Callable[..., None]:
    """For callbacks of buttons, where an error has no place on the page yet: it is kept for it."""

    @wraps(action)
    def call(*given: Any) -> None:
        st.session_state[CHANGED] = True
        try:
            action(*given)
        except WGNNError as error:
            st.session_state[SAID] = str(error)

    return call


def fragment(
    part: Callable[[], None], name: str, run_every: float | None = None
) -> Callable[[], None]:
    """A part of the page that is drawn anew by itself.

    Whatever it starts or stops, the rest of the page learns of it: then the whole page is drawn.
    Streamlit knows a fragment by its name and place. Were they the same on all pages, a look that
    the browser asked for just before it followed a link would be taken on the new page and lead
    back to the old one.
    """

    def drawn() -> None:
        st.session_state.setdefault(CHANGED, False)
        with said():
            part()
        if st.session_state[CHANGED]:
            st.rerun()

    drawn.__qualname__ = f"{part.__qualname__}_{name}"
    return st.fragment(drawn, run_every=run_every)


def status_of(config: RunConfig) -> JobStatus | None:
    """None if the run was never submitted."""
    try:
        return load.jobs().status(config.run_id)
    except WGNNError:
        return None


def is_active(run_id: str | None) -> bool:
    """Whether a run that may have been deleted meanwhile is queued or running."""
    jobs = load.jobs()
    return run_id is not None and jobs.store.has(run_id) and jobs.status(run_id).active


def submit(config: RunConfig, unasked: bool = False) -> str:
    """Queue a run, or find it finished; the sidebar watches it for this session.

    What was started `unasked` is withdrawn when this session looks at something else.
    """
    run_id = load.jobs().submit(config)
    if is_active(run_id):
        watch(run_id)
        st.session_state[CHANGED] = True
        if unasked:
            st.session_state.setdefault(UNASKED, set()).add(run_id)
    return run_id


def resume(run_id: str) -> None:
    load.jobs().resume(run_id)
    st.session_state[CHANGED] = True
    watch(run_id)


def watch(run_id: str) -> None:
    """Draw the page anew when the run begins or ends, or has done so since the page looked."""
    st.session_state.setdefault(WATCHED, {})[run_id] = load.jobs().status(run_id).state
    st.session_state.setdefault(NEEDED, set()).add(run_id)


def need(config: RunConfig, cheap: bool, what: str) -> str:
    """The id of `config` once it is done; until then say so and end the page here.

    Args:
        config: The run the page cannot do without.
        cheap: Start it unasked.
        what: Names it in sentences, such as "the base model".
    """
    status = status_of(config)
    if status is None and (cheap or load.jobs().is_free(config)):
        submit(config, unasked=True)
        status = status_of(config)
    if status is not None and status.state == "done":
        return config.run_id
    with st.container(border=True):
        if status is None:
            st.markdown(f"**This page needs {what}**, {config.trainings} trainings on this graph.")
            train_button(f"Train {what}", config, "need")
        elif status.active:
            watch(config.run_id)
            st.markdown(f"**{doing(status, what)}** The page fills itself as soon as it is done.")
            st.skeleton(height=260)
        else:
            ended(config.run_id, status)
    raise PageEnd


def doing(status: JobStatus, what: str) -> str:
    """A sentence about a run that is not finished: trained, or waiting for others."""
    if status.state == "running":
        return f"Training {what}."
    before = [run_id for run_id in load.jobs().active if run_id != status.run_id]
    behind = f" behind {count(len(before), 'other run')}" if before else ""
    return f"{what[:1].upper()}{what[1:]} waits{behind}."


def train_button(label: str, config: RunConfig, key: str, disabled: bool = False) -> None:
    """The button that starts a run; for predictions of another program, why there is none."""
    if config.model == PredictionsOnly.name:
        st.caption(
            "These predictions came from another program, so nothing is trained again here: take "
            "R′ and G′ along from the Playground, retrain there, and bring the new ones back."
        )
        return
    st.button(
        label,
        type="primary",
        icon=":material/play_arrow:",
        key=key,
        disabled=disabled,
        on_click=asked(submit),
        args=(config,),
    )


def ended(run_id: str, status: JobStatus) -> None:
    """A run that ended without being done: why, and what to do."""
    if status.state == "failed":
        st.error(md(status.message, 600) or "The run failed.", icon=":material/error:")
    else:
        st.warning(
            f"The run was {status.state} after {status.done:.0f} of {status.total} trainings; "
            "what is finished is kept.",
            icon=":material/pause_circle:",
        )
    again = "Try again" if status.state == "failed" else "Resume"
    st.button(
        again,
        icon=":material/replay:",
        key=f"resume_{run_id}",
        on_click=asked(resume),
        args=(run_id,),
    )


def page_begins() -> None:
    """Before a page is drawn: what has ended is no reason to draw it once more."""
    watched = st.session_state.get(WATCHED, {})
    st.session_state[WATCHED] = {r: load.jobs().status(r).state for r in watched if is_active(r)}
    st.session_state[NEEDED] = set()
    st.session_state[CHANGED] = False
    if message := st.session_state.pop(SAID, ""):
        st.error(md(message, 600), icon=":material/error:")


def page_ends() -> None:
    """After a page is drawn: withdraw what was started unasked and is looked at no longer."""
    unasked: set[str] = st.session_state.get(UNASKED, set())
    for run_id in unasked - st.session_state[NEEDED]:
        with said():
            if is_active(run_id) and load.jobs().store.get(run_id).done == 0:
                load.jobs().delete(run_id)  # nothing is lost, and nothing reads "cancelled"
        unasked.discard(run_id)


def panel(page: str) -> None:
    """The jobs of this program that are going on, whichever tab began them."""

    def look() -> None:
        watched: dict[str, str] = st.session_state.setdefault(WATCHED, {})
        still = {run_id: load.jobs().status(run_id) for run_id in watched if is_active(run_id)}
        now = {run_id: status.state for run_id, status in still.items()}
        if now != watched:
            st.session_state[WATCHED] = now
            st.session_state[CHANGED] = True
            return
        others = [run_id for run_id in load.jobs().active if run_id not in still]
        going = still | {run_id: load.jobs().status(run_id) for run_id in others}
        if looks and not going:
            st.session_state[CHANGED] = True  # drawn anew, the page stops looking
            return
        if going:
            st.caption("Jobs")
        for run_id, status in list(going.items())[:SHOWN]:
            progress(run_id, status)
        if len(going) > SHOWN:
            st.caption(f"and {count(len(going) - SHOWN, 'other run')}")

    looks = LOOK_SECONDS if load.jobs().active else None
    if st.session_state.get(WATCHED):
        looks = POLL_SECONDS
    fragment(look, page, looks)()


def progress(run_id: str, status: JobStatus) -> None:
    """One job: what it is, how far, how long still, and a way to stop it."""
    config = load.jobs().store.get(run_id).config
    name = md(f"{model_title(config.model)} on {graph_title(config.dataset)}")
    with st.container(border=True):
        st.progress(
            min(status.done / max(status.total, 1), 1.0), text=f"**{name}**  \n{timing(status)}"
        )
        st.button(
            "Cancel",
            icon=":material/close:",
            key=f"cancel_{run_id}",
            on_click=asked(load.jobs().cancel),
            args=(run_id,),
            type="tertiary",
        )


def timing(status: JobStatus) -> str:
    if status.state == "queued":
        return f"waiting, {status.total} trainings"
    left = status.seconds_left
    text = f"{status.done:.0f} of {status.total} trainings"
    return text if left is None else f"{text}, about {max(left, 1):.0f} s left"
