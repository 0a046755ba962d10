"""What leaves the program: bundles, tables and pages."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wgnn_core import datasets
from wgnn_core.comparators import METHODS
from wgnn_core.export import (
    figure_latex,
    offline_html,
    result_table,
    table_csv,
    table_latex,
    table_markdown,
)
from wgnn_core.figures import ComparisonBars, NodeMap, Style, WHistogram
from wgnn_core.figures.references import ENTRIES, references

HOSTILE = r"a_b & 50% #1 $x^2$ {~} \end{document} <script>alert(1)</script> | * é😀"


def histogram(graph: str = "Cora") -> WHistogram:
    w = np.linspace(0, 1.7, 50)
    return WHistogram.of(w, w > 0.6, graph=graph, num_classes=7)


def test_data_reads_back_exactly() -> None:
    figure = ComparisonBars.of({"Cora": {"GCN": np.array([10, 20]) / 3, HOSTILE: np.ones(2) / 7}})
    back = pd.read_csv(io.StringIO(table_csv(figure.data)), dtype={"seed": "Int64"})
    np.testing.assert_array_equal(back["accuracy_percent"], figure.data["accuracy_percent"])
    assert back["seed"].isna().sum() == figure.data["seed"].isna().sum() > 0
    assert set(back["method"]) == set(figure.data["method"])


def results() -> dict[str, dict[str, np.ndarray]]:
    return {
        "Cora": {"GCN": np.array([80.0, 82]), "wGNN": np.array([83.0, 85])},
        HOSTILE: {"GCN": np.array([70.0, 70]), HOSTILE: np.array([60.0])},
    }


def test_result_table_by_hand() -> None:
    table = result_table(results(), {"Cora": {"wGNN": 0.01}})
    row = table[(table["method"] == "wGNN") & (table["dataset"] == "Cora")].iloc[0]
    assert row["mean_percent"] == pytest.approx(84)
    assert row["std_percent"] == pytest.approx(2**0.5)
    assert row["n"] == 2 and row["p_value"] == 0.01
    assert table["p_value"].isna().sum() == 3
    assert table_csv(table).splitlines()[0] == "method,dataset,mean_percent,std_percent,n,p_value"


def test_latex_table_by_hand() -> None:
    lines = table_latex(result_table(results(), {"Cora": {"wGNN": 0.01, "GCN": 0.5}})).splitlines()
    assert any(
        line.startswith(r"GCN & 81.00 $\pm$ 1.41 & \textbf{70.00} $\pm$ 0.00 \\") for line in lines
    )
    assert any(r"wGNN & \textbf{84.00} $\pm$ 1.41$^{*}$ & -- \\" in line for line in lines)
    for rule in ("toprule", "midrule", "bottomrule"):
        assert sum(line == f"\\{rule}" for line in lines) == 1


def test_equal_means_are_all_bold() -> None:
    table = result_table(
        {"d": {"a": np.array([50.0]), "b": np.array([50.0001]), "c": np.array([40.0])}}
    )
    assert table_latex(table).count(r"\textbf") == 2
    assert table_markdown(table).count("**50.00**") == 2


def latex_tree(source: str) -> None:
    """A parser of what LaTeX would stumble over: groups, math, environments, columns."""
    body = re.sub(r"\\[\\{}$&#_%]", lambda m: "\n" if m[0] == r"\\" else "", source)
    assert not set("%#~") & set(body)
    depth, math, stack, columns = 0, False, [], None
    for token in re.findall(r"\\begin\{\w+\*?\}(?:\{[lc]+\})?|\\end\{\w+\*?\}|\\\w+|.|\n", body):
        opened = re.fullmatch(r"\\begin\{(\w+\*?)\}(?:\{([lc]+)\})?", token)
        closed = re.fullmatch(r"\\end\{(\w+\*?)\}", token)
        if opened:
            stack.append(opened[1])
            columns = len(opened[2]) if opened[2] else columns
        elif closed:
            assert stack.pop() == closed[1] and not math and depth == 0
        elif token in "{}":
            depth += 1 if token == "{" else -1
            assert depth >= 0
        elif token == "$":
            math = not math
        elif token in "_^":
            assert math, "a subscript outside math"
        elif token == "&":
            assert stack[-1] == "tabular"
        assert ord(token[0]) < 256
    assert not stack and not math and depth == 0
    if columns:
        rows = source.split(r"\toprule")[1].split(r"\bottomrule")[0].replace(r"\midrule", "")
        for row in filter(str.strip, rows.split(r"\\" + "\n")):
            assert len(re.findall(r"(?<!\\)&", row)) == columns - 1


@pytest.mark.parametrize(
    "broken", [r"a_b", r"\begin{table}", "{", "$x", r"\begin{a}\end{b}", "50%"]
)
def test_the_parser_finds_faults(broken) -> None:
    with pytest.raises((AssertionError, IndexError)):
        latex_tree(broken)


def paper() -> str:
    """A document with one figure and one table full of hostile names."""
    return "\n".join(
        [
            r"\documentclass{article}",
            r"\usepackage{graphicx,booktabs}",
            r"\begin{document}",
            figure_latex(histogram(HOSTILE), Style()),
            table_latex(result_table(results(), {"Cora": {"wGNN": 0.01}}), caption=HOSTILE),
            r"\end{document}",
            "",
        ]
    )


def test_latex_with_hostile_names_parses() -> None:
    latex_tree(paper())


@pytest.mark.skipif(
    not (shutil.which("tectonic") or shutil.which("pdflatex")), reason="no LaTeX installed"
)
def test_latex_with_hostile_names_compiles(tmp_path: Path) -> None:
    (tmp_path / "figure.pdf").write_bytes(histogram().render("pdf"))
    (tmp_path / "paper.tex").write_text(paper(), encoding="utf-8")
    command = ["tectonic"] if shutil.which("tectonic") else ["pdflatex", "-halt-on-error"]
    done = subprocess.run(
        [*command, "paper.tex"], cwd=tmp_path, capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 0


def test_markdown_table_keeps_its_columns() -> None:
    lines = table_markdown(result_table(results())).splitlines()
    bars = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    assert bars == {4} and "<script" not in "".join(lines)


def node_map() -> NodeMap:
    xy = np.array([[0, 0], [1, 0], [0.5, 1]])
    names = ["</script><script>window.hacked = 1</script>", HOSTILE]
    return NodeMap.of(
        xy, [[0, 1], [1, 2]], [0, 1, 1], colour="class", class_names=names, graph=HOSTILE
    )


def test_offline_page_is_whole_and_byte_identical() -> None:
    source = offline_html(node_map())
    assert source == offline_html(node_map())
    assert "window.hacked = 1</script>" not in source and "<script>alert" not in source
    assert not re.search(r"<(?:script|link|img)[^>]*\s(?:src|href)\s*=", source)
    assert len(source) > 1e6  # plotly.js is inside


def test_offline_page_opens_without_network(tmp_path: Path) -> None:
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        pytest.skip("no Chromium installed")
    from playwright.sync_api import sync_playwright

    (tmp_path / "map.html").write_text(offline_html(node_map(), dark=True), encoding="utf-8")
    faults: list[str] = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "request",
            lambda r: (
                None if r.url.startswith(("file:", "data:", "blob:")) else faults.append(r.url)
            ),
        )
        page.goto((tmp_path / "map.html").as_uri())
        page.wait_for_selector(".legendtext")
        legend = page.locator(".legendtext").all_text_contents()
        assert page.evaluate("window.hacked") is None
        browser.close()
    assert not faults
    assert any("<script>window.hacked" in text for text in legend)  # shown, not run


def test_references_are_well_formed_and_complete() -> None:
    simulated = {"disease-sim"}
    assert {spec.name for spec in datasets.catalogue()} - simulated <= set(ENTRIES)
    text = references(ENTRIES, METHODS)
    assert text.count("{") == text.count("}")
    keys = re.findall(r"^@\w+\{(\w+),$", text, re.M)
    assert len(keys) == len(set(keys)) == len(set(ENTRIES.values())) + len(METHODS)
    for field in ("author", "title", "year"):
        assert len(re.findall(rf"^  {field} = \{{", text, re.M)) == len(keys)
    assert "li2018deeper" in references([], ["self-training"])
    assert references(["mine"]) == references() == ENTRIES["wgnn"]
