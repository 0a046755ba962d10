"""Non-uniformity map: where w is small, and whether those are the wrong nodes."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from ui import load
from ui.jobs import fragment
from ui.shell import page_start
from ui.show import MAP_HEIGHT, metrics, show
from ui.text import md
from ui.widgets import BIND, colour, places, seed_position
from wgnn_core.figures.groups import (
    ABOVE,
    BELOW,
    node_groups,
    node_name,
    true_classes,
    verdicts,
)
from wgnn_core.figures.text import count, labels
from wgnn_core.graph import IntArray
from wgnn_core.nonuniformity import max_nonuniformity

MAX_ROWS = 500

view = page_start(
    "Non-uniformity map",
    "Each node coloured by its $w$: where the network is sure and where it is not. The paper "
    "expects small $w$ where classes meet and among the mistakes; the sentence below each picture "
    "says whether it is so here.",
)
graph, choice = view.graph, view.choice
result = view.base_run()
base = result.trained
names = labels(graph.class_names)
distance = load.boundary_distance(choice.run.dataset, choice.run.parameters)

with st.container(horizontal=True):
    position = seed_position(base, "map")
    shade = colour("map")
    where = places()
    wheel = st.toggle(
        "Wheel zooms",
        key="map_wheel",
        bind=BIND,
        help="Otherwise the mouse wheel scrolls the page, and the bar above the map zooms.",
    )
seed = int(base.seeds[position])
w, predicted = base.w[position], base.predicted[position]
split = graph.split(seed)
right_nodes = predicted == graph.y
judged = verdicts(graph, predicted)
groups = node_groups(graph, split, predicted)


def table_of(nodes: IntArray) -> pd.DataFrame:
    sets = np.select([split.train, split.val, split.test], ["train", "validation", "test"], "none")
    return pd.DataFrame(
        {
            "node": nodes,
            "name": [node_name(graph, int(i)) for i in nodes],
            "w": w[nodes].round(3),
            "true class": true_classes(graph, nodes),
            "prediction": [names[k] for k in predicted[nodes]],
            "verdict": judged[nodes],
            "hops to boundary": distance[nodes],
            "set": sets[nodes],
        }
    )


def the_map() -> None:
    with st.container(horizontal=True):
        top = max_nonuniformity(graph.num_classes)
        usual = round(float(np.quantile(w[split.test], 0.2)), 2)
        threshold = st.slider(
            "Threshold on w",
            0.0, round(top, 2), usual, 0.01, key="map_threshold", bind=BIND, width=220,
        )  # fmt: skip
        ring = st.selectbox(
            "Mark",
            [BELOW, ABOVE, "none", *groups],
            key="map_ring",
            bind=BIND,
            width=205,
        )
    test = split.test
    low, high = test & (w < threshold), test & (w >= threshold)
    metrics(
        [
            (
                f"Test nodes {side}",
                f"{mask.sum():,}",
                f"{right_nodes[mask].mean():.1%} correct" if mask.any() else "none",
            )
            for side, mask in (("below", low), ("above", high))
        ]
    )
    marked: dict[str, Any] = {} if ring == "none" else {"mark": ring}
    if ring in (BELOW, ABOVE):
        marked["threshold"] = threshold
    figure = view.figure("node-map", result, seed=seed, colour=shade, layout=where, **marked)
    modes = ("points", "box", "lasso")
    state = show(figure, "map_map", height=MAP_HEIGHT + 60, modes=modes, wheel=wheel)
    picked = sorted(
        {int(np.ravel(p["customdata"])[0]) for p in state.selection.points if "customdata" in p}
    )
    selected(np.array([i for i in picked if i < graph.num_nodes], dtype=np.int64))


def selected(nodes: IntArray) -> None:
    if len(nodes) == 0:
        st.caption(
            "Click a node to inspect it; drag to move the map. To list several nodes, choose the "
            "lasso or the box in the bar above the map first: while one of them is on, a click "
            "selects nothing."
        )
        return
    known = nodes[~graph.unlabelled[nodes]]
    share = f"{right_nodes[known].mean():.1%} correct" if len(known) else "none of known class"
    beside = f", {len(nodes) - len(known):,} without label" if len(known) < len(nodes) else ""
    many = count(len(nodes), "node")
    st.markdown(f"**{many} selected**: mean w {w[nodes].mean():.2f}, {share}{beside}.")
    if len(nodes) > MAX_ROWS:
        st.caption(f"The table shows the first {MAX_ROWS} of them.")
    st.dataframe(table_of(nodes[:MAX_ROWS]), hide_index=True, key="map_table")
    if st.session_state.get("map_inspected") != int(nodes[0]):
        st.session_state["map_inspected"] = int(nodes[0])
        st.session_state["map_node"] = int(nodes[0])
        st.rerun()


fragment(the_map, "map")()

left, right = st.columns(2, gap="large")
with left:
    show(view.figure("w-histogram", result, seed=seed), "map_histogram")
with right:
    show(view.figure("boundary-box", result, seed=seed), "map_box")


def inspector() -> None:
    st.subheader("Node inspector", anchor=False)
    with st.container(horizontal=True):
        if st.session_state.get("map_node", 0) >= graph.num_nodes:
            st.session_state["map_node"] = 0
        node = int(
            st.number_input("Node", 0, graph.num_nodes - 1, key="map_node", bind=BIND, width=160)
        )
        hops = st.segmented_control(
            "Hops around it", [1, 2], default=1, key="map_hops", bind=BIND, required=True
        )
    (true,) = true_classes(graph, np.array([node]))
    st.markdown(
        f"**{md(node_name(graph, node))}**: true class **{md(true)}**, "
        f"predicted **{md(names[predicted[node]])}** ({judged[node]}), "
        f"w = **{w[node]:.3f}** of at most {max_nonuniformity(graph.num_classes):.2f}."
    )
    left, right = st.columns(2, gap="large")
    with left:
        show(view.figure("node-probabilities", result, seed=seed, node=node), "map_mu")
    with right:
        near = view.figure("node-map", result, seed=seed, around=node, radius=hops)
        show(near, "map_ego", legend=False)
    around = graph.adjacency[[node]].indices
    if len(around):
        st.markdown(f"**Its {count(len(around), 'neighbour')}**")
        st.dataframe(table_of(around[:MAX_ROWS]), hide_index=True, key="map_neighbours")
    else:
        st.caption("It has no neighbours.")


fragment(inspector, "map")()
