"""Paper: every table and figure of the paper, our numbers beside the published ones."""

import pandas as pd
import streamlit as st

from ui import studies
from ui.jobs import POLL_SECONDS, asked, ended, fragment, timing, watch
from ui.shell import page_start
from ui.show import download, metrics, show
from ui.text import md
from ui.widgets import BIND
from wgnn_core.export import table_csv
from wgnn_core.figures.text import count
from wgnn_core.reports.shelf import graph_title, model_title
from wgnn_core.studies import STUDIES
from wgnn_core.studies.charts import chart, views
from wgnn_core.studies.plan import Size
from wgnn_core.studies.records import (
    CANDIDATES,
    DIRECTION,
    NOT,
    REPRODUCED,
    RULE,
    UNPUBLISHED,
    Claim,
    Record,
    by_column,
    mean,
)
from wgnn_core.studies.report import number
from wgnn_core.studies.running import Found
from wgnn_core.studies.saved import command, shipped, verdict_of_all
from wgnn_core.studies.tables import cell_table, claim_table, grids, latex

MOST_ROWS = 60
"""A longer table scrolls in itself."""
LONG = 18
"""Letters of a name that fit the narrow first column."""
SHIPPED, QUICK, FULL = "Results that come with it", "Run here, quick", "Run here, full"
SIZES: dict[str, Size] = {QUICK: "quick", FULL: "full"}
ICONS = {
    REPRODUCED: ":material/check_circle:",
    DIRECTION: ":material/trending_up:",
    NOT: ":material/cancel:",
}

page_start(
    "Paper",
    "Every table and figure of the paper, run again: our numbers beside the published ones, and a "
    "verdict by a rule that is stated below.",
    needs_graph=False,
)


def short_table(records: list[Record], axes: tuple[str, str]) -> None:
    """What one looks at first; every other column is in the file."""
    rows, letters = [], grids(records)
    for r in records:
        c = r.comparison
        rows.append(
            {
                axes[0]: r.row,
                axes[1]: r.column,
                "verdict": "" if r.verdict == UNPUBLISHED else r.verdict,
                "n": r.n,
                "grid": letters[r.grid] if len(letters) > 1 else "",
                "base": mean(r.base),
                "tally": mean(r.tally),
                "gain": round(c.difference, 2) + 0.0,
                "p": number(c.pvalue),
                "holm": "" if r.holm is None else number(r.holm),
                "published": r.published.method[0] if r.published.method else None,
                "paper": r.published.gain,
                "retrained": r.against(r.retrained).difference if r.retrained else None,
                "shared": r.against(r.shared).difference if r.shared else None,
                "best": r.against(r.best).difference if r.best else None,
                "eta": r.eta,
                "note": r.published.note,
            }
        )
    frame = pd.DataFrame(rows)
    empty = [name for name in frame if frame[name].isna().all() or (frame[name] == "").all()]
    figure, text = st.column_config.NumberColumn, st.column_config.TextColumn
    reference, method = {r.reference for r in records}, {r.method for r in records}
    st.dataframe(
        frame.drop(columns=empty),
        hide_index=True,
        placeholder="",
        height="content" if len(frame) <= MOST_ROWS else "auto",
        key="paper_table",
        column_config={
            axes[0]: text(width=125 if max(map(len, frame[axes[0]])) <= LONG else 185),
            axes[1]: text(width=90),
            "n": figure("n", width=40, help="Seeds"),
            "base": figure(
                reference.pop() if len(reference) == 1 else "Base", format="%.2f", width=70
            ),
            "tally": figure(
                method.pop() if len(method) == 1 else "Method", format="%.2f", width=70,
                help="Test accuracy in % by the paper's tally, η chosen on validation",
            ),
            "gain": figure("Gain", format="%+.2f", width=60, help="Points over the column before"),
            "p": text("p", width=65, help="t-test, corrected on several splits"),
            "holm": text("p Holm", width=65, help="Corrected for all cells"),
            "retrained": figure(
                "Retrained", format="%+.2f", width=80,
                help="Gain of the retrained model's own predictions, same η",
            ),
            "shared": figure(
                "Shared η", format="%+.2f", width=75, help="Gain with one η for all splits"
            ),
            "best": figure(
                "η by test: not a result", format="%+.2f", width=150,
                help="Gain with the η that is best on test: what no honest search may choose",
            ),
            "published": figure("Paper", format="%.2f", width=65, help="Published accuracy, %"),
            "paper": figure("Paper: gain", format="%+.2f", width=85, help="The published gain"),
            "verdict": text("Verdict", width=115),
            "eta": text("η", width=110),
            "grid": text("Search", width=65, help="Among which η: the letter stands below"),
            "note": text("Note", width=250),
        },
    )  # fmt: skip


def icon(claim: Claim) -> str:
    return ICONS.get(claim.verdict, ":material/straighten:")


def claims(found: list[Claim], beyond: bool) -> None:
    st.subheader("What was asked" if beyond else "What the paper says", anchor=False)
    lead = "Asked" if beyond else "The paper"
    for claim in found:
        with st.container(border=True):
            st.markdown(f"{icon(claim)} **{md(claim.verdict)}.** {lead}: {md(claim.says, 300)}")
            st.markdown(f"Here: {md(claim.found, 1500)}")
            st.caption(f"Rule: {md(claim.rule, 400)}")


def counts(found: Found) -> None:
    judged = [r.verdict for r in found.records if r.published.gain is not None]
    judged = judged or [claim.verdict for claim in found.claims]
    if not judged:
        return
    words = (REPRODUCED, DIRECTION, NOT) if set(judged) & {REPRODUCED, DIRECTION, NOT} else ()
    shown = [(word.capitalize(), str(judged.count(word)), "") for word in words]
    shown += [("Not run", str(len(found.missing)), "")] * bool(found.missing)
    if shown:
        metrics(shown, 130)


def downloads(found: Found) -> None:
    study = STUDIES[found.study]
    table = cell_table(study, found.records) if found.records else claim_table(found.claims)
    with st.container(horizontal=True):
        file = f"{study.name}.csv"
        download("All columns as CSV", lambda: table_csv(table), file, "text/csv", "paper_csv")
        if found.records:
            file = f"{study.name}.tex"
            download(
                "Table as LaTeX", lambda: latex(study, found), file, "text/x-tex", "paper_latex"
            )


def draw(found: Found) -> None:
    study = STUDIES[found.study]
    counts(found)
    offered = views(study.name, found.records)
    if offered:
        picked = offered[0]
        if len(offered) > 1:
            picked = st.selectbox(
                "Figure of", offered, key=f"paper_view_{study.name}", bind=BIND, width=300
            )
        show(chart(study.name, found.records, picked), f"paper_figure_{study.name}")
    if found.records:
        st.subheader("Every cell", anchor=False)
        short_table(found.records, study.axes)
        letters = grids(found.records)
        searched = [f"({letter}) {grid}" for grid, letter in letters.items()]
        tests = dict.fromkeys(r.comparison.test for r in found.records)
        st.caption(
            f"Accuracies in %, gains in points. Searched: "
            f"{md('; '.join(searched if len(letters) > 1 else letters), 1800)}. "
            f"p: {', '.join(tests)}."
        )
        if any(r.published.gain is not None for r in found.records):
            st.caption(f"**The rule.** {md(RULE, 1200)}")
        if any(r.shared for r in found.records):
            st.caption(f"**Several splits.** {md(CANDIDATES, 600)}")
    if found.records or found.claims:
        downloads(found)
    if found.claims:
        claims(found.claims, study.beyond)
    if found.records:
        with st.expander("Commands that run a cell again", icon=":material/terminal:"):
            cells = dict.fromkeys(r.cell for r in found.records)
            lines = [command(study, *cell, quick=found.size == "quick") for cell in cells]
            st.code("\n".join(lines), language="bash")
    if found.missing:
        with st.expander(f"{count(len(found.missing), 'cell')} not run", icon=":material/pending:"):
            for one in by_column(found.missing):
                st.markdown(f"- {md(one.row, 200)} on {md(one.column)}: {md(one.why, 200)}")


def verdict() -> None:
    """What all results together say of the paper: a line for each question, the rest behind it."""
    whole = verdict_of_all()
    with st.container(border=True):
        st.markdown("**The verdict on the whole paper**")
        st.markdown("\n".join(f"- **{md(q, 200)}** {in_short(a)}" for q, a in whole.items()))
        with st.expander("What was found, question by question", icon=":material/gavel:"):
            for question, answers in whole.items():
                st.markdown(f"**{md(question, 200)}**")
                for title, claim in answers:
                    st.markdown(
                        f"- {icon(claim)} {md(title, 200)}: **{md(claim.verdict)}.** "
                        f"{md(claim.says, 300)} Found: {md(claim.found, 1500)}"
                    )


def in_short(answers: list[tuple[str, Claim]]) -> str:
    """The answers to a question, those of one item together."""
    items: dict[str, list[str]] = {}
    for title, claim in answers:
        told = f"{icon(claim)} {md(claim.short, 200)} ({md(claim.verdict)})"
        items.setdefault(title.split(":")[0], []).append(told)
    return " ".join(f"{md(item)}: {'; '.join(told)}." for item, told in items.items())


def from_file(name: str) -> None:
    saved = shipped(name)
    if saved is None:
        st.info(
            "No results of this item come with the program yet: run it here.",
            icon=":material/info:",
        )
        return
    size = "quick size" if saved.found.size == "quick" else "full size"
    if saved.found.records:
        told = ", ".join(f"{package} {version}" for package, version in saved.versions.items())
        st.caption(
            f"Really run: {size}, {saved.date}, {saved.machine['cores']} cores, {md(told, 200)}."
        )
    draw(saved.found)


def progress(part: studies.Part) -> None:
    """How far the runs of a part are, whoever began them."""
    if runs := studies.active(part):
        first, status = runs[0]
        more = f"; {count(len(runs) - 1, 'more run')} after it" if len(runs) > 1 else ""
        name = f"{model_title(first.model)} on {graph_title(first.dataset)}"
        st.caption(f"{md(name)}: {timing(status)}{more}.")


def here(name: str, size: Size) -> None:
    """Run the item, or a part of it, through the store; what is finished is shown."""
    cells = STUDIES[name].cells(size)
    row = column = studies.ALL
    if cells:
        with st.container(horizontal=True):
            rows = [studies.ALL, *dict.fromkeys(cell.row for cell in cells)]
            row = st.selectbox("Rows", rows, key=f"paper_row_{name}", bind=BIND, width=200)
            columns = [studies.ALL, *dict.fromkeys(cell.column for cell in cells)]
            column = st.selectbox(
                "Columns", columns, key=f"paper_column_{name}", bind=BIND, width=200
            )
    part = (name, size, row, column)
    waiting = [] if not cells else studies.left(part)
    going = st.session_state.get(studies.GOING) == part
    with st.container(border=True):
        st.markdown(str(studies.cost(part)))
        buttons = st.container(horizontal=True)
        if waiting:
            buttons.button(
                "Run", key="paper_run", type="primary", icon=":material/play_arrow:",
                disabled=going, on_click=asked(studies.begin), args=(part,),
            )  # fmt: skip
        if going:
            broken = studies.go_on(part)
            for status in broken[:1]:
                ended(status.run_id, status)
        if runs := studies.active(part):
            buttons.button(
                "Cancel", key="paper_cancel", icon=":material/close:",
                help="Stops every run of this choice; what is finished is kept, and Run goes on.",
                on_click=asked(studies.stop), args=(part,),
            )  # fmt: skip
            watch(runs[0][0].run_id)  # the page draws itself anew as it ends
            fragment(lambda: progress(part), "paper", POLL_SECONDS)()
    draw(studies.found(part))


titles = {study.title: name for name, study in STUDIES.items()}
with st.container(horizontal=True, vertical_alignment="bottom"):
    item = st.selectbox(
        "Item",
        list(titles),
        key="paper_item",
        bind=BIND,
        width=420,
    )
    how = st.segmented_control(
        "Numbers",
        [SHIPPED, QUICK, FULL],
        default=SHIPPED,
        key="paper_how",
        bind=BIND,
        required=True,
    )
if how == SHIPPED:
    verdict()
chosen = STUDIES[titles[item]]
st.markdown(f"**The paper:** {md(chosen.says, 300)}")
if how == SHIPPED:
    from_file(chosen.name)
else:
    here(chosen.name, SIZES[how])
