"""Several plotly panels in the house style."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from wgnn_core.figures.base import ink, page


def panelled(title: str, dark: bool, rows: int, columns: int, **grid: Any) -> go.Figure:
    """As `base.page`, cut into panels; `grid` is for `make_subplots`."""
    plain = page(title, dark).layout
    figure = make_subplots(rows, columns, **grid)
    named = len(figure.layout.annotations)
    shared = ("title", "font", "paper_bgcolor", "plot_bgcolor", "margin", "hoverlabel", "legend")
    figure.update_layout(**{name: plain[name] for name in shared})
    figure.update_layout(margin_t=plain.margin.t + 24 * bool(named))
    figure.update_annotations(font={"color": ink(dark).text, "size": 14})
    figure.update_xaxes(plain.xaxis.to_plotly_json())
    figure.update_yaxes(plain.yaxis.to_plotly_json())
    return figure
