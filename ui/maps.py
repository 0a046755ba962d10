"""Node maps as the pages draw them: colour, edges, rings."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from ui import load
from ui.nodes import ego, induced, node_name
from ui.shell import View
from ui.show import is_dark
from wgnn_core.figures import NodeMap
from wgnn_core.figures.node_map import Colour
from wgnn_core.graph import BoolArray
from wgnn_core.nonuniformity import max_nonuniformity, nonuniformity
from wgnn_core.reports.kinds import drawn_edges
from wgnn_core.wgnn import Base

COLOURS: dict[Colour, str] = {
    "w": "w(v)",
    "class": "true class",
    "prediction": "prediction",
    "correctness": "correct or wrong",
    "distance": "distance to the class boundary",
}
WITHOUT_MODEL: tuple[Colour, ...] = ("class", "distance")
assert set(COLOURS) == set(get_args(Colour))


def values_of(view: View, colour: Colour, base: Base | None = None, run: int = 0) -> Any:
    """One value a node for `colour`, of the run-th seed of `base`."""
    if colour == "class":
        return view.graph.y
    if colour == "distance":
        return load.boundary_distance(view.choice.dataset, view.choice.parameters)
    assert base is not None, f"{colour} needs a trained model"
    predicted = base.prob[run].argmax(-1)
    if colour == "prediction":
        return predicted
    return predicted == view.graph.y if colour == "correctness" else nonuniformity(base.prob[run])


def node_map(
    view: View,
    colour: Colour,
    base: Base | None = None,
    run: int = 0,
    selected: BoolArray | None = None,
) -> NodeMap:
    """The whole graph."""
    graph = view.graph
    return NodeMap.of(
        view.xy,
        drawn_edges(graph),
        values_of(view, colour, base, run),
        colour=colour,
        graph=graph.name,
        class_names=graph.class_names,
        selected=selected,
        node_names=graph.node_names,
        top=max_nonuniformity(graph.num_classes) if colour == "w" else None,
    )


def ego_map(
    view: View,
    node: int,
    hops: int,
    colour: Colour = "class",
    base: Base | None = None,
    run: int = 0,
) -> NodeMap:
    """The neighbourhood of a node, its nodes where they are on every other map."""
    graph = view.graph
    nodes = ego(graph, node, hops)
    values: npt.NDArray[Any] = np.asarray(values_of(view, colour, base, run))
    return NodeMap.of(
        view.xy[nodes],
        induced(graph, nodes),
        values[nodes],
        colour=colour,
        graph=f"the {hops}-hop neighbourhood of node {node} of {graph.name}",
        class_names=graph.class_names,
        selected=np.arange(len(nodes)) == 0,
        node_names=[node_name(graph, int(i)) for i in nodes],
        top=max_nonuniformity(graph.num_classes) if colour == "w" else None,
    )


def ego_chart(figure: NodeMap) -> go.Figure:
    """Names on hover without the position in the drawn part, which means nothing.

    No legend: it stands beside a map of the whole graph in the same colours.
    """
    chart = figure.to_plotly(is_dark())
    chart.update_layout(showlegend=False)
    for trace in chart.select_traces(selector={"name": "nodes"}):
        trace.hovertemplate = trace.hovertemplate.replace("node %{customdata}", "")
    return chart
