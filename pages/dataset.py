"""Dataset: what the graph is, measured, beside what the paper says of it."""

import numpy as np
import pandas as pd
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

facts = st.container(horizontal=True)
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
    facts.metric(name, value, help=note, border=True, width=150)

if spec.paper is not None:
    paper = spec.paper
    measured = (graph.num_nodes, graph.num_edges, graph.num_classes, graph.num_features)
    printed = (paper.nodes, paper.edges, paper.classes, paper.features)
    with st.expander("The paper's numbers beside ours", icon=":material/fact_check:"):
        st.dataframe(
            pd.DataFrame(
                {"measured here": measured, "paper, Table 4": printed},
                index=pd.Index(["nodes", "edges", "classes", "features"], name="count of"),
            )
        )
        if graph.num_edges != paper.edges:
            st.caption(
                "We count each undirected edge once and leave out self-loops "
                f"({graph.self_loops_removed} here); the paper counts the published lists."
            )

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
        width=240,
    )
    ringed = st.selectbox(
        "Ring", ["none", *groups], key="dataset_ring", width=240, help="Nodes to mark on the map."
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
        help="Its number, counted from 0.",
    )
    hops = st.segmented_control(
        "Hops around it", [1, 2, 3], default=2, key="dataset_hops", required=True
    )
    near = ego_map(view, int(number), hops)
    show(near, "dataset_ego", choice, height=MAP_HEIGHT - 130, chart=ego_chart(near))
    st.markdown(
        f"**{md(node_name(graph, int(number)))}** is of class "
        f"**{md(graph.class_names[graph.y[number]])}**, has {degree[number]} neighbours, "
        + (
            f"{agree[number]:.0%} of them of its class."
            if degree[number]
            else "so nothing reaches it through edges."
        )
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
