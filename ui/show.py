"""How every figure stands on a page: the chart, one sentence, and a way to take it along."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import matplotlib
import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
import streamlit as st
from matplotlib.colors import to_hex

from ui.choice import Choice
from ui.load import points
from ui.text import md
from wgnn_core.export import bundle, offline_html, table_csv
from wgnn_core.figures import VENUES, Figure, Style
from wgnn_core.figures.references import ENTRIES
from wgnn_core.figures.style import lightness
from wgnn_core.reports import command_of, run_bundle, view_bundle
from wgnn_core.runs.results import RunResult

MAP_HEIGHT = 580
CHART_HEIGHT = 380
MANY_RINGS = 120
"""Rings around more nodes than this would hide them; the other nodes fade instead."""
FADED = 0.1
FONT = "Source Sans, Source Sans Pro, sans-serif"
FORMATS = {
    "zip": ("Bundle: everything below, LaTeX, settings, command", "application/zip"),
    "pdf": ("PDF", "application/pdf"),
    "svg": ("SVG", "image/svg+xml"),
    "png": ("PNG, 600 dpi", "image/png"),
    "csv": ("Numbers as CSV", "text/csv"),
    "html": ("Interactive page", "text/html"),
}
CONFIG: dict[str, Any] = {"displaylogo": False, "scrollZoom": True}


def is_dark() -> bool:
    return st.context.theme.type == "dark"


def show(
    figure: Figure,
    key: str,
    choice: Choice,
    runs: Sequence[RunResult] = (),
    choices: Mapping[str, Any] | None = None,
    *,
    height: int = CHART_HEIGHT,
    select: bool = False,
    chart: go.Figure | None = None,
    modes: tuple[str, ...] = ("points", "box", "lasso"),
    on_select: Callable[[], None] | None = None,
    caption: str | None = None,
) -> Any:
    """The chart with its caption and export control.

    Args:
        figure: What to show.
        key: Of the widgets; begins with the page's name.
        choice: The graph and the model it is about.
        runs: The runs its numbers come from, for the record and the command of an export.
        choices: What it shows of them, see `wgnn_core.reports.Choices`.
        height: In pixels.
        select: Whether marks can be selected; then the selection is returned.
        chart: The plotly figure if the page changed it; its own otherwise.
        modes: Ways to select.
        on_select: Called when something was selected, before the page is drawn anew.
        caption: The sentence below; the figure's own if none is given.
    """
    drawn = chart if chart is not None else figure.to_plotly(is_dark())
    _fit(drawn, height)
    text = caption if caption is not None else figure.caption
    if figure.kind == "eta-grid":
        _number_cells(drawn, gain=drawn.data[0].zmin < 0)
    elif figure.kind == "node-map" and _fade_others(drawn):
        text = text.replace("(rings)", "(the others are faded)")
    head = st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        gap="small",
        key=f"{key}_head",
    )
    head.markdown(f"**{md(figure.title, 200)}**", width="stretch")
    with head:
        _export(figure, key, choice, runs, choices or {})
    state = st.plotly_chart(
        drawn,
        key=key,
        theme=None,
        height=height,
        config=CONFIG | {"scrollZoom": figure.kind.endswith("map")},
        alt=figure.alt,
        on_select=(on_select or "rerun") if select else "ignore",
        selection_mode=cast(Any, modes),
    )
    st.caption(md(text, 600))
    return state


def metrics(rows: Sequence[tuple[str, str, str]], least: int = 150) -> None:
    """Numbers side by side, as many as there is room for: (name, value, note) each."""
    with st.grid(len(rows), min_column_width=least):
        for name, value, note in rows:
            st.metric(name, value, note or None, delta_color="off", delta_arrow="off", border=True)


def _fit(drawn: go.Figure, height: int) -> None:
    """Make a chart part of the page: its font and background, a legend that never covers an axis.

    The title goes above, as text: plotly would cut it where a column is narrow. A colour bar lies
    below a map, which then has the whole width.
    """
    clear = "rgba(0,0,0,0)"
    bars = [t for t in drawn.data if t.type in ("scatter", "scattergl") and t.marker.showscale]
    place = {"y": 0, "yref": "container", "yanchor": "bottom"}
    drawn.update_layout(
        title_text="",
        height=height,
        font_family=FONT,
        paper_bgcolor=clear,
        plot_bgcolor=clear,
        margin_t=36 if drawn.layout.annotations else 12,
        legend={"orientation": "h", "x": 0, "xanchor": "left"}
        | ({"y": 1, "yref": "container", "yanchor": "top"} if bars else place),
    )
    for trace in bars:
        trace.marker.colorbar.update(
            orientation="h", x=0.5, xanchor="center", y=0, yanchor="top", len=0.75, thickness=10,
            outlinewidth=0, title_side="bottom",
        )  # fmt: skip
        drawn.update_layout(margin_t=36, margin_b=8)


def _fade_others(drawn: go.Figure) -> bool:
    """Where a node map marks many nodes, fade the others and take the rings away."""
    ring = next((t for t in drawn.data if str(t.name).startswith("selected (")), None)
    if ring is None or len(ring.x) <= MANY_RINGS:
        return False
    marked = _places(ring)
    for trace in drawn.data:
        if trace.name in ("nodes", "no value"):
            inside = np.isin(_places(trace), marked)
            trace.marker.opacity = np.where(inside, 1, FADED).astype(np.float32)
        elif trace.name == "edges":
            trace.opacity = 0.35
    drawn.data = [trace for trace in drawn.data if trace is not ring]
    return True


def _places(trace: Any) -> npt.NDArray[np.complex128]:
    """Where the marks of a trace are, one number each: a node is known by its place."""
    return np.asarray(trace.x, dtype=float) + 1j * np.asarray(trace.y, dtype=float)


def _number_cells(drawn: go.Figure, gain: bool) -> None:
    """Numbers that can be read on every colour, and cells that can be clicked.

    plotly prints grey on yellow, and its heatmaps report no clicks: a text mark in each cell does
    both. The marks come last, in the order of the cells, row by row.
    """
    cells = drawn.data[0]
    z = np.asarray(cells.z, dtype=float)
    column, row = np.meshgrid(np.arange(z.shape[1]), np.arange(z.shape[0]))
    shade = (z.ravel() - cells.zmin) / (cells.zmax - cells.zmin)
    scale = matplotlib.colormaps["RdBu" if gain else "viridis"]
    dark = [np.isfinite(s) and lightness(to_hex(scale(s))) < 55 for s in shade]
    form = "+.1f" if gain else ".1f"
    cells.update(texttemplate="", hoverinfo="skip", hovertemplate=None)
    cells.colorbar.update(title_text="", thickness=10, outlinewidth=0)
    drawn.add_scatter(
        x=column.ravel(),
        y=row.ravel(),
        mode="markers+text",
        marker={"size": 30, "opacity": 0, "symbol": "square"},
        text=[f"{v:{form}}".replace("-", "−") if np.isfinite(v) else "" for v in z.ravel()],
        textfont={"color": ["#ffffff" if d else "#111318" for d in dark], "size": 13},
        hovertemplate="%{text}<extra></extra>",  # without hover there is no click
        showlegend=False,
    )
    drawn.update_layout(hovermode="closest", hoverdistance=-1)


def _bundle(
    figure: Figure,
    choice: Choice,
    runs: Sequence[RunResult],
    choices: Mapping[str, Any],
    style: Style,
) -> bytes:
    if runs:
        config = runs[0].config
        xy = points(config.dataset, config.parameters)
        return view_bundle(figure, runs, config.graph(), style, xy=xy, **choices)
    config = choice.config()  # about the graph alone; what is trained on it comes closest
    record = config.identity | {"run_id": None}
    cite = [name for name in (choice.dataset, choice.model) if name in ENTRIES]
    return bundle(figure, record, command_of(config, None, style), style, cite, again=False)


def _export(
    figure: Figure,
    key: str,
    choice: Choice,
    runs: Sequence[RunResult],
    choices: Mapping[str, Any],
) -> None:
    with st.popover("Export", icon=":material/download:", type="tertiary", key=f"{key}_export"):
        kind = st.selectbox(
            "Format", list(FORMATS), format_func=lambda f: FORMATS[f][0], key=f"{key}_format"
        )
        if kind not in ("csv", "html"):
            venue = st.selectbox(
                "Made for", list(VENUES), format_func=lambda v: VENUES[v].name, key=f"{key}_venue"
            )
            width = st.radio("Width", ["column", "full"], horizontal=True, key=f"{key}_width")
        else:
            venue, width = "icml", "column"
        dark, style = is_dark(), Style(venue=venue, width=width)
        if kind not in ("csv", "html") and st.toggle("Preview", key=f"{key}_preview"):
            st.image(figure.render("png", style, 150), caption="As it will print")

        def made() -> bytes | str:
            if kind == "zip":
                return _bundle(figure, choice, runs, choices, style)
            if kind == "csv":
                return table_csv(figure.data)
            if kind == "html":
                return offline_html(figure, dark)
            return figure.render(cast(Any, kind), style)

        # the label says for whom, so that nobody clicks before the choice has arrived;
        # a callable: rendered when clicked and not before
        st.download_button(
            "Download" if kind in ("csv", "html") else f"Download for {VENUES[venue].name}",
            made,
            file_name=f"{figure.kind}-{choice.dataset}.{kind}",
            mime=FORMATS[kind][1],
            key=f"{key}_download",
            on_click="ignore",
            icon=":material/download:",
        )


def export_run(result: RunResult, key: str) -> None:
    """Everything a finished run gives, as one bundle: its figures, tables and LaTeX document.

    Args:
        result: The run.
        key: Of the widgets; begins with the page's name.
    """
    run = result.summary
    with st.popover("Export run", icon=":material/folder_zip:", key=f"{key}_export"):
        venue = st.selectbox(
            "Made for", list(VENUES), format_func=lambda v: VENUES[v].name, key=f"{key}_venue"
        )
        width = st.radio("Width", ["column", "full"], horizontal=True, key=f"{key}_width")

        def made() -> bytes:
            config = run.config
            xy = points(config.dataset, config.parameters)
            return run_bundle(result, config.graph(), Style(venue=venue, width=width), xy=xy)

        st.download_button(
            f"Download for {VENUES[venue].name}",
            made,
            file_name=f"{run.dataset}-{run.model}-{run.run_id[:8]}-all.zip",
            mime="application/zip",
            key=f"{key}_download",
            on_click="ignore",
            icon=":material/download:",
        )
