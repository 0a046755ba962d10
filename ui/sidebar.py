"""The sidebar of every page: graph, base model, protocol, jobs. All of it lives in the address."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException

from ui import load, users
from ui.choice import Choice
from ui.jobs import fragment
from ui.options import distinct, model_titles, predictions
from ui.text import md
from ui.widgets import BIND, widget
from wgnn_core import datasets
from wgnn_core.comparators import METHODS, make_method
from wgnn_core.datasets import DatasetSpec, Parameter
from wgnn_core.errors import WGNNError
from wgnn_core.fields import knobs
from wgnn_core.figures.text import count
from wgnn_core.intervention import ETAS, Intervention
from wgnn_core.runs.config import Pairs, RunConfig

MAX_SEEDS = 20
MAX_PAGE_NODES = 30_000
"""Larger generated graphs are for the command line; no page could draw them in time."""


def sidebar() -> tuple[Choice, DeltaGenerator]:
    """Draw it; returns what is chosen and the place for the jobs.

    The jobs come last, when the page has started what it needs.
    """
    with st.sidebar:
        dataset, parameters = _graph()
        own = predictions(dataset, parameters)
        model = _model(dataset, parameters)
        hyper = dict(own[model].hyper) if model in own else _hyper(model, dataset)
        seeds = own[model].seeds if model in own else _seeds()
        like, device = _protocol()
        jobs = st.container()
        if users.is_shared():
            _user()
    name = own[model].model if model in own else model
    run = RunConfig(dataset, parameters, name, tuple(hyper.items()), seeds=seeds, device=device)
    return Choice(run, like), jobs


def _user() -> None:
    known = users.who()
    name = known.get("name") or known.get("email") or known["sub"]
    st.caption(f"Logged in as {md(str(name), 80)}")
    st.button("Log out", icon=":material/logout:", key="log_out", on_click=st.logout)


def _graph() -> tuple[str, Pairs]:
    specs = {spec.name: spec for spec in datasets.catalogue()}
    titles = distinct({name: spec.title for name, spec in specs.items()})
    for key in ("dataset", "last_dataset"):
        if st.session_state.get(key) not in (None, *specs):  # deleted or renamed meanwhile
            st.session_state[key] = "digits"
    if st.session_state.get("dataset") is None and "dataset" not in st.query_params:
        # at first, and when the field was cleared
        fallback = "cora" if load.is_ready("cora") else "digits"
        first = st.session_state.get("last_dataset", fallback)
        st.session_state["dataset"] = first
        with suppress(StreamlitAPIException):  # once the widget has it, it writes the address
            st.query_params["dataset"] = specs[first].title
    # The address leaves out a default; with none it always names the graph.
    chosen = st.selectbox(
        "Graph",
        list(specs),
        index=None,
        format_func=titles.__getitem__,
        key="dataset",
        bind=BIND,
    )
    spec = specs.get(chosen or "", specs["digits"])
    st.session_state["last_dataset"] = spec.name
    st.caption(md(spec.description, 300))
    if spec.imported is not None and spec.imported.unlabelled:
        st.caption(
            f"{spec.imported.unlabelled:,} of its {count(spec.imported.nodes, 'node')} have no "
            "label: they train nobody and are scored nowhere, but may join R′."
        )
    if load.is_ready(spec.name):
        st.badge(load.status_of(spec.name), icon=":material/check:", color="green")
    else:
        st.badge("not on this machine yet", icon=":material/cloud:", color="gray")
        _get(spec)
    return spec.name, _parameters(spec)


def _get(spec: DatasetSpec) -> None:
    if spec.by_hand:
        return  # the page says what to do
    future = load.fetches().futures.get(spec.name)
    if future is None or (future.done() and future.exception() is not None):
        if future is not None:
            error = future.exception()
            expected = isinstance(error, WGNNError)
            st.error(md(str(error), 400) if expected else f"The download failed: {type(error)}.")
        st.button(
            f"Get {spec.title}",
            icon=":material/download:",
            key="get",
            on_click=load.fetches().start,
            args=(spec.name,),
            width="stretch",
        )
    else:
        _watch_fetch(spec.name, spec.title)


def _watch_fetch(name: str, title: str) -> None:
    def look() -> None:
        if load.fetches().futures[name].done():
            load.forget_status()
            st.rerun()
        st.info(f"Fetching {title} ...", icon=":material/downloading:")

    fragment(look, name, 1.0)()


def _parameters(spec: DatasetSpec) -> Pairs:
    if not spec.parameters:
        return ()
    name = "Make your own graph" if spec.built_in else "Random splits"
    with st.expander(name, icon=":material/tune:"):
        values = [(p.name, _number(spec.name, p)) for p in spec.parameters]
    default = {p.name: p.default for p in spec.parameters}
    return tuple((name, value) for name, value in values if value != default[name])


def _number(dataset: str, parameter: Parameter) -> float | int:
    high = min(parameter.high, MAX_PAGE_NODES) if parameter.name == "nodes" else parameter.high
    whole = isinstance(parameter.default, int)
    kind = int if whole else float
    value: float | int = st.number_input(
        parameter.name.replace("_", " ").capitalize(),
        kind(parameter.low),
        kind(high),
        kind(parameter.default),
        step=1 if whole else 0.1,
        key=f"{dataset}_{parameter.name}",
        bind=BIND,
        help=parameter.help,
    )
    return value


def _model(dataset: str, parameters: Pairs) -> str:
    """A name of `METHODS`, or the option of predictions of another program."""
    titles = model_titles(dataset, parameters)
    if st.session_state.get("model") not in (None, *titles):  # of another graph, or deleted
        st.session_state["model"] = next(iter(titles))
    return st.selectbox(
        "Base model",
        list(titles),
        format_func=titles.__getitem__,
        key="model",
        bind=BIND,
        help="wGNN is put around it. Comparators are the methods the paper compares wGNN with; "
        "your own predictions come in on the page Your own.",
    )


def _hyper(name: str, dataset: str) -> dict[str, Any]:
    """The hyperparameters that differ from the recipe."""
    recipe = make_method(name, dataset)
    # where a graph has a recipe of its own, so have the widgets: another default, another key
    suffix = f"_{dataset}" if dataset in METHODS[name].for_dataset else ""
    with st.expander("Hyperparameters", icon=":material/tune:"):
        values = {
            knob.name: widget(knob, getattr(recipe, knob.name), f"{name}_{knob.name}{suffix}")
            for knob in knobs(type(recipe))
        }
    return {key: value for key, value in values.items() if value != getattr(recipe, key)}


def devices() -> list[str]:
    """What trainings can run on here."""
    found = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return ["auto", "cpu", *(name for name, here in found.items() if here)]


def _seeds() -> tuple[int, ...]:
    seeds = st.slider(
        "Seeds",
        2,
        MAX_SEEDS,
        5,
        key="seeds",
        bind=BIND,
        help="Trainings that differ in their random numbers alone. Ten for a paper.",
    )
    return tuple(range(seeds))


def _protocol() -> tuple[Intervention, str]:
    with st.expander("Protocol", icon=":material/rule:"):
        like: dict[str, Any] = {
            knob.name: widget(knob, knob.default, knob.name)
            for knob in knobs(Intervention)
            if knob.name not in ETAS
        }
        device = st.selectbox("Device", devices(), key="device", bind=BIND)
    return Intervention(**like), device
