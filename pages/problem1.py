"""Problem 1: which test nodes can the network be trusted on?"""

import pandas as pd
import streamlit as st

from ui import load
from ui.jobs import fragment
from ui.shell import page_start
from ui.show import MAP_HEIGHT, download, metrics, show
from ui.text import TERMS
from ui.widgets import BIND, colour, places, seed_position
from wgnn_core.export import table_csv
from wgnn_core.figures.accuracy_coverage import RANKED
from wgnn_core.figures.groups import TRUSTED
from wgnn_core.figures.text import count, signed
from wgnn_core.ranking import RANKERS
from wgnn_core.reports.rankers import trusted_nodes

view = page_start(
    "Problem 1",
    "Order the test nodes so that the first ones are right most often. **M1** trusts nodes near "
    "the training set, **M2** trusts nodes of large $w$; other scores of the same softmax stand "
    "beside them.",
)
result = view.base_run()
run_id, base = result.summary.run_id, result.trained

picked = st.pills(
    "Rankers",
    RANKED,
    selection_mode="multi",
    default=["m1", "m2", "max-softmax", "margin"],
    format_func=lambda name: RANKERS[name].title,
    key="problem1_rankers",
    bind=BIND,
    help=TERMS["Problem 1"],
)
chosen = tuple(name for name in RANKED if name in picked) or ("m2",)
with st.container(horizontal=True):
    alpha = st.slider(
        "α: share of the test nodes to trust",
        0.05, 1.0, 0.3, 0.05, key="problem1_alpha", bind=BIND, width=300,
    )  # fmt: skip
    target = st.slider(
        "Accuracy to keep (%)", 50, 100, 95, 1, key="problem1_target", bind=BIND, width=300
    )

left, right = st.columns(2, gap="medium")
with left:
    curves = view.figure("accuracy-coverage", result, rankers=chosen, marked_alpha=alpha)
    show(curves, "problem1_curves", height=430)
with right:
    table = load.ranker_table(run_id, chosen, alpha, target)
    st.markdown(f"**At α = {alpha:g}, and how far {target} % reaches**")
    shown = table.assign(
        coverage=[
            "" if pd.isna(row.coverage) else f"{row.coverage:.0f} ({row.low:.0f} to {row.high:.0f})"
            for row in table.itertuples()
        ]
    ).drop(columns=["low", "high"])
    number = st.column_config.NumberColumn
    st.dataframe(
        shown,
        hide_index=True,
        column_config={
            "ranker": st.column_config.TextColumn("Ranker", width=142),
            "accuracy": number("Accuracy", format="%.1f", width=62, help="On the chosen nodes, %"),
            "aurc": number("AURC", format="%.1f", width=52, help="Times 1000, smaller is better"),
            "augrc": number("AUGRC", format="%.1f", width=58, help="Times 1000, smaller is better"),
            "coverage": st.column_config.TextColumn(
                f"{target} % up to",
                width=90,
                help="Largest coverage in percent of the test nodes, with its bootstrap interval",
            ),
        },
    )
    best = table.iloc[: len(chosen)].sort_values("aurc").iloc[0]
    st.caption(
        f"Means over {count(len(base.seeds), 'seed')}. Of the rankers shown, {best['ranker']} has "
        f"the smallest AURC ({best['aurc']:.1f}), the mean error rate over all coverages; AUGRC is "
        f"the mean share of nodes that are both trusted and wrong. Last column: the largest "
        f"coverage at which {target} % are right, with a 95 % bootstrap interval."
    )


def chosen_subset() -> None:
    st.subheader("The chosen nodes on the graph", anchor=False)
    with st.container(horizontal=True):
        ranker = st.selectbox(
            "Ranker",
            RANKED,
            index=1,
            format_func=lambda name: RANKERS[name].title,
            key="problem1_ranker",
            bind=BIND,
            width=240,
        )
        position = seed_position(base, "problem1")
        shade = colour("problem1", start="correctness")
        where = places()
    hits, nodes = load.hits(run_id, ranker)[position], trusted_nodes(base, ranker, position, alpha)
    size, mean = len(nodes), 100 * hits.mean()
    first, rest = 100 * hits[:size].mean(), hits[size:]
    metrics(
        (
            ("Trusted nodes", f"{size:,}", f"of {count(len(hits), 'test node')}"),
            ("Accuracy on them", f"{first:.1f} %", f"{signed(first - mean, 1)} points to all"),
            (
                "Accuracy on the rest",
                f"{100 * rest.mean():.1f} %" if len(rest) else "none left",
                f"{signed(100 * rest.mean() - mean, 1)} points to all" if len(rest) else "",
            ),
        )
    )
    download(
        f"Trusted nodes as CSV ({size:,})",
        lambda: table_csv(nodes),
        f"trusted-{view.choice.run.dataset}.csv",
        "text/csv",
        "problem1_nodes",
    )
    seen = {"seed": int(base.seeds[position]), "colour": shade, "layout": where}
    trusted = {"mark": TRUSTED, "trusted_by": ranker, "coverage": alpha}
    show(view.figure("node-map", result, **seen, **trusted), "problem1_map", height=MAP_HEIGHT)


fragment(chosen_subset, "problem1")()
