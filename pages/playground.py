"""Playground: turn η, see at once what the two algorithms do, then what retraining makes of it."""

import numpy as np
import pandas as pd
import streamlit as st
from scipy import sparse
from scipy.sparse import csgraph

from ui import load
from ui.jobs import asked, ended, fragment, is_active, status_of, submit, timing, watch
from ui.rivals import rivals
from ui.shell import page_start
from ui.show import MAP_HEIGHT, is_dark, metrics, show
from ui.widgets import BIND, chosen_etas, eta_sliders
from wgnn_core.figures.edge_drop import PANEL_PIXELS
from wgnn_core.figures.groups import node_groups, node_name
from wgnn_core.figures.text import labels
from wgnn_core.graph import BoolArray
from wgnn_core.intervention import VARIANTS, Intervention, Plan
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.statistics import compare
from wgnn_core.wgnn import carried

CLOSE_UP, WHOLE = "Close-up of V′", "Whole graph"
CHANGES_HEIGHT = 380
SIZES = (100, 200, 400, 600)

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
    right = base.predicted[position] == graph.y
    crossing = graph.y[graph.edges[:, 0]] != graph.y[graph.edges[:, 1]]
    gone = drop.dropped
    before = components(np.ones_like(gone))
    metrics(
        (
            (
                "Join R′",
                f"{added.sum():,}",
                f"{right[added].mean():.0%} labelled right" if added.any() else "no node",
            ),
            ("In V′", f"{drop.least.sum():,}", f"{drop.forest.sum():,} forest edges"),
            (
                "Edges that go",
                f"{gone.sum():,}",
                f"{crossing[gone].mean():.0%} cross classes" if gone.any() else "none",
            ),
            ("Cross classes", f"{crossing[drop.kept].sum():,}", f"{crossing.sum():,} before"),
            ("Components", f"{components(drop.kept):,}", f"{before:,} before"),
        )
    )


def components(kept: BoolArray) -> int:
    u, v = graph.edges[kept].T
    matrix = sparse.csr_array((np.ones(len(u)), (u, v)), shape=(graph.num_nodes, graph.num_nodes))
    return int(csgraph.connected_components(matrix, directed=False)[0])


def subgraph(at: Intervention, position: int) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        how = st.segmented_control(
            "View",
            [CLOSE_UP, WHOLE],
            default=CLOSE_UP,
            key="playground_view",
            bind=BIND,
            required=True,
        )
        most = graph.num_nodes
        if how == CLOSE_UP and most > SIZES[0]:
            most = st.segmented_control(
                "Nodes at most",
                SIZES,
                default=SIZES[1],
                key="playground_nodes",
                bind=BIND,
                required=True,
                help="Those around dropped edges first, then the rest of V′.",
            )
    # η₀ changes nothing in it
    seen = {"at": at.of("wgnn2"), "max_nodes": most, "seed": int(base.seeds[position])}
    part = view.figure("edge-drop", base_run, **seen)
    if how == WHOLE:
        show(part, "playground_whole", height=MAP_HEIGHT)
        return
    left, right = st.columns(2)
    for place, title, after in ((left, "Before: G", False), (right, "After: G′", True)):
        with place:
            st.markdown(f"**{title}**")
            source = base_run.config.dataset, base_run.config.parameters
            html = load.panel_html(base_run.summary.run_id, source, after, is_dark(), **seen)
            st.iframe(html, height=PANEL_PIXELS, alt=f"{title}. {part.alt}")
    shown = min(most, graph.num_nodes)
    st.caption(
        "Red: edges that go; strong: the spanning forest of V′, which stays; faint: other edges. "
        "Large dots are nodes of V′, colours are true classes: look whether red edges join two "
        f"colours. Shown: {shown:,} of {graph.num_nodes:,} nodes"
        + (", those around dropped edges first." if shown < graph.num_nodes else ".")
    )


def preview() -> None:
    at = eta_sliders(choice.like)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        position = st.selectbox(
            "Seed",
            range(len(base.seeds)),
            format_func=lambda k: str(base.seeds[k]),
            key="playground_seed",
            bind=BIND,
            width=90,
        )
        state = st.container(width="stretch")
    facts(base_run.plan(at, position), position)
    with state:
        retraining(at)
    subgraph(at, position)


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
    else:
        st.caption("Retrained: see the results below.")


def submit_all(configs: list[RunConfig]) -> None:
    for config in configs:
        submit(config)


def accuracies(results: dict[str, RunResult]) -> None:
    rows = [("base", base.test.mean(), base.test.std(ddof=1), np.nan, np.nan)]
    scores = {name: result.rows["test"].to_numpy() for name, result in results.items()}
    others = rivals(choice, graph, "playground_against")
    trained = {name: result.trained for name, result in others.items()}
    scores |= {name: other.test for name, other in trained.items()}
    for name in scores:
        c = compare(base.test, scores[name])
        rows.append((name, c.other_mean, c.other_std, c.difference, c.t_pvalue))
    left, right = st.columns([3, 2], gap="large")
    with left:
        together = {run.summary.run_id: run for run in (*results.values(), *others.values())}
        bars = view.figure("comparison-bars", *together.values(), by="graph")
        show(bars, "playground_bars")
    with right:
        columns = ["Method", "Mean", "s.d.", "Gain", "p"]
        st.dataframe(
            pd.DataFrame(rows, columns=columns),
            hide_index=True,
            placeholder="",
            column_config={
                name: st.column_config.NumberColumn(format=f, width=58)
                for name, f in zip(columns[1:], ("%.2f", "%.2f", "%+.2f", "%.2g"), strict=True)
            },
        )
        st.caption(
            f"Test accuracy (%) over {len(base.seeds)} seeds, gain in points, p of the paired "
            "t-test, by the paper's tally: nodes that joined "
            "R′ keep their first prediction. wGNN1 is Algorithm 1 alone, wGNN2 Algorithm 2 alone."
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
        mark = st.selectbox(
            "Mark on the map", list(groups), key="playground_ring", bind=BIND, width=260
        )
        seen = {"at": at, "seed": seed, "colour": "correctness", "carried": True, "mark": mark}
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


fragment(preview, "playground")()
now = chosen_etas(choice.like)
states = {name: status_of(config) for name, config in variants(now).items()}
results = {
    name: load.finished(status.run_id)
    for name, status in states.items()
    if status is not None and status.state == "done"
}
if now.is_base:
    st.caption("With these η nothing joins and nothing goes: wGNN is the base model.")
elif "wGNN" in results:
    st.subheader(f"After retraining with {now.text}", anchor=False)
    accuracies(results)
    changes(results["wGNN"], now, int(st.session_state["playground_seed"]))
elif any(status is not None and status.active for status in states.values()):
    st.subheader(f"Retraining with {now.text}", anchor=False)
    st.skeleton(height=240)
