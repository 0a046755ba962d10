"""The methods the paper compares wGNN with, trained on the page's graph with the page's seeds."""

from __future__ import annotations

import streamlit as st

from ui import load
from ui.choice import Choice
from ui.jobs import ended, is_cheap, status_of, submit, timing, train_button, watch
from ui.widgets import BIND
from wgnn_core.comparators import COMPARATORS
from wgnn_core.graph import Graph
from wgnn_core.runs.results import RunResult


def rivals(choice: Choice, graph: Graph, key: str) -> dict[str, RunResult]:
    """Ask which comparators to show; returns those that are trained, by title."""
    picked = st.pills(
        "Compare with",
        [name for name in COMPARATORS if name != choice.run.model],
        format_func=lambda name: COMPARATORS[name].title,
        selection_mode="multi",
        key=key,
        bind=BIND,
        help="Trained with its own recipe for this graph and the same seeds.",
    )
    found = {}
    for name in picked:
        title, config = COMPARATORS[name].title, choice.run.alone(name)
        status = status_of(config)
        if status is None and is_cheap(graph, name):
            submit(config, unasked=True)
            status = status_of(config)
        if status is None:
            train_button(f"Train {title} ({config.trainings} trainings)", config, f"{key}_{name}")
        elif status.state == "done":
            found[title] = load.finished(config.run_id)
        elif status.active:
            watch(config.run_id)
            st.caption(f"Training {title}: {timing(status)}.")
        else:
            ended(config.run_id, status)
    return found
