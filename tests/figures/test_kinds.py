"""What is particular to a kind: its numbers by hand, its marks, its errors."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.figures import pdf, samples
from wgnn_core.datasets.loading import load
from wgnn_core.errors import WGNNError
from wgnn_core.figures import (
    AccuracyCoverage,
    BoundaryBox,
    ComparisonBars,
    DepthCurve,
    EtaGrid,
    HarmonicMap,
    NodeMap,
    Style,
    WHistogram,
)
from wgnn_core.figures.eta_grid import CHOSEN, NOT_ALLOWED
from wgnn_core.figures.maps import WEBGL_ABOVE
from wgnn_core.figures.node_drawing import FADED, LEGEND_ENTRIES, MANY_RINGS
from wgnn_core.layout import layout
from wgnn_core.nonuniformity import nonuniformity

XY = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=np.float32)
EDGES = np.array([[0, 1], [1, 3], [2, 3]])


def test_spread_is_the_sample_standard_deviation() -> None:
    figure = AccuracyCoverage.of([0.5, 1], {"M2": np.array([[80.0, 80], [90, 80]])}, graph="g")
    part = figure.data.set_index(["statistic", "alpha_percent"])["accuracy_percent"]
    assert part["mean", 50] == pytest.approx(85)
    assert part["upper", 50] - part["mean", 50] == pytest.approx(50**0.5)
    assert part["lower", 100] == pytest.approx(80)
    near = AccuracyCoverage.of([1.0], {"M2": np.array([[90.0], [100.0]])}, graph="g").data
    assert near["accuracy_percent"].max() == 100  # a band ends where an accuracy does
    single = AccuracyCoverage.of([1.0], {"M2": np.array([90.0])}, graph="g").data
    assert set(single["statistic"]) == {"seed", "mean"}


def test_histogram_counts_by_hand() -> None:
    figure = WHistogram.of(
        [0.1, 0.4, 0.9, 1.0], np.array([False, True, True, True]), graph="g", num_classes=2, bins=2
    )
    table = figure.data.set_index(["outcome", "w_from"])
    assert list(table.loc["correct", "count"]) == [1, 2]
    assert list(table.loc["wrong", "count"]) == [1, 0]
    assert list(table.loc["correct", "share_percent"]) == pytest.approx([100 / 3, 200 / 3])
    everyone_right = WHistogram.of([0.5], np.array([True]), graph="g", num_classes=2)
    assert everyone_right.render("pdf").startswith(b"%PDF")


def test_boxes_by_hand_and_unreachable_nodes_apart() -> None:
    w = [1, 2, 3, 4, 100, 7, 8, 9]
    figure = BoundaryBox.of(w, [0, 0, 0, 0, 0, 9, 6, np.inf], graph="g", last=6)
    rows = figure.data.set_index("distance")
    assert list(figure.data["distance"]) == ["0", "≥ 6", "none"]
    assert list(figure.data["count"]) == [5, 2, 1]
    assert rows.loc["0", ["whisker_low", "q1", "median", "q3", "whisker_high"]].tolist() == [
        1,
        2,
        3,
        4,
        4,
    ]  # 100 lies beyond 1.5 quartile ranges
    assert figure.to_plotly().layout.xaxis.ticktext[0] == "0<br>5"


def grid(**changes) -> EtaGrid:
    val, test = np.array([[70.0, 80], [np.nan, 60]]), np.array([[75.0, 70], [np.nan, 90]])
    options = {"base_test": 72, "graph": "g", "chosen": (0, 1)} | changes
    return EtaGrid.of([0.1, 0.2], [0.4, 0.8], val, test, **options)


def test_grid_marks_the_chosen_and_the_forbidden_cell() -> None:
    figure = grid(metric="gain")
    chosen = figure.data[figure.data["chosen"]].iloc[0]
    best = figure.data[figure.data["test_best"]].iloc[0]
    assert (chosen["y"], chosen["x"]) == (0.4, 0.2) and (best["y"], best["x"]) == (0.8, 0.2)
    assert chosen["gain_points"] == pytest.approx(-2)
    page = figure.to_plotly()
    outlines = {trace.name: trace for trace in page.data if trace.type == "scatter"}
    assert np.mean(outlines[CHOSEN].x[:4]) == pytest.approx(1)
    assert np.mean(outlines[CHOSEN].y[:4]) == pytest.approx(0)
    assert np.mean(outlines[NOT_ALLOWED].y[:4]) == pytest.approx(1)
    heat = page.data[0]
    assert heat.zmin == -heat.zmax and np.isnan(heat.z[1][0])


def noisy(low: float, high: float, spread: float) -> EtaGrid:
    """Four cells from `low` to `high`; the seeds differ by `spread` either side."""
    mean = np.linspace(low, high, 4).reshape(2, 2)
    seeds = np.stack([mean - spread, mean, mean + spread])
    options = {"base_test": [70.0, 70.0, 70.0], "graph": "g", "chosen": (1, 1)}
    return EtaGrid.of([0.1, 0.2], [0.4, 0.8], seeds, seeds, **options)


def test_colours_span_two_standard_errors_so_that_noise_looks_like_noise() -> None:
    loud, error = noisy(80, 80.2, 3.0), 3 / np.sqrt(3)
    heat = loud.to_plotly().data[0]
    assert (heat.zmin, heat.zmax) == pytest.approx((80.1 - 2 * error, 80.1 + 2 * error))
    assert loud.to_matplotlib().axes[0].collections[0].get_clim() == (heat.zmin, heat.zmax)
    assert "differ by up to 0.20 points; the standard error of one is 1.73." in loud.caption
    full = noisy(99, 100, 3.0).to_plotly().data[0]
    assert (full.zmin, full.zmax) == pytest.approx((100 - 4 * error, 100)), "none beyond 100 %"
    clear = noisy(60, 90, 0.1).to_plotly().data[0]
    assert (clear.zmin, clear.zmax) == pytest.approx((60, 90))


def test_a_cell_tells_mean_spread_seeds_gain_and_p() -> None:
    text = noisy(80, 83, 1.0).to_plotly().data[-1].hovertext[3]
    for part in ("83.00 (s.d. 1.00)", "gain +13.00 points", "p = 0.002", "n = 3 seeds"):
        assert part in text
    blank = grid().to_plotly().data[-1].hovertext
    assert [("not finished" in text) for text in blank] == [False, False, True, False]


def test_the_edge_is_named_only_when_the_chosen_cell_lies_on_it() -> None:
    assert "edge of the grid (η₁ = η₂ = 0.2 is the largest value" in noisy(80, 83, 1).caption
    values = np.arange(9.0).reshape(3, 3)
    inside = EtaGrid.of(
        [0.1, 0.2, 0.3], [0.0, 0.5, 1.0], values, values, base_test=0, graph="g", chosen=(2, 1)
    )
    assert "edge" not in inside.caption, "no eta is above 1"


def test_numbers_of_cells_are_no_marks_which_a_click_would_fade() -> None:
    page = grid().to_plotly()
    assert page.data[-1].mode == "markers"
    assert [a.text for a in page.layout.annotations if a.text] == ["75.0", "70.0", "90.0"]


def test_grid_fills_cell_by_cell_and_chooses_nothing_itself() -> None:
    empty = EtaGrid.of(
        [0.1, 0.2],
        [0.4],
        np.full((1, 2), np.nan),
        np.full((1, 2), np.nan),
        base_test=80.0,
        graph="g",
    )
    assert not empty.data[["chosen", "test_best"]].to_numpy().any()
    assert empty.render("pdf").startswith(b"%PDF") and empty.to_plotly().to_json()
    assert not grid(chosen=None).data["chosen"].any()


def test_small_cells_go_without_numbers() -> None:
    n = 30
    values = np.linspace(50, 90, n * n).reshape(n, n)
    eta = np.arange(n) / n
    dense = EtaGrid.of(eta, eta, values, values, base_test=50, graph="g")
    assert not dense.to_matplotlib(Style()).axes[0].texts
    assert len(grid().to_matplotlib(Style()).axes[0].texts) == 3  # one cell is blank


@pytest.mark.parametrize(("more", "kind"), [(0, "scatter"), (WEBGL_ABOVE, "scattergl")])
def test_map_is_few_traces_of_float32_and_webgl_when_large(more: int, kind: str) -> None:
    xy = np.concatenate([XY, np.full((more, 2), 0.5, dtype=np.float32)])
    picked = np.isin(np.arange(len(xy)), [0, 3])
    w = np.linspace(0.1, 0.4, len(xy))
    figure = NodeMap.of(xy, EDGES, w, colour="w", graph="g", selected=picked)
    traces = figure.to_plotly().data
    assert [trace.type for trace in traces] == [kind] * 3
    assert all(trace.x.dtype == np.float32 for trace in traces)
    edges, nodes, ring = traces
    np.testing.assert_array_equal(edges.x, [0, 1, np.nan, 1, 1, np.nan, 0, 1, np.nan])
    np.testing.assert_array_equal(nodes.customdata, range(len(xy)))
    np.testing.assert_array_equal(ring.x, xy[picked, 0])


@pytest.mark.parametrize("count", [MANY_RINGS, MANY_RINGS + 1])
def test_few_marked_nodes_have_rings_and_many_fade_the_others_on_page_and_paper(count: int) -> None:
    picked = np.arange(200) < count
    xy = np.random.default_rng(0).random((200, 2))
    figure = NodeMap.of(xy, [[0, 1]], xy[:, 0], colour="w", graph="g", selected=picked)
    fades = count > MANY_RINGS
    assert (f"{count} of them selected (the others are faded)" in figure.caption) == fades
    assert (f"{count} of them selected (rings)" in figure.caption) != fades
    traces = {trace.name: trace for trace in figure.to_plotly().data}
    assert (f"selected ({count})" in traces) != fades
    dots = next(c for c in figure.to_matplotlib().axes[0].collections if c.get_array() is not None)
    if fades:
        nodes, others = traces["nodes"], traces["others"]
        np.testing.assert_array_equal(nodes.customdata, np.flatnonzero(picked))
        np.testing.assert_array_equal(others.customdata, np.flatnonzero(~picked))
        assert (nodes.marker.opacity, others.marker.opacity) == (1, FADED)
        assert nodes.marker.showscale and not others.marker.showscale
        np.testing.assert_allclose(dots.get_alpha(), np.where(picked, 1, FADED))
        assert traces["edges"].opacity < 1
    else:
        assert traces["nodes"].marker.opacity == 1 and dots.get_alpha() is None


def test_a_part_of_a_map_keeps_the_numbers_of_its_nodes() -> None:
    numbers = np.array([7, 2, 9, 4])
    figure = NodeMap.of(XY, EDGES, [0.1] * 4, colour="w", graph="g", numbers=numbers)
    edges = figure.data[figure.data["mark"] == "edge"][["node", "to"]].to_numpy(dtype=int)
    np.testing.assert_array_equal(edges, numbers[EDGES])
    lines, dots = figure.to_plotly().data
    np.testing.assert_array_equal(dots.customdata, numbers)
    np.testing.assert_array_equal(lines.x[:2], XY[EDGES[0], 0])


def test_bars_say_how_many_seeds_once_or_for_each_group() -> None:
    def words(*counts: int) -> tuple[str, list[str]]:
        groups = {f"g{n}": {"m": np.linspace(50, 60, n)} for n in counts}
        axes = ComparisonBars.of(groups, x_name="Model").to_matplotlib().axes[0]
        return axes.get_xlabel(), [tick.get_text() for tick in axes.get_xticklabels()]

    assert words(3) == ("Model (n = 3 seeds)", ["g3"])
    assert words(3, 5) == ("Model (n: seeds)", ["g3 (n = 3)", "g5 (n = 5)"])


def test_cells_have_a_true_minus_and_no_negative_zero() -> None:
    test = np.array([[80, 79.996, 81, 78]])
    figure = EtaGrid.of(
        [0.1, 0.2, 0.3, 0.4], [0.5], test, test, base_test=80, graph="g", metric="gain"
    )
    shown = [text.get_text() for text in figure.to_matplotlib().axes[0].texts]
    assert shown == ["0.0", "0.0", "+1.0", "−2.0"]
    cells = figure.to_plotly().data[-1]
    assert list(cells.text) == shown and list(cells.x) == [0, 1, 2, 3]


def test_a_long_title_is_broken_and_not_cut() -> None:
    title = "Non-uniformity and distance to the class boundary on Cora"
    figure = BoundaryBox.of([0.1, 0.9], [0, 1], graph="Cora")
    assert figure.title == title
    shown = figure.to_matplotlib(Style("slides")).get_suptitle()
    assert "\n" in shown and shown.replace("\n", " ") == title


def test_grey_nodes_stand_in_the_legend() -> None:
    figure = NodeMap.of(XY, EDGES, [0, 1, np.inf, np.nan], colour="distance", graph="g")
    names = [text.get_text() for text in figure.to_matplotlib().legends[0].get_texts()]
    assert names == ["no boundary reached (2)"]


def test_nodes_without_value_are_grey_and_not_lost() -> None:
    figure = NodeMap.of(XY, EDGES, [0, 1, np.inf, np.nan], colour="distance", graph="g")
    nodes = [t for t in figure.to_plotly().data if t.customdata is not None]
    assert sorted(np.concatenate([t.customdata for t in nodes])) == [0, 1, 2, 3]
    assert np.isfinite(nodes[0].marker.color).all() and isinstance(nodes[1].marker.color, str)


def test_legend_of_many_classes_says_how_many_are_left_out() -> None:
    n = 40
    figure = NodeMap.of(
        np.random.default_rng(0).random((n, 2)),
        [],
        np.arange(n),
        colour="class",
        class_names=[f"c{i}" for i in range(n)],
        graph="g",
    )
    names = [text.get_text() for text in figure.to_matplotlib(Style()).legends[0].get_texts()]
    assert (
        len(names) == LEGEND_ENTRIES and names[-1] == f"and {n - LEGEND_ENTRIES + 1} more classes"
    )


def big_map(n: int = 19717, m: int = 44324) -> NodeMap:
    rng = np.random.default_rng(0)
    xy = rng.normal(size=(n, 2))
    near = np.argsort(xy[:, 0])
    start = rng.integers(0, n - 60, m)
    edges = np.stack([near[start], near[start + rng.integers(1, 60, m)]], axis=1)
    return NodeMap.of(xy, edges, rng.random(n) * 4 / 3, colour="w", graph="big", top=4 / 3)


def test_map_of_the_size_of_pubmed() -> None:
    figure = big_map()
    start = time.process_time()  # what others do on the machine is no fault of the map
    document = figure.render("pdf", Style("icml", "full"))
    assert time.process_time() - start < 10
    assert len(document) < 3e6
    assert pdf.type_sizes(document)  # the text is not part of the image
    start = time.process_time()
    source = figure.to_plotly().to_json()
    assert time.process_time() - start < 2 and len(source) < 4e6


@pytest.mark.dataset
def test_the_map_of_pubmed_itself() -> None:
    if not (Path(os.environ.get("WGNN_DATA", "")) / "PubMed").is_dir():
        pytest.skip("PubMed is not in WGNN_DATA")
    graph = load("pubmed")
    around = (
        np.eye(graph.num_classes)[graph.y] + graph.adjacency @ np.eye(graph.num_classes)[graph.y]
    )
    w = nonuniformity(around / around.sum(axis=1, keepdims=True))
    xy = layout(graph.edges, graph.num_nodes)
    start = time.process_time()
    figure = NodeMap.of(xy, graph.edges, w, colour="w", graph=graph.name, top=4 / 3)
    document = figure.render("pdf", Style("icml", "full"))
    assert time.process_time() - start < 10 and len(document) < 3e6


def test_marks_are_rasterised_above_2000_only() -> None:
    few, many = big_map(300, 200), big_map(3000, 200)
    rasters = [
        [artist.get_rasterized() for artist in figure.to_matplotlib().axes[0].collections]
        for figure in (few, many)
    ]
    assert not any(rasters[0]) and all(rasters[1])


def test_harmonic_map_layers_and_path() -> None:
    f = [0, 0.5, np.nan, 1]
    zeros, ones = np.eye(4, dtype=bool)[0], np.eye(4, dtype=bool)[3]
    figure = HarmonicMap.of(
        XY, EDGES, f, zeros=zeros, ones=ones, graph="g", class_name="c",
        steps=(0, 0.25, 0.5, 1), lines={"rising path": np.array([[0, 1], [3, 1]])},
        nodes={"V'": np.array([1]), "chosen": np.array([1, 2])},
    )  # fmt: skip
    nodes = figure.data[figure.data["mark"] == "node"]
    assert nodes["layer"].tolist()[:2] == [0, 1], "a value on a step is at most that step"
    assert nodes["layer"].tolist()[3] == 2
    assert nodes["marked"].tolist() == ["", "V'; chosen", "chosen", ""]
    traces = {trace.name: trace for trace in figure.to_plotly().data}
    route = traces["rising path (2)"]
    np.testing.assert_array_equal(route.x[[0, 1, 3, 4]], XY[[0, 1, 1, 3], 0])
    assert traces["V′"].x == XY[[1], 0] and len(traces["chosen"].x) == 2
    edges = [tuple(sorted(edge)) for edge in np.asarray(EDGES).tolist()]
    handles = [u_v for u_v, _ in traces["edge"].customdata]
    assert sorted(handles) == sorted({f"{u}-{v}" for u, v in [*edges, (0, 1), (1, 3)]})


def test_figures_can_be_rendered_by_many_threads() -> None:
    figure = samples.build()["w-histogram"]()
    jobs = [Style("icml"), Style("slides"), Style("nature", "full", "sans")] * 2
    alone = [figure.render("pdf", style) for style in jobs]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda style: figure.render("pdf", style), jobs)) == alone


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AccuracyCoverage.of([0, 1], {"a": np.ones((1, 2))}, graph="g"), r"in \(0, 1\]"),
        (lambda: AccuracyCoverage.of([1], {"a": np.ones((1, 2))}, graph="g"), r"\(seeds, 1\)"),
        (lambda: DepthCurve.of([2], {}, graph="g"), "no series"),
        (lambda: ComparisonBars.of({}), "no results"),
        (lambda: ComparisonBars.of({"d": {"m": np.array([np.nan])}}), "m on d"),
        (lambda: WHistogram.of([1], np.ones(2, bool), graph="g", num_classes=2), "same"),
        (lambda: BoundaryBox.of([], [], graph="g"), "non-zero"),
        (lambda: grid(metric="loss"), "choose one of val, test, gain"),
        (lambda: grid(chosen=(5, 0)), "outside the grid"),
        (lambda: NodeMap.of(XY, EDGES, [0] * 4, colour="age", graph="g"), "choose one of class"),
        (lambda: NodeMap.of(XY, EDGES, [0, 1, 2, 9], colour="class", graph="g"), "class values"),
        (lambda: NodeMap.of(XY, [[0, 7]], [0] * 4, colour="w", graph="g"), "names node 7"),
        (lambda: NodeMap.of(XY * np.nan, EDGES, [0] * 4, colour="w", graph="g"), "coordinates"),
        (lambda: NodeMap.of(XY, EDGES, [0] * 3, colour="w", graph="g"), "value"),
    ],
)
def test_bad_numbers_are_named(make, message) -> None:
    with pytest.raises(WGNNError, match=message):
        make()
