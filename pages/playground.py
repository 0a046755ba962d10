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
from ui.maps import node_map
from ui.nodes import node_groups, node_name
from ui.shell import page_start
from ui.show import MAP_HEIGHT, is_dark, show
from wgnn_core.figures import ComparisonBars, EdgeDropMap, NodeMap
from wgnn_core.figures.text import label, labels
from wgnn_core.models import MODELS
from wgnn_core.nonuniformity import max_nonuniformity
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.wgnn import Etas, Plan, make_plan

CLOSE_UP, WHOLE = "Close-up of V′", "Whole graph"
MAX_NODES = 600
BINS = 20

view = page_start(
    "Playground",
    "Algorithm 1 lets the surest test nodes join the training set with their *predicted* labels; "
    "Algorithm 2 drops edges among the least sure ones but keeps a spanning forest. "
    "The preview needs no training.",
)
graph, choice = view.graph, view.choice
base = view.base()


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
    for place, (title, value, note) in zip(
        st.columns(5),
        (
            (
                "Join R′",
                added.sum(),
                f"{right[added].mean():.0%} labelled right" if added.any() else "no node",
            ),
            ("In V′", drop.least.sum(), f"{drop.forest.sum():,} forest edges"),
            (
                "Edges that go",
                gone.sum(),
                f"{crossing[gone].mean():.0%} cross classes" if gone.any() else "none",
            ),
            ("Cross classes", crossing[drop.kept].sum(), f"{crossing.sum():,} before"),
            ("Components", components(drop.kept), f"{before:,} before"),
        ),
        strict=True,
    ):
        place.metric(title, f"{value:,}", note, delta_color="off", delta_arrow="off", border=True)


def components(kept: np.ndarray) -> int:
    u, v = graph.edges[kept].T
    matrix = sparse.csr_array((np.ones(len(u)), (u, v)), shape=(graph.num_nodes, graph.num_nodes))
    return int(csgraph.connected_components(matrix, directed=False)[0])


def subgraph(plan: Plan, etas: Triple) -> None:
    drop = plan.edge_drop
    figure = EdgeDropMap.of(
        view.xy,
        graph.edges,
        forest=drop.forest,
        dropped=drop.dropped,
        least=drop.least,
        classes=graph.y,
        class_names=graph.class_names,
        graph=graph.name,
    )
    how = st.segmented_control(
        "View", [CLOSE_UP, WHOLE], default=CLOSE_UP, key="playground_view", required=True
    )
    if how == WHOLE:
        show(figure, "playground_whole", choice, etas, height=MAP_HEIGHT)
        return
    part = figure.around_dropped(MAX_NODES)
    left, right = st.columns(2)
    for place, title, after in ((left, "Before: G", False), (right, "After: G′", True)):
        with place:
            st.markdown(f"**{title}**")
            html = part.to_pyvis_html(after, MAX_NODES, is_dark())
            st.iframe(html, height=560, alt=f"{title}. {part.alt}")
    st.caption(f"{part.caption} Red: edges that go; thick: the forest; thin: other kept edges.")


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
                width=100,
            )
            retraining(etas)
        plan = make_plan(base, run, Etas(*etas), choice.pool)
        facts(plan, run)
        subgraph(plan, etas)


def retraining(etas: Triple) -> None:
    """The next variant that is not trained: unasked if that is cheap, one at a time."""
    auto = st.toggle(
        "Retrain by itself",
        value=view.cheap,
        key=f"playground_auto_{view.cheap}",
        help="On small graphs every new η is trained as soon as the training before it has ended.",
    )
    for name, config in variants(etas).items():
        status = status_of(config)
        if status is not None and status.state == "done":
            continue
        if status is None and is_active(st.session_state.get("playground_run")):
            st.caption("Waits for the training before it.")
        elif status is None and auto:
            st.session_state["playground_run"] = submit(config)
            st.caption(f"Retraining {name}.")
        elif status is None:
            st.button(
                f"Retrain {name} ({config.trainings} trainings)",
                type="primary",
                icon=":material/play_arrow:",
                key="playground_retrain",
                on_click=submit,
                args=(config,),
            )
        elif status.active:
            watch(config.run_id)
            st.caption(f"Retraining {name}: {timing(status)}.")
        else:
            ended(config.run_id, status)
        return
    st.caption("Retrained: see the results below.")


def accuracies(results: dict[str, RunResult], etas: Triple) -> None:
    name = f"{MODELS[choice.model].title} (base)"
    rows = [(name, base.test.mean(), base.test.std(ddof=1), None, None)]
    scores = {name: base.test / 100}
    for name, result in results.items():
        c = result.comparison(Etas(*result.config.etas[0]))
        rows.append((name, c.other_mean, c.other_std, c.difference, c.t_pvalue))
        scores[name] = result.rows["test"].to_numpy() / 100
    left, right = st.columns([3, 2], gap="large")
    with left:
        show(ComparisonBars.of({graph.name: scores}), "playground_bars", choice, etas)
    with right:
        columns = ["Method", "Mean", "s.d.", "Gain", "p"]
        st.dataframe(
            pd.DataFrame(rows, columns=columns),
            hide_index=True,
            column_config={
                name: st.column_config.NumberColumn(format=f, width="small")
                for name, f in zip(columns[1:], ("%.2f", "%.2f", "%+.2f", "%.2g"), strict=True)
            },
        )
        st.caption(
            f"Test accuracy (%) over {len(base.seeds)} seeds, gain in points, p of the paired "
            "t-test, by the paper's tally: nodes that joined "
            "R′ keep their first prediction. wGNN1 is Algorithm 1 alone, wGNN2 Algorithm 2 alone."
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
    left, right = st.columns(2, gap="large")
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
                x_label="Label non-uniformity w(v), lower end of the bin",
                y_label="Number of test nodes",
            ),
            "playground_w",
            choice,
            etas,
        )
    with right:
        st.markdown(f"**{fixed.sum():,} test nodes fixed, {broken.sum():,} broken**")
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
            height=400,
        )
    groups = {"fixed nodes": fixed, "broken nodes": broken}
    groups |= node_groups(graph, graph.split(int(base.seeds[run])), first, plan)
    ring = st.selectbox("Ring on the map", list(groups), key="playground_ring", width=320)
    drawn = node_map(view, "class")
    figure = NodeMap.of(
        view.xy,
        drawn.data.loc[drawn.data["mark"] == "edge", ["node", "to"]].to_numpy(dtype=np.int64),
        now,
        colour="correctness",
        graph=f"{graph.name} after wGNN",
        selected=groups[ring],
        node_names=graph.node_names,
    )
    show(figure, "playground_changes", choice, etas, height=MAP_HEIGHT)


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
    accuracies(results, now)
    changes(results["wGNN"], now, int(st.session_state["playground_seed"]))
elif any(status is not None and status.active for status in states.values()):
    st.subheader(f"Retraining with {eta_text(now)}", anchor=False)
    st.skeleton(height=240)
