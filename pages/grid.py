"""Eta grid: over how wide a range of η wGNN helps; the cell is chosen on validation alone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from ui import load
from ui.jobs import PageEnd, ended, fragment, status_of, timing, train_button, watch
from ui.shell import page_start
from ui.show import metrics, show
from ui.widgets import BIND
from wgnn_core.figures.eta_axes import Grid, grid_of
from wgnn_core.intervention import ETAS, Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.search import STEPS

VALUES = [0.0, *STEPS]
DEFAULT = [0.0, 0.2, 0.4, 0.6, 0.8]
ONE, TWO = "Grid", "The authors' two stages"
AXES = {
    "η₁ = η₂ × η₀": ("η₁ = η₂", "η₀", None),
    "η₁ × η₂": ("η₁", "η₂", "η₀"),
    "η₁ × η₀": ("η₁", "η₀", "η₂"),
    "η₂ × η₀": ("η₂", "η₀", "η₁"),
}
PLACE = {"η₀": "eta0", "η₁": "eta1", "η₂": "eta2"}
LARGE = 500

view = page_start(
    "Eta grid",
    "One retraining for every cell and seed. The outlined cell is the one **validation** accuracy "
    "chooses; the best cell on test is marked too, because nobody may choose it.",
)
graph, choice = view.graph, view.choice


def plain_grid() -> RunConfig:
    """Every pair of the values on two axes."""
    mode = st.selectbox("Axes", list(AXES), key="grid_axes", bind=BIND, width=170)
    x_name, y_name, fixed_name = AXES[mode]
    xs = st.multiselect(f"Values of {x_name}", VALUES, DEFAULT, key="grid_x", bind=BIND, width=320)
    ys = st.multiselect(f"Values of {y_name}", VALUES, DEFAULT, key="grid_y", bind=BIND, width=320)
    third = 0.0
    if fixed_name is not None:
        third = st.slider(
            f"{fixed_name}, fixed", 0.0, 1.0, 0.4, 0.05, key="grid_fixed", bind=BIND, width=170
        )
    if len(xs) * len(ys) < 2:
        st.info("Choose at least one value for each axis, and two for one.", icon=":material/info:")
        raise PageEnd

    def cell(x: float, y: float) -> Intervention:
        if fixed_name is None:
            return choice.like.at(y, x, x)
        etas = dict.fromkeys(ETAS, third) | {PLACE[x_name]: x, PLACE[y_name]: y}
        return choice.like.at(**etas)

    return choice.config([cell(x, y) for y in sorted(ys) for x in sorted(xs)])


def two_stages() -> RunConfig:
    """The authors' greedy search: η₁ and η₂ with η₀ = 0 first, then η₀ on the graph that won."""
    steps = st.multiselect(
        "Values tried for each η",
        list(STEPS),
        [0.2, 0.4, 0.6, 0.8],
        key="grid_steps",
        bind=BIND,
        width=430,
        help="The authors try 0.1, 0.2, ..., 1. Theirs chooses on test accuracy, this one on "
        "validation.",
    )
    if len(steps) < 2:
        st.info("Choose at least two values.", icon=":material/info:")
        raise PageEnd
    return choice.config(steps=tuple(sorted(steps)))


def axes(config: RunConfig) -> Grid:
    found = grid_of(config)
    assert found is not None, "two values or more make a grid"
    return found


how = st.segmented_control(
    "Search",
    [ONE, TWO],
    default=ONE,
    key="grid_search",
    bind=BIND,
    required=True,
    label_visibility="collapsed",
)
with st.container(horizontal=True, vertical_alignment="bottom"):
    config = plain_grid() if how == ONE else two_stages()
grid = axes(config)
status = status_of(config)
with st.container(horizontal=True, vertical_alignment="center"):
    busy = status is not None and (status.active or status.state == "done")
    train_button("Run the grid", config, "grid_run", disabled=busy)
    size = f"{len(grid.xs)} × {len(grid.ys)} cells"
    if how == TWO:
        size += f", then {len(grid.xs)} values of η₀"
    st.caption(
        f"{size}, {len(config.seeds)} seeds: {config.trainings:,} trainings "
        "(cells that come to the same training are trained once)."
        + (" That is a lot: fewer values or seeds finish sooner." * (config.trainings > LARGE)),
        width="content",
    )
if status is None:
    raise PageEnd
if status.active:
    watch(config.run_id)


def pick() -> None:
    """A click on a cell moves the two sliders below to it."""
    points = st.session_state["grid_gain"].selection.points
    if points and points[0]["point_index"] < len(grid.cells):
        row, column = divmod(int(points[0]["point_index"]), len(grid.xs))
        st.session_state["grid_at_x"], st.session_state["grid_at_y"] = grid.xs[column], grid.ys[row]


def heatmaps() -> None:
    now = status_of(config)
    if now is None:
        return
    done = now.state == "done"
    result = load.finished(config.run_id) if done else load.jobs().result(config.run_id)
    if now.active:
        watch(config.run_id)
        st.progress(min(now.done / max(now.total, 1), 1.0), text=timing(now))
    elif not done:
        ended(config.run_id, now)
    if result is None or result.base is None:
        st.skeleton(height=360)
        return
    draw(result, done)


def draw(result: RunResult, done: bool) -> None:
    height = int(np.clip(130 + 62 * len(grid.ys), 300, 520))
    for place, metric in zip(st.columns(2, gap="medium"), ("val", "test"), strict=True):
        with place:
            show(view.figure("eta-grid", result, metric=metric), f"grid_{metric}", height=height)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        gains = view.figure("eta-grid", result, metric="gain")
        show(gains, "grid_gain", height=height + 30, modes=("points",), on_select=pick)
        st.caption(
            "Click a cell to look into it. "
            f"The base model has {result.trained.test.mean():.2f} % on test."
        )
    with right:
        if done:
            look_into(result)
        else:
            st.caption("When the grid is finished you can look into each cell here.")
    if how == TWO and result.chosen is not None:
        second_stage(result, result.chosen)


def look_into(result: RunResult) -> None:
    st.markdown("**Look into a cell**")
    st.caption("Click one in the map of gains, or slide; nothing is trained anew.")
    start = result.chosen
    if start is not None and how == TWO:  # the map shows the first stage, with eta0 = 0
        start = start.of("wgnn2")
    row, column = grid.place(start) or (0, 0)
    x, y = grid.xs[column], grid.ys[row]
    if len(grid.xs) > 1:
        x = st.select_slider(grid.x_name, grid.xs, x, key="grid_at_x")
    if len(grid.ys) > 1:
        y = st.select_slider(grid.y_name, grid.ys, y, key="grid_at_y")
    numbers(result, grid.cells[grid.ys.index(y) * len(grid.xs) + grid.xs.index(x)])


def numbers(result: RunResult, one: Intervention) -> None:
    """A finished intervention against the base model, and the way to the playground."""
    mine, c = result.of(one), result.comparison(one)
    metrics(
        (
            ("Validation", f"{mine['val'].mean():.2f} %", "what chooses"),
            ("Test", f"{c.other_mean:.2f} %", f"{c.difference:+.2f} points"),
        )
    )
    p = "none" if np.isnan(c.t_pvalue) else f"{c.t_pvalue:.2g}"
    st.caption(
        f"{one.text}: s.d. {c.other_std:.2f} over {c.n} seeds, paired t-test p = {p}; "
        f"{mine['pseudo_labels'].mean():.0f} nodes join, "
        f"{mine['edges_dropped'].mean():.0f} edges go."
    )
    # what the sidebar bound to the address stays there; the sliders are added
    st.page_link(
        "pages/playground.py",
        label="Open in the playground",
        icon=":material/tune:",
        query_params={name: f"{eta:g}" for name, eta in zip(ETAS, one.etas, strict=True)},
    )


def second_stage(result: RunResult, chosen: Intervention) -> None:
    """η₀ on the graph that won the first stage, and what validation chooses in the end."""
    st.subheader("Second stage: η₀ on the chosen graph", anchor=False)
    values = (0.0, *result.config.steps)
    parts = [result.of(replace(chosen, eta0=eta0)) for eta0 in values]
    base = result.trained.test.mean()
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.dataframe(
            pd.DataFrame(
                {
                    "η₀": values,
                    "validation": [part["val"].mean() for part in parts],
                    "test": [part["test"].mean() for part in parts],
                    "gain": [part["test"].mean() - base for part in parts],
                    "": ["chosen" if value == chosen.eta0 else "" for value in values],
                }
            ),
            hide_index=True,
            column_config={
                "η₀": st.column_config.NumberColumn(format="%.1f", width=60),
                "validation": st.column_config.NumberColumn(format="%.2f", width=90),
                "test": st.column_config.NumberColumn(format="%.2f", width=80),
                "gain": st.column_config.NumberColumn(format="%+.2f", width=80),
            },
        )
        st.caption(
            f"Mean accuracies (%) with η₁ = {chosen.eta1:g} and η₂ = {chosen.eta2:g}, which "
            "validation chose in the first stage; the gain is in points over the base model."
        )
    with right:
        st.markdown(f"**Chosen on validation: {chosen.text}**")
        numbers(result, chosen)


fragment(heatmaps, "grid", 1.5 if status.active else None)()
