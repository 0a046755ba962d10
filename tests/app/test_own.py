"""The page Your own: a graph comes in and goes, predictions become a run that every page shows."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.datasets.own.writers import original, write
from ui import load, pages
from wgnn_core import datasets
from wgnn_core.datasets import own
from wgnn_core.runs.config import RunConfig

KARATE = {"dataset": "Karate club"}


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WGNN_HOME", str(tmp_path / "home"))


def texts(app: Any) -> str:
    kinds = ("markdown", "caption", "error", "warning", "info", "success")
    return "\n".join(str(e.value) for kind in kinds for e in getattr(app, kind))


def upload(app: Any, label: str, *files: tuple[str, bytes]) -> Any:
    (field,) = (one for one in app.get("file_uploader") if one.label.startswith(label))
    given = [(name, content, "application/octet-stream") for name, content in files]
    return field.set_value(given if len(given) > 1 else given[0]).run()


def table(app: Any, column: str) -> Any:
    return next(d.value for d in app.dataframe if column in d.value)


def imported() -> list[str]:
    return [entry.name for entry in datasets.catalogue() if entry.imported]


@pytest.mark.parametrize("kind", ["csv", "graphml", "npz heterophilous", "pt"])
def test_a_graph_is_looked_at_saved_and_chosen(
    kind: str, visit: Any, jobs_in: Any, tmp_path: Path
) -> None:
    jobs_in("fresh")
    graph = original()
    files = [(path.name, path.read_bytes()) for path in write(graph, kind, tmp_path)]
    app = upload(visit("own", **KARATE), "An edge", *files)
    assert not app.error and not app.exception
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown["Nodes"] == str(graph.num_nodes) and shown["Edges"] == str(graph.num_edges)
    assert imported() == [], "nothing is kept before Save"
    app.text_input(key="own_0_name").set_value("mine").run()
    app.button(key="own_save").click().run()
    assert not app.error and not app.exception
    assert imported() == ["mine"]
    assert app.selectbox(key="dataset").value == "mine"
    assert not app.metric, "the form is empty again"


def test_changes_are_named_and_counted_and_choices_count(visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    edges = b"source,target\na,b\nb,c\nc,d\nd,a\na,a\nb,a\n"
    nodes = b"id,kind,x\na,red,1\nb,red,2\nc,blue,3\nd,blue,4\ne,?,5\n"
    files = (("edges.csv", edges), ("nodes.csv", nodes))
    app = upload(visit("own", **KARATE), "An edge", *files)
    assert "label column" in app.error[0].value  # none is recognised
    app.selectbox(key="own_0_label").set_value("kind").run()
    app.text_input(key="own_0_none").set_value("?").run()
    app.number_input(key="own_0_per_class").set_value(1).run()
    app.number_input(key="own_0_val").set_value(1).run()
    assert not app.error
    changes = table(app, "change")
    found = {" ".join(text.split()[:3]): count for count, text in changes.to_numpy()}
    assert found["1 self-loop removed."] == 1
    assert found["1 edge listed"] == 1 and found["1 node without"] == 1
    metric = next(m for m in app.metric if m.label == "Nodes")
    assert (metric.value, metric.delta) == ("5", "1 without label")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("evil.npz", b"", "empty"),
        ("evil.pt", b"\x80\x04K\x01.", "a Python pickle"),
        ("<script>.csv", b"a,b\n1,2\n", ""),
        ("bomb.graphml", b'<!DOCTYPE x [<!ENTITY a "b">]><graphml>&a;</graphml>', ""),
    ],
)
def test_a_hostile_file_is_refused_in_one_sentence(
    name: str, content: bytes, why: str, visit: Any, jobs_in: Any
) -> None:
    jobs_in("fresh")
    if name == "evil.npz":
        out = io.BytesIO()
        np.savez(out, x=np.array([{}], dtype=object), allow_pickle=True)
        content, why = out.getvalue(), ""
    app = upload(visit("own", **KARATE), "An edge", (name, content))
    assert len(app.error) == 1 and why in app.error[0].value
    assert "<script>" not in app.error[0].value and "Traceback" not in app.error[0].value
    assert imported() == [] and not any(b.label == "Save" for b in app.button)


def test_an_imported_graph_is_renamed_described_and_deleted(visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    files = [own.File(name, text.encode()) for name, text in own.template().items()]
    own.read_files(files).save("four", title="Karate club")  # a title that another graph has
    app = visit("own", dataset="Karate club (four)", own_part="Imported graphs")
    assert app.selectbox(key="dataset").value == "four"
    app.text_input(key="own_new_name_four_0").set_value("karate").run()
    app.button(key="own_rename").click().run()
    assert "belongs to a graph of the program" in app.error[0].value
    app.text_input(key="own_new_name_four_0").set_value("friends").run()
    app.button(key="own_rename").click().run()
    assert imported() == ["friends"] and app.selectbox(key="dataset").value == "friends"
    app.text_input(key="own_title_friends_1").set_value("$Friends$ <b>").run()
    app.button(key="own_describe").click().run()
    assert datasets.spec("friends").title == "$Friends$ <b>"
    app.button(key="own_delete").click().run()
    assert not app.error and not app.exception
    assert imported() == [] and app.selectbox(key="dataset").value == "digits"


def test_runs_end_with_their_graph_unless_it_is_here_by_another_name(
    visit: Any, jobs_in: Any
) -> None:
    jobs = jobs_in("fresh")
    files = [own.File(name, text.encode()) for name, text in own.template().items()]
    for name in ("four", "twin"):
        own.read_files(files).save(name)
    slow = (("epochs", 5000),)
    ids = [jobs.submit(RunConfig(name, hyper=slow, seeds=500)) for name in ("twin", "digits")]
    states = []
    for name in ("four", "twin"):
        app = visit("own", dataset="Karate club", own_part="Imported graphs", own_graph=name)
        app.button(key="own_delete").click().run()
        assert not app.error and not app.exception
        states.append([jobs.status(run_id).active for run_id in ids])
    jobs.cancel(ids[1])
    assert states == [[True, True], [False, True]]
    assert jobs.status(ids[0]).state == "cancelled"


def test_a_result_is_read_again_for_another_name_of_its_own_graph_only(jobs_in: Any) -> None:
    jobs = jobs_in("finished")
    files = [own.File(name, text.encode()) for name, text in own.template().items()]
    own.read_files(files).save("four")
    on_its_own, on_karate = (
        jobs.submit(RunConfig(name, hyper=(("epochs", 1),), seeds=1)) for name in ("four", "karate")
    )
    for run_id in (on_its_own, on_karate):
        jobs.wait(run_id)
    before = load.finished(on_its_own), load.finished(on_karate)
    datasets.rename("four", "friends")
    after = load.finished(on_its_own), load.finished(on_karate)
    assert after[1] is before[1] and after[0] is not before[0]
    assert (before[0].config.dataset, after[0].config.dataset) == ("four", "friends")


def test_a_graph_that_another_program_deletes_is_let_go(visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    files = [own.File(name, text.encode()) for name, text in own.template().items()]
    own.read_files(files).save("four")
    app = visit("dataset", dataset="four")
    datasets.delete("four")
    app.run()
    assert not app.exception and not app.error
    assert app.selectbox(key="dataset").value == "digits"


@pytest.mark.parametrize("seeds", [1, 2])
def test_predictions_become_a_run_that_every_page_shows(
    seeds: int, visit: Any, jobs_in: Any
) -> None:
    jobs = jobs_in("fresh")
    graph = datasets.load("karate")
    logits = np.random.default_rng(0).normal(size=(seeds, graph.num_nodes, graph.num_classes))
    logits += 2 * np.eye(graph.num_classes)[graph.y]
    out = io.BytesIO()
    np.save(out, logits)
    app = upload(
        visit("own", **KARATE, own_part="Predictions"),
        "A file of",
        ("wrong.npy", out.getvalue()[:-8]),
    )
    app.button(key="own_diagnose").click().run()
    assert len(app.error) == 1
    app = upload(
        visit("own", **KARATE, own_part="Predictions"), "A file of", ("mine.npy", out.getvalue())
    )
    app.button(key="own_diagnose").click().run()
    assert not app.error and not app.exception
    (run,) = jobs.list()
    assert run.model == "predictions" and "Stored as run" in texts(app)
    title = "Own predictions: mine"
    for page in (page.name for page in pages.PAGES):
        app = visit(page, **KARATE, model=title)
        assert app.selectbox(key="model").value == f"predictions:{run.run_id}"
        assert not app.error, (page, app.error)
        drawn = app.get("plotly_chart") or app.get("iframe")
        assert drawn or page in ("grid", "runs", "own"), page
        assert "not possible here" not in texts(app)
        if page == "playground":
            assert any("playground_plan" in str(b) for b in app.get("download_button"))
    assert [one.run_id for one in jobs.list()] == [run.run_id], "nothing was trained"
