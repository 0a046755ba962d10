"""What a visitor does on a page, step by step."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ui.jobs import WATCHED
from wgnn_core.figures.verdict import gain, tried, verdict
from wgnn_core.intervention import Intervention, make_plan
from wgnn_core.runs.config import RunConfig
from wgnn_core.statistics import CORRECTED, compare

KARATE = {"dataset": "Karate club"}


def etas_of(run: Any) -> tuple[tuple[float, float, float], ...]:
    return tuple(one.etas for one in run.config.interventions)


def metrics(app: Any) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def test_without_benchmark_files_the_app_opens_on_digits(
    visit: Any, jobs_in: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    jobs_in("fresh")
    assert visit().selectbox(key="dataset").value == "digits"


def test_a_link_reproduces_the_view(visit: Any, jobs_in: Any) -> None:
    jobs = jobs_in("finished")
    app = visit("playground", **KARATE, eta0="0.25", eta1="0.9", eta2="1.0", seeds="3")
    assert app.slider(key="eta0").value == 0.25
    asked = [run.config for run in jobs.list() if etas_of(run) == ((0.25, 0.9, 1.0),)]
    assert [config.seeds for config in asked] == [(0, 1, 2)]


def test_a_run_that_has_ended_is_no_reason_to_draw_a_page_twice(
    visit: Any, jobs_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = jobs_in("finished").submit(RunConfig("karate", hyper=(("epochs", 12),), seeds=(0, 1)))
    app = visit(**KARATE)
    app.session_state[WATCHED] = {run: True}

    def refuse() -> None:
        raise AssertionError("the page is drawn again")

    monkeypatch.setattr("streamlit.rerun", refuse)
    app.run()
    assert not app.exception
    assert app.session_state[WATCHED] == {}


def test_the_playground_trains_the_three_variants_one_after_another(
    visit: Any, jobs_in: Any
) -> None:
    jobs = jobs_in("finished")
    app = visit("playground", **KARATE, eta0="0.45", eta1="0.55", eta2="0.65")
    wanted = [(0.45, 0.55, 0.65), (0.45, 0.0, 0.0), (0.0, 0.55, 0.65)]
    for number in range(3):
        trained = {etas_of(run) for run in jobs.list()}
        assert {(triple,) in trained for triple in wanted[: number + 1]} == {True}
        app.run()
    assert not app.exception
    methods = next(d.value for d in app.dataframe if "Method" in d.value)["Method"].tolist()
    assert methods == ["base", "wGNN", "wGNN1", "wGNN2"]


def test_the_playground_compares_with_the_comparators(visit: Any, jobs_in: Any) -> None:
    jobs = jobs_in("finished")
    app = visit("playground", **KARATE, playground_against=["ReNode", "Self-training", "PTDNet"])
    app.run()
    assert not app.exception
    table = next(d.value for d in app.dataframe if "Method" in d.value).set_index("Method")
    assert table.index.tolist()[-2:] == ["ReNode", "Self-training"]
    config = RunConfig("karate", model="self-training", seeds=(0, 1))
    other = jobs.result(config.run_id).base
    assert table.loc["Self-training", "Test"] == pytest.approx(other.test.mean())
    assert table.loc["Self-training", "Validation"] == pytest.approx(other.val.mean())
    assert other.joined.min() > 0
    said = f"Self-training added {other.joined.mean():.0f} nodes by itself."
    assert any(said in caption.value for caption in app.caption)
    # PTDNet is not cheap: it waits for a click
    assert "ptdnet" not in {run.model for run in jobs.list()}
    assert app.button(key="playground_against_ptdnet").label == "Train PTDNet (2 trainings)"


def test_wgnn_is_put_around_a_comparator(visit: Any, jobs_in: Any) -> None:
    jobs = jobs_in("finished")
    visit("start", **KARATE, model="Self-training (comparator)")
    (run,) = [
        run for run in jobs.list() if run.model == "self-training" and run.config.interventions
    ]
    assert jobs.result(run.run_id).base.joined.min() > 0


def test_the_playground_shows_validation_first_and_counts_the_etas_tried(
    visit: Any, jobs_in: Any
) -> None:
    jobs = jobs_in("finished")
    learns = {"gcn_epochs": "100", "gcn_lr": "0.1"}
    app = visit("playground", **KARATE, **learns, eta0="0.4", eta1="0.5", eta2="0.5")
    assert not any("You have tried" in caption.value for caption in app.caption)
    app.slider(key="eta0").set_value(0.6).run()
    assert not app.exception
    names = [metric.label for metric in app.metric]
    assert names[:2] == ["Validation accuracy", "Test accuracy"]
    base = RunConfig("karate", seeds=(0, 1), hyper=(("epochs", 100), ("lr", 0.1)))
    seen = {}
    for eta0 in (0.4, 0.6):
        at = Intervention(eta0, 0.5, 0.5)
        result = jobs.result(replace(base, interventions=(at,)).run_id)
        rows = result.of(at)
        seen[at] = (rows["val"].mean(), rows["test"].mean())
    val, test = (
        compare(before, rows[name], result.overlap)  # two seeds on two splits
        for before, name in ((result.base.val, "val"), (result.base.test, "test"))
    )
    assert metrics(app)["Validation accuracy"] == (f"{val.base_mean:.2f} → {val.other_mean:.2f} %")
    assert [m.delta for m in app.metric][:2] == [gain(val), gain(test)]
    captions = [caption.value for caption in app.caption]
    assert tried(seen) in captions
    mean_w = float(result.base.w.mean())
    said = verdict(result.base.test, rows["test"], mean_w, 2, result.overlap)
    assert test.test == CORRECTED
    assert f"{said.word}: {said.numbers}" in captions
    # the results below are of the same η, also when an η is trained already
    app.slider(key="eta0").set_value(0.4).run()
    assert any("After retraining with η₀ = 0.4" in head.value for head in app.subheader)


def test_nothing_is_said_against_an_untrained_base_model(visit: Any, jobs_in: Any) -> None:
    jobs_in("finished")
    app = visit("playground", **KARATE, gcn_epochs="1", gcn_lr="1e-05")
    assert "…" not in metrics(app)["Test accuracy"]
    text = " ".join(caption.value for caption in app.caption)
    assert not any(word in text for word in ("helps", "hurts", "beyond noise"))


@pytest.mark.parametrize("value", ["7", "-1", "nan", "x' OR 1=1", "1e400", "😀"])
def test_a_tampered_link_falls_back_to_the_default(value: str, visit: Any, jobs_in: Any) -> None:
    jobs_in("finished")
    app = visit("playground", **KARATE, eta0=value, model=value, pool=value)
    assert 0 <= app.slider(key="eta0").value <= 1
    assert not app.error


def test_sliders_show_the_plan_of_the_library(visit: Any, jobs_in: Any) -> None:
    jobs = jobs_in("finished")
    app = visit("playground", **KARATE)
    first = app.get("iframe")[0].proto.srcdoc
    app.slider(key="eta0").set_value(0.5).run()
    app.slider(key="eta1").set_value(1.0).run()
    app.slider(key="eta2").set_value(1.0).run()
    assert not app.exception
    config = RunConfig("karate", seeds=(0, 1), hyper=(("epochs", 12),))
    base = jobs.result(config.run_id).base
    plan = make_plan(base, 0, Intervention(0.5, 1.0, 1.0))
    shown = metrics(app)
    assert shown["Join R′"] == str(plan.supplement.added.sum())
    assert shown["In V′"] == "34"
    assert shown["Edges that go"] == str(plan.edge_drop.dropped.sum()) == str(78 - 33)
    assert shown["Components"] == "1"
    assert app.get("iframe")[0].proto.srcdoc != first


def test_alpha_marks_that_share_of_the_test_nodes(visit: Any, jobs_in: Any) -> None:
    jobs_in("finished")
    app = visit("problem1", **KARATE)
    app.slider(key="problem1_alpha").set_value(0.5).run()
    assert metrics(app)["Trusted nodes"] == "12"
    figure = json.loads(app.get("plotly_chart")[1].proto.spec)
    assert any(trace.get("name") == "selected (12)" for trace in figure["data"])


def test_the_threshold_splits_the_test_nodes(visit: Any, jobs_in: Any) -> None:
    jobs_in("finished")
    app = visit("map", **KARATE)
    for value, below in ((0.0, "0"), (1.0, "24")):
        app.slider(key="map_threshold").set_value(value).run()
        assert metrics(app)["Test nodes below"] == below


def test_a_grid_is_looked_into_and_sent_to_the_playground(visit: Any, jobs_in: Any) -> None:
    jobs_in("finished")
    app = visit("grid", **KARATE, grid_x=["0.2", "0.6"], grid_y=["0.4", "0.8"])
    app.button(key="grid_run").click().run()
    app.select_slider(key="grid_at_x").set_value(0.6).run()
    app.select_slider(key="grid_at_y").set_value(0.4).run()
    assert set(metrics(app)) == {"Validation", "Test"}
    link = app.get("page_link")[-1].proto
    assert link.page == "playground"
    assert link.query_string == "eta0=0.4&eta1=0.6&eta2=0.6"


def test_the_two_stage_search_runs_and_shows_both_stages(visit: Any, jobs_in: Any) -> None:
    jobs = jobs_in("finished")
    app = visit("grid", **KARATE, grid_search="The authors' two stages", grid_steps=["0.3", "0.7"])
    app.button(key="grid_run").click().run()
    assert not app.exception
    (run,) = [
        run
        for run in jobs.list()
        if run.config.search == "two-stage"
        and run.dataset == "karate"
        and run.config.steps == (0.3, 0.7)
    ]
    result = jobs.result(run.run_id)
    chosen = result.chosen
    assert len(app.get("plotly_chart")) == 5, "three of the first stage, two of the second"
    stage = app.dataframe[-1].value
    assert sorted(stage["x"]) == [0.0, 0.3, 0.7], "with η₀ = 0"
    assert stage.loc[stage["chosen"], "x"].tolist() == [chosen.eta0]
    assert stage["val_percent"].is_monotonic_decreasing, "what validation likes best first"
    same = result.rows[["eta1", "eta2"]].eq([chosen.eta1, chosen.eta2]).all(axis=1)
    means = result.rows[same].groupby("eta0")["val"].mean()
    assert stage.sort_values("x")["val_percent"].tolist() == pytest.approx(means.tolist())


def test_the_papers_study_and_values_in_order(visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    app = visit("grid", **KARATE)
    app.button(key="grid_study").click().run()
    assert app.multiselect(key="grid_y").value == [0.2, 0.4, 0.6, 0.8]
    assert app.multiselect(key="grid_x").value == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    app.multiselect(key="grid_x").set_value([0.7, 0.1, 0.4]).run()
    assert app.multiselect(key="grid_x").value == [0.1, 0.4, 0.7]
    assert not app.exception


def test_wrong_nodes_and_the_way_to_the_inspector(visit: Any, jobs_in: Any) -> None:
    jobs = jobs_in("finished")
    app = visit("model", **KARATE, eta0="0.35", eta1="0.0", eta2="0.0")
    assert any("not trained yet" in caption.value for caption in app.caption)
    app.button(key="model_train").click().run()
    assert not app.exception
    config = RunConfig("karate", seeds=(0, 1), hyper=(("epochs", 12),))
    result = jobs.result(config.run_id)
    wrong = (result.base.predicted[0] != result.graph.y) & result.graph.split(0).test
    table = next(d.value for d in app.dataframe if "state" in d.value)
    before = table[table["state"].isin(["wrong", "fixed"])]
    assert set(before["node"]) == set(wrong.nonzero()[0].tolist())
    assert (table["true class"] != table["before"]).tolist() == (
        table["state"] != "broken"
    ).tolist()
    classes = next(d.value for d in app.dataframe if "nodes" in d.value)
    assert classes["nodes"].sum() == 48 and "change" in classes


def test_marks_seeds_and_thresholds_are_in_the_address(visit: Any, jobs_in: Any) -> None:
    jobs_in("finished")
    app = visit("map", **KARATE, map_seed="1", map_threshold="0.25", map_ring="train")
    assert app.selectbox(key="map_seed").value == 1
    assert app.slider(key="map_threshold").value == 0.25
    assert app.selectbox(key="map_ring").value == "train"


def test_hyperparameters_reach_the_run(visit: Any, jobs_in: Any) -> None:
    jobs = jobs_in("fresh")
    app = visit("map", **KARATE)
    for hidden in (16, 7):  # what nobody asked for and nobody looks at any more is withdrawn
        app.number_input(key="gcn_hidden").set_value(hidden).run()
        assert [dict(run.config.resolve().hyper)["hidden"] for run in jobs.list()] == [hidden]
    app.selectbox(key="model").set_value("gat").run()
    assert jobs.list() == [], "GAT is not cheap: it waits for a click"
    app.button(key="need").click().run()
    assert [c.model for c in (run.config for run in jobs.list()) if c.model == "gat"] == ["gat"]


def test_a_generated_graph_follows_its_form(visit: Any, jobs_in: Any) -> None:
    jobs_in("fresh")
    app = visit("dataset", dataset="Contextual block model", csbm_nodes="200", csbm_classes="3")
    assert metrics(app)["Nodes"] == "200"
    assert metrics(app)["Classes"] == "3"


def test_runs_are_noted_pinned_and_deleted(visit: Any, jobs_in: Any) -> None:
    jobs = jobs_in("fresh")
    run_id = jobs.submit(RunConfig("karate", seeds=(0,)))
    jobs.note(run_id, "=HYPERLINK('x') <b>bold</b>")
    jobs.pin(run_id)
    app = visit("runs", **KARATE)
    table = app.dataframe[0].value
    assert table["note"].tolist() == ["=HYPERLINK('x') <b>bold</b>"]
    assert table["pinned"].tolist() == [True]
    app.multiselect(key="runs_state").set_value(["failed"]).run()
    assert len(app.dataframe[0].value) == 0
    shared = visit("runs", **KARATE, runs_text="BOLD", runs_state=["queued"])
    assert shared.text_input(key="runs_text").value == "BOLD"
    assert len(shared.dataframe[0].value) == 1
