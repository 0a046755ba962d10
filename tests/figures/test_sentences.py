"""Every sentence that may stand under a picture: said exactly when it is true, with its numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

from wgnn_core.boundary import class_boundary, distance_to_boundary
from wgnn_core.figures import sentences
from wgnn_core.graph import Graph, Split, make_graph


def numbers(text: str) -> list[float]:
    return [float(n.replace(",", "")) for n in re.findall(r"-?\d[\d,]*\.?\d*", text)]


def blocks(crossing: float, seed: int) -> Graph:
    """200 nodes of two classes, of which the first ones have `crossing` edges to the other."""
    rng = np.random.default_rng(seed)
    y = np.arange(200) % 2
    inside = rng.integers(0, 100, (300, 2)) * 2 + rng.integers(0, 2, (300, 1))
    meet = int(100 * crossing)
    across = np.stack([rng.permutation(100)[:meet] * 2, rng.permutation(100)[:meet] * 2 + 1], 1)
    some = np.ones(200, dtype=bool)
    train, val = np.arange(200) < 20, (np.arange(200) >= 20) & (np.arange(200) < 40)
    split = Split(train, val, some & ~train & ~val)
    return make_graph("g", np.eye(200, dtype=np.float32), [*inside, *across], y, [split])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tie", [-0.3, 0.0, 0.6])
def test_wrong_nodes_at_the_boundary(seed: int, tie: float) -> None:
    graph = blocks(0.4, seed)
    rng, test = np.random.default_rng(seed), graph.splits[0].test
    boundary = class_boundary(graph.edges, graph.y, 200)
    wrong = rng.random(200) < 0.35 + tie * np.where(boundary, 1, -0.5)
    predicted = np.where(wrong, 1 - graph.y, graph.y)
    text = sentences.wrong_at_boundary(graph, test, predicted)
    on, off = (100 * boundary[test & mask].mean() for mask in (wrong, ~wrong))
    assert numbers(text) == [round(on), round(off)]
    table = [[(boundary & m & test).sum(), (~boundary & m & test).sum()] for m in (wrong, ~wrong)]
    more, less = (stats.fisher_exact(table, alternative=a).pvalue for a in ("greater", "less"))
    seen = abs(on - off) >= 5
    assert ("more often" in text) == (more < 0.05 and seen)
    assert ("less often" in text) == (less < 0.05 and seen)
    assert ("do not gather" in text) == (min(more, less) >= 0.05 or not seen)


def test_nothing_is_said_of_a_boundary_that_is_not_there() -> None:
    graph = blocks(0, 0)
    test = graph.splits[0].test
    wrong = np.where(np.arange(200) % 5 == 0, 1 - graph.y, graph.y)
    assert sentences.wrong_at_boundary(graph, test, graph.y) == "No test node is wrong."
    assert "No test node has a neighbour" in sentences.wrong_at_boundary(graph, test, wrong)
    distance = distance_to_boundary(graph.edges, graph.y, 200)
    assert sentences.w_at_boundary(np.linspace(0, 1, 200), distance) == "No edge joins two classes."
    assert "there is no boundary" in sentences.of_boundary(distance)
    bare = make_graph("g", graph.x, np.zeros((0, 2), int), graph.y, graph.splits)
    assert sentences.across(bare) == "It has no edge."
    assert sentences.across(graph) == "0 % of its edges join two classes."


@pytest.mark.parametrize(("slope", "word"), [(0.1, "rises"), (-0.1, "falls"), (0, "does not")])
def test_w_and_the_distance(slope: float, word: str) -> None:
    rng = np.random.default_rng(4)
    distance = np.append(rng.integers(0, 6, 300).astype(float), np.inf)
    w = np.append(0.6 + slope * distance[:-1] + rng.normal(0, 0.1, 300), 0.5)
    text = sentences.w_at_boundary(w, distance)
    correlation = stats.spearmanr(w[:-1], distance[:-1]).statistic
    wanted = [correlation, w[distance == 0].mean(), w[:-1][distance[:-1] > 0].mean()]
    assert numbers(text.replace("−", "-")) == pytest.approx(wanted, abs=0.0051)
    assert word in text
    few = np.where(np.arange(301) < 9, 0.0, np.maximum(distance, 1))
    assert "9 of 301 nodes stand on the class boundary and 291 off" in sentences.w_at_boundary(
        w, few
    )


@pytest.mark.parametrize(
    ("gap", "word"), [(0.4, "tells right"), (-0.4, "larger on the wrong"), (0, "hardly")]
)
def test_w_and_mistakes(gap: float, word: str) -> None:
    rng = np.random.default_rng(3)
    right = np.arange(300) % 3 > 0
    w = 0.8 + rng.normal(0, 0.2, 300) + gap * right
    text = sentences.w_tells_wrong(w, right)
    pairs = 100 * (w[right][:, None] > w[~right]).mean()
    assert numbers(text) == pytest.approx([pairs, 50, w[right].mean(), w[~right].mean()], abs=0.51)
    assert word in text
    assert sentences.w_tells_wrong(w, np.ones(300, bool)) == "There is nothing to tell apart."


@pytest.mark.parametrize("classes", [2, 3, 4, 7])
def test_the_blind_spot_is_counted(classes: int) -> None:
    rng = np.random.default_rng(2)
    prob = rng.dirichlet(np.full(classes, 0.15), 400)
    w = np.abs(prob - 1 / classes).sum(axis=1)
    top = np.sort(prob, axis=1)
    doubt = (top[:, -1] - top[:, -2] < 0.2) & (w > 1 - 1 / classes + 1e-6)
    large = w > 1 - 1 / classes + 1e-6
    right = np.where(doubt, rng.random(400) < 0.5, rng.random(400) < 0.95)
    text = sentences.blind_spot(prob, w, right)
    if not doubt.any():
        assert text == "" and classes <= 3
        return
    assert numbers(text)[:3] == [doubt.sum(), 0.2, round(1 - 1 / classes, 2)]
    shares = [100 * (~right)[doubt].mean(), 100 * (~right)[large & ~doubt].mean()]
    table = [[(~right & m).sum(), (right & m).sum()] for m in (doubt, large & ~doubt)]
    holds = stats.fisher_exact(table, alternative="greater").pvalue < 0.05
    assert ("are wrong, against" in text) == (holds and shares[0] - shares[1] >= 5)
    if holds:
        assert numbers(text)[3:] == [round(share) for share in shares]


def test_a_model_that_has_not_learned_is_named() -> None:
    assert sentences.hardly_learned(np.full(9, 0.5), 4) == ""
    text = sentences.hardly_learned(np.full(9, 0.02), 2)
    assert numbers(text) == [0.02, 1.0]
