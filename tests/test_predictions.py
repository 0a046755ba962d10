"""Predictions from files: understood, aligned, or refused with one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wgnn_core import predictions
from wgnn_core.datasets import load
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.predictions import check_predictions, parse_predictions, read_predictions


@pytest.fixture
def graph() -> Graph:
    return load("karate")


@pytest.fixture
def prob(graph: Graph) -> np.ndarray:
    values = np.random.default_rng(0).random((graph.num_nodes, graph.num_classes))
    return (values / values.sum(1, keepdims=True)).astype(np.float32)


def test_probabilities_are_taken_as_they_are(graph: Graph, prob: np.ndarray) -> None:
    found = check_predictions(prob, graph)
    assert not found.were_logits
    np.testing.assert_array_equal(found.prob[0], prob)
    rounded = check_predictions(prob.round(4), graph)
    np.testing.assert_allclose(rounded.prob.sum(-1), 1, atol=1e-6)


def test_logits_get_a_softmax(graph: Graph, prob: np.ndarray) -> None:
    found = check_predictions(np.stack([np.log(prob) + 3, np.log(prob)]), graph)
    assert found.were_logits
    np.testing.assert_allclose(found.prob, np.stack([prob, prob]), atol=1e-6)


@pytest.mark.parametrize("header", [True, False])
def test_csv_rows_are_known_by_their_names(
    graph: Graph, prob: np.ndarray, tmp_path: Path, header: bool
) -> None:
    names = graph.node_names or [str(i) for i in range(graph.num_nodes)]
    order = np.random.default_rng(1).permutation(graph.num_nodes)
    lines = [",".join([names[i], *(repr(float(v)) for v in prob[i])]) for i in order]
    text = "\n".join((["node,first,second"] if header else []) + lines)
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    found = read_predictions(tmp_path / "p.csv", graph)
    assert found.by_name
    np.testing.assert_allclose(found.prob[0], prob, atol=1e-6)
    (tmp_path / "p.csv").write_text(text.rpartition("\n")[0], encoding="utf-8")
    with pytest.raises(WGNNError, match="must name every node"):
        read_predictions(tmp_path / "p.csv", graph)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("p.npy", b"no array", "without pickles"),
        ("p.npz", b"PK\x03\x04", "without pickles"),
        ("p.csv", b"\xff\xfe\x00", "in UTF-8"),
        ("p.csv", b"", "in UTF-8"),
        ("p.txt", b"1", "must end in"),
        ("p.csv", b"a,b\nx,y\n", "must be numbers"),
    ],
)
def test_what_is_no_prediction_is_refused(
    graph: Graph, name: str, content: bytes, words: str
) -> None:
    with pytest.raises(WGNNError, match=words) as error:
        parse_predictions(content, name, graph)
    assert "\n" not in str(error.value)


def test_pickles_are_never_loaded(graph: Graph, tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (Path(tmp_path / "boom"),))  # type: ignore[return-value]

    np.save(tmp_path / "p.npy", np.array([Bomb()], dtype=object))
    with pytest.raises(WGNNError, match="without pickles"):
        read_predictions(tmp_path / "p.npy", graph)
    assert not (tmp_path / "boom").exists()


def test_shapes_and_sizes_are_named(
    graph: Graph, prob: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WGNNError, match=r"shape \(1, 33, 2\); .*\[34, 2\]"):
        check_predictions(prob[1:], graph)
    with pytest.raises(WGNNError, match="not finite"):
        check_predictions(prob * np.nan, graph)
    with pytest.raises(WGNNError, match="sum to between"):
        check_predictions(prob * 0.95, graph)
    np.save(tmp_path / "p.npy", prob)
    monkeypatch.setattr(predictions, "MAX_BYTES", 10)
    with pytest.raises(WGNNError, match="the limit for predictions is 10"):
        read_predictions(tmp_path / "p.npy", graph)
