"""The frame around every page: navigation, sidebar, title, graph."""

from __future__ import annotations

import gc
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import streamlit as st

from ui import load
from ui.choice import Choice
from ui.jobs import PageEnd, forget_ended, is_cheap, need, panel, said
from ui.sidebar import sidebar
from ui.style import style_page
from wgnn_core import datasets
from wgnn_core.graph import Graph
from wgnn_core.wgnn import Base

CHOICE: ContextVar[Choice | None] = ContextVar("choice", default=None)
"""What the sidebar says, while the router runs a page."""
PAGES = (
    ("start", "Start", ":material/play_circle:"),
    ("dataset", "Dataset", ":material/hub:"),
    ("problem1", "Problem 1", ":material/leaderboard:"),
    ("map", "Non-uniformity map", ":material/map:"),
    ("playground", "Playground", ":material/tune:"),
    ("grid", "Eta grid", ":material/grid_on:"),
    ("runs", "Runs", ":material/inventory_2:"),
)


@dataclass(frozen=True, eq=False)
class View:
    """What every page begins with. `xy` is the graph's one layout."""

    choice: Choice
    graph: Graph
    xy: npt.NDArray[np.float32]

    @property
    def cheap(self) -> bool:
        return is_cheap(self.graph, self.choice.model)

    def base_run(self) -> str:
        """The id of the finished run of the base model; ends the page while there is none."""
        return need(self.choice.config(), self.cheap, "the base model")

    def base(self) -> Base:
        return load.base_of(self.base_run())


def _navigation() -> st.Page:
    # An emoji is drawn by the browser; a Material icon here would be fetched from outside.
    st.set_page_config(page_title="wGNN Explorer", page_icon="🕸️", layout="wide")
    return st.navigation(
        [
            st.Page(
                f"pages/{name}.py",
                title=title,
                icon=icon,
                default=name == "start",
                url_path="" if name == "start" else name,
            )
            for name, title, icon in PAGES
        ]
    )


def run_app() -> None:
    """The router: settings, navigation, sidebar, then the page."""
    page = _navigation()
    with said():
        forget_ended()
        choice, jobs = sidebar()
        token = CHOICE.set(choice)
        try:
            page.run()
        except PageEnd:
            pass
        finally:
            CHOICE.reset(token)
        with jobs:
            panel(page.url_path)


def page_start(title: str, what: str) -> View:
    """Title and one sentence, then the graph; the first call of every page.

    Before `st.navigation` was called for the first time in a server's life, Streamlit runs a
    file of `pages/` by itself when a link asks for it, without the router. Then there is no
    choice: naming the pages turns that off, and the page is run again through app.py.
    """
    choice = CHOICE.get()
    if choice is None:
        _navigation()
        st.rerun()
    style_page()
    st.title(title, anchor=False)
    st.markdown(what)
    if not load.is_ready(choice.dataset):
        st.info(
            f"{datasets.spec(choice.dataset).title} is not on this machine yet. "
            "Get it with the button in the sidebar, or choose another graph there.",
            icon=":material/cloud_download:",
        )
        raise PageEnd
    graph = load.graph(choice.dataset, choice.parameters)
    return View(choice, graph, load.points(choice.dataset, choice.parameters))


# Streamlit looks for garbage after every run of a script, however short. The libraries have
# made hundreds of thousands of objects by now, which stay as long as the server: to leave them
# out of it saves a fifth of a second in which no other session could run.
gc.freeze()
