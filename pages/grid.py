"""Eta grid: over how wide a range of η wGNN helps; the cell is chosen on validation alone."""

import numpy as np
import pandas as pd
import streamlit as st

from ui import load
from ui.choice import Triple
from ui.etas import eta_text
from ui.jobs import PageEnd, ended, progress, said, status_of, train_button, watch
from ui.shell import page_start
from ui.show import metrics, show
from ui.sidebar import BIND
from wgnn_core.reports.grid import Grid, eta_grid, grid_of
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.search import STEPS
from wgnn_core.wgnn import Base, Etas

VALUES = [0.0, *STEPS]
DEFAULT = [0.0, 0.2, 0.4, 0.6, 0.8]
ONE, TWO = "Grid", "The authors' two stages"
AXES = {
    "η₁ = η₂ × η₀": ("η₁ = η₂", "η₀", None),
    "η₁ × η₂": ("η₁", "η₂", "η₀"),
    "η₁ × η₀": ("η₁", "η₀", "η₂"),
    "η₂ × η₀": ("η₂", "η₀", "η₁"),
}
PLACE = {"η₀": 0, "η₁": 1, "η₂": 2}
LARGE = 500
CAPTIONS = {
    "val": "What η is chosen by: the outlined cell has the highest mean validation accuracy.",
    "test": "The dotted cell is best on test, which nobody may choose; a wide even area means "
    "that the choice of η matters little.",
    "gain": "Blue cells beat the base model, red ones fall behind it. Click a cell to look into "
    "it.",
}

view = page_start(
    "Eta grid",
    "One retraining for every cell and seed. The outlined cell is the one **validation** accuracy "
    "chooses; the best cell on test is marked too, because nobody may choose it.",
)
graph, choice = view.graph, view.choice


def plain_grid() -> tuple[RunConfig, Grid]:
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
    if not xs or not ys:
        st.info("Choose at least one value for each axis.", icon=":material/info:")
        raise PageEnd

    def triple(x: float, y: float) -> Triple:
        if fixed_name is None:
            return (y, x, x)
        values = [third, third, third]
        values[PLACE[x_name]], values[PLACE[y_name]] = x, y
        return values[0], values[1], values[2]

    xs, ys = sorted(xs), sorted(ys)
    cells = tuple(triple(x, y) for y in ys for x in xs)
    fixed = "" if fixed_name is None else f"{fixed_name} = {third:g}"
    return choice.config(cells), Grid(x_name, y_name, tuple(xs), tuple(ys), cells, fixed)


def two_stages() -> tuple[RunConfig, Grid]:
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
    config = choice.config(steps=tuple(sorted(steps)))
    grid = grid_of(config)
    assert grid is not None, "two values or more make a grid"
    return config, grid


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
    config, grid = plain_grid() if how == ONE else two_stages()
status = status_of(config)
with st.container(horizontal=True, vertical_alignment="center"):
    busy = status is not None and (status.active or status.state == "done")
    train_button("Run the grid", config, "grid_run", disabled=busy)
    size = f"{len(grid.xs)} × {len(grid.ys)} cells"
    if how == TWO:
        size += f", then {len(grid.xs)} values of η₀"
    st.caption(
        f"{size}, {choice.seeds} seeds: {config.trainings:,} trainings "
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
        draw(result, result.base, done)


def draw(result: RunResult, base: Base, done: bool) -> None:
    height = int(np.clip(130 + 62 * len(grid.ys), 300, 520))
    figures = {m: eta_grid(result, base, grid, graph.name, m) for m in ("val", "test", "gain")}
    left, right = st.columns(2, gap="medium")
    for place, metric in ((left, "val"), (right, "test")):
        with place:
            show(
                figures[metric], f"grid_{metric}", choice, [result], {"metric": metric},
                height=height, caption=CAPTIONS[metric],
            )  # fmt: skip
    left, right = st.columns([3, 2], gap="medium")
    with left:
        show(
            figures["gain"], "grid_gain", choice, [result], {"metric": "gain"},
            height=height + 30, select=True, modes=("points",), on_select=pick,
            caption=f"{CAPTIONS['gain']} The base model has {base.test.mean():.2f} % on test.",
        )  # fmt: skip
    with right:
        if done:
            cell(result)
        else:
            st.caption("When the grid is finished you can look into each cell here.")
    if how == TWO and result.chosen is not None:
        second_stage(result, result.chosen)


def cell(result: RunResult) -> None:
    st.markdown("**Look into a cell**")
    st.caption("Click one in the map of gains, or slide; nothing is trained anew.")
    start = result.chosen
    at = grid.cells[0]
    if start is not None:  # of a two-stage search the map shows the first stage, with eta0 = 0
        at = (0.0 if how == TWO else start.eta0, start.eta1, start.eta2)
    row, column = divmod(grid.cells.index(at) if at in grid.cells else 0, len(grid.xs))
    x, y = grid.xs[column], grid.ys[row]
    if len(grid.xs) > 1:
        x = st.select_slider(grid.x_name, grid.xs, x, key="grid_at_x")
    if len(grid.ys) > 1:
        y = st.select_slider(grid.y_name, grid.ys, y, key="grid_at_y")
    numbers(result, grid.cells[grid.ys.index(y) * len(grid.xs) + grid.xs.index(x)])


def rows_of(result: RunResult, etas: Triple) -> pd.DataFrame:
    return result.rows[(result.rows[["eta0", "eta1", "eta2"]] == list(etas)).all(axis=1)]


def numbers(result: RunResult, etas: Triple) -> None:
    """A finished triple against the base model, and the way to the playground."""
    mine, c = rows_of(result, etas), result.comparison(Etas(*etas))
    metrics(
        (
            ("Validation", f"{mine['val'].mean():.2f} %", "what chooses"),
            ("Test", f"{c.other_mean:.2f} %", f"{c.difference:+.2f} points"),
        )
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


def second_stage(result: RunResult, chosen: Etas) -> None:
    """η₀ on the graph that won the first stage, and what validation chooses in the end."""
    st.subheader("Second stage: η₀ on the chosen graph", anchor=False)
    values = (0.0, *result.config.steps)
    triples = [(eta0, chosen.eta1, chosen.eta2) for eta0 in values]
    parts = [rows_of(result, triple) for triple in triples]
    base = result.base.test.mean() if result.base is not None else np.nan
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
        st.markdown(f"**Chosen on validation: {eta_text(triples[values.index(chosen.eta0)])}**")
        numbers(result, triples[values.index(chosen.eta0)])


st.fragment(heatmaps, run_every=1.5 if status.active else None)()
