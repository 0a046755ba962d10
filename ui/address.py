"""What the address of a page says: links to a run, and what of a link could not be kept."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from ui.options import OWN, graph_titles, model_title, model_titles, option_of
from ui.text import md
from wgnn_core import datasets
from wgnn_core.comparators import METHODS, make_method
from wgnn_core.fields import knobs
from wgnn_core.intervention import Intervention
from wgnn_core.models.predictions import PredictionsOnly
from wgnn_core.runs.config import RunConfig

ASKED = "asked_in_address"
KEPT, WAITING, CHANGED = "kept_widgets", "waiting_widgets", "changed_widgets"


def address_of(config: RunConfig) -> dict[str, str]:
    """The query that opens a page on the graph, model and knobs of a run.

    Names are those of the widgets; a run whose seeds are not 0, 1, ... has no address.
    """
    query = {
        "dataset": graph_titles()[config.dataset],
        "model": model_titles(config.dataset, config.parameters)[option_of(config)],
    }
    query |= {f"{config.dataset}_{name}": str(value) for name, value in config.parameters}
    if config.model == PredictionsOnly.name:
        return query
    recipe = make_method(config.model, config.dataset)
    special = config.dataset in METHODS[config.model].for_dataset
    suffix = f"_{config.dataset}" if special else ""
    for name, value in config.hyper:
        if value != getattr(recipe, name):
            query[f"{config.model}_{name}{suffix}"] = str(value)
    query["seeds"] = str(len(config.seeds))
    if len(config.interventions) == 1:
        asked = config.interventions[0]
        query |= {knob.name: f"{getattr(asked, knob.name)}" for knob in knobs(Intervention)}
    return query


def has_address(config: RunConfig) -> bool:
    """Whether the pages can show the run: seeds 0, 1, ..., a graph and a model of the lists."""
    counted = config.seeds == tuple(range(len(config.seeds)))
    if not counted or config.dataset not in datasets.names():
        return False
    return option_of(config) in model_titles(config.dataset, config.parameters)


def remember() -> None:
    """Before the widgets are drawn: what the link that opened this session asked for.

    A number without end is taken out of the address first: Streamlit's own reading of it fails.
    """
    st.session_state.setdefault(ASKED, dict(st.query_params))
    endless = [name for name, text in st.query_params.items() if _is_endless(text)]
    for name in endless:
        del st.query_params[name]
    if endless:
        st.rerun()


def _is_endless(text: str) -> bool:
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


def recall() -> None:
    """Before the widgets of a page that calls `keep`: give them back what `keep` found lost."""
    for key, value in st.session_state.pop(WAITING, {}).items():
        st.session_state[key] = value
        st.session_state[CHANGED] = True


def changed() -> None:
    """The `on_change` of every widget that `keep` looks after."""
    st.session_state[CHANGED] = True


def keep(keys: Sequence[str]) -> None:
    """After the widgets are drawn: a visitor who comes back finds them as they were.

    The Back button of the browser leads to an address without them, and Streamlit then takes
    their defaults. A value that changed although nobody changed it is put back.
    """
    kept: dict[str, object] = st.session_state.setdefault(KEPT, {})
    now = {key: st.session_state[key] for key in keys if key in st.session_state}
    meant = st.session_state.pop(CHANGED, False) or any(key in st.query_params for key in keys)
    if not meant and any(kept.get(key, value) != value for key, value in now.items()):
        st.session_state[WAITING] = {key: kept[key] for key in keys if key in kept}
        st.rerun()
    kept |= now


def say_what_was_dropped() -> None:
    """After the widgets are drawn: what of the link is not possible and was left out."""
    asked: dict[str, str] = st.session_state[ASKED]
    drawn = {name: value for name, value in asked.items() if name in st.session_state}
    # a widget that is not there yet, since the page waits for a run, is looked at when it is
    st.session_state[ASKED] = {name: v for name, v in asked.items() if name not in drawn}
    dropped = [
        f"{name} = {value}"
        for name, value in drawn.items()
        if not _same(st.session_state[name], value)
    ]
    if dropped:
        st.info(
            f"The link asked for {md(', '.join(dropped), 200)}, which is not possible here; the "
            "page shows its own value instead.",
            icon=":material/link_off:",
        )


def _same(value: object, text: str) -> bool:
    """Whether a widget's value is what the address says; titles stand for names there."""
    if isinstance(value, bool):
        return text.lower() == str(value).lower()
    if isinstance(value, int | float):
        try:
            return float(text) == float(value)
        except ValueError:
            return False
    if not isinstance(value, str):
        return True  # lists and the like, which Streamlit writes in its own way
    # the graph of the options does not matter: only predictions depend on it, and they are kept
    titles = {graph_titles().get(value), model_title(value) if value in METHODS else None}
    return text in titles or text.lower() == value.lower() or value.startswith(OWN)
