"""Dataset: what the graph is, measured, beside what the paper says of it."""

import numpy as np
import streamlit as st
from scipy.sparse import csgraph

from ui.charts import Bars
from ui.maps import COLOURS, WITHOUT_MODEL, ego_chart, ego_map, node_map
from ui.nodes import node_groups, node_name
from ui.shell import page_start
from ui.show import MAP_HEIGHT, show
from ui.sidebar import BIND
from ui.text import md
from wgnn_core import datasets
from wgnn_core.boundary import edge_homophily, node_homophily
from wgnn_core.figures.text import label, labels

LAST_DEGREE = 24

view = page_start(
    "Dataset",
    "The graph itself, before any network: how large it is, how its classes are spread, "
    "and how often neighbours agree.",
)
graph, choice = view.graph, view.choice
spec = datasets.spec(choice.dataset)
degree = np.diff(graph.adjacency.indptr)
parts = csgraph.connected_components(graph.adjacency, directed=False)[1]
sizes = np.bincount(parts)
agree = node_homophily(graph.edges, graph.y, graph.num_nodes)

printed = {}
if spec.paper is not None:
    printed = {name: getattr(spec.paper, name.lower()) for name in ("Nodes", "Edges", "Classes")}
    printed["Features"] = spec.paper.features
facts = st.grid(4, min_column_width=145)
for name, value, note in (
    ("Nodes", f"{graph.num_nodes:,}", "How many things are classified."),
    ("Edges", f"{graph.num_edges:,}", "Undirected, each counted once, without self-loops."),
    ("Classes", f"{graph.num_classes}", "How many labels there are."),
    ("Features", f"{graph.num_features:,}", "Numbers that describe each node."),
    ("Components", f"{len(sizes):,}", f"The largest has {sizes.max():,} nodes."),
    (
        "Edge homophily",
        f"{edge_homophily(graph.edges, graph.y):.2f}" if graph.num_edges else "none",
        "Share of the edges that join two nodes of one class.",
    ),
    (
        "Node homophily",
        f"{np.nanmean(agree):.2f}" if np.isfinite(agree).any() else "none",
        "Share of a node's neighbours with its class, averaged over nodes with neighbours.",
    ),
):
    facts.metric(
        name,
        value,
        f"paper: {printed[name]:,}" if name in printed else None,
        delta_color="off",
        delta_arrow="off",
        help=note,
        border=True,
        height="stretch",
    )
if spec.paper is not None:
    more = (
        "" if graph.num_edges == spec.paper.edges
        else "; here each undirected edge counts once and self-loops are left out "
        f"({graph.self_loops_removed} here), while the paper counts the published lists"
    )  # fmt: skip
    st.caption(f"“paper” is Table 4 of the paper{more}.")

st.subheader("Map", anchor=False)
split = graph.split(0)
groups = node_groups(graph, split)
controls = st.container(horizontal=True)
with controls:
    colour = st.selectbox(
        "Colour",
        WITHOUT_MODEL,
        format_func=COLOURS.get,
        key="dataset_colour",
        bind=BIND,
        width=205,
    )
    ringed = st.selectbox(
        "Mark",
        ["none", *groups],
        key="dataset_ring",
        bind=BIND,
        width=205,
        help="Nodes to mark on the map.",
    )

left, right = st.columns([3, 2], gap="large")
with left:
    show(
        node_map(view, colour, selected=groups.get(ringed)),
        "dataset_map",
        choice,
        height=MAP_HEIGHT,
    )
with right:
    number = st.number_input(
        "Look at node",
        0,
        graph.num_nodes - 1,
        int(degree.argmax()),
        key=f"dataset_node_{choice.dataset}",
        bind=BIND,
        help="Its number, counted from 0.",
    )
    hops = st.segmented_control(
        "Hops around it", [1, 2, 3], default=1, key="dataset_hops", bind=BIND, required=True
    )
    st.markdown(
        f"**{md(node_name(graph, int(number)))}** is of class "
        f"**{md(graph.class_names[graph.y[number]])}**, has {degree[number]} neighbours, "
        + (
            f"{agree[number]:.0%} of them of its class."
            if degree[number]
            else "so nothing reaches it through edges."
        )
    )
    near = ego_map(view, int(number), hops)
    show(
        near,
        "dataset_ego",
        choice,
        height=MAP_HEIGHT - 190,
        chart=ego_chart(near),
        caption="The ringed node and what is around it, each node where it is on the large map.",
    )

st.subheader("Classes, degrees and splits", anchor=False)
left, right = st.columns(2, gap="large")
with left:
    counts = {
        name: np.bincount(graph.y[mask], minlength=graph.num_classes)
        for name, mask in (("train", split.train), ("validation", split.val), ("test", split.test))
    }
    show(
        Bars.of(
            labels(graph.class_names),
            counts,
            title=f"Nodes of each class on {label(graph.name)}",
            caption="Nodes of each class in the training, validation and test sets of the first "
            "split; uneven test bars mean that accuracy is mostly about the large classes.",
            x_label="Class",
            y_label="Number of nodes",
        ),
        "dataset_classes",
        choice,
    )
with right:
    counted = np.bincount(np.minimum(degree, LAST_DEGREE))
    ticks = [str(d) for d in range(len(counted))]
    if len(counted) > LAST_DEGREE:
        ticks[-1] = f"≥ {LAST_DEGREE}"
    show(
        Bars.of(
            ticks,
            {"nodes": counted},
            title=f"Degrees on {label(graph.name)}",
            caption="How many nodes have how many neighbours; "
            f"the mean is {degree.mean():.1f} and the largest {degree.max():,}.",
            x_label="Number of neighbours",
            y_label="Number of nodes",
        ),
        "dataset_degrees",
        choice,
    )
st.caption(
    f"Split: {md(spec.split_rule, 200)}. "
    f"{len(graph.splits)} split{'s' * (len(graph.splits) > 1)} in all; the first has "
    f"{split.train.sum():,} training, {split.val.sum():,} validation and "
    f"{split.test.sum():,} test nodes."
)
