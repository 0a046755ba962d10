"""Problem 1: which test nodes can the network be trusted on?"""

import numpy as np
import pandas as pd
import streamlit as st

from ui import load
from ui.jobs import said
from ui.shell import page_start
from ui.show import MAP_HEIGHT, metrics, show
from ui.text import COLOURS
from ui.widgets import BIND
from wgnn_core.figures.accuracy_coverage import BOUNDS, RANKED
from wgnn_core.figures.groups import TRUSTED
from wgnn_core.fraction import ceil_fraction
from wgnn_core.ranking import RANKERS, accuracy_coverage, augrc, aurc

view = page_start(
    "Problem 1",
    "Order the test nodes so that the first ones are right most often. **M1** trusts nodes near "
    "the training set, **M2** trusts nodes of large $w$; the curves say who is right for how long.",
)
result = view.base_run()
run_id, base = result.summary.run_id, result.trained

picked = st.pills(
    "Rankers",
    RANKED,
    selection_mode="multi",
    default=["m1", "m2"],
    format_func=lambda name: RANKERS[name].title,
    key="problem1_rankers",
    bind=BIND,
)
chosen = tuple(name for name in RANKED if name in picked) or ("m2",)

left, right = st.columns([3, 2], gap="large")
with left:
    show(view.figure("accuracy-coverage", result, rankers=chosen), "problem1_curves", height=430)
with right:
    rows = []
    for name in [*chosen, *BOUNDS]:
        hits = load.hits(run_id, name)
        half = np.mean([accuracy_coverage(h, [0.5])[0] for h in hits])
        rows.append(
            (
                RANKERS[name].short,
                half,
                1000 * np.mean([aurc(h) for h in hits]),
                1000 * np.mean([augrc(h) for h in hits]),
            )
        )
    columns = ["Ranker", "Half", "AURC", "AUGRC"]
    st.markdown("**Who ranks best**")
    st.dataframe(
        pd.DataFrame(rows, columns=columns),
        hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(format="%.1f", width=66) for name in columns[1:]
        },
    )
    st.caption(
        f"Means over {len(base.seeds)} seeds. Half: accuracy (%) on the half trusted most. "
        "AURC and AUGRC are times 1000: AURC is the mean error rate over all coverages, "
        "AUGRC the mean share of nodes that are both trusted and wrong; smaller is better for both."
    )


@st.fragment
def chosen_subset() -> None:
    with said():
        st.subheader("The chosen nodes on the graph", anchor=False)
        with st.container(horizontal=True):
            alpha = st.slider(
                "α: share of the test nodes to trust",
                0.05, 1.0, 0.3, 0.05, key="problem1_alpha", bind=BIND, width=250,
            )  # fmt: skip
            ranker = st.selectbox(
                "Ranker",
                RANKED,
                index=1,
                format_func=lambda name: RANKERS[name].title,
                key="problem1_ranker",
                bind=BIND,
                width=240,
            )
            position = st.selectbox(
                "Seed",
                range(len(base.seeds)),
                format_func=lambda k: str(base.seeds[k]),
                key="problem1_seed",
                bind=BIND,
                width=90,
            )
            colour = st.selectbox(
                "Colour",
                list(COLOURS),
                index=3,
                format_func=COLOURS.__getitem__,
                key="problem1_colour",
                bind=BIND,
                width=190,
            )
        order, right = load.orders(run_id, ranker)[position], load.hits(run_id, ranker)[position]
        size = ceil_fraction(alpha, len(order))
        rest, mean = right[size:], right.mean()
        metrics(
            (
                ("Trusted nodes", f"{size:,}", f"of {len(order):,} test nodes"),
                (
                    "Accuracy on them",
                    f"{100 * right[:size].mean():.1f} %",
                    f"{100 * (right[:size].mean() - mean):+.1f} points to all",
                ),
                (
                    "Accuracy on the rest",
                    f"{100 * rest.mean():.1f} %" if len(rest) else "none left",
                    f"{100 * (rest.mean() - mean):+.1f} points to all" if len(rest) else "",
                ),
            )
        )
        seen = {"seed": int(base.seeds[position]), "colour": colour}
        trusted = {"mark": TRUSTED, "trusted_by": ranker, "coverage": alpha}
        show(view.figure("node-map", result, **seen, **trusted), "problem1_map", height=MAP_HEIGHT)


chosen_subset()
