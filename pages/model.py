"""Model: what the network gets wrong, how it was trained, whether it is as sure as it is right."""

import numpy as np
import streamlit as st

from ui import load
from ui.jobs import doing, ended, fragment, status_of, train_button, watch
from ui.shell import page_start
from ui.show import show
from ui.text import TERMS
from ui.widgets import BIND, eta_sliders, seed_position
from wgnn_core.figures import Confusion, missing
from wgnn_core.figures.text import count
from wgnn_core.intervention import Intervention
from wgnn_core.reports.judged import BROKEN, FIXED, WRONG, judged_nodes
from wgnn_core.runs.results import RunResult

STATES = {
    WRONG: "Wrong",
    FIXED: "Fixed by wGNN",
    BROKEN: "Broken by wGNN",
}

view = page_start(
    "Model",
    "Which classes are mixed up, which nodes are wrong, how the training went, and whether the "
    "network is as sure as it is right: the base model, and wGNN beside it.",
)
graph, choice = view.graph, view.choice
base_run = view.base_run()
at = eta_sliders(choice.like)
config = choice.config([at])


def wgnn() -> RunResult | None:
    """The run of the sliders' η if it is finished; else a way to it."""
    if at.is_base:
        st.caption("With these η nothing joins and nothing goes: wGNN is the base model.")
        return None
    status = status_of(config)
    if status is not None and status.state == "done":
        return load.finished(config.run_id)
    if status is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            train_button(f"Train wGNN ({config.trainings} trainings)", config, "model_train")
            st.caption("With these η wGNN is not trained yet; below is the base model alone.")
    elif status.active:
        watch(config.run_id)
        st.caption(f"{doing(status, 'wGNN')} Until then the base model is alone below.")
    else:
        ended(config.run_id, status)
    return None


found = wgnn()
result, after = (base_run, None) if found is None else (found, at)
seen: dict[str, Intervention] = {} if after is None else {"at": after}
base = result.trained


def or_reason(kind: str, key: str, height: int) -> None:
    """A figure, or the sentence that says why there is none."""
    reason = missing(kind, result, graph, **seen)
    if reason:
        st.info(f"{reason[:1].upper()}{reason[1:]}.", icon=":material/info:")
    else:
        show(view.figure(kind, result, **seen), key, height=height)


matrix = view.figure("confusion", result, **seen)
assert isinstance(matrix, Confusion)
show(matrix, "model_confusion", height=int(np.clip(190 + 34 * graph.num_classes, 300, 720)))
table = matrix.by_class().round(1)
if "change" in table:
    table["change"] += 0  # no minus before 0.0
number = st.column_config.NumberColumn
st.dataframe(
    table,
    hide_index=True,
    placeholder="",
    column_config={
        name: number(name.capitalize() if name == "change" else name, format=f)
        for name, f in zip(table.columns[2:], ("%.1f", "%.1f", "%.1f"), strict=False)
    }
    | {
        "class": "Class",
        "nodes": number("Test nodes", help="Over all seeds together", format="localized"),
    },
    key="model_classes",
)
st.caption(
    "Accuracy on each class in percent, over the test nodes of all seeds together"
    + ("; the change is in points." if after is not None else ".")
)


def nodes() -> None:
    st.subheader("Wrong nodes", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        position = seed_position(base, "model")
        every = judged_nodes(result, position, after)
        counts = every["state"].value_counts()
        states = list(STATES) if after is not None else [WRONG]
        picked = st.pills(
            "Nodes",
            states,
            selection_mode="multi",
            default=states,
            format_func=lambda s: f"{STATES[s]} ({counts.get(s, 0):,})",
            key=f"model_states_{len(states)}",
            bind=BIND,
            help=TERMS["tally"],
        )
        link = st.container()
    shown = every[every["state"].isin(picked)].reset_index(drop=True)
    event = st.dataframe(
        shown,
        hide_index=True,
        height=min(420, 38 + 35 * max(len(shown), 1)),
        column_config={
            "w before": number("w before", format="%.3f", help=TERMS["w"]),
            "w after": number("w after", format="%.3f"),
        },
        selection_mode="single-row",
        on_select="rerun",
        key="model_nodes",
    )
    rows = [row for row in event.selection.rows if row < len(shown)]
    with link:
        if rows:
            node = int(shown["node"].iloc[rows[0]])
            st.page_link(
                "pages/map.py",
                label=f"Inspect node {node} on the map",
                icon=":material/map:",
                query_params={"map_node": str(node), "map_seed": str(base.seeds[position])},
            )
    st.caption(
        f"{count(len(shown), 'test node')} of seed {base.seeds[position]}, least $w$ first; click "
        "the head of a column to sort, the box of a row to inspect its node on the map."
        + (" Judged by the paper's tally." if after is not None else "")
    )


fragment(nodes, "model")()
left, right = st.columns(2, gap="large")
with left:
    or_reason("training-curves", "model_curves", 560)
with right:
    or_reason("reliability", "model_reliability", 560)
