"""Names in Markdown, and the bars."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.charts import Bars
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
