"""Eta grid: over how wide a range of η wGNN helps; the cell is chosen on validation alone."""

import numpy as np
import streamlit as st

from ui import load
from ui.choice import Triple
from ui.etas import eta_text
from ui.jobs import ended, progress, said, status_of, submit, watch
from ui.shell import page_start
from ui.show import is_dark, show
from ui.sidebar import BIND
from wgnn_core.figures import EtaGrid
from wgnn_core.runs.results import RunResult
from wgnn_core.search import choose
from wgnn_core.wgnn import Etas

STEPS = [round(0.1 * i, 1) for i in range(11)]
DEFAULT = [0.0, 0.2, 0.4, 0.6, 0.8]
PAIRED = "η₁ = η₂ × η₀"
AXES = {
    PAIRED: ("η₁ = η₂", "η₀", None),
    "η₁ × η₂": ("η₁", "η₂", "η₀"),
    "η₁ × η₀": ("η₁", "η₀", "η₂"),
    "η₂ × η₀": ("η₂", "η₀", "η₁"),
}
PLACE = {"η₀": 0, "η₁": 1, "η₂": 2}
LARGE = 500

view = page_start(
    "Eta grid",
    "One retraining for every cell and seed. The outlined cell is the one **validation** accuracy "
    "chooses; the best cell on test is marked too, because nobody may choose it.",
)
graph, choice = view.graph, view.choice

with st.container(horizontal=True, vertical_alignment="bottom"):
    mode = st.selectbox("Axes", list(AXES), key="grid_axes", bind=BIND, width=180)
    x_name, y_name, fixed_name = AXES[mode]
    xs = st.multiselect(f"Values of {x_name}", STEPS, DEFAULT, key="grid_x", bind=BIND, width=330)
    ys = st.multiselect(f"Values of {y_name}", STEPS, DEFAULT, key="grid_y", bind=BIND, width=330)
    third = 0.0
    if fixed_name is not None:
        third = st.slider(
            f"{fixed_name}, fixed", 0.0, 1.0, 0.4, 0.05, key="grid_fixed", bind=BIND, width=200
        )
xs, ys = sorted(xs), sorted(ys)
if not xs or not ys:
    st.info("Choose at least one value for each axis.", icon=":material/info:")
    st.stop()


def triple(x: float, y: float) -> Triple:
    if fixed_name is None:
        return (y, x, x)
    values = [third, third, third]
    values[PLACE[x_name]], values[PLACE[y_name]] = x, y
    return values[0], values[1], values[2]


cells = [triple(x, y) for y in ys for x in xs]
config = choice.config(cells)
status = status_of(config)
with st.container(horizontal=True, vertical_alignment="center"):
    st.button(
        "Run the grid",
        type="primary",
        icon=":material/play_arrow:",
        key="grid_run",
        disabled=status is not None and (status.active or status.state == "done"),
        on_click=submit,
        args=(config,),
    )
    st.caption(
        f"{len(xs)} × {len(ys)} cells, {choice.seeds} seeds: {config.trainings:,} trainings "
        "(cells that come to the same training are trained once)."
        + (" That is a lot: fewer values or seeds finish sooner." * (config.trainings > LARGE))
    )
if status is None:
    st.stop()
if status.active:
    watch(config.run_id)


def matrices(result: RunResult) -> tuple[np.ndarray, np.ndarray]:
    """Mean validation and test accuracy of the finished cells as fractions, nan elsewhere."""
    mean = result.rows.groupby(["eta0", "eta1", "eta2"])[["val", "test"]].agg(["mean", "count"])
    out = np.full((2, len(ys), len(xs)), np.nan)
    for i, y in enumerate(ys):
        for j, x in enumerate(xs):
            if triple(x, y) in mean.index:
                row = mean.loc[triple(x, y)]
                if row[("val", "count")] == choice.seeds:
                    out[:, i, j] = row[("val", "mean")] / 100, row[("test", "mean")] / 100
    return out[0], out[1]


def pick() -> None:
    """A click on a cell moves the two sliders below to it."""
    points = st.session_state["grid_gain"].selection.points
    if points and points[0]["point_index"] < len(cells):
        row, column = divmod(int(points[0]["point_index"]), len(xs))
        st.session_state["grid_at_x"], st.session_state["grid_at_y"] = xs[column], ys[row]


def heatmaps() -> None:
    with said():
        now = status_of(config)
        assert now is not None
        done = now.state == "done"
        result = load.finished(config.run_id) if done else load.jobs().result(config.run_id)
        if now.active:
            progress(config.run_id, now, "grid")
        elif not done:
            ended(config.run_id, now)
        if result is None or result.base is None:
            st.skeleton(height=360)
            return
        val, test = matrices(result)
        chosen = None
        if done:
            best = choose(result.rows)
            at = cells.index((best.eta0, best.eta1, best.eta2))
            chosen = (at // len(xs), at % len(xs))
        shared = {"base_test": result.base.test.mean() / 100, "graph": graph.name}
        shared |= {"chosen": chosen, "x_name": x_name, "y_name": y_name}
        figures = {
            m: EtaGrid.of(xs, ys, val, test, metric=m, **shared) for m in ("val", "test", "gain")
        }
        left, right = st.columns(2, gap="large")
        with left:
            show(figures["val"], "grid_val", choice, height=430)
        with right:
            show(figures["test"], "grid_test", choice, height=430)
        left, right = st.columns([3, 2], gap="large")
        with left:
            chart = figures["gain"].to_plotly(is_dark())
            # a heatmap reports no clicks, an invisible dot in each cell does
            column, row = np.meshgrid(np.arange(len(xs)), np.arange(len(ys)))
            chart.add_scatter(
                x=column.ravel(),
                y=row.ravel(),
                mode="markers",
                marker={"size": 34, "opacity": 0, "symbol": "square"},
                text=[f"{v:+.2f}" for v in 100 * (test - result.base.test.mean() / 100).ravel()],
                hovertemplate="%{text} points<extra></extra>",  # without hover there is no click
                showlegend=False,
            )
            show(
                figures["gain"], "grid_gain", choice, height=460,
                select=True, chart=chart, modes=("points",), on_select=pick,
            )  # fmt: skip
        with right:
            cell(result, chosen)


def cell(result: RunResult, chosen: tuple[int, int] | None) -> None:
    st.markdown("**Look into a cell**")
    st.caption("Click one in the map of gains, or slide; nothing is trained anew.")
    default = chosen or (0, 0)
    x = st.select_slider(x_name, xs, xs[default[1]], key="grid_at_x") if len(xs) > 1 else xs[0]
    y = st.select_slider(y_name, ys, ys[default[0]], key="grid_at_y") if len(ys) > 1 else ys[0]
    etas = triple(x, y)
    mine = result.rows[(result.rows[["eta0", "eta1", "eta2"]] == list(etas)).all(axis=1)]
    if len(mine) < choice.seeds:
        st.caption("This cell is not finished yet.")
    else:
        c = result.comparison(Etas(*etas))
        with st.container(horizontal=True):
            st.metric("Validation", f"{mine['val'].mean():.2f} %", border=True, width=150)
            st.metric(
                "Test",
                f"{c.other_mean:.2f} %",
                f"{c.difference:+.2f} points",
                border=True,
                width=150,
            )
        p = "none" if np.isnan(c.t_pvalue) else f"{c.t_pvalue:.2g}"
        st.caption(
            f"{eta_text(etas)}: s.d. {c.other_std:.2f} over {c.n} seeds, paired t-test p = {p}; "
            f"{mine['pseudo_labels'].mean():.0f} nodes join, "
            f"{mine['edges_dropped'].mean():.0f} edges go."
        )
    # what the sidebar bound to the address stays there; the sliders of `ui.etas` are added
    st.page_link(
        "pages/playground.py",
        label="Open in the playground",
        icon=":material/tune:",
        query_params={f"eta{i}": f"{value:g}" for i, value in enumerate(etas)},
    )


st.fragment(heatmaps, run_every=1.5 if status.active else None)()
