"""Jobs as the pages see them: submit, wait, watch. The page itself never trains."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from ui import load
from ui.text import md
from wgnn_core import datasets
from wgnn_core.comparators import METHODS
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import JobStatus

WATCHED = "watched_jobs"
POLL_SECONDS = 0.5
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


def submit(config: RunConfig) -> str:
    """Queue a run, or find it finished; the sidebar watches it for this session."""
    run_id = load.jobs().submit(config)
    if is_active(run_id):
        watch(run_id)
    return run_id


def resume(run_id: str) -> None:
    load.jobs().resume(run_id)
    watch(run_id)


def watch(run_id: str) -> None:
    """Draw the page anew when the run ends, or has ended since the page looked at it."""
    st.session_state.setdefault(WATCHED, {})[run_id] = True


def need(config: RunConfig, cheap: bool, what: str) -> str:
    """The id of `config` once it is done; until then say so and end the page here.

    Args:
        config: The run the page cannot do without.
        cheap: Start it unasked.
        what: Names it in sentences, such as "the base model".
    """
    status = status_of(config)
    if status is None and cheap:
        submit(config)
        status = status_of(config)
    if status is not None and status.state == "done":
        return config.run_id
    with st.container(border=True):
        if status is None:
            st.markdown(f"**This page needs {what}**, {config.trainings} trainings on this graph.")
            train_button(f"Train {what}", config, "need")
        elif status.active:
            watch(config.run_id)
            st.markdown(f"**Training {what}.** The page fills itself as soon as it is done.")
            st.skeleton(height=260)
        else:
            ended(config.run_id, status)
    raise PageEnd


def train_button(label: str, config: RunConfig, key: str, disabled: bool = False) -> None:
    """The button that starts a run."""
    st.button(
        label,
        type="primary",
        icon=":material/play_arrow:",
        key=key,
        disabled=disabled,
        on_click=submit,
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
        again, icon=":material/replay:", key=f"resume_{run_id}", on_click=resume, args=(run_id,)
    )


def forget_ended() -> None:
    """Before a page is drawn: what has ended is no reason to draw it once more."""
    st.session_state[WATCHED] = {r: True for r in st.session_state.get(WATCHED, {}) if is_active(r)}


def panel(page: str) -> None:
    """The jobs of this session that are going on; looks again by itself only while there are."""

    def look() -> None:
        watched: dict[str, bool] = st.session_state.setdefault(WATCHED, {})
        still = {run_id: load.jobs().status(run_id) for run_id in watched if is_active(run_id)}
        if set(still) != set(watched):
            st.session_state[WATCHED] = dict.fromkeys(still, True)
            st.rerun()
        _jobs(still)

    # Streamlit knows a fragment by its name and place. Were they the same on all pages, a look
    # that the browser asked for just before it followed a link would be taken on the new page and
    # lead back to the old one.
    look.__qualname__ = f"look_{page}"
    st.fragment(look, run_every=POLL_SECONDS if st.session_state.get(WATCHED) else None)()


def _jobs(still: dict[str, JobStatus]) -> None:
    if still:
        st.caption("Jobs")
    for run_id, status in list(still.items())[:4]:
        progress(run_id, status, "panel")


def progress(run_id: str, status: JobStatus, place: str) -> None:
    """One job: what it is, how far, how long still, and a way to stop it."""
    config = load.jobs().store.get(run_id).config
    name = f"{METHODS[config.model].title} on {datasets.spec(config.dataset).title}"
    with st.container(border=True):
        st.progress(
            min(status.done / max(status.total, 1), 1.0), text=f"**{name}**  \n{timing(status)}"
        )
        st.button(
            "Cancel",
            icon=":material/close:",
            key=f"cancel_{place}_{run_id}",
            on_click=load.jobs().cancel,
            args=(run_id,),
            type="tertiary",
        )


def timing(status: JobStatus) -> str:
    if status.state == "queued":
        return f"waiting, {status.total} trainings"
    left = status.seconds_left
    text = f"{status.done:.0f} of {status.total} trainings"
    return text if left is None else f"{text}, about {max(left, 1):.0f} s left"
