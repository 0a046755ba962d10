"""Theory: the statements of Section 3 on a graph, with what they need and where they fail."""

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from ui import load
from ui.assumption import show_assumption
from ui.jobs import asked
from ui.shell import page_start
from ui.show import metrics, show
from ui.specimens import FIRST, changes_of, choose_graph, clicked, under_click
from ui.statement import number, show_statement, term_table
from ui.text import md
from ui.widgets import BIND, eta_sliders
from wgnn_core.figures import Coupling, Figure, HarmonicMap, missing
from wgnn_core.figures.maps import nodes_of, points_of
from wgnn_core.figures.text import count, labels
from wgnn_core.intervention import Intervention
from wgnn_core.runs.results import RunResult
from wgnn_core.theory.cuts import BRUTE_FORCE, MAX_SPECTRAL
from wgnn_core.theory.specimens import SIDES, text_of
from wgnn_core.theory.statement import symbols

MAP = "theory_map"
HEIGHT, FRAME = 500, 190
"""Most pixels of the map, and those of its legend and colour bar."""
ALL = "all other classes"
AS_IT_IS, MORE, FEWER = (
    "As it is",
    "More observed nodes (Algorithm 1)",
    "Fewer edges (Algorithm 2)",
)
CHOOSES, EDITS = "chooses a node", "changes edges"

view = page_start(
    "Theory",
    "Section 3 of the paper replaces the network by a signal that follows from the graph and its "
    "training labels alone: nodes observed as 0 and as 1, and between them the **smooth "
    "interpolation** f̃, like a voltage between two poles. Choose a graph and a statement.",
)
SECTIONS = (
    "Lemmas",
    "Theorem 1",
    "Corollary 1",
    "Theorem 2",
    "Theorem 3",
    "Lemma on w",
    "The assumption",
)
with st.container(horizontal=True, vertical_alignment="bottom"):
    item = choose_graph()
    section = st.segmented_control(
        "Statement",
        SECTIONS,
        default="Theorem 2",
        key="theory_section",
        bind=BIND,
        required=True,
    )
source = (view.choice.run.dataset, view.choice.run.parameters)
if item is not None:
    st.markdown(f"{md(symbols(item.sentence), 300)} **{md(symbols(item.shows), 300)}**")
controls = st.container(horizontal=True, vertical_alignment="bottom")
if item is not None:
    with controls:
        source = (text_of(item, changes_of(item)), ())
graph = load.graph(*source)
seen: dict[str, Any] = {} if item is None else {"label": SIDES[1]}


def lemmas() -> None:
    left, right = st.columns([3, 2], gap="large")
    figure = pictured("lemmas", left)
    with right:
        for index, one in enumerate(figure.statements):
            show_statement(one, f"theory_lemma{index}")


def theorem_1() -> None:
    node, click = chosen_node()
    left, right = st.columns([3, 2], gap="large")
    figure = pictured("theorem-1", left, click, node=node)
    with right:
        show_statement(figure.statements[0], "theory_path")
        if not figure.statements[0].applies:
            st.info(
                f"No rising path: the part of the graph around node {node} has no observed nodes "
                "of both kinds.",
                icon=":material/info:",
            )
        else:
            show(made("rising-path", node=node), "theory_rising", height=300)


def corollary_1() -> None:
    r = controls.slider("Level r", 0.01, 0.99, 0.5, 0.01, key="theory_r", bind=BIND, width=420)
    left, right = st.columns([3, 2], gap="large")
    figure = pictured("corollary-1", left, level=r)
    found = figure.statements[0]
    with right:
        sets = (("At most r", "at most r"), ("Above r", "above r"))
        metrics(
            [
                (title, _joined(int(found.term(f"parts {name}"))), _nodes(found.nodes[name]))
                for title, name in sets
            ]
        )
        show_statement(found, "theory_levels")
        show(made("level-parts", level=r), "theory_parts", height=280)


def _joined(parts: int) -> str:
    return "connected" if parts == 1 else f"{parts:,} parts" if parts else "empty"


def _nodes(nodes: Any) -> str:
    return count(len(nodes), "node")


def theorem_2() -> None:
    with controls:
        remedy = st.segmented_control(
            "The paper's remedies",
            [AS_IT_IS, MORE, FEWER],
            default=AS_IT_IS,
            key="theory_remedy",
            bind=BIND,
            required=True,
            help="Remark (b) after Theorem 2: what should make the jumps of the boundary larger.",
        )
        by = "true"
        if item is None:
            chosen = st.segmented_control(
                "Sides by class",
                ["true", "predicted"],
                default="true",
                key="theory_sides",
                bind=BIND,
                required=True,
            )
            by = str(chosen)
    given: dict[str, Any] = {"partition": by}
    runs: tuple[RunResult, ...] = ()
    if remedy != AS_IT_IS:
        given |= remedied(remedy)
    if item is None and (remedy != AS_IT_IS or by == "predicted"):
        runs = (view.base_run(),)
    statement = {AS_IT_IS: "theorem-2", MORE: "more-observed", FEWER: "fewer-edges"}[remedy]
    left, right = st.columns([3, 2], gap="large")
    figure = pictured(statement, left, runs=runs, **given)
    with right:
        if remedy != AS_IT_IS:
            before_and_after(figure)
        for index, one in enumerate(figure.statements):
            show_statement(one, f"theory_gap{index}", terms=index == 0)


def remedied(remedy: str) -> dict[str, Any]:
    """What the remedy changes: the point of the specimen if it has one, else the algorithms."""
    if item is not None and remedy == MORE and item.joining:
        return {"joining": ",".join(map(str, item.joining))}
    there = set(map(tuple, graph.edges.tolist()))
    dropped = [edge for edge in item.dropped if edge in there] if item is not None else []
    if remedy == FEWER and dropped:
        return {"dropped": ",".join(f"{u}-{v}" for u, v in dropped)}
    at = eta_sliders(view.choice.like, ("eta0",) if remedy == MORE else ("eta1", "eta2"))
    if item is not None:
        st.caption("There is no network here: the algorithms order the nodes by w of f̃ itself.")
    return {"at": at}


def before_and_after(figure: HarmonicMap) -> None:
    """The mean gap is the gap divided by the edges of the boundary: all three, before and after."""
    found = figure.statements[0]
    lines = ["| | before | after |", "|---|---|---|"]
    for name in ("gap", "edges of the boundary", "mean gap"):
        values = [md(number(found.term(f"{name} {when}"))) for when in ("before", "after")]
        bold = "**" if name == "mean gap" else ""
        lines.append("| " + " | ".join(f"{bold}{cell}{bold}" for cell in (name, *values)) + " |")
    st.markdown("\n".join(lines))


def theorem_3() -> None:
    when = controls.segmented_control(
        "Graph G",
        [AS_IT_IS, "After Algorithm 2"],
        default=AS_IT_IS,
        key="theory_after",
        bind=BIND,
        required=True,
    )
    given: dict[str, Any] = {}
    runs: tuple[RunResult, ...] = ()
    if item is not None and item.least:
        given["least"] = ",".join(map(str, item.least))
    asked_for = [*["eta1"] * (not given), *["eta2"] * (when != AS_IT_IS)]
    given["at"] = eta_sliders(view.choice.like, asked_for) if asked_for else Intervention()
    if item is None:
        runs = (view.base_run(),)
    if graph.num_nodes > MAX_SPECTRAL:
        st.info(
            f"The graph has {graph.num_nodes:,} nodes. Above {MAX_SPECTRAL:,} no eigenvalue is "
            "computed, so the bounds of h(G) and C are loose.",
            icon=":material/info:",
        )
    left, right = st.columns([3, 2], gap="large")
    with st.spinner("Looking for cuts and bottlenecks ..."):
        before = map_of("theorem-3", runs, **given)
        shown = before
        if when != AS_IT_IS:
            shown = map_of("theorem-3-after", runs, **given)
    draw(shown, left)
    with left:
        told = {"": before.statements[0].terms}
        if when != AS_IT_IS:
            told = {"before": told[""], "after": shown.statements[0].terms}
        term_table(told, "theory_cuts")
        st.caption(
            f"Up to {BRUTE_FORCE} nodes every set is tried and both bounds are the number itself; "
            "beyond, each has a bound from below and one from above."
        )
    with right:
        for index, one in enumerate(shown.statements):
            show_statement(one, f"theory_bottleneck{index}", terms=False)


def wasserstein() -> None:
    node, click = chosen_node()
    runs = () if item is not None else (view.base_run(),)
    left, right = st.columns([3, 2], gap="large")
    pictured("none", left, click)
    with right:
        reason = missing("coupling", runs, graph, node=node)
        if reason:
            st.info(f"No coupling: {md(reason, 300)}.", icon=":material/info:")
            return
        drawn = load.figure("coupling", _ids(runs), source, node=node)
        assert isinstance(drawn, Coupling)
        show_statement(drawn.statements[0], "theory_lemma")
        show(drawn, "theory_coupling", height=340)


def assumption() -> None:
    if item is None:
        show_assumption(view)
        return
    st.info(
        "This compares f̃ with a trained network, and the graphs of the gallery have none. "
        "Choose the graph of the sidebar.",
        icon=":material/info:",
    )


def _ids(runs: tuple[RunResult, ...]) -> tuple[str, ...]:
    return tuple(run.summary.run_id for run in runs)


def made(kind: str, runs: tuple[RunResult, ...] = (), **choices: Any) -> Figure:
    """A figure of the chosen graph and poles, kept for the next look."""
    where = load.pinned(source[0]), source[1]
    return load.figure(kind, _ids(runs), where, **seen, **choices)


def map_of(statement: str, runs: tuple[RunResult, ...] = (), **choices: Any) -> HarmonicMap:
    figure = made("harmonic-map", runs, statement=statement, **choices)
    assert isinstance(figure, HarmonicMap)
    return figure


def pictured(
    statement: str,
    place: Any,
    click: Callable[[], None] | None = None,
    runs: tuple[RunResult, ...] = (),
    **choices: Any,
) -> HarmonicMap:
    """The map of a statement, drawn; without `click` a click on it changes edges."""
    with place, st.spinner("Interpolating ..."):
        figure = map_of(statement, runs, **choices)
    draw(figure, place, click)
    return figure


def draw(figure: HarmonicMap, place: Any, click: Callable[[], None] | None = None) -> None:
    with place:
        if item is not None and click is None:
            click = asked(lambda: clicked(item, MAP))
        modes = () if click is None else ("points",)
        show(
            figure, MAP, height=height_of(figure), modes=modes, on_select=click,
            captioned=not figure.statements,
        )  # fmt: skip
        if figure.said:
            st.caption(md(figure.said, 300))
        if click is choose_clicked:
            st.caption(":material/touch_app: Click a node to choose it.")
        elif item is not None:
            first = st.session_state.get(FIRST)
            st.caption(
                ":material/touch_app: Click an edge to remove it; click two nodes to join them."
                if first is None
                else f":material/touch_app: Node {first} is one end: click the other node."
            )


def height_of(figure: HarmonicMap) -> int:
    """A flat map needs no high chart."""
    width, height = np.maximum(np.ptp(points_of(figure.data), axis=0), 1e-6)
    return int(np.clip(FRAME + 560 * height / width, 260, HEIGHT))


def chosen_node() -> tuple[int, Callable[[], None] | None]:
    """Ask for a node; on the map a click chooses it too, unless it is to change edges."""
    value = nodes_of(map_of("none").data)["f"].to_numpy(dtype=float)
    middle = int(np.nanargmin(np.abs(value - 0.5)))
    if st.session_state.get("theory_node", 0) >= graph.num_nodes:
        st.session_state["theory_node"] = middle
    with controls:
        node = st.number_input(
            "Node", 0, graph.num_nodes - 1, middle, key="theory_node", bind=BIND, width=140
        )
        action = CHOOSES
        if item is not None:
            action = st.segmented_control(
                "A click on the map",
                [CHOOSES, EDITS],
                default=CHOOSES,
                key="theory_click",
                bind=BIND,
                required=True,
            )
    return int(node), None if action == EDITS else choose_clicked


def choose_clicked() -> None:
    node = under_click(MAP)
    if isinstance(node, int):
        st.session_state["theory_node"] = node


def chosen_classes() -> None:
    """Ask whose training nodes are observed as 1 and as 0."""
    names = labels(graph.class_names)
    keys = [f"theory_{part}_{view.choice.run.dataset}" for part in ("class", "against")]
    for key, options in zip(keys, (names, [ALL, *names]), strict=True):
        if st.session_state.get(key) not in (None, *options):  # of a graph with other classes
            del st.session_state[key]
    trained = sorted(set(graph.y[graph.split(0).train].tolist()))
    with controls:
        one = st.selectbox(
            "O₁: training nodes of",
            names,
            index=trained[0],
            key=keys[0],
            bind=BIND,
            width=170,
        )
        other = st.selectbox(
            "O₀: training nodes of",
            [ALL, *(name for name in names if name != one)],
            key=keys[1],
            bind=BIND,
            width=170,
        )
    seen["label"] = graph.class_names[names.index(one)]
    if other != ALL:
        seen["against"] = graph.class_names[names.index(other)]


if item is None and section != SECTIONS[-1]:
    chosen_classes()
drawn = (lemmas, theorem_1, corollary_1, theorem_2, theorem_3, wasserstein, assumption)
drawn[SECTIONS.index(section)]()
