"""A graph of the gallery on a page: chosen by one click, its edges changed by clicks."""

from __future__ import annotations

import streamlit as st

from ui.jobs import asked
from ui.text import md
from ui.widgets import BIND
from wgnn_core.errors import WGNNError
from wgnn_core.theory.gallery import GALLERY, Specimen
from wgnn_core.theory.specimens import changed_edges, flipped

OWN = "Graph of the sidebar"
TITLES = {
    f"Counterexample: {item.title}" if item.counterexample else item.title: item
    for item in GALLERY.values()
}
CHOSEN, CHANGES, FIRST = "theory_graph", "theory_changes", "theory_first"


def choose_graph() -> Specimen | None:
    """Ask for the graph: that of the sidebar (None), a teaching graph or a counterexample."""
    chosen = st.selectbox(
        "Graph",
        [OWN, *TITLES],
        key=CHOSEN,
        bind=BIND,
        on_change=_forget,
        width=330,
        help="The graph of the sidebar, a teaching graph, or a small graph on which a statement "
        "fails as it is worded.",
    )
    return TITLES.get(chosen)


def _forget() -> None:
    st.session_state.pop(FIRST, None)
    st.session_state[CHANGES] = ""


def changes_of(item: Specimen) -> str:
    """Ask for changed edges; what is impossible is said and left out."""
    with st.popover("Change edges", icon=":material/edit:", key="theory_edit"):
        st.caption("On the map: click an edge to remove it, click two nodes to join them. Or here:")
        _editor(item)
        text = st.text_input(
            "All changes",
            key=CHANGES,
            bind=BIND,
            placeholder="none",
            help="-5-6 drops the edge between nodes 5 and 6, +0-11 adds one; separated by commas.",
        )
    try:
        changed_edges(item, text)
    except WGNNError as error:
        st.error(md(error, 300), icon=":material/error:")
        return ""
    return text


def _editor(item: Specimen) -> None:
    """Two nodes by number: what clicks on the map do, for those who cannot click."""
    last = item.num_nodes - 1
    with st.container(horizontal=True):
        u = st.number_input("Node", 0, last, 0, key=f"theory_u_{item.name}", width=130)
        v = st.number_input(
            "and node", 0, last, min(1, last), key=f"theory_v_{item.name}", width=130
        )
    here = (min(u, v), max(u, v))
    now = st.session_state.get(CHANGES, "")
    try:
        joined = here in changed_edges(item, now)
    except WGNNError:
        joined = False
    buttons = st.container(horizontal=True)
    buttons.button(
        "Add edge",
        icon=":material/add:",
        key="theory_add",
        disabled=joined or u == v,
        on_click=asked(flip),
        args=(item, int(u), int(v)),
    )
    buttons.button(
        "Remove edge",
        icon=":material/remove:",
        key="theory_remove",
        disabled=not joined,
        on_click=asked(flip),
        args=(item, int(u), int(v)),
    )
    buttons.button(
        "As it was",
        icon=":material/undo:",
        key="theory_undo",
        disabled=not now,
        on_click=_forget,
    )


def flip(item: Specimen, u: int, v: int) -> None:
    """Drop the edge between two nodes, or add it if there is none."""
    st.session_state[CHANGES] = flipped(item, st.session_state.get(CHANGES, ""), u, v)
    st.session_state.pop(FIRST, None)


def clicked(item: Specimen, key: str) -> None:
    """What a click on the map does to edges: on an edge it goes; on two nodes it comes or goes."""
    what = under_click(key)
    if what is None:
        return
    if isinstance(what, str):  # the middle of an edge, "5-6"
        u, v = map(int, what.split("-"))
        flip(item, u, v)
        return
    first = st.session_state.get(FIRST)
    if first is None or first == what:
        st.session_state[FIRST] = what
    else:
        flip(item, first, what)


def under_click(key: str) -> int | str | None:
    """The node, or the edge ``5-6``, that was clicked on a map; None if it was neither."""
    told = [point["customdata"] for point in st.session_state[key].selection.points
            if point.get("customdata")]  # fmt: skip
    if not told:
        return None
    # a list, or a mapping where plotly sent numbers as one array
    first = next(iter(told[-1].values() if isinstance(told[-1], dict) else told[-1]))
    return first if isinstance(first, str) else int(first)
