"""Playground: turn η, see at once what the two algorithms do, then what retraining makes of it."""

import numpy as np
import pandas as pd
import streamlit as st
from scipy import sparse
from scipy.sparse import csgraph

from ui import load
from ui.charts import Bars
from ui.choice import Triple
from ui.etas import eta_sliders, eta_text
from ui.jobs import ended, is_active, said, status_of, submit, timing, watch
from ui.nodes import node_groups, node_name
from ui.rivals import rivals
from ui.shell import page_start
from ui.show import MAP_HEIGHT, is_dark, metrics, show
from ui.sidebar import BIND
from wgnn_core.comparators import METHODS
from wgnn_core.figures import ComparisonBars, NodeMap
from wgnn_core.figures.edge_drop import PANEL_PIXELS
from wgnn_core.figures.text import label, labels
from wgnn_core.nonuniformity import max_nonuniformity
from wgnn_core.reports.kinds import drawn_edges
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.statistics import compare
from wgnn_core.wgnn import Etas, Plan, make_plan

CLOSE_UP, WHOLE = "Close-up of V′", "Whole graph"
CHANGES_HEIGHT = 380
SIZES = (100, 200, 400, 600)
BINS = 20

view = page_start(
    "Playground",
    "Algorithm 1 lets the surest test nodes join the training set with their *predicted* labels; "
    "Algorithm 2 drops edges among the least sure ones but keeps a spanning forest. "
    "The preview needs no training.",
)
graph, choice = view.graph, view.choice
base_run = view.base_run()
base = load.base_of(base_run)


def variants(etas: Triple) -> dict[str, RunConfig]:
    """A run each, wGNN first: when one slider moves, a variant that does not use it is there."""
    whole = Etas(*etas)
    parts = {"wGNN": whole, "wGNN1": whole.of("wgnn1"), "wGNN2": whole.of("wgnn2")}
    return {name: choice.config([(e.eta0, e.eta1, e.eta2)]) for name, e in parts.items()}


def facts(plan: Plan, run: int) -> None:
    added, drop = plan.supplement.added, plan.edge_drop
    right = base.predicted[run] == graph.y
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


def components(kept: np.ndarray) -> int:
    u, v = graph.edges[kept].T
    matrix = sparse.csr_array((np.ones(len(u)), (u, v)), shape=(graph.num_nodes, graph.num_nodes))
    return int(csgraph.connected_components(matrix, directed=False)[0])


def subgraph(etas: Triple, run: int) -> None:
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
    if how == WHOLE:
        figure = load.edge_drop(base_run, run, etas[1], etas[2], graph.num_nodes)
        seen = {"etas": Etas(0.0, etas[1], etas[2]), "max_nodes": graph.num_nodes}
        show(
            figure, "playground_whole", choice, [load.finished(base_run)],
            seen | {"seed": int(base.seeds[run])}, height=MAP_HEIGHT,
        )  # fmt: skip
        return
    part = load.edge_drop(base_run, run, etas[1], etas[2], most)
    left, right = st.columns(2)
    for place, title, after in ((left, "Before: G", False), (right, "After: G′", True)):
        with place:
            st.markdown(f"**{title}**")
            html = load.panel_html(base_run, run, etas[1], etas[2], most, after, is_dark())
            st.iframe(html, height=PANEL_PIXELS, alt=f"{title}. {part.alt}")
    shown = min(most, graph.num_nodes)
    st.caption(
        "Red: edges that go; strong: the spanning forest of V′, which stays; faint: other edges. "
        "Large dots are nodes of V′, colours are true classes: look whether red edges join two "
        f"colours. Shown: {shown:,} of {graph.num_nodes:,} nodes"
        + (", those around dropped edges first." if shown < graph.num_nodes else ".")
    )


@st.fragment
def preview() -> None:
    with said():
        etas = eta_sliders()
        with st.container(horizontal=True, vertical_alignment="bottom"):
            run = st.selectbox(
                "Seed",
                range(len(base.seeds)),
                format_func=lambda k: str(base.seeds[k]),
                key="playground_seed",
                bind=BIND,
                width=90,
            )
            state = st.container(width="stretch")
        facts(make_plan(base, run, Etas(*etas), choice.pool), run)
        with state:
            started = retraining(etas)
        subgraph(etas, run)
        if started:
            st.rerun()  # this part is drawn alone when a slider moves; the job panel must know


def retraining(etas: Triple) -> bool:
    """Start what is not trained yet: unasked if that is cheap, the next η when the last is done.

    Returns:
        Whether something was started.
    """
    auto = st.toggle(
        "Retrain by itself",
        value=view.cheap,
        key=f"playground_auto_{view.cheap}",
        help="On small graphs every new η is trained as soon as the training before it has ended.",
    )
    configs = variants(etas)
    states = {name: status_of(config) for name, config in configs.items()}
    missing = [name for name, status in states.items() if status is None]
    broken = [s for s in states.values() if s is not None and not s.active and s.state != "done"]
    if missing and any(map(is_active, st.session_state.get("playground_runs", ()))):
        st.caption("Waits for the training before it.")
    elif missing and auto:
        # all at once: the worker trains them one after another without waiting for the page
        st.session_state["playground_runs"] = [submit(configs[name]) for name in missing]
        st.caption(f"Retraining {', '.join(missing)}.")
        return True
    elif missing:
        count = sum(configs[name].trainings for name in missing)
        st.button(
            f"Retrain ({count} trainings)",
            type="primary",
            icon=":material/play_arrow:",
            key="playground_retrain",
            on_click=submit_all,
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
    return False


def submit_all(configs: list[RunConfig]) -> None:
    for config in configs:
        submit(config)


def accuracies(results: dict[str, RunResult]) -> None:
    rows = [("base", base.test.mean(), base.test.std(ddof=1), np.nan, np.nan)]
    scores = {f"{METHODS[choice.model].title} (base)": base.test}
    for name, result in results.items():
        scores[name] = result.rows["test"].to_numpy()
    others = rivals(choice, graph, "playground_against")
    trained = {name: load.base_of(result.summary.run_id) for name, result in others.items()}
    scores |= {name: other.test for name, other in trained.items()}
    for name in (*results, *others):
        c = compare(base.test, scores[name])
        rows.append((name, c.other_mean, c.other_std, c.difference, c.t_pvalue))
    left, right = st.columns([3, 2], gap="large")
    with left:
        bars = ComparisonBars.of({graph.name: {k: v / 100 for k, v in scores.items()}})
        show(bars, "playground_bars", choice, [*results.values(), *others.values()])
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


def changes(result: RunResult, etas: Triple, run: int) -> None:
    plan = make_plan(base, run, Etas(*etas), choice.pool)
    second, w = result.outcome(Etas(*etas), run)
    first = base.predicted[run]
    carried = np.where(plan.supplement.added, first, second)
    test = graph.split(int(base.seeds[run])).test
    was, now = first == graph.y, carried == graph.y
    fixed, broken = test & ~was & now, test & was & ~now
    names = labels(graph.class_names)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        edges = np.linspace(0, max_nonuniformity(graph.num_classes), BINS + 1)
        counts = [np.histogram(np.clip(v[test], 0, edges[-1]), edges)[0] for v in (base.w[run], w)]
        show(
            Bars.of(
                [f"{a:.2f}" for a in edges[:-1]],
                {"base": counts[0], "wGNN": counts[1]},
                title=f"w before and after on {label(graph.name)}",
                caption="Test nodes by w, for the base model and after retraining; bars that move "
                "to the right mean a surer network.",
                x_label="w(v), lower end of the bin",
                y_label="Number of test nodes",
            ),
            "playground_w",
            choice,
            [result],
            height=CHANGES_HEIGHT,
        )
    groups = {"fixed nodes": fixed, "broken nodes": broken}
    groups |= node_groups(graph, graph.split(int(base.seeds[run])), first, plan)
    with right:
        ring = st.selectbox(
            "Mark on the map", list(groups), key="playground_ring", bind=BIND, width=260
        )
        figure = NodeMap.of(
            view.xy,
            drawn_edges(graph),
            now,
            colour="correctness",
            graph=f"{graph.name} after wGNN",
            selected=groups[ring],
            node_names=graph.node_names,
        )
        show(figure, "playground_changes", choice, [result], height=CHANGES_HEIGHT)
    st.markdown(
        f"**{fixed.sum():,} test nodes fixed, {broken.sum():,} broken** "
        f"(seed {base.seeds[run]}; nodes that joined R′ keep their first prediction)"
    )
    nodes = np.flatnonzero(fixed | broken)
    st.dataframe(
        pd.DataFrame(
            {
                "node": [node_name(graph, int(i)) for i in nodes],
                "change": np.where(fixed[nodes], "fixed", "broken"),
                "true class": [names[k] for k in graph.y[nodes]],
                "before": [names[k] for k in first[nodes]],
                "after": [names[k] for k in carried[nodes]],
                "w before": base.w[run][nodes].round(3),
                "w after": w[nodes].round(3),
            }
        ),
        hide_index=True,
        height=min(400, 37 + 35 * max(len(nodes), 1)),
    )


preview()
now: Triple = tuple(st.session_state[key] for key in ("eta0", "eta1", "eta2"))
states = {name: status_of(config) for name, config in variants(now).items()}
results = {
    name: load.finished(status.run_id)
    for name, status in states.items()
    if status is not None and status.state == "done"
}
if "wGNN" in results:
    st.subheader(f"After retraining with {eta_text(now)}", anchor=False)
    accuracies(results)
    changes(results["wGNN"], now, int(st.session_state["playground_seed"]))
elif any(status is not None and status.active for status in states.values()):
    st.subheader(f"Retraining with {eta_text(now)}", anchor=False)
    st.skeleton(height=240)
