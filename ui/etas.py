"""The three sliders, the same on every page and in the address."""

from __future__ import annotations

import streamlit as st

from ui.choice import Triple
from ui.sidebar import BIND

SLIDERS = (
    ("eta0", "η₀: nodes that join R′", 0.8),
    ("eta1", "η₁: nodes that form V′", 0.3),
    ("eta2", "η₂: edges of V′ that go", 0.4),
)


HELP = {
    "eta0": "Share of the test nodes, those of largest w, that Algorithm 1 adds.",
    "eta1": "Share of the nodes, those of smallest w, among which Algorithm 2 looks for edges.",
    "eta2": "Share of the edges inside V′ and outside its spanning forest that Algorithm 2 drops.",
}


def eta_sliders() -> Triple:
    with st.grid(3, min_column_width=170):
        values = [
            float(st.slider(text, 0.0, 1.0, default, 0.05, key=key, bind=BIND, help=HELP[key]))
            for key, text, default in SLIDERS
        ]
    return values[0], values[1], values[2]


def eta_text(etas: Triple) -> str:
    return ", ".join(f"η{'₀₁₂'[i]} = {value:g}" for i, value in enumerate(etas))
