"""GraphML, GEXF and GML, read by networkx, and networkx graphs themselves."""

from __future__ import annotations

import io
import re
import xml.parsers.expat
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from wgnn_core.datasets.own.caps import Caps
from wgnn_core.datasets.own.content import Change, Content, File, check_names, foreign, shown
from wgnn_core.datasets.own.findings import plural
from wgnn_core.errors import WGNNError

MAX_DEPTH = 50


@dataclass
class _Scan:
    """What one pass over the elements found, before a tree is built from them."""

    name: str
    root: str
    caps: Caps
    ids: list[str] = field(default_factory=list)
    edges: int = 0
    depth: int = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        word = tag.rsplit(":", 1)[-1].lower()
        if self.depth == 0 and word != self.root:
            raise WGNNError(f"{self.name} begins with <{word[:40]}>, not with <{self.root}>.")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise WGNNError(f"{self.name} nests elements deeper than {MAX_DEPTH} levels.")
        if word == "node":
            self.ids.append(attributes.get("id", ""))
            self.caps.check("nodes", len(self.ids), self.name)
        elif word == "edge":
            self.edges += 1
            self.caps.check("edges", self.edges, self.name)

    def end(self, tag: str) -> None:
        self.depth -= 1

    def doctype(self, *about: object) -> None:
        raise WGNNError(
            f"{self.name} declares a document type, where entities hide; remove its <!DOCTYPE ...>."
        )


def from_xml(file: File, caps: Caps) -> Content:
    """Read GraphML or GEXF, by the ending of the file's name."""
    kind, read = {
        "graphml": ("GraphML", nx.read_graphml),
        "gexf": ("GEXF", nx.read_gexf),
    }[file.ending]
    scan = _Scan(file.name, file.ending, caps)
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = scan.start
    parser.EndElementHandler = scan.end
    parser.StartDoctypeDeclHandler = scan.doctype
    with foreign(file.name, kind):
        parser.Parse(file.content, True)
    declared = set(scan.ids)
    if len(declared) < len(scan.ids):
        twice = Counter(scan.ids).most_common(1)[0][0]
        raise WGNNError(f"{file.name}: two nodes have the id {shown(twice)}; each needs its own.")
    with foreign(file.name, kind):
        graph = read(io.BytesIO(file.content))
    # networkx makes a node of every id that an edge names.
    strangers = [node for node in graph if str(node) not in declared]
    changes: tuple[Change, ...] = ()
    if strangers:
        before = graph.number_of_edges()
        graph.remove_nodes_from(strangers)
        lost = before - graph.number_of_edges()
        text = (
            f"{plural(lost, 'edge')} left out, because there is no node with an id that they name "
            f"(first {shown(strangers[0])})."
        )
        changes = (Change("dangling ids", lost, text),)
    return from_networkx(graph, caps, file.name, kind, changes)


def from_gml(file: File, caps: Caps) -> Content:
    """Read GML; nodes are told apart by their `id`, and `label` is a column like any other."""
    with foreign(file.name, "GML"):
        text = file.content.decode("utf-8")
    if "\0" in text:
        raise WGNNError(
            f"{file.name} holds a NUL byte at character {text.index(chr(0))}; it is no GML."
        )
    for word, cap in (("node", "nodes"), ("edge", "edges")):
        caps.check(cap, sum(1 for _ in re.finditer(rf"\b{word}\s*\[", text)), file.name)
    with foreign(file.name, "GML"):
        graph = nx.parse_gml(text.splitlines(), label="id")
    return from_networkx(graph, caps, file.name, "GML")


def from_networkx(
    graph: Any,
    caps: Caps,
    name: str = "graph",
    kind: str = "networkx graph",
    changes: tuple[Change, ...] = (),
) -> Content:
    """From a networkx graph of any kind; attributes of nodes become the columns of a table.

    Not every node needs every attribute: what is missing is a missing value.
    """
    caps.check("nodes", graph.number_of_nodes(), name)
    caps.check("edges", graph.number_of_edges(), name)
    if graph.number_of_nodes() == 0:
        raise WGNNError(f"{name} has no nodes.")
    ids = [str(node).strip() for node in graph]
    check_names(ids, "id", name, caps)
    if len(set(ids)) < len(ids):
        twice = Counter(ids).most_common(1)[0][0]
        raise WGNNError(
            f"{name}: two nodes are called {shown(twice)} when written as text; rename one."
        )
    number = {node: i for i, node in enumerate(graph)}
    ends = np.fromiter(
        (number[end] for u, v, *_ in graph.edges for end in (u, v)),
        dtype=np.int64,
        count=2 * graph.number_of_edges(),
    )
    keys = list(dict.fromkeys(key for _, data in graph.nodes(data=True) for key in data))
    caps.check("features", len(keys), name)
    caps.check("values", len(keys) * len(ids), name)
    check_names([str(key) for key in keys], "attribute name", name, caps)
    table = {
        str(key): _column([data.get(key) for _, data in graph.nodes(data=True)]) for key in keys
    }
    if len(table) < len(keys):
        raise WGNNError(f"{name} has two attributes of one name when written as text; rename one.")
    return Content(
        source=name,
        kind=kind,
        understood=(("nodes", f"{len(ids)}, {len(keys)} attributes"),),
        num_nodes=len(ids),
        edges=ends.reshape(-1, 2),
        directed=bool(graph.is_directed()) or None,
        table=pd.DataFrame(table, index=range(len(ids))),
        ids=tuple(ids),
        changes=changes,
    )


def _column(values: list[Any]) -> pd.Series:
    """Text stays text, numbers become numbers, anything else stays what it is."""
    known = [value for value in values if value is not None]
    if all(isinstance(value, str) for value in known):
        return pd.Series(values, dtype="str")
    if all(isinstance(value, bool | int | float | np.number) for value in known):
        try:
            return pd.Series([np.nan if v is None else float(v) for v in values])
        except OverflowError:
            pass
    return pd.Series(values, dtype=object)
