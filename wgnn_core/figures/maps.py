"""What the maps share: nodes and edges as one tidy table, and their edge layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection

from wgnn_core.errors import WGNNError
from wgnn_core.figures.base import RASTER_ABOVE, TITLE_PIXELS
from wgnn_core.figures.style import Style
from wgnn_core.graph import IntArray

Points = npt.NDArray[np.float32]

NODE, EDGE = "node", "edge"
WEBGL_ABOVE = 1000
"""A page draws maps of more nodes by WebGL; below, setting that up takes longer than the drawing,
and a browser has few such canvases to give."""


def map_table(
    xy: npt.ArrayLike,
    edges: npt.ArrayLike,
    node_columns: Mapping[str, Any],
    edge_columns: Mapping[str, Any] | None = None,
    numbers: IntArray | None = None,
) -> pd.DataFrame:
    """Nodes, then edges: columns mark, node, to (edges only), x, y (nodes only) and the given.

    `edges` are pairs of rows of `xy`; `numbers` says which nodes of the graph those rows are, by
    default all of them in order.

    Raises:
        WGNNError: Coordinates are not finite, or an edge leaves the nodes.
    """
    points = np.asarray(xy, dtype=np.float32)
    pairs = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    n = len(points)
    if points.ndim != 2 or points.shape[1] != 2 or n == 0 or not np.isfinite(points).all():
        raise WGNNError(f"coordinates have shape {points.shape}; expected finite (N, 2), N > 0.")
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= n):
        raise WGNNError(f"an edge names node {pairs.max()}; nodes are numbered 0 to {n - 1}.")
    for name, values in node_columns.items():
        if len(values) != n:
            raise WGNNError(f"{name} has {len(values)} values for {n} nodes; give one for each.")
    number = np.arange(n) if numbers is None else numbers
    nodes = pd.DataFrame(
        {"mark": NODE, "node": number, "x": points[:, 0], "y": points[:, 1], **node_columns}
    )
    ends = number[pairs]
    links = pd.DataFrame(
        {"mark": EDGE, "node": ends[:, 0], "to": ends[:, 1], **(edge_columns or {})}
    )
    table = pd.concat([nodes, links], ignore_index=True)
    order = ["mark", "node", "to", "x", "y"]
    rest = [name for name in table.columns if name not in order]
    return table.astype({"to": "Int64"})[order + rest]


def nodes_of(data: pd.DataFrame) -> pd.DataFrame:
    return data[data["mark"] == NODE]


def points_of(data: pd.DataFrame) -> Points:
    return np.asarray(nodes_of(data)[["x", "y"]], dtype=np.float32)


def pairs_of(data: pd.DataFrame, links: pd.DataFrame | None = None) -> IntArray:
    """The edges, or those rows of `links`, as positions among the drawn nodes."""
    found = data[data["mark"] == EDGE] if links is None else links
    index = pd.Index(nodes_of(data)["node"])
    ends = [index.get_indexer(found[end].astype("int64")) for end in ("node", "to")]
    return np.stack(ends, axis=1)


def plotly_layer(figure: go.Figure, nodes: int, **trace: Any) -> None:
    """One trace of a map of so many nodes.

    All traces of a map go the same way: WebGL is always drawn below SVG, whatever the order.
    """
    figure.add_trace(go.Scattergl(**trace) if nodes > WEBGL_ABOVE else go.Scatter(**trace))


def plotly_edges(
    figure: go.Figure, points: Points, pairs: IntArray, line: Mapping[str, Any], **trace: Any
) -> None:
    """All edges as one trace of float32 arrays, a nan between two edges."""
    path = np.full((len(pairs), 3, 2), np.nan, dtype=np.float32)
    path[:, :2] = points[pairs]
    plotly_layer(
        figure,
        len(points),
        x=path[..., 0].ravel(),
        y=path[..., 1].ravel(),
        mode="lines",
        line=dict(line),
        hoverinfo="skip",
        connectgaps=False,
        **trace,
    )


def paper_edges(
    axes: Axes, points: Points, pairs: IntArray, total: int, **line: Any
) -> LineCollection:
    """All edges as one collection, an image when the map has more than 2000 marks.

    At 600 dpi smoothing the lines of an image shows nothing and doubles the file.
    """
    raster = total > RASTER_ABOVE
    lines = LineCollection(list(points[pairs]), rasterized=raster, antialiaseds=not raster, **line)
    axes.add_collection(lines)
    return lines


def edge_layer(count: int, style: Style) -> dict[str, Any]:
    """Look of a background of `count` edges: the more there are, the fainter."""
    shade = 210 + int(np.clip(count / 2000, 0, 20))
    width = float(np.clip(12 / np.sqrt(count), 0.12, 0.6)) * style.scale
    return {"colors": f"#{shade:02x}{shade + 2:02x}{shade + 6:02x}", "linewidths": width}


def paper_dots(axes: Axes, points: Points, **look: Any) -> PathCollection:
    """Nodes as one collection."""
    return axes.scatter(points[:, 0], points[:, 1], **look)


def bare(axes: Axes, points: Points) -> None:
    """No axes: the coordinates of a layout have no meaning. Equal scales, a small margin."""
    axes.set_axis_off()
    axes.set_aspect("equal", adjustable="box")
    low, high = points.min(axis=0), points.max(axis=0)
    pad = 0.03 * np.maximum(high - low, 1e-6).max()
    axes.set_xlim(float(low[0] - pad), float(high[0] + pad))
    axes.set_ylim(float(low[1] - pad), float(high[1] + pad))


def bare_plotly(figure: go.Figure) -> None:
    """The same for plotly, every panel."""
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    for number, axis in enumerate(figure.select_yaxes(), start=1):
        axis.scaleanchor = "x" if number == 1 else f"x{number}"


def map_ratio(
    points: Points, bar: bool = False, legend: bool = True, least: float | None = None
) -> float:
    """Height over width of a figure that a map fills, with room for what stands beside.

    `least` is how flat the map itself may be.
    """
    width, height = np.maximum(np.ptp(points, axis=0), 1e-6)
    share = 0.82 if bar else 0.96
    least = 0.45 if least is None else least
    return share * float(np.clip(height / width, least, 1.15)) + 0.12 * legend


def bands(colours: Sequence[str]) -> dict[str, Any]:
    """A plotly colour scale whose values 0, 1, ... are `colours`.

    Markers then take an array of numbers; checking one colour name per node costs plotly seconds.
    """
    k = len(colours)
    steps = [[(i + j) / k, colours[i]] for i in range(k) for j in (0, 1)]
    return {"colorscale": steps, "cmin": -0.5, "cmax": k - 0.5, "showscale": False}


def bar_below(title: str, **more: Any) -> dict[str, Any]:
    """A plotly colour bar that lies below the map, which then has the whole width."""
    place = {"orientation": "h", "x": 0.5, "xanchor": "center", "y": 0, "yanchor": "top"}
    look = {"len": 0.75, "thickness": 10, "outlinewidth": 0}
    return {**place, **look, "title": {"text": title, "side": "bottom"}, **more}


LEGEND_ABOVE = {"y": 1, "yref": "paper", "yanchor": "bottom"}
MARGIN = {"l": 12, "r": 12, "t": TITLE_PIXELS + 12, "b": 12}
MARGIN_ABOVE = MARGIN | {"t": TITLE_PIXELS + 36, "b": 8}
"""Place of a plotly legend where the colour bar is below, and margins of a map without and with."""


def page_size(n: int) -> float:
    """Diameter of a node on a page, in pixels."""
    return float(np.clip(260 / np.sqrt(n), 3.5, 12))


def paper_size(n: int, style: Style) -> float:
    """Diameter of a node on paper, in points."""
    width = min(style.inches, 4.5 * style.scale) * 72
    return float(np.clip(0.27 * width / np.sqrt(n), 0.9, 4.5 * style.scale))
