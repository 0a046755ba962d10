"""Playground: turn η, see at once what the two algorithms do, then what retraining makes of it."""

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import load
from ui.handout import take_along
from ui.jobs import CHANGED, asked, ended, fragment, is_active, status_of, submit, timing, watch
from ui.rivals import rivals
from ui.shell import page_start
from ui.show import MAP_HEIGHT, is_dark, metrics, show, show_page
from ui.widgets import BIND, chosen_etas, eta_sliders, places, seed_position
from wgnn_core.boundary import joins_classes
from wgnn_core.figures.edge_drop import MAX_NODES, EdgeDropMap
from wgnn_core.figures.edge_drop_drawing import AFTER, PANELS
from wgnn_core.figures.edge_drop_page import close_up_html
from wgnn_core.figures.groups import label_quality, node_groups, node_name
from wgnn_core.figures.text import count, labels, share
from wgnn_core.figures.verdict import gain, tried, verdict
from wgnn_core.intervention import VARIANTS, Intervention, Plan
from wgnn_core.models.predictions import PredictionsOnly
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.statistics import compare, t_test
from wgnn_core.wgnn import carried

CLOSE_UP, WHOLE = "Close-up of V′", "Whole graph"
CHANGES_HEIGHT = 380
SIZES = (60, MAX_NODES, 400, 800)
DRAWN, TRIED = "playground_drawn", "playground_tried"
"""Which η and seed the results below belong to, and whether there are some; η tried per run."""

view = page_start(
    "Playground",
    "Algorithm 1 lets the surest test nodes join the training set with their *predicted* labels; "
    "Algorithm 2 drops edges among the least sure ones but keeps a spanning forest. "
    "The preview needs no training.",
)
graph, choice = view.graph, view.choice
base_run = view.base_run()
base = base_run.trained


def variants(whole: Intervention) -> dict[str, RunConfig]:
    """A run each, wGNN first: when one slider moves, a variant that does not use it is there."""
    return {name: choice.config([whole.of(variant)]) for variant, name in VARIANTS.items()}


def facts(plan: Plan, position: int) -> None:
    added, drop = plan.supplement.added, plan.edge_drop
    known = ~graph.unlabelled[graph.edges].any(axis=1)
    crossing = joins_classes(graph.edges, graph.y)
    gone = drop.dropped
    before, after = (g.component.max() + 1 for g in (graph, graph.with_edges(drop.kept)))
    metrics(
        (
            (
                "Join R′",
                f"{added.sum():,}",
                label_quality(graph, added, base.predicted[position]),
            ),
            ("In V′", f"{drop.least.sum():,}", f"{drop.forest.sum():,} forest edges"),
            (
                "Edges that go",
                f"{gone.sum():,}",
                f"{share(100 * crossing[gone & known].mean())} cross classes"
                if (gone & known).any()
                else "no class known" * bool(gone.any()) or "none",
            ),
            ("Cross classes", f"{crossing[drop.kept].sum():,}", f"{crossing.sum():,} before"),
            ("Components", f"{after:,}", f"{before:,} before"),
        )
    )


def subgraph(at: Intervention, plan: Plan, position: int) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        how = st.segmented_control(
            "View", [CLOSE_UP, WHOLE], default=CLOSE_UP, key="playground_view", bind=BIND,
            required=True,
        )  # fmt: skip
        beside = st.segmented_control(
            "Beside it", list(PANELS), default=AFTER, format_func=PANELS.__getitem__,
            key="playground_second", bind=BIND, required=True,
            help="The graph after the drop, or only the edges that go.",
        )  # fmt: skip
        if how == CLOSE_UP:
            most = st.segmented_control(
                "Nodes at most", SIZES, default=MAX_NODES, key="playground_nodes", bind=BIND,
                required=True, help="More nodes are smaller: zoom in to read them.",
            )  # fmt: skip
    if how == CLOSE_UP and not plan.edge_drop.least[graph.edges].all(axis=1).any():
        st.info("No edge joins two nodes of V′, so none can go.", icon=":material/info:")
        return
    # η₀ changes nothing in it
    seen = {"at": at.of("wgnn2"), "seed": int(base.seeds[position]), "second": beside}
    if how == WHOLE:
        figure = view.figure("edge-drop", base_run, **seen, whole=True)
        show(figure, "playground_whole", height=MAP_HEIGHT)
        return
    figure = view.figure("edge-drop", base_run, **seen, max_nodes=most)
    assert isinstance(figure, EdgeDropMap)
    show_page(figure, close_up_html(figure, is_dark()), "playground_close")


def preview() -> None:
    at = eta_sliders(choice.like)
    with st.grid(3, min_column_width=230):
        numbers, control = [st.container(), st.container()], st.container(gap="xsmall")
    with control:
        position = seed_position(base, "playground", "Seed of the preview")
        if base_run.config.model != PredictionsOnly.name:
            retraining(at)  # before its outcome: what others have trained is there at once
        take_along(base_run, at, position, "playground")
    outcome(at, numbers)
    for text in sentences(at):
        st.caption(text)
    plan = base_run.plan(at, position)
    facts(plan, position)
    subgraph(at, plan, position)
    # what stands below is of the η and seed it was drawn for: where they differ, draw it anew
    below, results_there = st.session_state.get(DRAWN, ((at, position), False))
    if below != (at, position) and (results_there or result_of(at) is not None):
        st.session_state[CHANGED] = True


def result_of(at: Intervention) -> RunResult | None:
    """The finished run of this η."""
    config = choice.config([at])
    status = status_of(config)
    done = status is not None and status.state == "done" and not at.is_base
    return load.finished(config.run_id) if done else None


def outcome(at: Intervention, spots: list[DeltaGenerator]) -> None:
    """What retraining gave, validation first: by it one chooses, by test one reports."""
    result = result_of(at)
    shown = (("Validation accuracy", base.val, "val"), ("Test accuracy", base.test, "test"))
    for place, (name, before, column) in zip(spots, shown, strict=True):
        if result is None:
            value, note = f"{before.mean():.2f} → … %", "base model → wGNN"
            if base_run.config.model == PredictionsOnly.name:
                value, note = f"{before.mean():.2f} %", "of these predictions"
        else:
            c = compare(before, result.of(at)[column], base_run.overlap)
            value, note = f"{c.base_mean:.2f} → {c.other_mean:.2f} %", gain(c)
        place.metric(name, value, note, delta_color="off", delta_arrow="off", border=True)


def sentences(at: Intervention) -> list[str]:
    """What may be said of this η, and of all that were looked at."""
    result = result_of(at)
    seen = st.session_state.setdefault(TRIED, {}).setdefault(base_run.summary.run_id, {})
    said = []
    if result is not None:
        rows = result.of(at)
        seen[at] = (float(rows["val"].mean()), float(rows["test"].mean()))
        mean_w = float(base.w.mean())
        told = verdict(base.test, rows["test"], mean_w, graph.num_classes, base_run.overlap)
        said.append(f"{told.word}: {told.numbers}")
    return [*said, *filter(None, [tried(seen)])]


def retraining(at: Intervention) -> None:
    """Start what is not trained yet: unasked if that is cheap, the next η when the last is done."""
    auto = st.toggle(
        "Retrain by itself",
        value=view.cheap,
        key=f"playground_auto_{view.cheap}",
        help="On small graphs every new η is trained as soon as the training before it has ended.",
    )
    configs = variants(at)
    states = {name: status_of(config) for name, config in configs.items()}
    missing = [name for name, status in states.items() if status is None]
    broken = [s for s in states.values() if s is not None and not s.active and s.state != "done"]
    if missing and any(map(is_active, st.session_state.get("playground_runs", ()))):
        st.caption("Waits for the training before it.")
    elif missing and auto:
        # all at once: the worker trains them one after another without waiting for the page
        st.session_state["playground_runs"] = [
            submit(configs[name], unasked=True) for name in missing
        ]
        st.caption(f"Retraining {', '.join(missing)}.")
    elif missing:
        count = sum(configs[name].trainings for name in missing)
        st.button(
            f"Retrain ({count} trainings)",
            type="primary",
            icon=":material/play_arrow:",
            key="playground_retrain",
            on_click=asked(submit_all),
            args=([configs[name] for name in missing],),
        )
    elif broken:
        ended(broken[0].run_id, broken[0])
    elif any(status is not None and status.active for status in states.values()):
        going = {name: s for name, s in states.items() if s is not None and s.active}
        for status in going.values():
            watch(status.run_id)
        first = next(iter(going))
        st.caption(f"Retraining {', '.join(going)}: {timing(going[first])}.")
    elif at.is_base:
        st.caption("Nothing joins and nothing goes: wGNN is the base model.")
    else:
        st.caption("Retrained: see the results below.")


def submit_all(configs: list[RunConfig]) -> None:
    for config in configs:
        submit(config)


def accuracies(results: dict[str, RunResult]) -> None:
    scores = {
        name: (result.rows["val"].to_numpy(), result.rows["test"].to_numpy())
        for name, result in results.items()
    }
    others = rivals(choice, graph, "playground_against")
    trained = {name: result.trained for name, result in others.items()}
    scores |= {name: (other.val, other.test) for name, other in trained.items()}
    spread = base.test.std(ddof=1) if len(base.seeds) > 1 else np.nan
    rows = [("base", base.val.mean(), base.test.mean(), spread, np.nan, np.nan)]
    for name, (val, test) in scores.items():
        c = compare(base.test, test, base_run.overlap)
        rows.append((name, val.mean(), c.other_mean, c.other_std, c.difference, c.pvalue))
    left, right = st.columns([1, 1], gap="medium")
    with left:
        together = {run.summary.run_id: run for run in (*results.values(), *others.values())}
        bars = view.figure("comparison-bars", *together.values(), by="graph")
        show(bars, "playground_bars")
    with right:
        columns = ["Method", "Validation", "Test", "s.d.", "Gain", "p"]
        formats = ("%.2f", "%.2f", "%.2f", "%+.2f", "%.2g")
        st.dataframe(
            pd.DataFrame(rows, columns=columns),
            hide_index=True,
            placeholder="",
            column_config={
                name: st.column_config.NumberColumn(format=f, width=58)
                for name, f in zip(columns[1:], formats, strict=True)
            },
        )
        st.caption(
            f"Accuracy (%) over {count(len(base.seeds), 'seed')}; s.d., gain in points and p "
            f"({t_test(base_run.overlap)}) are of the test accuracy, by the paper's tally: nodes "
            "that joined R′ keep their first prediction."
            + " wGNN1 is Algorithm 1 alone." * ("wGNN1" in scores)
            + " wGNN2 is Algorithm 2 alone." * ("wGNN2" in scores)
            + "".join(
                f" {name} added {other.joined.mean():.0f} nodes by itself."
                for name, other in trained.items()
                if other.joined.any()
            )
        )


def changes(result: RunResult, at: Intervention, position: int) -> None:
    seed, plan = int(base.seeds[position]), result.plan(at, position)
    second, w = result.outcome(at, position)
    first, after = base.predicted[position], carried(base.predicted[position], second, plan)
    groups = node_groups(graph, graph.split(seed), first, plan, second)
    fixed, broken = groups["fixed nodes"], groups["broken nodes"]
    names = labels(graph.class_names)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        change = view.figure("w-change", result, at=at, seed=seed)
        show(change, "playground_w", height=CHANGES_HEIGHT)
    with right:
        with st.container(horizontal=True):
            mark = st.selectbox(
                "Mark on the map", list(groups), key="playground_ring", bind=BIND, width=260
            )
            where = places()
        seen = {"at": at, "seed": seed, "colour": "correctness", "carried": True, "mark": mark}
        seen |= {"layout": where}
        figure = view.figure("node-map", result, **seen)
        show(figure, "playground_changes", height=CHANGES_HEIGHT)
    st.markdown(
        f"**{fixed.sum():,} test nodes fixed, {broken.sum():,} broken** "
        f"(seed {seed}; nodes that joined R′ keep their first prediction)"
    )
    nodes = np.flatnonzero(fixed | broken)
    st.dataframe(
        pd.DataFrame(
            {
                "node": [node_name(graph, int(i)) for i in nodes],
                "change": np.where(fixed[nodes], "fixed", "broken"),
                "true class": [names[k] for k in graph.y[nodes]],
                "before": [names[k] for k in first[nodes]],
                "after": [names[k] for k in after[nodes]],
                "w before": base.w[position][nodes].round(3),
                "w after": w[nodes].round(3),
            }
        ),
        hide_index=True,
        height=min(400, 37 + 35 * max(len(nodes), 1)),
    )


st.session_state.pop(DRAWN, None)  # nothing stands below yet
fragment(preview, "playground")()
now = chosen_etas(choice.like)
states = {name: status_of(config) for name, config in variants(now).items()}
results = {
    name: load.finished(status.run_id)
    for name, status in states.items()
    if status is not None and status.state == "done"
}
shown = "wGNN" in results and not now.is_base
position = int(st.session_state["playground_seed"])
st.session_state[DRAWN] = ((now, position), shown)
if shown:
    st.subheader(f"After retraining with {now.text}", anchor=False)
    accuracies(results)
    changes(results["wGNN"], now, position)
elif any(status is not None and status.active for status in states.values()):
    st.subheader(f"Retraining with {now.text}", anchor=False)
    st.skeleton(height=240)
