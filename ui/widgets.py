"""Widgets made from what a setting says about itself (`wgnn_core.fields`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from ui.text import COLOURS
from wgnn_core.fields import Knob, knobs
from wgnn_core.intervention import ETAS, Base, Intervention

BIND: Final = "query-params"
STEP = 0.05
DEFAULTS = {"eta0": 0.8, "eta1": 0.3, "eta2": 0.4}


def widget(knob: Knob, default: Any, key: str, bind: bool = True) -> Any:
    """One widget, bound to the address unless told otherwise."""
    shared: dict[str, Any] = {"key": key, "help": _sentence(knob.help)}
    shared |= {"bind": BIND} if bind else {}
    if knob.choices:
        choices = list(knob.choices)
        return st.selectbox(knob.title, choices, choices.index(default), **shared)
    if knob.kind is bool:
        return st.toggle(knob.title, default, **shared)
    assert knob.low is not None and knob.high is not None, f"{knob.name} says no range"
    if knob.kind is int:
        return st.number_input(knob.title, int(knob.low), int(knob.high), default, **shared)
    step = 10.0 ** (math.floor(math.log10(default)) if default else -4)
    return st.number_input(
        knob.title, float(knob.low), float(knob.high), float(default),
        step=min(step, STEP), format="%g", **shared,
    )  # fmt: skip


def eta_sliders(like: Intervention, names: Sequence[str] = ETAS) -> Intervention:
    """The sliders, the same on every page and in the address; other knobs as in `like`.

    An eta that is not among `names` is 0.
    """
    etas = [knob for knob in knobs(Intervention) if knob.name in names]
    with st.grid(len(etas), min_column_width=170):
        values = {
            knob.name: float(
                st.slider(
                    knob.title, 0.0, 1.0, DEFAULTS[knob.name], STEP,
                    key=knob.name, bind=BIND, help=_sentence(knob.help),
                )
            )
            for knob in etas
        }  # fmt: skip
    return like.at(*(values.get(name, 0.0) for name in ETAS))


PLACES = {"by edges": "graph", "by classes": "polygon"}
"""Ways to place the nodes of a map, as people choose them."""


def places() -> str:
    """Where the nodes of a node map stand; one choice for all pages, in the address."""
    chosen = st.segmented_control(
        "Place nodes",
        list(PLACES),
        default="by edges",
        key="places",
        bind=BIND,
        required=True,
        help="By edges: neighbours stand close. By classes: each class is the corner of a polygon, "
        "and a node stands where its probabilities pull it.",
    )
    return PLACES[chosen]


def seed_position(base: Base, page: str, title: str = "Seed") -> int:
    """Which of the seeds is looked at, by its position among them."""
    return st.selectbox(
        title,
        range(len(base.seeds)),
        format_func=lambda k: str(base.seeds[k]),
        key=f"{page}_seed",
        bind=BIND,
        width=150,
    )


def colour(page: str, of: Sequence[str] = tuple(COLOURS), start: str = "w") -> str:
    """What the colours of a map show."""
    return st.selectbox(
        "Colour",
        of,
        index=of.index(start),
        format_func=COLOURS.__getitem__,
        key=f"{page}_colour",
        bind=BIND,
        width=220,
    )


def chosen_etas(like: Intervention) -> Intervention:
    """What the sliders say, for a part of the page that does not draw them."""
    return like.at(*(float(st.session_state[name]) for name in ETAS))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
