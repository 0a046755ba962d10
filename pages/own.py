"""Your own: bring a graph, or the predictions of another program."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from ui import load
from ui.address import address_of, has_address
from ui.jobs import asked, said
from ui.options import option_of
from ui.pages import PAGES
from ui.shell import page_start
from ui.show import metrics
from ui.text import md
from ui.widgets import BIND, widget
from wgnn_core import datasets
from wgnn_core.datasets import DatasetSpec, own
from wgnn_core.fields import knobs
from wgnn_core.figures.text import count, label
from wgnn_core.predictions import parse_predictions
from wgnn_core.runs.diagnose import diagnose

KNOBS = {knob.name: knob for knob in knobs(own.Choices)}
GRAPH, PREDICTIONS, IMPORTED = "A graph", "Predictions", "Imported graphs"
ROWS = 1000
"""Longest list of changes that is shown."""

view = page_start(
    "Your own",
    "Bring a graph, and every page and command knows it. Or bring the predictions of your own "
    "program: the pages show its $w$, and the Playground hands out R′ and G′ to retrain with.",
)


def uploads() -> int:
    """Part of the keys of the form: when it counts on, the form is empty again."""
    return int(st.session_state.setdefault("own_uploads", 0))


def draft_of(files: list[UploadedFile]) -> own.Draft:
    """What was understood of the files; read once, not whenever a choice changes."""
    ids = tuple(file.file_id for file in files)
    kept = st.session_state.get("own_draft")
    if kept is None or kept[0] != ids:
        found = own.read_files([own.File(file.name, file.getvalue()) for file in files])
        st.session_state["own_draft"] = kept = (ids, found)
    draft: own.Draft = kept[1]
    return draft


def choices_of(draft: own.Draft, key: str) -> own.Choices:
    """The form; what it leaves empty is recognised."""
    given: dict[str, Any] = {}
    left, right = st.columns(2, gap="large")
    with left:
        columns = list(draft.columns)
        at = columns.index(draft.label) if draft.label is not None else None
        given["label"] = st.selectbox("Label column", columns, at, key=f"{key}_label")
        given["unlabelled"] = st.text_input(
            "Label that stands for none", key=f"{key}_none",
            help="Such nodes train nobody and are scored nowhere. An empty label always stands for "
            "none, and −1 does if there are at least two others.",
        ) or None  # fmt: skip
        picked = st.multiselect(
            "Feature columns", columns, key=f"{key}_features", placeholder="every column of numbers"
        )
        given["features"] = tuple(picked) or None
        given["no_features"] = drawn("no_features", key)
        given["normalise"] = drawn("normalise", key)
    with right:
        rules = ["given"] * draft.split_given + ["per-class", "shares"]
        rule = given["split"] = st.selectbox(
            "Split", rules, key=f"{key}_split",
            help="As the files say, so many training nodes of each class, or shares of the nodes.",
        )  # fmt: skip
        if rule == "per-class":
            given |= {name: drawn(name, key) for name in ("per_class", "val")}
        if rule == "shares":
            low, high = st.slider(
                "Shares: training up to, validation up to",
                0.05, 0.95, (0.6, 0.8), 0.05, key=f"{key}_shares",
            )  # fmt: skip
            given["shares"] = (low, round(high - low, 4))
        if rule != "given":
            given["splits"] = drawn("splits", key)
    return own.Choices(**given)


def drawn(name: str, key: str) -> Any:
    return widget(KNOBS[name], KNOBS[name].default, f"{key}_{name}", bind=False)


def understood(made: own.Preview) -> None:
    """The preview: what was understood, and every change with its count."""
    graph, split = made.graph, made.graph.split(0)
    rows = [
        ("Nodes", f"{graph.num_nodes:,}", f"{graph.unlabelled.sum():,} without label"),
        ("Edges", f"{graph.num_edges:,}", "undirected, each once"),
        ("Features", f"{graph.num_features:,}", ""),
        ("Classes", f"{graph.num_classes:,}", ""),
        ("Train, val, test", f"{split.train.sum():,}, {split.val.sum():,}, {split.test.sum():,}",
         f"first of {count(len(graph.splits), 'split')}"),
    ]  # fmt: skip
    metrics(rows)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**What was understood**")
        said_of = [(label(what), label(value, 300)) for what, value in made.understood]
        st.dataframe(pd.DataFrame(said_of, columns=["what", "value"]), hide_index=True)
    with right:
        st.markdown(f"**What was changed** ({len(made.changes)})")
        changes = [(c.count, label(c.text, 300)) for c in made.changes[:ROWS]]
        if changes:
            st.dataframe(pd.DataFrame(changes, columns=["count", "change"]), hide_index=True)
        else:
            st.caption("Nothing.")


def suggested(name: str) -> str:
    """A name that is allowed and free, from that of a file."""
    plain = re.sub(r"[^a-z0-9]+", "-", Path(name).stem.lower()).strip("-")[:40].strip("-")
    plain = "my-graph" if plain in ("", "edges", "nodes") else plain
    taken, free = datasets.names(), plain
    number = 1
    while free in taken:
        number += 1
        free = f"{plain}-{number}"
    return free


def save(draft: own.Draft, choices: own.Choices, key: str) -> None:
    """Keep the graph and choose it in the sidebar."""
    texts = {what: st.session_state[f"{key}_{what}"] for what in ("name", "title", "description")}
    draft.save(texts["name"].strip(), choices, texts["title"], texts["description"])
    st.session_state["own_uploads"] += 1
    st.session_state.pop("own_draft", None)
    st.session_state["dataset"] = texts["name"].strip()
    st.session_state["own_said"] = "Saved. Every page knows it now; the sidebar has chosen it."


def a_graph() -> None:
    key = f"own_{uploads()}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, text in own.template().items():
            st.download_button(
                f"Template: {name}", text, name, "text/csv", key=f"own_template_{name}",
                on_click="ignore", icon=":material/download:",
            )  # fmt: skip
    files = st.file_uploader(
        "An edge table and a node table, or one file of another format",
        [*own.TABLES, *own.SINGLE],
        accept_multiple_files=True,
        key=f"{key}_files",
        help="Tables: csv, tsv, txt, parquet. Otherwise one file: a zip of two tables, graphml, "
        "gexf, gml, npz, pt. Nothing is ever unpickled. Larger files: `wgnn data import`.",
    )
    if not files:
        st.session_state.pop("own_draft", None)
        return
    draft = draft_of(files)
    choices = choices_of(draft, key)
    made = draft.preview(choices)
    understood(made)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name", suggested(files[0].name), key=f"{key}_name", width=220,
                      help="a-z, 0-9, - and _")  # fmt: skip
        st.text_input("Title", key=f"{key}_title", width=220, help="The name if empty.")
        st.text_input("Description", key=f"{key}_description", width=340)
        st.button(
            "Save", type="primary", icon=":material/save:", key="own_save",
            on_click=asked(save), args=(draft, choices, key),
        )  # fmt: skip


def predictions() -> None:
    graph, key = view.graph, f"own_prob_{uploads()}"
    title = datasets.spec(view.choice.run.dataset).title
    st.markdown(
        f"Probabilities or logits for **{md(title)}**, the graph that the sidebar has chosen: "
        f"{graph.num_nodes:,} rows, one per node, and {graph.num_classes} columns, one per class; "
        "or several such matrices, one per seed, as an array [seeds, nodes, classes]."
    )
    file = st.file_uploader(
        "A file of predictions", ["npy", "npz", "csv"], key=f"{key}_file",
        help="In a CSV file a first column beyond the classes names the node; rows may then come "
        "in any order.",
    )  # fmt: skip
    st.text_input("What they are called", key=f"{key}_label", max_chars=60, width=340)
    if file is not None:
        st.button(
            "Take them in", type="primary", icon=":material/input:", key="own_diagnose",
            on_click=asked(take_in), args=(file, key),
        )  # fmt: skip
    last = st.session_state.get("own_run")
    if last is None or not load.jobs().store.has(last):
        return
    result = load.finished(last)
    base = result.trained
    st.success(
        f"Stored as run {last[:8]}: {base.test.mean():.2f} % of the test nodes right, "
        f"{count(len(base.seeds), 'seed')}, mean w {base.w.mean():.3f}.",
        icon=":material/check:",
    )
    if has_address(result.config):
        with st.container(horizontal=True):
            st.caption("Open in", width="content")
            for page in PAGES:
                if page.shows_runs:
                    st.page_link(
                        f"pages/{page.name}.py", label=page.title,
                        icon=f":material/{page.icon}:", query_params=address_of(result.config),
                    )  # fmt: skip


def take_in(file: UploadedFile, key: str) -> None:
    """Store the predictions as a run and choose them in the sidebar."""
    found = parse_predictions(file.getvalue(), file.name, view.graph)
    name = label(st.session_state[f"{key}_label"] or Path(file.name).stem, 60)
    result = diagnose(view.choice.run.alone(), found, load.jobs().store, name)
    st.session_state["own_run"] = result.summary.run_id
    st.session_state["model"] = option_of(result.config)
    st.session_state["own_uploads"] += 1
    st.session_state["own_said"] = (
        f"{'Logits, made probabilities by a softmax' if found.were_logits else 'Probabilities'}"
        f"{', rows put in order by node name' if found.by_name else ''}; the sidebar has chosen "
        "them."
    )


def imported(entries: list[DatasetSpec]) -> None:
    facts = [(entry, entry.imported) for entry in entries if entry.imported is not None]
    st.dataframe(
        pd.DataFrame(
            [
                (e.name, label(e.title), i.nodes, i.edges, i.features, i.classes, i.unlabelled,
                 label(i.problem or i.source, 200))
                for e, i in facts
            ],
            columns=["name", "title", "nodes", "edges", "features", "classes", "no label", "from"],
        ),
        hide_index=True,
    )  # fmt: skip
    names = [entry.name for entry in entries]
    if st.session_state.get("own_graph") not in names:
        st.session_state["own_graph"] = names[0]
    name = st.selectbox("Change", names, key="own_graph", width=260)
    entry = next(entry for entry in entries if entry.name == name)
    # other keys after each change: a box that has done its work is closed
    key = f"{name}_{uploads()}"
    with st.container(horizontal=True):
        with st.popover("Rename", icon=":material/edit:", key=f"own_rename_box_{key}"):
            st.text_input("New name", name, key=f"own_new_name_{key}")
            st.button("Rename", key="own_rename", on_click=asked(rename), args=(name, key))
        with st.popover("Describe", icon=":material/notes:", key=f"own_describe_box_{key}"):
            st.text_input("Title", entry.title, key=f"own_title_{key}")
            st.text_area("Description", entry.description, key=f"own_text_{key}")
            st.button("Keep", key="own_describe", on_click=asked(describe), args=(name, key))
        with st.popover("Delete", icon=":material/delete:", key=f"own_delete_box_{key}"):
            st.markdown(f"Delete **{md(name)}** for good? Its runs stay, but cannot be shown.")
            st.button("Delete", type="primary", key="own_delete",
                      on_click=asked(delete), args=(name,))  # fmt: skip
    assert entry.imported is not None
    for text in entry.imported.changes[:ROWS]:
        st.caption(md(text, 300))


def rename(name: str, key: str) -> None:
    new = st.session_state[f"own_new_name_{key}"].strip()
    datasets.rename(name, new)
    st.session_state["own_graph"] = new
    if st.session_state.get("dataset") == name:
        st.session_state["dataset"] = new
    changed(f"It is called {new} now.")


def describe(name: str, key: str) -> None:
    title, text = (st.session_state[f"own_{what}_{key}"] for what in ("title", "text"))
    datasets.describe(name, title, text)
    changed("Kept.")


def delete(name: str) -> None:
    """Delete a graph; runs that train on it end, unless it is here under another name too."""
    gone = datasets.spec(name).imported
    datasets.delete(name)
    here = {entry.imported.content_hash for entry in datasets.catalogue() if entry.imported}
    if gone is not None and gone.content_hash not in here:
        jobs = load.jobs()
        for run_id in jobs.active:
            if jobs.store.get(run_id).dataset_hash == gone.content_hash:
                jobs.cancel(run_id)
    changed("Deleted.")


def changed(done: str) -> None:
    load.forget_status()
    st.session_state["own_uploads"] += 1
    st.session_state["own_said"] = done


if done := st.session_state.pop("own_said", ""):
    st.toast(md(done, 200))
entries = [entry for entry in datasets.catalogue() if entry.imported is not None]
part = st.segmented_control(
    "Part", [GRAPH, PREDICTIONS, IMPORTED], default=GRAPH, key="own_part", bind=BIND,
    required=True, label_visibility="collapsed",
)  # fmt: skip
with said():
    if part == GRAPH:
        a_graph()
    elif part == PREDICTIONS:
        predictions()
    elif entries:
        imported(entries)
    else:
        st.caption("None yet.")
