"""How every figure stands on a page: the chart, one sentence, and a way to take it along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast
from urllib.parse import clear_cache  # type: ignore[attr-defined]  # it is undocumented

import streamlit as st

from ui.text import md
from wgnn_core.export import offline_html, table_csv
from wgnn_core.figures import VENUES, Figure, Style
from wgnn_core.figures.base import TITLE_PIXELS
from wgnn_core.graph import FloatArray
from wgnn_core.home import at_home
from wgnn_core.reports import figure_bundle, run_bundle
from wgnn_core.runs.results import RunResult

MAP_HEIGHT = 580
CHART_HEIGHT = 380
FONT = "Source Sans, Source Sans Pro, sans-serif"
CLEAR = "rgba(0,0,0,0)"
MUTED = "rgba(128,134,144,0.75)"
FORMATS = {
    "zip": ("Bundle: everything below, LaTeX, settings, command", "application/zip"),
    "pdf": ("PDF", "application/pdf"),
    "svg": ("SVG", "image/svg+xml"),
    "png": ("PNG, 600 dpi", "image/png"),
    "csv": ("Numbers as CSV", "text/csv"),
    "html": ("Interactive page", "text/html"),
}
CONFIG: dict[str, Any] = {"displaylogo": False}


def is_dark() -> bool:
    return bool(st.context.theme.type == "dark")


def show(
    figure: Figure,
    key: str,
    *,
    height: int = CHART_HEIGHT,
    legend: bool = True,
    modes: tuple[str, ...] = (),
    on_select: Callable[[], None] | None = None,
    wheel: bool = False,
    captioned: bool = True,
) -> Any:
    """The chart with its caption and export control.

    Args:
        figure: What to show, made by `figure_of`: what comes down is what is seen.
        key: Of the widgets; begins with the page's name.
        height: In pixels.
        legend: Leave it out where a chart beside this one has the same.
        modes: Ways to select marks, out of points, box and lasso; then the selection is returned.
        on_select: Called when something was selected, before the page is drawn anew.
        wheel: Whether the mouse wheel zooms the chart; else it scrolls the page.
        captioned: Leave the sentence out where the page says the same beside the chart.
    """
    drawn = figure.to_plotly(is_dark())
    # The title goes above, as text: plotly would cut it where a column is narrow.
    drawn.update_layout(
        title_text="",
        margin_t=drawn.layout.margin.t - TITLE_PIXELS,
        height=height,
        font_family=FONT,
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
    )
    is_map = figure.kind.endswith("map")
    if is_map:
        bar = {"bgcolor": CLEAR, "color": MUTED, "activecolor": drawn.layout.font.color}
        drawn.update_layout(uirevision=_camera(figure), modebar=bar)
    if modes:  # said here, because turning the camera back comes before Streamlit says it
        drawn.update_layout(clickmode="event+select", hovermode="closest")
    if not legend:
        drawn.update_layout(showlegend=False)
    _head(figure, key)
    state = st.plotly_chart(
        drawn,
        key=key,
        theme=None,
        height=height,
        config=CONFIG | {"scrollZoom": wheel, "displayModeBar": True if is_map else "hover"},
        alt=figure.alt,
        on_select=(on_select or "rerun") if modes else "ignore",
        selection_mode=cast(Any, modes or ("points",)),
    )
    if captioned:
        st.caption(md(figure.caption, 800))
    return state


def show_page(figure: Figure, source: str, key: str) -> None:
    """A figure that is drawn by a page of its own, with the same caption and export control.

    Args:
        figure: What is shown, made by `figure_of`.
        source: The page; every name in it must be escaped, for it may run scripts.
        key: Of the widgets; begins with the page's name.
    """
    _head(figure, key)
    st.iframe(source, alt=figure.alt)
    clear_cache()  # asked whether it is an address, urllib has kept the page, three times its bytes
    st.caption(md(figure.caption, 1200))


def _head(figure: Figure, key: str) -> None:
    """The title, and the export control at its right."""
    head = st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        gap="small",
        key=f"{key}_head",
    )
    head.markdown(f"**{md(figure.title, 200)}**", width="stretch")
    with head:
        _export(figure, key)


def _camera(figure: Figure) -> str:
    """Whose zoom it is: other colours and marks keep it, other places of the nodes do not."""
    scene = figure.scene
    if scene is None:
        return figure.title
    chosen = [getattr(scene.choices, name, None) for name in ("layout", "around", "radius")]
    return f"{figure.kind} {scene.graph.content_hash} {chosen}"


def metrics(rows: Sequence[tuple[str, str, str]], least: int = 150) -> None:
    """Numbers side by side, as many as there is room for: (name, value, note) each."""
    with st.grid(len(rows), min_column_width=least):
        for name, value, note in rows:
            st.metric(name, value, note or None, delta_color="off", delta_arrow="off", border=True)


def _style(key: str) -> Style:
    """Ask for whom the figure is made."""
    venue = st.selectbox(
        "Made for", list(VENUES), format_func=lambda v: VENUES[v].name, key=f"{key}_venue"
    )
    width = st.radio("Width", ["column", "full"], horizontal=True, key=f"{key}_width")
    return Style(venue=venue, width=width)


def download(
    label: str,
    made: Callable[[], bytes | str],
    file: str,
    mime: str,
    key: str,
    icon: str = ":material/download:",
    tip: str | None = None,
) -> None:
    """A button for a file, which is made when it is pressed and not before.

    Streamlit makes it in a thread that does not know whose page it was.
    """
    st.download_button(
        label, at_home(made), file, mime, key=key, on_click="ignore", icon=icon, help=tip
    )


def _export(figure: Figure, key: str) -> None:
    with st.popover("Export", icon=":material/download:", type="tertiary", key=f"{key}_export"):
        # a bundle holds the command, and a figure of no run has none
        kinds = [kind for kind in FORMATS if kind != "zip" or figure.scene is not None]
        kind = st.selectbox(
            "Format", kinds, format_func=lambda f: FORMATS[f][0], key=f"{key}_format"
        )
        printed = kind not in ("csv", "html")
        dark, style = is_dark(), _style(key) if printed else Style()
        if printed and st.toggle("Preview", key=f"{key}_preview"):
            st.image(figure.render("png", style, 150), caption="As it will print")

        def made() -> bytes | str:
            if kind == "zip":
                return figure_bundle(figure, style)
            if kind == "csv":
                return table_csv(figure.data)
            if kind == "html":
                return offline_html(figure, dark)
            return figure.render(cast(Any, kind), style)

        # the label says for whom, so that nobody clicks before the choice has arrived
        label = f"Download for {VENUES[style.venue].name}" if printed else "Download"
        file = f"{figure.kind}-{_dataset(figure)}.{kind}"
        download(label, made, file, FORMATS[kind][1], f"{key}_download")


def _dataset(figure: Figure) -> str:
    return "graph" if figure.scene is None else figure.scene.graph.file_name


def export_run(result: RunResult, xy: FloatArray, key: str) -> None:
    """Everything a finished run gives, as one bundle: its figures, tables and LaTeX document.

    Args:
        result: The run.
        xy: The layout of its graph.
        key: Of the widgets; begins with the page's name.
    """
    run = result.summary
    with st.popover("Export run", icon=":material/folder_zip:", key=f"{key}_export"):
        style = _style(key)
        download(
            f"Download for {VENUES[style.venue].name}",
            lambda: run_bundle(result, result.graph, style, xy=xy),
            f"{run.dataset}-{run.model}-{run.run_id[:8]}-all.zip",
            "application/zip",
            f"{key}_download",
        )
