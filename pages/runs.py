"""Runs: the shelf of everything computed: filter, compare, pin, note, delete, export."""

import json
from collections.abc import Callable
from dataclasses import asdict

import pandas as pd
import streamlit as st

from ui import load
from ui.address import address_of, has_address
from ui.jobs import PageEnd, resume
from ui.pages import PAGES
from ui.shell import page_start
from ui.show import download, export_run, show
from ui.text import TERMS, md
from ui.widgets import BIND
from wgnn_core.errors import WGNNError
from wgnn_core.export import table_csv
from wgnn_core.figures import missing
from wgnn_core.figures.text import count
from wgnn_core.intervention import Intervention
from wgnn_core.reports.shelf import differing_settings, grouped, paired_runs, shelf_table
from wgnn_core.runs.results import RunResult
from wgnn_core.runs.summaries import RunSummary

MAX_COMPARED = 6
MANY = 100
"""From so many runs on they can be seen in groups."""
STATES = ["done", "running", "queued", "cancelled", "interrupted", "failed"]

view = page_start(
    "Runs",
    "Everything that was ever trained here. Finished cells are never lost: a cancelled or "
    "interrupted run goes on where it stopped. Choose rows to see, compare or export them.",
)
runs = load.jobs().list()
if damaged := load.jobs().store.unreadable():
    st.warning(
        f"{count(len(damaged), 'run')} cannot be read and {'is' if len(damaged) == 1 else 'are'} "
        "not shown; `wgnn runs list` says why.",
        icon=":material/warning:",
    )
if not runs:
    st.info("Nothing was trained yet; the Start page trains a first run.", icon=":material/info:")
    raise PageEnd

with st.grid(4, min_column_width=150):
    datasets = sorted({run.dataset for run in runs})
    wanted = st.multiselect("Graph", datasets, key="runs_dataset", placeholder="all", bind=BIND)
    known = sorted({run.model for run in runs})
    models = st.multiselect("Model", known, key="runs_model", placeholder="all", bind=BIND)
    states = st.multiselect("State", STATES, key="runs_state", placeholder="all", bind=BIND)
    text = st.text_input("Note or id contains", key="runs_text", max_chars=80, bind=BIND)
shown = [
    run
    for run in runs
    if run.dataset in (wanted or [run.dataset])
    and run.model in (models or [run.model])
    and run.state in (states or [run.state])
    and (not text or text.lower() in run.note.lower() or run.run_id.startswith(text.lower()))
]


def shelf() -> list[RunSummary]:
    """The table; a run stays chosen by its id, whatever comes or goes around it."""
    ids = [run.run_id for run in shown]
    chosen: list[str] = st.session_state.setdefault("runs_picked", [])
    rows = [i for i, run_id in enumerate(ids) if run_id in chosen]
    key = f"runs_table_{hash(tuple(ids))}"

    def pick() -> None:
        st.session_state["runs_picked"] = [ids[i] for i in st.session_state[key].selection.rows]

    column = st.column_config
    st.dataframe(
        shelf_table(shown),
        hide_index=True,
        placeholder="",
        key=key,
        on_select=pick,
        selection_mode="multi-row",
        selection_default={"selection": {"rows": rows}},
        column_config={
            "graph": column.TextColumn(width=84),
            "model": column.TextColumn(width=88),
            "what": column.TextColumn(width=168),
            "settings": column.TextColumn(width=110, help="What differs from the defaults"),
            "seeds": column.NumberColumn(width=50),
            "state": column.TextColumn(width=90),
            "base": column.NumberColumn(
                format="%.2f", width=58, help="Mean test accuracy of the base model, in percent"
            ),
            "wGNN": column.NumberColumn(
                format="%.2f",
                width=58,
                help="Mean test accuracy (percent) of the η that is best on validation",
            ),
            "gain": column.NumberColumn(
                format="%+.2f", width=58, help="Points over the base model"
            ),
            "validation": column.TextColumn(
                "prefers", width=80, help="What validation accuracy prefers"
            ),
            "pinned": column.CheckboxColumn("pin", width=40, help="A pinned run stays"),
            "note": column.TextColumn(width=90),
            "made": column.DatetimeColumn(format="MM-DD HH:mm", width=92),
            "id": column.TextColumn(width=76),
        },
    )
    return [run for run in shown if run.run_id in chosen]


def act(done: str, call: Callable[..., object], picked: list[RunSummary], *values: object) -> None:
    """Do something to every chosen run; say what could not be done."""
    faults = []
    for run in picked:
        try:
            call(run.run_id, *values)
        except WGNNError as error:
            faults.append(str(error))
    st.session_state["runs_said"] = (done, faults)


def save_note(picked: list[RunSummary]) -> None:
    act("Note saved.", load.jobs().note, picked, st.session_state["runs_note"])


def actions(picked: list[RunSummary]) -> None:
    jobs = load.jobs()

    def delete(run_id: str) -> None:
        jobs.delete(run_id)
        st.session_state["runs_picked"] = []

    unfinished = [run for run in picked if run.state in ("cancelled", "interrupted", "failed")]
    active = [run for run in picked if run.state in ("queued", "running")]
    pinned = all(run.pinned for run in picked)
    with st.container(horizontal=True):
        st.button(
            "Unpin" if pinned else "Pin",
            icon=":material/keep:",
            key="runs_pin",
            on_click=act,
            args=("", jobs.pin, picked, not pinned),
        )
        if active:
            st.button(
                "Cancel", icon=":material/close:", key="runs_cancel",
                on_click=act, args=("Cancelled.", jobs.cancel, active),
            )  # fmt: skip
        if unfinished:
            st.button(
                "Resume", icon=":material/replay:", key="runs_resume",
                on_click=act, args=("Goes on.", resume, unfinished),
            )  # fmt: skip
        with st.popover("Note", icon=":material/edit_note:", key="runs_note_box"):
            st.text_area("Note", picked[0].note, key="runs_note", max_chars=2000)
            st.button("Save", key="runs_note_save", on_click=save_note, args=(picked,))
        with st.popover("Delete", icon=":material/delete:", key="runs_delete_box"):
            st.markdown(f"Delete {len(picked)} run{'s' * (len(picked) > 1)} for good?")
            st.button(
                "Delete", type="primary", key="runs_delete",
                on_click=act, args=("Deleted.", delete, picked),
            )  # fmt: skip
        download("Rows as CSV", lambda: csv(picked), "runs.csv", "text/csv", "runs_csv")
        download(
            "Settings as JSON",
            lambda: settings(picked),
            "runs.json",
            "application/json",
            "runs_json",
        )
        if len(picked) == 1 and picked[0].state == "done":
            result = load.finished(picked[0].run_id)
            xy = load.points(result.config.dataset, result.config.parameters)
            export_run(result, xy, "runs_bundle")


def csv(picked: list[RunSummary]) -> str:
    """Every finished training; a base model alone as the intervention that changes nothing."""
    parts = []
    for run in picked:
        result = load.jobs().result(run.run_id)
        if result is None or result.base is None:
            continue
        rows = result.rows
        if rows.empty:
            rows = pd.DataFrame(
                {"seed": result.base.seeds, "val": result.base.val, "test": result.base.test}
            ).assign(**asdict(Intervention()))
        parts.append(rows.assign(run=run.run_id, dataset=run.dataset, model=run.model))
    return table_csv(pd.concat(parts, ignore_index=True) if parts else pd.DataFrame())


def settings(picked: list[RunSummary]) -> str:
    jobs = load.jobs()
    found = {run.run_id: jobs.store.identity(run.run_id) | {"note": run.note} for run in picked}
    return json.dumps(found, indent=2, sort_keys=True)


def compare(picked: list[RunSummary]) -> None:
    found = [load.jobs().result(run.run_id) for run in picked[:MAX_COMPARED]]
    ready = [result for result in found if result is not None and result.base is not None]
    if not ready:
        st.caption("The chosen runs have no finished base model yet.")
        return
    if len(picked) > MAX_COMPARED:
        st.caption(f"Compared are the first {MAX_COMPARED} of the {len(picked)} chosen runs.")
    left, right = st.columns(2, gap="medium")
    with left:
        if reason := missing("comparison-bars", ready, ready[0].graph):
            st.caption(f"No bars: {md(reason, 200)}.")
        else:
            show(view.figure("comparison-bars", *ready), "runs_bars", height=430)
    with right:
        curves = view.figure("accuracy-coverage", *ready, rankers=("m2",))
        show(curves, "runs_curves", height=430)
    if len(ready) == 2:
        side_by_side(*ready)
    grids = [result for result in ready if len(result.config.interventions) > 3 and result.chosen]
    if len(grids) >= 2:
        difference(grids[0], grids[1])


def difference(first: RunResult, second: RunResult) -> None:
    """Two grids over the same cells: where the second does better."""
    if reason := missing("eta-grid", (first, second), first.graph):
        st.caption(f"No difference of the two grids is drawn: {md(reason, 200)}.")
    else:
        show(view.figure("eta-grid", first, second), "runs_difference", height=430)


def open_in(run: RunSummary) -> None:
    """Links to the pages that can show the run."""
    if not has_address(run.config):
        return
    query = address_of(run.config)
    with st.container(horizontal=True):
        st.caption("Open in", width="content")
        for page in PAGES:
            if page.shows_runs:
                st.page_link(
                    f"pages/{page.name}.py",
                    label=page.title,
                    icon=f":material/{page.icon}:",
                    query_params=query,
                )


def side_by_side(first: RunResult, second: RunResult) -> None:
    """What two runs differ in, and whether their accuracies do."""
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Settings that differ**")
        st.dataframe(differing_settings(first, second), hide_index=True)
    with right:
        st.markdown("**Seed by seed**", help=TERMS["paired"])
        table, why = paired_runs(first, second)
        if why:
            st.caption(f"No paired test: {md(why, 200)}.")
        else:
            st.dataframe(table, hide_index=True)


done, faults = st.session_state.pop("runs_said", ("", []))
for fault in faults:
    st.error(md(fault, 400), icon=":material/error:")
if done and not faults:
    st.toast(done)
if len(shown) >= MANY and st.toggle("Grouped", key="runs_grouped", bind=BIND):
    st.dataframe(grouped(shown), hide_index=True)
picked = shelf()
st.caption(
    f"{len(shown)} of {count(len(runs), 'run')}. Accuracies are mean test accuracies in percent; "
    "the η of a run is always chosen on validation, which may prefer the base model."
)
if picked:
    actions(picked)
    if len(picked) == 1:
        open_in(picked[0])
    compare(picked)
