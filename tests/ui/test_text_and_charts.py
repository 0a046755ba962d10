"""Names in Markdown, and the bars."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.charts import Bars
from ui.choice import Choice
from ui.text import count, md
from wgnn_core.errors import WGNNError
from wgnn_core.figures.style import Style
from wgnn_core.figures.text import label


@given(st.text(max_size=300))
def test_markdown_loses_its_meaning_and_nothing_else(name: str) -> None:
    text = md(name)
    assert not re.search(r"(?<!\\)[`*_\[\]()<>$:|#]", re.sub(r"\\\\", "", text))
    shown = re.sub(r"\\(.)", r"\1", text)
    assert shown == label(name)


def test_counts() -> None:
    assert count(1, "node") == "1 node"
    assert count(2708, "node") == "2,708 nodes"


def bars(values: list[float]) -> Bars:
    return Bars.of(
        ["<b>a</b>", "b"], {"x": values}, title="t", caption="c", x_label="X", y_label="Y (%)"
    )


def test_bars_draw_their_numbers_in_both_renderers() -> None:
    figure = bars([3, 5])
    chart = figure.to_plotly()
    assert list(chart.data[0].y) == [3, 5]
    assert "<b>" not in str(chart.layout.xaxis.ticktext)
    paper = figure.to_matplotlib(Style())
    assert [bar.get_height() for bar in paper.axes[0].patches] == [3, 5]
    assert (paper.axes[0].get_xlabel(), paper.axes[0].get_ylabel()) == ("X", "Y (%)")


@pytest.mark.parametrize("values", [[1.0], [1.0, np.nan]])
def test_bars_refuse_what_cannot_be_drawn(values: list[float]) -> None:
    with pytest.raises(WGNNError, match="finite"):
        bars(values)


def test_the_command_of_a_choice_is_one_the_command_line_takes() -> None:
    from typer.testing import CliRunner

    from wgnn_core.cli import app

    choice = Choice("karate", model="gcn", hyper=(("epochs", 3), ("input_dropout", 0.1)), seeds=2)
    words = choice.command((0.5, 0.2, 0.1)).split()
    assert words[:3] == ["python", "-m", "wgnn_core"]
    result = CliRunner().invoke(app, words[3:])
    assert result.exit_code == 0, result.output


def test_the_command_of_a_generated_graph_is_python_that_compiles() -> None:
    choice = Choice("csbm", parameters=(("homophily", 0.5),), seeds=2)
    code = choice.command((0.5, 0.2, 0.1)).removeprefix('python -c "').removesuffix('"')
    compile(code, "command", "exec")
    assert "datasets.load('csbm', homophily=0.5)" in code
