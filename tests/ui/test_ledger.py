"""The memory that pages keep is bounded by bytes, not by a number of things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse

from ui import load
from ui.ledger import Ledger, bytes_of
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph


class Cache(dict[tuple[Any, ...], object]):
    """Like a Streamlit cache: called, and cleared by the arguments of the call."""

    def __call__(self, kilobytes: int, name: str) -> object:
        if (kilobytes, name) not in self:
            self[kilobytes, name] = np.zeros(1024 * kilobytes, dtype=np.uint8)
        return self[kilobytes, name]

    def clear(self, *given: Any) -> None:  # type: ignore[override]
        del self[given]


def test_what_was_not_asked_for_the_longest_goes_first() -> None:
    cache, ledger = Cache(), Ledger(10 * 1024)
    ask = ledger.noted(cache)(cache)
    for name in "abc":
        ask(3, name)
    ask(3, "a")
    ask(4, "d")
    assert set(cache) == {(3, "c"), (3, "a"), (4, "d")} and ledger.total == 10 * 1024
    ask(50, "big")  # the newest stays, however big: somebody is looking at it
    assert set(cache) == {(50, "big")}
    ask(1, "e")
    assert set(cache) == {(1, "e")}


def test_bytes_are_counted_wherever_they_are(tiny_graph: Graph) -> None:
    @dataclass
    class Holder:
        one: object
        graph: object = None

    array = np.zeros(100)
    assert bytes_of(array) == 800
    assert bytes_of([array, {"same": array}]) == 800
    assert bytes_of(Holder((torch.zeros(10), "abc"))) == 43
    matrix = sparse.csr_array(np.eye(4, dtype=np.float32))
    assert bytes_of(matrix) >= matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    assert bytes_of(pd.DataFrame({"a": array})) >= 800
    own = tiny_graph.x.data.nbytes + tiny_graph.edges.nbytes + tiny_graph.y.nbytes
    assert bytes_of(tiny_graph) >= own
    assert bytes_of(Holder(array, tiny_graph)) == 800  # a graph has its own entry


def test_a_page_graph_is_bounded_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_graph", lambda *_: pytest.fail("was made"))
    asked = (("nodes", 30_000), ("features", 2000))
    with pytest.raises(WGNNError, match=r"would take 459 MB.*at most 128 MB"):
        load.graph("csbm", asked)
    with pytest.raises(WGNNError, match="would take"):
        load.graph("csbm", (("nodes", 1_000_000), ("average_degree", 200.0)))
