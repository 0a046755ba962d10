"""The frame around every page: navigation, sidebar, title, graph."""

from __future__ import annotations

import gc
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui import load
from ui.address import remember, say_what_was_dropped
from ui.camera import keep_camera
from ui.choice import Choice
from ui.jobs import PageEnd, is_cheap, need, page_begins, page_ends, panel, said
from ui.pages import PAGES
from ui.sidebar import sidebar
from ui.style import style_page
from ui.text import md
from wgnn_core import datasets
from wgnn_core.figures import Figure, figure_of
from wgnn_core.graph import FloatArray, Graph
from wgnn_core.home import home
from wgnn_core.runs.results import RunResult

CHOICE: ContextVar[Choice | None] = ContextVar("choice", default=None)
"""What the sidebar says, while the router runs a page."""


@dataclass(frozen=True, eq=False)
class View:
    """What every page begins with."""

    choice: Choice

    @property
    def graph(self) -> Graph:
        return load.graph(self.choice.run.dataset, self.choice.run.parameters)

    @property
    def xy(self) -> FloatArray:
        """The graph's one layout, made when a page first asks for it."""
        return load.points(self.choice.run.dataset, self.choice.run.parameters)

    @property
    def cheap(self) -> bool:
        return is_cheap(self.graph, self.choice.run.model)

    def base_run(self) -> RunResult:
        """The finished run of the base model; ends the page while there is none."""
        return load.finished(need(self.choice.run, self.cheap, "the base model"))

    def figure(self, kind: str, *runs: RunResult, **choices: Any) -> Figure:
        """`figure_of` runs, or of the graph alone; of finished runs it is kept for the next look.

        The runs may be on other graphs than this one.
        """
        config = runs[0].config if runs else self.choice.run
        if all(run.complete for run in runs):
            ids = tuple(run.summary.run_id for run in runs)
            source = load.pinned(config.dataset), config.parameters
            return load.figure(kind, ids, source, **choices)
        mine = runs[0].graph_hash == self.graph.content_hash
        return figure_of(
            kind, runs, runs[0].graph, xy=(lambda: self.xy) if mine else None, **choices
        )


def _navigation() -> StreamlitPage:
    st.set_option("client.showSidebarNavigation", True)
    # An emoji is drawn by the browser; a Material icon here would be fetched from outside.
    st.set_page_config(page_title="wGNN Explorer", page_icon="🕸️", layout="wide")
    return st.navigation(
        [
            st.Page(
                f"pages/{page.name}.py",
                title=page.title,
                icon=f":material/{page.icon}:",
                default=page is PAGES[0],
                url_path="" if page is PAGES[0] else page.name,
            )
            for page in PAGES
        ]
    )


def run_app() -> None:
    """The router: settings, navigation, sidebar, then the page."""
    with said():
        home()  # of several people: raises before anything is drawn if it is not known who asks
        page = _navigation()
        page_begins()
        remember()
        choice, jobs = sidebar()
        top = st.container(key="notices")
        token = CHOICE.set(choice)
        try:
            page.run()
        except PageEnd:
            pass
        finally:
            CHOICE.reset(token)
        with top:
            say_what_was_dropped()
        page_ends()
        with jobs:
            panel(page.url_path)


def page_start(title: str, what: str, needs_graph: bool = True) -> View:
    """Title and one sentence; the first call of every page, which ends here while the chosen graph
    is not on this machine, if it `needs_graph`.

    Before `st.navigation` was called for the first time in a server's life, Streamlit runs a
    file of `pages/` by itself when a link asks for it, without the router. Then there is no
    choice: naming the pages turns that off, and the page is run again through app.py.
    """
    choice = CHOICE.get()
    if choice is None:
        _navigation()
        st.rerun()
    style_page()
    keep_camera()
    st.title(title, anchor=False)
    st.markdown(what)
    run = choice.run
    if needs_graph and not load.is_ready(run.dataset):
        spec = datasets.spec(run.dataset)
        way = "Get it with the button in the sidebar, or choose another graph there."
        if spec.by_hand:
            way = (
                f"It cannot be fetched: no checksum of {md(spec.by_hand)} is known. Put that file "
                "into the folder that `data check` names, or choose the simulated one."
            )
        st.info(
            f"{md(spec.title)} is not on this machine yet. {way}", icon=":material/cloud_download:"
        )
        raise PageEnd
    return View(choice)


# Streamlit looks for garbage after every run of a script, however short. The libraries have
# made hundreds of thousands of objects by now, which stay as long as the server: to leave them
# out of it saves a fifth of a second in which no other session could run.
gc.freeze()
