"""Start: what w is, one live picture, and one run of wGNN beside its base model."""

from typing import Any

import streamlit as st

from ui import load
from ui.jobs import ended, status_of, submit, train_button, watch
from ui.pages import PAGES
from ui.shell import View, page_start
from ui.show import MAP_HEIGHT, show
from ui.text import md, percent
from ui.widgets import eta_sliders
from wgnn_core.claims import Reason
from wgnn_core.comparators import METHODS
from wgnn_core.figures.groups import label_quality
from wgnn_core.figures.text import count, signed
from wgnn_core.figures.verdict import verdict
from wgnn_core.intervention import Intervention
from wgnn_core.models.predictions import PredictionsOnly
from wgnn_core.runs.results import RunResult


def box(number: str, title: str, value: str, note: str) -> None:
    with st.container(border=True, height="stretch", gap="xxsmall"):
        st.caption(f"{number} · {title}")
        st.markdown(f"#### {value}")
        st.caption(note)


def pipeline(view: View, asked: Intervention, result: RunResult | None) -> None:
    """The method as a row of boxes that carry the numbers of the current run."""
    graph, model = view.graph, METHODS[view.choice.run.model].title
    base = result.base if result is not None else None
    rows = result.rows if result is not None else None
    box("1", "Graph", count(graph.num_nodes, "node"), f"{graph.num_edges:,} edges")
    if result is None or base is None or rows is None or rows.empty:
        for number, title, note in (
            ("2", model, f"trained with {len(view.choice.run.seeds)} seeds"),
            ("3", "w(v)", "from the softmax of each node"),
            ("4", "R → R′", "nodes of large w join"),
            ("5", "G → G′", "edges among nodes of small w go"),
            ("6", "wGNN", "the same model, trained again"),
        ):
            box(number, title, "…", note)
        return
    plan = result.plan(asked, 0)
    right, test, w = base.predicted[0] == graph.y, graph.split(int(base.seeds[0])).test, base.w[0]
    wrong = f"{w[test & ~right].mean():.2f}" if (test & ~right).any() else "none"
    added, dropped = plan.supplement.added, int(plan.edge_drop.dropped.sum())
    good = label_quality(graph, added, base.predicted[0])
    accuracy, least = rows["test"].mean(), plan.edge_drop.least.sum()
    for number, title, value, note in (
        (
            "2",
            model,
            percent(base.test.mean()),
            f"test accuracy, mean of {len(base.seeds)} seeds"
            + (f"; added {base.joined.mean():.0f} nodes by itself" if base.joined.any() else ""),
        ),
        (
            "3",
            "w(v)",
            f"{w[test & right].mean():.2f} and {wrong}",
            "mean w of right and wrong nodes",
        ),
        ("4", "R → R′", f"+{count(int(added.sum()), 'node')}", good),
        ("5", "G → G′", f"−{count(dropped, 'edge')}", f"among the {least:,} nodes of least w"),
        (
            "6",
            "wGNN",
            percent(accuracy),
            f"{signed(accuracy - base.test.mean())} points, by the tally",
        ),
    ):
        box(number, title, value, note)


CALLS = {Reason.HOLDS: st.success, Reason.OPPOSITE: st.warning}


def told(result: RunResult, asked: Intervention) -> None:
    """Whether wGNN helps, if that can be said."""
    base = result.trained
    wgnn = result.of(asked)["test"]
    classes, mean_w = base.graph.num_classes, float(base.w.mean())
    said = verdict(base.test, wgnn, mean_w, classes, result.overlap)
    CALLS.get(said.reason, st.info)(
        f"**{said.word}**: {said.numbers} "
        "The Eta grid page chooses η honestly, on validation accuracy.",
        icon=":material/insights:",
    )


def picture(view: View, asked: Intervention, result: RunResult | None) -> None:
    """The class polygon of what is trained so far; before that the graph."""
    if result is None or result.base is None:
        show(view.figure("node-map", colour="class"), "start_classes", height=MAP_HEIGHT)
        return
    shown: dict[str, Any] = {"layout": "polygon", "colour": "class"}
    if asked in result.finished and result.prob(asked, 0) is not None:
        shown |= {"at": asked}
    show(view.figure("node-map", result, **shown), "start_map", height=MAP_HEIGHT)


view = page_start(
    "wGNN Explorer",
    r"""
A trained network gives each node $v$ a probability $\mu_v(s)$ for each of the $|S|$ classes. Its
**label non-uniformity** $w(v) = \sum_s |\mu_v(s) - 1/|S||$ is 0 when the network has no opinion and
$2(1 - 1/|S|)$ when it is certain. The paper expects small $w$ where classes meet and among the
mistakes.
**wGNN** adds nodes of large $w$ to the training set, drops edges among nodes of small $w$, and
trains again.
""",
)
choice = view.choice
top = st.container()
boxes = st.container()
with st.expander("Choose η", icon=":material/tune:"):
    asked = eta_sliders(choice.like)
# predictions of another program stand for themselves: nothing is trained around them
config = choice.run if choice.run.model == PredictionsOnly.name else choice.config([asked])
status = status_of(config)
if status is None and view.cheap:
    submit(config, unasked=True)
    status = status_of(config)
done = status is not None and status.state == "done"
result = load.finished(config.run_id) if done else load.jobs().result(config.run_id)

with top.container(horizontal=True, vertical_alignment="center"):
    going = status is not None and status.active
    train_button("Run wGNN", config, "start_button", disabled=going or done)
    if status is None:
        what = f"{METHODS[config.model].title} on {md(view.graph.title)}"
        text = f"{config.trainings} trainings of {what}."
    elif going:
        watch(config.run_id)
        text = "Training; the numbers appear below as they come."
    else:
        text = f"Done: {config.trainings} trainings. Choose another graph, model or η to run."
    if config.model != PredictionsOnly.name and (going or done or status is None):
        st.caption(text, width="content")
with boxes:
    if status is not None and not status.active and not done:
        ended(config.run_id, status)
    with st.grid(3, min_column_width=150):
        pipeline(view, asked, result)
    if done and result is not None and config.interventions:
        told(result, asked)

picture(view, asked, result)

st.subheader("Where to go next", anchor=False)
with st.grid(3, min_column_width=190):
    for page in (page for page in PAGES if page.what):
        with st.container(border=True, height="stretch", gap="xxsmall"):
            link = f"pages/{page.name}.py"
            st.page_link(link, label=f"**{page.title}**", icon=":material/arrow_forward:")
            st.caption(md(page.what, 200))
