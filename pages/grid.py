"""Eta grid: over how wide a range of η wGNN helps; the cell is chosen on validation alone."""

import numpy as np
import streamlit as st

from ui import load
from ui.address import changed, keep, recall
from ui.jobs import PageEnd, ended, fragment, status_of, timing, train_button, watch
from ui.shell import page_start
from ui.show import metrics, show
from ui.text import TERMS
from ui.widgets import BIND
from wgnn_core.figures import Figure, missing
from wgnn_core.figures.eta_axes import Grid, grid_of
from wgnn_core.figures.text import count, signed
from wgnn_core.figures.verdict import pvalue
from wgnn_core.intervention import ETAS, Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.search import STEPS
from wgnn_core.statistics import t_test

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
STUDY = [0.2, 0.4, 0.6, 0.8], [round(0.1 * i, 1) for i in range(1, 9)]
"""The paper's parameter study: values of η₀, and of η₁ = η₂."""
KEPT = ("grid_search", "grid_axes", "grid_x", "grid_y", "grid_fixed", "grid_steps")

view = page_start(
    "Eta grid",
    "One retraining for every cell and seed. The outlined cell is the one **validation** accuracy "
    "chooses; the best cell on test is marked too, because nobody may choose it.",
)
graph, choice = view.graph, view.choice


def values(label: str, options: list[float], default: list[float], key: str) -> list[float]:
    """Ask for the values along an axis; they are shown in rising order however they were picked."""

    def in_order() -> None:
        changed()
        st.session_state[key] = sorted(st.session_state[key])

    return st.multiselect(
        label, options, default, key=key, bind=BIND, width=400, on_change=in_order
    )


def study() -> None:
    """The axes of the paper's parameter study."""
    changed()
    st.session_state["grid_axes"] = next(iter(AXES))
    st.session_state["grid_y"], st.session_state["grid_x"] = STUDY


def plain_grid() -> RunConfig:
    """Every pair of the values on two axes."""
    mode = st.selectbox(
        "Axes", list(AXES), key="grid_axes", bind=BIND, width=170, on_change=changed
    )
    x_name, y_name, fixed_name = AXES[mode]
    xs = values(f"Values of {x_name}", VALUES, DEFAULT, "grid_x")
    ys = values(f"Values of {y_name}", VALUES, DEFAULT, "grid_y")
    third = 0.0
    if fixed_name is not None:
        third = st.slider(
            f"{fixed_name}, fixed",
            0.0, 1.0, 0.4, 0.05, key="grid_fixed", bind=BIND, width=170, on_change=changed,
        )  # fmt: skip
    st.button(
        "The paper's study",
        icon=":material/menu_book:",
        key="grid_study",
        on_click=study,
        help="η₀ from 0.2 to 0.8 by 0.2, η₁ = η₂ from 0.1 to 0.8 by 0.1.",
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
    steps = values("Values tried for each η", list(STEPS), [0.2, 0.4, 0.6, 0.8], "grid_steps")
    st.caption(
        "The authors try 0.1, 0.2, ..., 1 and choose on test accuracy; here validation chooses.",
        width=240,
    )
    if len(steps) < 2:
        st.info("Choose at least two values.", icon=":material/info:")
        raise PageEnd
    return choice.config(steps=tuple(sorted(steps)))


def axes(config: RunConfig) -> Grid:
    found = grid_of(config)
    assert found is not None, "two values or more make a grid"
    return found


recall()
how = st.segmented_control(
    "Search",
    [ONE, TWO],
    default=ONE,
    key="grid_search",
    bind=BIND,
    required=True,
    label_visibility="collapsed",
    on_change=changed,
)
with st.container(horizontal=True, vertical_alignment="bottom"):
    config = plain_grid() if how == ONE else two_stages()
keep(KEPT)
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
    with st.expander("All cells as a table", icon=":material/table:"):
        table(gains, t_test(result.overlap))
    if how == TWO and not missing("eta-grid", result, graph, stage="second"):
        second_stage(result)


def table(figure: Figure, test: str) -> None:
    """Every finished cell, what validation likes best first."""
    cells = figure.data[figure.data["n"] > 0].sort_values("val_percent", ascending=False)
    x_name, y_name = figure.x_name, figure.y_name  # type: ignore[attr-defined]
    number = st.column_config.NumberColumn
    titles = {
        "y": number(y_name, format="%g", width=60),
        "x": number(x_name, format="%g", width=70),
        "val_percent": number("Validation", format="%.2f", width=90),
        "val_sd": number("s.d.", format="%.2f", width=60),
        "test_percent": number("Test", format="%.2f", width=70),
        "test_sd": number("s.d.", format="%.2f", width=60),
        "n": number("n", width=40, help="Seeds"),
        "gain_points": number("Gain", format="%.2f", width=70, help="Points over the base model"),
        "p": number("p", format="%.2g", width=70, help=TERMS["paired"]),
        "chosen": st.column_config.CheckboxColumn("Chosen", width=70),
        "test_best": st.column_config.CheckboxColumn("Best on test", width=100),
    }
    st.dataframe(
        cells[list(titles)].assign(gain_points=cells["gain_points"].round(2) + 0),  # no -0.00
        hide_index=True,
        placeholder="",
        column_config=titles,
        key=f"grid_table_{x_name}",
    )
    st.caption(
        f"p is of the {test} of one cell against the base model, test accuracy by the paper's "
        "tally."
        + f" Of {len(cells)} such tests about {max(0.05 * len(cells), 1):.0f} in all would be "
        "below 0.05 by chance alone." * (len(cells) >= 20)
    )


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
            ("Test", f"{c.other_mean:.2f} %", f"{signed(c.difference)} points"),
        )
    )
    st.caption(
        f"{one.text}: s.d. {c.other_std:.2f} over {c.n} seeds, {c.test} {pvalue(c.pvalue)}; "
        f"{count(round(mine['pseudo_labels'].mean()), 'node')} joined and "
        f"{count(round(mine['edges_dropped'].mean()), 'edge')} left per seed."
    )
    # what the sidebar bound to the address stays there; the sliders are added
    st.page_link(
        "pages/playground.py",
        label="Open in the playground",
        icon=":material/tune:",
        query_params={name: f"{eta:g}" for name, eta in zip(ETAS, one.etas, strict=True)},
    )


def second_stage(result: RunResult) -> None:
    """η₀ on the graph that won the first stage, and what validation chooses in the end."""
    st.subheader("Second stage: η₀ on the chosen graph", anchor=False)
    for place, metric in zip(st.columns(2, gap="medium"), ("val", "gain"), strict=True):
        with place:
            row = view.figure("eta-grid", result, metric=metric, stage="second")
            show(row, f"grid_second_{metric}", height=270)
    table(row, t_test(result.overlap))
    if result.chosen is not None:
        st.markdown(f"**Chosen on validation: {result.chosen.text}**")
        numbers(result, result.chosen)


fragment(heatmaps, "grid", 1.5 if status.active else None)()
