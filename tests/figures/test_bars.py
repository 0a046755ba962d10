"""Bar charts: the nodes of each class, and degrees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from wgnn_core.datasets.loading import load
from wgnn_core.errors import WGNNError
from wgnn_core.figures import Degrees, Style, figure_of
from wgnn_core.graph import Split, make_graph


@pytest.mark.parametrize(("nodes", "width"), [(20, 1), (300, 13)])
def test_bars_of_degrees_hold_all_nodes_and_few_share_the_last(nodes: int, width: int) -> None:
    """Everybody joined to everybody; then a star beside it has one node of many neighbours."""
    whole = np.argwhere(np.triu(np.ones((nodes, nodes)), 1))
    star = [(nodes, nodes + 1 + leaf) for leaf in range(nodes + 400)]
    n = nodes + 1 + len(star)
    split = Split(*(np.arange(n) % 3 == part for part in range(3)))
    for edges, size in ((whole, nodes), (np.concatenate([whole, star]), n)):
        masks = [mask[:size] for mask in (split.train, split.val, split.test)]
        graph = make_graph("g", np.ones((size, 1)), edges, np.arange(size) % 2, [Split(*masks)])
        counts = figure_of("degrees", (), graph).data.set_index("category")["value"]
        degree = np.bincount(edges.ravel(), minlength=size)
        assert counts.sum() == size
        for name, count in counts.items():
            low = int(str(name).removeprefix("≥ ").split("-")[0])
            high = degree.max() + 1 if "≥" in str(name) else low + width
            assert count == ((degree >= low) & (degree < high)).sum()
        assert counts.filter(like="≥").sum() <= 0.05 * size


def test_the_first_of_long_class_names_has_room() -> None:
    """Plotly leaves out a slanted name that would begin outside of the chart."""
    graph = replace(load("karate"), class_names=("A name of 24 characters,", "B"))
    page = figure_of("class-counts", (), graph).to_plotly()
    assert page.layout.margin.l >= 24 * 5.5 and page.layout.xaxis.tickangle == -35


def bars(values: list[float]) -> Degrees:
    return Degrees.of(
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
