"""Non-uniformity map: where w is small, and whether those are the wrong nodes."""

import numpy as np
import pandas as pd
import streamlit as st

from ui import load
from ui.charts import Bars
from ui.jobs import said
from ui.maps import COLOURS, ego_chart, ego_map, node_map
from ui.nodes import node_groups, node_name
from ui.shell import page_start
from ui.show import MAP_HEIGHT, is_dark, metrics, show
from ui.sidebar import BIND
from ui.text import md
from wgnn_core.figures import BoundaryBox, WHistogram
from wgnn_core.figures.text import label, labels
from wgnn_core.nonuniformity import max_nonuniformity

MAX_ROWS = 500

view = page_start(
    "Non-uniformity map",
    "Each node coloured by its $w$: where the network is sure and where it is not. "
    "Small $w$ should trace the borders between classes, and hold the mistakes.",
)
graph, choice = view.graph, view.choice
result = load.finished(view.base_run())
base = load.base_of(result.summary.run_id)
names = labels(graph.class_names)
distance = load.boundary_distance(choice.dataset, choice.parameters)

with st.container(horizontal=True):
    run = st.selectbox(
        "Seed",
        range(len(base.seeds)),
        format_func=lambda k: str(base.seeds[k]),
        key="map_seed",
        bind=BIND,
        width=90,
    )
    colour = st.selectbox(
        "Colour", list(COLOURS), format_func=COLOURS.get, key="map_colour", bind=BIND, width=230
    )
seen = {"seed": int(base.seeds[run])}
w, predicted = base.w[run], base.predicted[run]
split = graph.split(int(base.seeds[run]))
right_nodes = predicted == graph.y
groups = node_groups(graph, split, predicted)


def table_of(nodes: np.ndarray) -> pd.DataFrame:
    sets = np.select([split.train, split.val, split.test], ["train", "validation", "test"], "none")
    return pd.DataFrame(
        {
            "node": nodes,
            "name": [node_name(graph, int(i)) for i in nodes],
            "w": w[nodes].round(3),
            "true class": [names[k] for k in graph.y[nodes]],
            "prediction": [names[k] for k in predicted[nodes]],
            "correct": right_nodes[nodes],
            "hops to boundary": distance[nodes],
            "set": sets[nodes],
        }
    )


@st.fragment
def the_map() -> None:
    with said():
        with st.container(horizontal=True):
            top = max_nonuniformity(graph.num_classes)
            usual = round(float(np.quantile(w[split.test], 0.2)), 2)
            threshold = st.slider(
                "Threshold on w",
                0.0, round(top, 2), usual, 0.01, key="map_threshold", bind=BIND, width=220,
            )  # fmt: skip
            ring = st.selectbox(
                "Mark",
                ["below the threshold", "above the threshold", "none", *groups],
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
        rings = groups | {
            "below the threshold": w < threshold,
            "above the threshold": w >= threshold,
        }
        figure = node_map(view, colour, base, run, rings.get(ring))
        chart = figure.to_plotly(is_dark())
        chart.update_layout(dragmode="lasso")
        state = show(
            figure, "map_map", choice, [result], seen | {"colour": colour},
            height=MAP_HEIGHT + 60, select=True, chart=chart,
        )  # fmt: skip
        picked = sorted(
            {int(np.ravel(p["customdata"])[0]) for p in state.selection.points if "customdata" in p}
        )
        selected(np.array([i for i in picked if i < graph.num_nodes], dtype=np.int64))


def selected(nodes: np.ndarray) -> None:
    if len(nodes) == 0:
        st.caption(
            "Draw a lasso around nodes, or click one, to list them here. "
            "The bar above the map switches to moving and zooming."
        )
        return
    share = right_nodes[nodes].mean()
    st.markdown(
        f"**{len(nodes):,} nodes selected**: mean w {w[nodes].mean():.2f}, {share:.1%} correct."
    )
    if len(nodes) > MAX_ROWS:
        st.caption(f"The table shows the first {MAX_ROWS} of them.")
    st.dataframe(table_of(nodes[:MAX_ROWS]), hide_index=True, key="map_table")
    if st.session_state.get("map_inspected") != int(nodes[0]):
        st.session_state["map_inspected"] = int(nodes[0])
        st.session_state["map_node"] = int(nodes[0])
        st.rerun()


the_map()

left, right = st.columns(2, gap="large")
test = split.test
with left:
    show(
        WHistogram.of(w[test], right_nodes[test], graph=graph.name, num_classes=graph.num_classes),
        "map_histogram",
        choice,
        [result],
        seen,
    )
with right:
    boxes = BoundaryBox.of(w, distance, graph=graph.name)
    chart = boxes.to_plotly(is_dark())
    chart.update_xaxes(  # the counts in a line of their own, upright however narrow the column
        ticktext=[f"{d}<br>{n}" for d, n in boxes.data[["distance", "count"]].to_numpy()],
        tickangle=0,
        title_text="Hops to the class boundary<br>(below: number of nodes)",
    )
    show(boxes, "map_box", choice, [result], seen, chart=chart)


@st.fragment
def inspector() -> None:
    with said():
        st.subheader("Node inspector", anchor=False)
        with st.container(horizontal=True):
            if st.session_state.get("map_node", 0) >= graph.num_nodes:
                st.session_state["map_node"] = 0
            node = int(st.number_input("Node", 0, graph.num_nodes - 1, key="map_node", width=160))
            hops = st.segmented_control(
                "Hops around it", [1, 2], default=1, key="map_hops", bind=BIND, required=True
            )
        verdict = "correct" if right_nodes[node] else "wrong"
        st.markdown(
            f"**{md(node_name(graph, node))}**: true class **{md(names[graph.y[node]])}**, "
            f"predicted **{md(names[predicted[node]])}** ({verdict}), "
            f"w = **{w[node]:.3f}** of at most {max_nonuniformity(graph.num_classes):.2f}."
        )
        left, right = st.columns(2, gap="large")
        with left:
            show(
                Bars.of(
                    names,
                    {
                        "μ(s)": base.prob[run, node],
                        "no opinion": np.full(len(names), 1 / len(names)),
                    },
                    title=f"Probabilities of node {node} on {label(graph.name)}",
                    caption="The softmax of this node beside the uniform distribution; w adds up "
                    "the differences between the two.",
                    x_label="Class",
                    y_label="Probability μ(s)",
                ),
                "map_mu",
                choice,
                [result],
            )
        with right:
            near = ego_map(view, node, hops, "w", base, run)
            show(
                near,
                "map_ego",
                choice,
                [result],
                chart=ego_chart(near),
                caption="The ringed node and its neighbours in the colours of w; neighbours of "
                "another class often stand where w is small.",
            )
        around = graph.adjacency[[node]].indices
        if len(around):
            st.markdown(f"**Its {len(around):,} neighbours**")
            st.dataframe(table_of(around[:MAX_ROWS]), hide_index=True, key="map_neighbours")
        else:
            st.caption("It has no neighbours.")


inspector()
