"""How every figure stands on a page: the chart, one sentence, and a way to take it along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import plotly.graph_objects as go
import streamlit as st

from ui.choice import Choice, Triple
from ui.load import points
from ui.text import md
from wgnn_core.export import bundle, offline_html, table_csv
from wgnn_core.figures import VENUES, Figure, Style
from wgnn_core.figures.references import ENTRIES
from wgnn_core.reports import run_bundle
from wgnn_core.runs.results import RunResult

MAP_HEIGHT = 520
CHART_HEIGHT = 400
MANY_RINGS = 120
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
    etas: Triple = (0.0, 0.0, 0.0),
    *,
    height: int = CHART_HEIGHT,
    select: bool = False,
    chart: go.Figure | None = None,
    modes: tuple[str, ...] = ("points", "box", "lasso"),
    on_select: Callable[[], None] | None = None,
) -> Any:
    """The chart with its caption and export control.

    Args:
        figure: What to show.
        key: Of the widgets; begins with the page's name.
        choice: What it was made from, for the record in an export.
        etas: The same.
        height: In pixels.
        select: Whether marks can be selected; then the selection is returned.
        chart: The plotly figure if the page changed it; its own otherwise.
        modes: Ways to select.
        on_select: Called when something was selected, before the page is drawn anew.
    """
    drawn = chart if chart is not None else figure.to_plotly(is_dark())
    _fit(drawn, height)
    st.markdown(f"**{md(figure.title, 200)}**")
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
    below = st.container(horizontal=True, vertical_alignment="center")
    below.caption(md(figure.caption, 600), width="stretch")
    with below:
        _export(figure, key, choice, etas)
    return state


def _fit(drawn: go.Figure, height: int) -> None:
    """Make a chart part of the page: its font and background, a legend that never covers an axis.

    The title goes above, as text: plotly would cut it where a column is narrow.
    """
    clear = "rgba(0,0,0,0)"
    drawn.update_layout(
        title_text="",
        height=height,
        font_family=FONT,
        paper_bgcolor=clear,
        plot_bgcolor=clear,
        margin_t=36 if drawn.layout.annotations else 12,
        legend={
            "orientation": "h", "x": 0, "xanchor": "left",
            "y": 0, "yref": "container", "yanchor": "bottom",
        },
    )  # fmt: skip
    for trace in drawn.data:
        rings = trace.type == "scattergl" and str(trace.marker.symbol) == "circle-open"
        if rings and len(trace.x) > MANY_RINGS:  # thick ones would hide what they mark
            trace.update(marker={"line": {"width": 1}, "size": trace.marker.size - 1}, opacity=0.55)


def _export(figure: Figure, key: str, choice: Choice, etas: Triple) -> None:
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
                config = choice.config([etas] if any(etas) else [])
                record = config.identity | {"run_id": config.run_id}
                cite = [name for name in (choice.dataset, choice.model) if name in ENTRIES]
                return bundle(figure, record, choice.command(etas), style, cite)
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
