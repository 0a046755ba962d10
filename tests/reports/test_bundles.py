"""Bundles of runs: what is in them, byte for byte; one LaTeX document of everything."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.test_export import latex_tree
from wgnn_core.errors import WGNNError
from wgnn_core.export import table_csv
from wgnn_core.figures import KINDS, Figure, Style, WHistogram, choices_of, figure_of, kinds_of
from wgnn_core.graph import Graph
from wgnn_core.intervention import Intervention
from wgnn_core.reports import command_of, figure_bundle, paper_latex, run_bundle, tables_of
from wgnn_core.reports.bundles import MEMBERS
from wgnn_core.runs.results import RunResult

Runs = dict[str, RunResult]
HOSTILE = r"a_b & 50% #1 $x^2$ {~} \end{document}"


def unzip(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_bundle_holds_the_figure_that_is_given(runs: Runs, graph: Graph) -> None:
    """What a page shows is what comes down: the bundle makes no figure of its own."""
    shown = figure_of("node-map", runs["ablation"], graph, mark="wrong test nodes", seed=5)
    moved = replace(shown, data=shown.data.assign(x=shown.data["x"] + 1), caption="Mine.")
    files = unzip(figure_bundle(moved))
    assert files["data.csv"].decode() == table_csv(moved.data)
    assert "Mine." in files["README.txt"].decode()
    assert "--mark 'wrong test nodes'" in files["command.txt"].decode()


def test_a_figure_that_nobody_knows_the_origin_of_has_no_bundle() -> None:
    with pytest.raises(WGNNError, match="was not made by figure_of"):
        figure_bundle(WHistogram.of([0.5], [True], graph="g", num_classes=2))


def test_a_bundle_of_the_graph_alone_needs_no_run(graph: Graph) -> None:
    files = unzip(figure_bundle(figure_of("class-counts", (), graph)))
    words = files["command.txt"].decode()
    assert "--dataset csbm --parameter average_degree=6" in words and "--model" not in words
    record = json.loads(files["config.json"])["run"]
    assert record["dataset"] == "csbm" and record["dataset_hash"] == graph.content_hash
    assert files["references.bib"].decode().count("@") == 2
    with pytest.raises(WGNNError, match="in no catalogue"):
        figure_bundle(figure_of("class-counts", (), replace(graph, origin=None)))


def test_a_bundle_of_an_unfinished_run_says_so(runs: Runs, graph: Graph) -> None:
    whole = runs["grid"]
    begun = replace(whole, summary=replace(whole.summary, done=3))
    for result, said in ((whole, False), (begun, True)):
        readme = unzip(figure_bundle(figure_of("eta-grid", result, graph)))["README.txt"].decode()
        assert ("was not finished" in readme) == said


def test_figure_bundle_is_of_the_run(runs: Runs, graph: Graph) -> None:
    result, style = runs["ablation"], Style("neurips", font="sans")
    choices = {"seed": 5, "at": Intervention(0.5, 0.3, 0.4), "colour": "correctness"}
    figure = figure_of("node-map", result, graph, **choices)
    content = figure_bundle(figure, style)
    assert content == figure_bundle(figure_of("node-map", result, graph, **choices), style)
    files = unzip(content)
    assert tuple(files) == MEMBERS
    assert files["data.csv"].decode() == table_csv(figure.data)
    assert files["figure.pdf"] == figure.render("pdf", style)
    whole = json.loads(files["config.json"])
    record = whole["run"]
    assert record["run_id"] == result.summary.run_id
    assert record["dataset_hash"] == graph.content_hash
    assert record["seeds"] == [3, 0, 5]
    assert record["hyper"]["epochs"] == 12
    assert set(record["versions"]) == {"python", "torch", "numpy", "scipy", "numba"}
    assert whole["figure"]["choices"]["at"]["eta1"] == 0.3
    words = files["command.txt"].decode().split()
    for flag, value in (("--at", "0.5,0.3,0.4"), ("--seed", "5"), ("--font", "sans")):
        assert words[words.index(flag) + 1] == value
    assert "kipf2017gcn" in files["references.bib"].decode()


def test_a_bundle_tells_what_trained_the_run_from_what_exports_it(
    runs: Runs, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wgnn_core.runs.config.versions", lambda: {"torch": "0"})
    monkeypatch.setattr("wgnn_core.versions._version", lambda name: f"{name} of today")
    for content, folder in (
        (figure_bundle(figure_of("w-histogram", runs["base"], graph)), ""),
        (run_bundle(runs["base"], graph), "w-histogram/"),
    ):
        files = unzip(content)
        for name in {f"{folder}config.json", "config.json"}:
            record = json.loads(files[name])
            assert record["run"]["versions"]["torch"] not in ("0", "torch of today")
            assert record["export_versions"]["torch"] == "torch of today"


def test_run_bundle_has_everything(runs: Runs, graph: Graph) -> None:
    result = runs["grid"]
    content = run_bundle(result, graph, metric="gain")
    files = unzip(content)
    kinds = kinds_of(result, graph)
    folders = {name.split("/")[0] for name in files if "/" in name}
    assert folders == {*kinds, "tables"}
    for kind in kinds:
        assert {name.split("/")[1] for name in files if name.startswith(f"{kind}/")} == set(MEMBERS)
        figure = figure_of(kind, result, graph, **choices_of(kind, {"metric": "gain"}))
        assert files[f"{kind}/data.csv"].decode() == table_csv(figure.data)
        assert f"{{{kind}/figure.pdf}}" in files["paper.tex"].decode()
        assert f"{kind}/" in files["README.txt"].decode()
    for name, text in tables_of(result, graph).items():
        assert files[f"tables/{name}"].decode() == text
    assert len(files["tables/rows.csv"].splitlines()) == 1 + len(result.rows)
    scene = figure_of("eta-grid", result, graph, metric="gain").scene
    assert files["command.txt"].decode() == command_of(None, [scene]) + "\n"
    assert "--all --metric gain" in files["command.txt"].decode()
    assert json.loads(files["config.json"])["run"]["run_id"] == result.summary.run_id
    latex_tree(files["paper.tex"].decode())
    alone = unzip(figure_bundle(figure_of("eta-grid", result, graph, metric="gain")))
    assert alone == {name: files[f"eta-grid/{name}"] for name in MEMBERS}


def every_kind(runs: Runs, graph: Graph) -> dict[str, Figure]:
    deep = [runs["2 layers"], runs["3 layers"]]
    return {
        kind: figure_of(
            kind, deep if kind == "depth-curve" else runs["grid"], graph,
            **choices_of(kind, {"node": 3}),
        )
        for kind in KINDS
    }  # fmt: skip


def hostile(graph: Graph) -> Graph:
    names = tuple(f"{HOSTILE} {i}" for i in range(graph.num_classes))
    return replace(graph, name=HOSTILE, class_names=names)


def document(runs: Runs, graph: Graph) -> str:
    tables = [tables_of(runs[name], graph)["results.tex"] for name in ("ablation", "grid", "base")]
    return paper_latex(every_kind(runs, graph), tables, Style())


def test_document_of_every_kind_parses(runs: Runs, graph: Graph) -> None:
    source = document(runs, hostile(graph))
    latex_tree(source)
    assert re.findall(r"\\includegraphics\{(.*)/figure.pdf\}", source) == list(KINDS)
    assert source.count(r"\begin{tabular}") == source.count(r"\bottomrule") == 3
    assert r"a\_b \& 50\% \#1 \$x\textasciicircum{}2\$" in source
    for table in source.split(r"\begin{table}")[1:]:
        latex_tree(r"\begin{table}" + table.split(r"\end{table}")[0] + r"\end{table}")


@pytest.mark.skipif(
    not (shutil.which("tectonic") or shutil.which("pdflatex")), reason="no LaTeX installed"
)
def test_document_of_every_kind_compiles(runs: Runs, graph: Graph, tmp_path: Path) -> None:
    named = hostile(graph)
    for kind, figure in every_kind(runs, named).items():
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "figure.pdf").write_bytes(figure.render("pdf"))
    (tmp_path / "paper.tex").write_text(document(runs, named), encoding="utf-8")
    command = ["tectonic"] if shutil.which("tectonic") else ["pdflatex", "-halt-on-error"]
    done = subprocess.run(
        [*command, "paper.tex"], cwd=tmp_path, capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 0
    if shutil.which("pdftotext"):
        words = ["pdftotext", "-layout", "paper.pdf", "-"]
        text = subprocess.run(words, cwd=tmp_path, capture_output=True, check=True, text=True)
        printed = "".join(text.stdout.split())
        assert printed.count("Table") >= 3 and printed.count("Figure") >= len(KINDS)
        assert re.search(r"b&50%#1\$x.2\$\{.\}\\end\{document\}", printed)  # names as they are
