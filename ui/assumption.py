"""Does the assumption of Section 3 hold? The smooth interpolation beside the trained network."""

from __future__ import annotations

import streamlit as st

from ui import load
from ui.shell import View
from ui.show import metrics, show
from ui.text import md, percent
from ui.widgets import seed_position
from wgnn_core.figures import missing
from wgnn_core.figures.text import count, signed


def show_assumption(view: View) -> None:
    """Numbers and figures of one seed; ends the page while the base model is not trained."""
    result = view.base_run()
    seeds = result.trained.seeds
    position = seed_position(result.trained, "theory")
    reason = missing("assumption-classes", result, view.graph)
    if reason:
        st.info(f"Nothing to compare: {md(reason, 300)}.", icon=":material/info:")
        return
    found = load.assumption(result.summary.run_id, position)
    gain = found.harmonic_accuracy - found.network_accuracy
    metrics(
        (
            (
                "Correlation of the two w",
                f"{found.w.pearson:.2f}",
                f"{count(found.w.nodes, 'node')} outside the training set",
            ),
            (
                "f̃ as classifier",
                percent(found.harmonic_accuracy),
                f"{signed(gain, 1)} points to the network's {percent(found.network_accuracy)}",
            ),
            (
                "f̃ as ranker (AURC)",
                f"{found.harmonic_aurc:.1f}",
                f"w of the network: {found.network_aurc:.1f}; smaller is better",
            ),
        ),
        210,
    )
    if found.unreached:
        st.caption(
            f"{found.unreached:,} of the {found.test:,} test nodes are in parts of the graph "
            "without a training node: f̃ has no value there, and as a classifier it is wrong."
        )
    seed = int(seeds[position])
    left, right = st.columns(2, gap="large")
    with left:
        show(view.figure("assumption-classes", result, seed=seed), "theory_classes")
    with right:
        show(view.figure("assumption-distance", result, seed=seed), "theory_distance")
