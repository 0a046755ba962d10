"""Dataset: what the graph is, measured, beside what the paper says of it."""

import numpy as np
import streamlit as st

from ui.shell import page_start
from ui.show import MAP_HEIGHT, show
from ui.text import md
from ui.widgets import BIND, colour
from wgnn_core import datasets
from wgnn_core.boundary import edge_homophily, node_homophily
from wgnn_core.figures.groups import node_groups, node_name
from wgnn_core.figures.node_map import WITHOUT_MODEL
from wgnn_core.figures.text import count, share

view = page_start(
    "Dataset",
    "The graph itself, before any network: how large it is, how its classes are spread, "
    "and how often neighbours agree.",
)
graph, choice = view.graph, view.choice
spec = datasets.spec(choice.run.dataset)
degree = np.diff(graph.adjacency.indptr)
sizes = np.bincount(graph.component)
agree = node_homophily(graph.edges, graph.y, graph.num_nodes)
same, unlabelled = edge_homophily(graph.edges, graph.y), int(graph.unlabelled.sum())
known = ", among nodes with a label." if unlabelled else "."

printed = {}
if spec.paper is not None:
    printed = {name: getattr(spec.paper, name.lower()) for name in ("Nodes", "Edges", "Classes")}
    printed["Features"] = spec.paper.features
facts = st.grid(4, min_column_width=145)
for name, value, note in (
    (
        "Nodes",
        f"{graph.num_nodes:,}",
        "How many things are classified"
        + (f"; {unlabelled:,} of them have no label." if unlabelled else "."),
    ),
    ("Edges", f"{graph.num_edges:,}", "Undirected, each counted once, without self-loops."),
    ("Classes", f"{graph.num_classes}", "How many labels there are."),
    ("Features", f"{graph.num_features:,}", "Numbers that describe each node."),
    ("Components", f"{len(sizes):,}", f"The largest has {sizes.max():,} nodes."),
    (
        "Edge homophily",
        "none" if np.isnan(same) else f"{same:.2f}",
        "Share of the edges that join two nodes of one class" + known,
    ),
    (
        "Node homophily",
        f"{np.nanmean(agree):.2f}" if np.isfinite(agree).any() else "none",
        "Share of a node's neighbours with its class, averaged over nodes with neighbours" + known,
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
    shade = colour("dataset", WITHOUT_MODEL, WITHOUT_MODEL[0])
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
    mark = None if ringed == "none" else ringed
    show(view.figure("node-map", colour=shade, mark=mark), "dataset_map", height=MAP_HEIGHT - 130)
with right:
    number = st.number_input(
        "Look at node",
        0,
        graph.num_nodes - 1,
        int(degree.argmax()),
        key=f"dataset_node_{choice.run.dataset}",
        bind=BIND,
        help="Its number, counted from 0.",
    )
    hops = st.segmented_control(
        "Hops around it", [1, 2, 3], default=1, key="dataset_hops", bind=BIND, required=True
    )
    st.markdown(
        f"**{md(node_name(graph, int(number)))}** "
        + (
            "has no label and "
            if graph.unlabelled[number]
            else f"is of class **{md(graph.class_names[graph.y[number]])}** and "
        )
        + (
            f"has {count(int(degree[number]), 'neighbour')}"
            if degree[number]
            else "has no neighbours, so nothing reaches it through edges"
        )
        + (
            "."
            if np.isnan(agree[number])
            else f"; {share(100 * agree[number])} of those with a label are of its class."
            if graph.unlabelled.any()
            else f", {share(100 * agree[number])} of them of its class."
        )
    )
    near = view.figure("node-map", colour="class", around=int(number), radius=hops)
    show(near, "dataset_ego", height=MAP_HEIGHT - 190, legend=False)

st.subheader("Classes, degrees and splits", anchor=False)
left, right = st.columns(2, gap="large")
with left:
    show(view.figure("class-counts"), "dataset_classes")
with right:
    show(view.figure("degrees"), "dataset_degrees")
st.caption(
    f"Split: {md(spec.split_rule, 200)}. "
    f"{len(graph.splits)} split{'s' * (len(graph.splits) > 1)} in all; the first has "
    f"{split.train.sum():,} training, {split.val.sum():,} validation and "
    f"{split.test.sum():,} test nodes."
)
