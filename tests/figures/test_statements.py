"""The figures of Section 3: each statement on the gallery and on a run, with its numbers."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from wgnn_core import datasets
from wgnn_core.errors import WGNNError
from wgnn_core.figures import KINDS, HarmonicMap, figure_of, missing
from wgnn_core.figures.maps import EDGE, nodes_of
from wgnn_core.figures.statements import NAMES
from wgnn_core.reports import figure_bundle
from wgnn_core.theory.gallery import GALLERY
from wgnn_core.theory.harmonic import flow_between
from wgnn_core.theory.levels import level_parts
from wgnn_core.theory.specimens import SIDES, places, specimen_graph, specimen_of

AT = "0.5,0.4,0.5"


def shown(name: str, statement: str, **choices) -> HarmonicMap:
    text = f"gallery:{name}"
    graph, xy = specimen_graph(text), places(specimen_of(text))
    choices = {"label": SIDES[1], "at": AT} | choices
    figure = figure_of("harmonic-map", (), graph, xy=xy, statement=statement, **choices)
    assert isinstance(figure, HarmonicMap)
    return figure


def lines(figure: HarmonicMap, name: str) -> set[tuple[int, int]]:
    edges = figure.data[(figure.data["mark"] == EDGE) & (figure.data["line"] == name)]
    return {(int(u), int(v)) for u, v in zip(edges["node"], edges["to"], strict=True)}


@pytest.mark.parametrize("name", GALLERY)
def test_every_statement_can_be_drawn_on_every_specimen(name: str) -> None:
    least = {"least": ",".join(map(str, GALLERY[name].least))} if GALLERY[name].least else {}
    for statement in NAMES:
        figure = shown(name, statement, **least)
        assert figure.to_plotly().data
        assert (statement == "none") == (not figure.statements)
        for one in figure.statements:
            assert one.title in figure.caption
        assert "nan" not in figure.caption


def test_the_rising_path_is_marked_and_rises() -> None:
    figure = shown("barbell", "theorem-1", node=5)
    assert lines(figure, "rising path") == {(0, 4), (4, 5), (5, 6), (6, 7), (7, 10)}
    marked = nodes_of(figure.data)["marked"]
    assert marked[5] == "chosen node" and marked[6] == ""
    curve = figure_of("rising-path", (), specimen_graph("gallery:barbell"), label="V₁", node=5)
    assert curve.data["node"].tolist() == [0, 4, 5, 6, 7, 10]
    assert (curve.data["rise"].dropna() > 0).all()


def test_counterexamples_show_their_numbers() -> None:
    dropped = shown("cut-edge", "fewer-edges", dropped="0-3")
    (remark,) = dropped.statements
    assert remark.left.value == pytest.approx(1 / 11) and remark.right.value == pytest.approx(
        1 / 15
    )
    assert lines(dropped, "dropped") == {(0, 3)} and "rule of thumb" in dropped.caption
    f = nodes_of(dropped.data)["f"].to_numpy(dtype=float)
    assert f[5] - f[3] == pytest.approx(1 / 5), "colours are those after the edge went"
    joined = shown("wrong-label", "more-observed", joining="0")
    assert joined.statements[0].right.value == pytest.approx(0)
    assert not joined.statements[0].applies
    bound, place = shown("above-limit", "theorem-3", least="0,4").statements
    assert bound.holds and not place.applies and not place.holds


def test_algorithms_without_a_network_use_w_of_the_interpolation() -> None:
    more = shown("path", "more-observed", at="0.5,0,0")
    new = [int(v) for v in more.statements[0].nodes["newly observed"]]
    assert new == [1, 2, 7], "the three of seven that are nearest to a pole; ties by number"
    observed = nodes_of(more.data)["observed"]
    assert observed[1] == observed[2] == 0 and observed[7] == 1
    assert more.statements[0].applies
    less = shown("communities", "fewer-edges", at="0,0.5,1")
    assert len(lines(less, "dropped")) > 0


def test_level_sets_share_two_colours_and_their_edges() -> None:
    figure = shown("path", "corollary-1", level=0.5)
    assert figure.steps == (0.0, 0.5, 1.0)
    assert nodes_of(figure.data)["layer"].tolist() == [0] * 5 + [1] * 4, "4 has the value 1/2"
    assert lines(figure, "edges at most r") == {(0, 1), (1, 2), (2, 3), (3, 4)}
    assert lines(figure, "edges above r") == {(5, 6), (6, 7), (7, 8)}


def test_level_parts_by_hand() -> None:
    item = GALLERY["leaky-path"]
    flow = flow_between(item.adjacency, item.mask(item.zeros), item.mask(item.ones))
    r, below, above = level_parts(item.adjacency, flow)
    for i, (low, high) in enumerate(zip(r, [*r[1:], 1.0], strict=True)):
        under = flow.f <= (low + high) / 2
        for mask, found in ((under, below[i]), (~under, above[i])):
            inside = item.adjacency.toarray()[np.ix_(mask, mask)]
            seen, parts = set(), 0
            for start in range(len(inside)):
                parts += start not in seen
                stack = [start]
                while stack:
                    node = stack.pop()
                    if node not in seen:
                        seen.add(node)
                        stack += np.flatnonzero(inside[node]).tolist()
            assert parts == found, (i, low)


def test_the_sides_and_poles_of_a_dataset() -> None:
    graph = datasets.load("digits")
    train = graph.split(0).train
    figure = figure_of("harmonic-map", (), graph, label="3", against="8", statement="theorem-2")
    observed = nodes_of(figure.data)["observed"].to_numpy(dtype=float, na_value=np.nan)
    three, eight = (graph.class_names.index(name) for name in ("3", "8"))
    np.testing.assert_array_equal(observed == 1, train & (graph.y == three))
    np.testing.assert_array_equal(observed == 0, train & (graph.y == eight))
    boundary = figure.statements[0].edges["boundary"]
    assert ((graph.y[boundary] == three).sum(axis=1) == 1).all()
    assert "against 8" in figure.title


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"label": "V₁", "against": "1"}, "choose two"),
        ({"statement": "theorem-1", "node": 99}, "has no node 99"),
        ({"statement": "theorem-3", "least": "a"}, "no list of nodes"),
        ({"statement": "fewer-edges", "dropped": "0-8"}, "they have none"),
        ({"statement": "fewer-edges", "dropped": "0,8"}, "no list of edges"),
        ({"statement": "fewer-edges"}, "needs eta0,eta1,eta2"),
        ({"statement": "theorem-3"}, "needs eta0,eta1,eta2"),
        ({"partition": "predicted"}, "need a trained model"),
        ({"level": 0.0}, "level is 0.0; it must lie between"),
    ],
)
def test_wrong_choices(choices: dict, message: str) -> None:
    with pytest.raises(WGNNError, match=message):
        figure_of("harmonic-map", (), specimen_graph("gallery:path"), **choices)


def test_no_path_is_a_reason_and_no_error() -> None:
    graph = specimen_graph("gallery:two-islands")
    assert "no observed nodes of both kinds" in missing("rising-path", (), graph)
    with pytest.raises(WGNNError, match="its connected component has no observed node"):
        figure_of("coupling", (), specimen_graph("gallery:silent-island"), node=3)


@pytest.mark.parametrize("kind", ["harmonic-map", "rising-path", "level-parts", "coupling"])
def test_figures_of_a_specimen_export_with_their_command(kind: str) -> None:
    graph = specimen_graph("gallery:barbell,-5-6,+0-11")
    node = {"node": 4} if "node" in KINDS[kind].choices.__dataclass_fields__ else {}
    figure = figure_of(kind, (), graph, xy=places(GALLERY["barbell"]), **node)
    assert b"--dataset gallery:barbell,-5-6,+0-11" in _member(figure_bundle(figure), "command.txt")


def _member(bundle: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return archive.read(name)
