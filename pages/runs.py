"""Runs: the shelf of everything computed: filter, compare, pin, note, delete, export."""

import json
from collections.abc import Callable
from dataclasses import asdict

import pandas as pd
import streamlit as st

from ui import load
from ui.jobs import PageEnd, resume
from ui.shell import page_start
from ui.show import export_run, show
from ui.text import md
from ui.widgets import BIND
from wgnn_core.errors import WGNNError
from wgnn_core.export import table_csv
from wgnn_core.figures import missing
from wgnn_core.figures.text import label
from wgnn_core.intervention import Intervention
from wgnn_core.runs.results import RunResult
from wgnn_core.runs.store import RunSummary

MAX_COMPARED = 6
STATES = ["done", "running", "queued", "cancelled", "interrupted", "failed"]

view = page_start(
    "Runs",
    "Everything that was ever trained here. Finished cells are never lost: a cancelled or "
    "interrupted run goes on where it stopped. Choose rows to see, compare or export them.",
)
runs = load.jobs().list()
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


def what(run: RunSummary) -> str:
    planned = run.config.interventions
    if run.config.search == "two-stage":
        return "two-stage search"
    if not planned:
        return "base model"
    return planned[0].text if len(planned) == 1 else f"{len(planned)} η triples"


def state_of(run: RunSummary) -> str:
    if run.state == "done":
        return "done"
    return f"{run.state} {run.done / max(run.total, 1):.0%}"


def shelf() -> list[RunSummary]:
    table = pd.DataFrame(
        {
            "graph": [run.dataset for run in shown],
            "model": [run.model for run in shown],
            "what": [what(run) for run in shown],
            "base": [run.base_accuracy for run in shown],
            "wGNN": [run.accuracy if run.total > len(run.config.seeds) else None for run in shown],
            "seeds": [len(run.config.seeds) for run in shown],
            "state": [state_of(run) for run in shown],
            "pinned": [run.pinned for run in shown],
            "note": [label(run.note) if run.note else "" for run in shown],
            "made": pd.to_datetime([run.created for run in shown], unit="s"),
            "id": [run.run_id[:8] for run in shown],
        }
    )
    column = st.column_config
    event = st.dataframe(
        table,
        hide_index=True,
        placeholder="",
        key="runs_table",
        on_select="rerun",
        selection_mode="multi-row",
        column_config={
            "graph": column.TextColumn(width=66),
            "model": column.TextColumn(width=88),
            "what": column.TextColumn(width=168),
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
            "pinned": column.CheckboxColumn("pin", width=40, help="A pinned run stays"),
            "note": column.TextColumn(width=90),
            "made": column.DatetimeColumn(format="MM-DD HH:mm", width=92),
            "id": column.TextColumn(width=76),
        },
    )
    return [shown[i] for i in event.selection.rows if i < len(shown)]


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
                on_click=act, args=("Deleted.", jobs.delete, picked),
            )  # fmt: skip
        st.download_button(
            "Rows as CSV", lambda: csv(picked), "runs.csv", "text/csv", key="runs_csv",
            on_click="ignore", icon=":material/download:",
        )  # fmt: skip
        st.download_button(
            "Settings as JSON", lambda: settings(picked), "runs.json", "application/json",
            key="runs_json", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
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
    grids = [result for result in ready if len(result.config.interventions) > 3 and result.chosen]
    if len(grids) >= 2:
        difference(grids[0], grids[1])


def difference(first: RunResult, second: RunResult) -> None:
    """Two grids over the same cells: where the second does better."""
    if reason := missing("eta-grid", (first, second), first.graph):
        st.caption(f"No difference of the two grids is drawn: {md(reason, 200)}.")
    else:
        show(view.figure("eta-grid", first, second), "runs_difference", height=430)


done, faults = st.session_state.pop("runs_said", ("", []))
for fault in faults:
    st.error(md(fault, 400), icon=":material/error:")
if done and not faults:
    st.toast(done)
picked = shelf()
st.caption(
    f"{len(shown)} of {len(runs)} runs. Accuracies are test accuracies; the triple η of a run is "
    "always chosen on validation."
)
if picked:
    actions(picked)
    compare(picked)
