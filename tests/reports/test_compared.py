"""Several runs side by side, and the command that makes them again."""

from __future__ import annotations

import io
import json
import shlex
import zipfile
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from wgnn_core.cli import app
from wgnn_core.cli import export as module
from wgnn_core.errors import WGNNError
from wgnn_core.figures import figure_of, kinds_of
from wgnn_core.figures.methods import scores_of
from wgnn_core.figures.spread import MEAN, SEED
from wgnn_core.graph import Graph
from wgnn_core.reports import figure_bundle
from wgnn_core.runs.results import RunResult, load_result
from wgnn_core.runs.store import Store

Runs = dict[str, RunResult]


def test_a_group_for_each_base_model_with_the_numbers_of_the_store(
    runs: Runs, graph: Graph
) -> None:
    results = [runs["ablation"], runs["2 layers"]]
    figure = figure_of("comparison-bars", results, graph)
    data = figure.data
    assert list(data["group"].drop_duplicates()) == ["GCN", "GAT"]
    assert figure.x_name == f"Base model on {graph.title}"
    for group, result in zip(("GCN", "GAT"), results, strict=True):
        expected = list(scores_of(result).values())
        mine = data[data["group"] == group]
        methods = list(mine["method"].drop_duplicates())
        assert methods[0] == "base model" and len(methods) == len(expected)
        for method, accuracies in zip(methods, expected, strict=True):
            rows = mine[mine["method"] == method]
            dots = rows[rows["statistic"] == SEED]["accuracy_percent"]
            np.testing.assert_array_equal(dots, accuracies)
            mean = rows[rows["statistic"] == MEAN]["accuracy_percent"]
            assert mean.item() == pytest.approx(accuracies.mean())
    gcn = data[data["group"] == "GCN"]["method"]
    assert set(gcn) == {"base model", "wGNN", "wGNN1", "wGNN2"}
    assert "each of the 3 seeds" in figure.caption
    assert "n = 3 seeds" in figure.to_matplotlib().axes[0].get_xlabel()
    assert "comparison-bars" in kinds_of(results, graph)


def test_runs_of_the_same_model_keep_their_ids(runs: Runs, graph: Graph) -> None:
    pair = [runs["ablation"], runs["base"]]
    groups = list(figure_of("comparison-bars", pair, graph).data["group"].drop_duplicates())
    assert groups == [f"GCN ({run.summary.run_id[:8]})" for run in pair]


def test_runs_on_one_graph_can_share_a_group(runs: Runs, graph: Graph) -> None:
    """As on the playground: one bar for the base model that several runs share."""
    pair = [runs["ablation"], runs["grid"], runs["2 layers"]]
    data = figure_of("comparison-bars", pair, graph, by="graph").data
    assert set(data["group"]) == {graph.title}
    seeds = data[data["statistic"] == SEED]
    methods = {m: rows["accuracy_percent"].tolist() for m, rows in seeds.groupby("method")}
    assert methods["GCN (base)"] == pair[0].base.test.tolist()
    assert methods["GAT (base)"] == pair[2].base.test.tolist()
    count = [len(scores_of(run)) for run in pair]
    assert len(methods) == sum(count) - 1, "GCN's base model is the same in two of the runs"


def test_a_run_is_compared_once(runs: Runs, graph: Graph) -> None:
    with pytest.raises(WGNNError, match="is given twice"):
        figure_of("comparison-bars", [runs["base"], runs["base"]], graph)


def test_the_command_of_the_bundle_makes_it_again(
    runs: Runs, graph: Graph, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = [runs["ablation"], runs["2 layers"]]
    content = figure_bundle(figure_of("comparison-bars", results, graph))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(tmp_path)
    wanted = json.loads((tmp_path / "config.json").read_text())["run"]["runs"]
    assert [run["model"] for run in wanted] == ["gcn", "gat"]
    assert {"kipf2017gcn", "velickovic2018gat"} <= {
        line.split("{")[1].rstrip(",")
        for line in (tmp_path / "references.bib").read_text().splitlines()
        if line.startswith("@")
    }
    # read back as the very same runs: their ids are hashes of everything that decides a number
    monkeypatch.setattr(module, "run_to_end", lambda config: load_result(store, config.run_id))
    monkeypatch.chdir(tmp_path)
    words = shlex.split((tmp_path / "command.txt").read_text())
    done = CliRunner().invoke(app, words[3:], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (again,) = (tmp_path / "figures").glob("*.zip")
    assert again.read_bytes() == content


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read"),
        ("{", "is no config.json of a bundle"),
        ("[]", "is no config.json of a bundle"),
        ('{"run": {"runs": [3]}}', "is no configuration of a run"),
        ('{"run": {"dataset": "karate", "search": "x"}}', "search is 'x'"),
    ],
)
def test_a_wrong_record_is_one_line(text: str | None, message: str, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    if text is not None:
        file.write_text(text)
    words = ["export", "--configs", str(file), "--figure", "comparison-bars"]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, WGNNError)
    assert message in str(result.exception) and "\n" not in str(result.exception)
