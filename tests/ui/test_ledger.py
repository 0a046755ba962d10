"""The memory that pages keep is bounded by bytes, not by a number of things."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse

from tests.figures.samples import build
from ui import load
from ui.kept import LEDGER
from ui.ledger import ENTRY, Ledger, bytes_of
from ui.show import show_page
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph

ROOT = Path(__file__).resolve().parents[2]


class Cache(dict[tuple[Any, ...], object]):
    """Like a Streamlit cache: called, and cleared by the arguments of the call."""

    def __call__(self, kilobytes: int, name: str) -> object:
        if (kilobytes, name) not in self:
            self[kilobytes, name] = np.zeros(1024 * kilobytes, dtype=np.uint8)
        return self[kilobytes, name]

    def clear(self, *given: Any) -> None:  # type: ignore[override]
        del self[given]


def test_what_was_not_asked_for_the_longest_goes_first() -> None:
    cache, ledger = Cache(), Ledger(10 * 1024 + 3 * ENTRY)
    ask = ledger.noted(cache)
    for name in "abc":
        ask(3, name)
    ask(3, "a")
    ask(4, "d")
    assert set(cache) == {(3, "c"), (3, "a"), (4, "d")} and ledger.total == ledger.limit
    ask(500, "big")  # the newest stays, however big: somebody is looking at it
    assert set(cache) == {(500, "big")}
    ask(1, "e")
    assert set(cache) == {(1, "e")} and ledger.total == 1024 + ENTRY
    ledger.clear()
    assert not cache and ledger.total == 0


def test_small_things_do_not_become_endlessly_many() -> None:
    cache, ledger = Cache(), Ledger(10 * ENTRY)
    ask = ledger.noted(cache)
    for name in range(100):
        ask(0, str(name))
    assert len(cache) == 10


def test_what_two_hold_counts_once_and_until_the_last_of_them_goes() -> None:
    big = np.zeros(1000 * 1024, dtype=np.uint8)
    held: dict[str, object] = {"one": [big], "two": {"same": big[5:]}, "three": big[:1]}

    class Sharing(Cache):
        def __call__(self, name: str) -> object:  # type: ignore[override]
            return self.setdefault((name,), held[name])

    cache, ledger = Sharing(), Ledger(1100 * 1024)
    ask = ledger.noted(cache)
    ask("one")
    ask("two")
    once = bytes_of(big)
    assert once <= ledger.total < 1.1 * once
    ledger.limit = once + 2 * ENTRY + 8  # the bookkeeping of three is too much: "one" goes
    ask("three")
    assert set(cache) == {("two",), ("three",)} and once <= ledger.total <= ledger.limit


def test_bytes_are_counted_wherever_they_are(tiny_graph: Graph) -> None:
    @dataclass
    class Holder:
        one: object
        graph: object = None

    array, slot = np.zeros(100), 8
    assert bytes_of(array) == bytes_of(array[3:7]) == 800
    assert bytes_of([array, {"same": array}]) == 800 + 3 * slot
    assert bytes_of(Holder(torch.zeros(10))) == 40
    assert bytes_of("\N{GREEK SMALL LETTER ETA}" * 1000) >= 2000 > bytes_of("e" * 1000) >= 1000
    assert bytes_of(["\N{GREEK SMALL LETTER ETA}" * 1000, "abc"]) >= 2003 + 2 * slot
    matrix = sparse.csr_array(np.eye(4, dtype=np.float32))
    assert bytes_of(matrix) >= matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    assert bytes_of(pd.DataFrame({"a": ["x" * 1000] * 3}, dtype=object)) >= 3000
    own = tiny_graph.x.data.nbytes + tiny_graph.edges.nbytes + tiny_graph.y.nbytes
    assert bytes_of(tiny_graph) >= own
    assert bytes_of(Holder(array, tiny_graph)) == 800 + bytes_of(tiny_graph)


def test_nothing_else_keeps_a_page_that_stands_in_a_frame() -> None:
    """Streamlit asks urllib whether it is an address, which keeps the last 128 that it saw."""
    show_page(build()["edge-drop"](), "<p>" * 10**6, "page_close")
    assert urlsplit.cache_info().currsize == 0


UNCOUNTED = {"jobs", "fetches", "_status"}
"""Work that goes on, which must not be forgotten, and words that are kept for 20 seconds."""


def test_every_cache_of_the_pages_is_in_the_ledger() -> None:
    counted, other = set(), set()
    for file in [*ROOT.glob("ui/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"]:
        for node in ast.walk(ast.parse(file.read_text())):
            for decorator in getattr(node, "decorator_list", ()):
                words = ast.unparse(decorator)
                if words.startswith("kept(") and "ledger" not in words:
                    counted.add(node.name)  # type: ignore[attr-defined]
                elif "cache" in words or words.startswith("kept("):
                    other.add(node.name)  # type: ignore[attr-defined]
    assert other == UNCOUNTED
    assert counted >= {"_graph", "_points", "_finished", "figure", "_found"}


def test_layouts_give_way_to_newer_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def laid_out(edges: object, nodes: int) -> object:
        made.append(nodes)
        return np.zeros((nodes, 2), dtype=np.float32)

    monkeypatch.setattr(load, "layout", laid_out)
    first, *others = ((("nodes", nodes), ("features", 4)) for nodes in range(1001, 1006))
    graph = bytes_of(load.graph("csbm", first))
    monkeypatch.setattr(LEDGER, "limit", 2 * (graph + 8 * 1001 + 2 * ENTRY))
    for asked in (first, first, *others):
        load.points("csbm", asked)
        assert LEDGER.total <= LEDGER.limit
    assert made == [1001, 1002, 1003, 1004, 1005]
    load.points("csbm", others[-1])
    load.points("csbm", first)
    assert made[5:] == [1001]


def test_a_page_graph_is_bounded_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_graph", lambda *_: pytest.fail("was made"))
    asked = (("nodes", 30_000), ("features", 2000))
    with pytest.raises(WGNNError, match=r"would take 459 MB.*at most 128 MB"):
        load.graph("csbm", asked)
    with pytest.raises(WGNNError, match="would take"):
        load.graph("csbm", (("nodes", 1_000_000), ("average_degree", 200.0)))
