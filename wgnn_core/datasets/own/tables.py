"""Edges and nodes as two tables: CSV and the like, Parquet, or pandas frames."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from wgnn_core.datasets.own.caps import Caps
from wgnn_core.datasets.own.columns import label_like
from wgnn_core.datasets.own.content import Change, Content, File, check_names, shown
from wgnn_core.datasets.own.findings import listed, plural
from wgnn_core.datasets.own.parquet import read_parquet
from wgnn_core.datasets.own.text import Reading, Text, decoded, parse
from wgnn_core.errors import WGNNError

ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("u", "v"),
    ("node1", "node2"),
    ("id1", "id2"),
    ("head", "tail"),
    ("citing", "cited"),
)
IDS = ("id", "node_id", "nodeid", "node", "key")
EDGE_FILE = re.compile(r"(?i)edge|link|relation|adjacency")
NODE_FILE = re.compile(r"(?i)node|vert|label|feature")


@dataclass(frozen=True, eq=False)
class _Nodes:
    ids: pd.Series
    table: pd.DataFrame
    understood: tuple[tuple[str, str], ...]
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Edges:
    ends: pd.DataFrame
    understood: tuple[tuple[str, str], ...]
    extra: tuple[str, ...]


def from_tables(files: tuple[File, ...], reading: Reading, caps: Caps) -> Content:
    """Read an edge table and a node table, given in any order."""
    edge_file, node_file = _which(files)
    nodes = _read_nodes(node_file, reading, caps)
    edges = _read_edges(edge_file, reading, caps, nodes.ids)
    return _joined(edge_file.name, node_file.name, _kind(files), edges, nodes, caps)


def from_frames(edges: pd.DataFrame, nodes: pd.DataFrame, reading: Reading, caps: Caps) -> Content:
    """The same from two pandas frames; the index of `nodes` is not looked at."""
    caps.check("edges", len(edges), "the edge frame")
    caps.check("nodes", len(nodes), "the node frame")
    caps.check("values", nodes.size, "the node frame")
    seen = _nodes_of_frame("the node frame", _named(nodes), reading, caps)
    ends = _ends_of_frame("the edge frame", _named(edges), reading)
    return _joined("the edge frame", "the node frame", "pandas frames", ends, seen, caps)


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.set_axis([str(name) for name in frame.columns], axis=1)


def _kind(files: tuple[File, ...]) -> str:
    return " and ".join(
        dict.fromkeys("Parquet" if f.ending == "parquet" else "text table" for f in files)
    )


def _which(files: tuple[File, ...]) -> tuple[File, File]:
    if len(files) != 2:
        names = ", ".join(shown(f.name) for f in files)
        raise WGNNError(
            f"{names}: a graph in tables is two files, one of edges and one of nodes with their "
            f"labels; {len(files)} given."
        )
    stems = [f.name.rsplit("/", 1)[-1] for f in files]
    edgy = [bool(EDGE_FILE.search(stem)) for stem in stems]
    if edgy[0] == edgy[1]:
        nodal = [bool(NODE_FILE.search(stem)) for stem in stems]
        edgy = [not nodal[0], not nodal[1]]
    if edgy[0] == edgy[1]:
        raise WGNNError(
            f"It is not clear which of {shown(files[0].name)} and {shown(files[1].name)} holds the "
            "edges; call one of them edges and the other nodes."
        )
    return (files[0], files[1]) if edgy[0] else (files[1], files[0])


def _read_nodes(file: File, reading: Reading, caps: Caps) -> _Nodes:
    if file.ending == "parquet":
        frame, unread = read_parquet(file, "nodes", caps)
        found = _nodes_of_frame(file.name, _named(frame), reading, caps)
        return replace(found, unread=unread)
    table = decoded(file, reading, "nodes", caps)
    _check_header(table.first, file.name, caps)
    at = table.first.index(_id_column(file.name, table.first, reading))
    words = [i for i, name in enumerate(table.first) if _stays_text(name)]
    frame = parse(table, True, text=[at, *words], bare=[at])
    seen = _nodes_of_frame(file.name, frame, reading, caps)
    return _Nodes(seen.ids, seen.table, (*table.understood, *seen.understood))


def _stays_text(name: str) -> bool:
    return label_like(name) or bool(re.fullmatch(r"(?i)split[_ ]?\d*|set", name))


def _check_header(names: tuple[str, ...], where: str, caps: Caps) -> None:
    check_names(names, "column name", where, caps)
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise WGNNError(f"{where} has two columns {shown(name)}; rename one.")
        seen.add(name)


def _id_column(where: str, names: tuple[str, ...], reading: Reading) -> str:
    if reading.id is not None:
        if reading.id not in names:
            there = ", ".join(shown(name) for name in names[:20])
            raise WGNNError(f"{where} has no column {shown(reading.id)}; its columns are {there}.")
        return reading.id
    lower = {name.lower(): name for name in reversed(names)}
    return next((lower[word] for word in IDS if word in lower), names[0])


def _nodes_of_frame(where: str, frame: pd.DataFrame, reading: Reading, caps: Caps) -> _Nodes:
    if frame.shape[1] == 0 or len(frame) == 0:
        raise WGNNError(f"{where} has no rows; it needs one for each node.")
    names = tuple(frame.columns)
    _check_header(names, where, caps)
    column = _id_column(where, names, reading)
    ids = _as_ids(frame[column], where)
    check_names(ids, "id", where, caps)
    twice = ids.duplicated().to_numpy()
    if twice.any():
        name = ids.iloc[int(twice.argmax())]
        rows = np.flatnonzero((ids == name).to_numpy())[:2] + 1
        raise WGNNError(
            f"{where}: the id {shown(name)} stands in the rows {rows[0]} and {rows[1]}; each node "
            "needs one row."
        )
    understood = ((f"{where}: id column", column),)
    return _Nodes(ids, frame.drop(columns=column).reset_index(drop=True), understood)


def _as_ids(column: pd.Series, where: str) -> pd.Series:
    """Ids as text without blanks around; whole numbers have no decimal point, 7.0 is 7."""
    missing = column.isna().to_numpy()
    if missing.any():
        raise WGNNError(
            f"{where}: row {int(missing.argmax()) + 1} has no value in the column "
            f"{shown(column.name)}; every row needs one."
        )
    if pd.api.types.is_float_dtype(column.dtype) and (column % 1 == 0).all():
        column = column.astype("int64")
    return column.astype("str").str.strip().reset_index(drop=True)


def _read_edges(file: File, reading: Reading, caps: Caps, ids: pd.Series) -> _Edges:
    if file.ending == "parquet":
        frame, unread = read_parquet(file, "edges", caps)
        found = _ends_of_frame(file.name, _named(frame), reading)
        return replace(found, extra=(*found.extra, *unread))
    table = decoded(file, reading, "edges", caps)
    source, target, named = _end_columns(file.name, table.first, reading)
    at = [table.first.index(source), table.first.index(target)] if named else [0, 1]
    header = named or not {table.first[0], table.first[1]} <= set(ids)
    return _parsed_edges(table, at, header)


def _parsed_edges(table: Text, at: list[int], header: bool) -> _Edges:
    labels: list[str | int] = [table.first[i] if header else i for i in at]
    if header and len(set(table.first)) < len(table.first):
        raise WGNNError(f"{table.name} has two columns of one name; rename one.")
    frame = parse(table, header, text=at, bare=at)
    ends = frame[labels].set_axis(["source", "target"], axis=1)
    for side in ends:
        ends[side] = _as_ids(ends[side], table.name)
    extra = tuple(c for i, c in enumerate(table.first) if i not in at) if header else ()
    called = " and ".join(str(x) for x in labels) if header else "the first two, no header"
    return _Edges(ends, (*table.understood, (f"{table.name}: edge columns", called)), extra)


def _end_columns(where: str, names: tuple[str, ...], reading: Reading) -> tuple[str, str, bool]:
    """The two columns with the ends of an edge, and whether they were found by name."""
    if reading.source is not None or reading.target is not None:
        for name in (reading.source, reading.target):
            if name is None or name not in names:
                raise WGNNError(
                    f"{where} has no column {shown(name)}; name both ends of an edge, its columns "
                    f"are {', '.join(shown(n) for n in names[:20])}."
                )
        return str(reading.source), str(reading.target), True
    lower = {name.lower(): name for name in reversed(names)}
    for source, target in ENDS:
        if source in lower and target in lower:
            return lower[source], lower[target], True
    if len(names) < 2:
        raise WGNNError(f"{where} has {len(names)} column; an edge needs two, one for each end.")
    return names[0], names[1], False


def _ends_of_frame(where: str, frame: pd.DataFrame, reading: Reading) -> _Edges:
    names = tuple(frame.columns)
    source, target, _ = _end_columns(where, names, reading)
    if names.count(source) + names.count(target) != 2:
        raise WGNNError(f"{where} has two columns of one name; rename one.")
    ends = pd.DataFrame(
        {"source": _as_ids(frame[source], where), "target": _as_ids(frame[target], where)}
    )
    extra = tuple(name for name in names if name not in (source, target))
    return _Edges(ends, ((f"{where}: edge columns", f"{source} and {target}"),), extra)


def _joined(
    edge_name: str, node_name: str, kind: str, edges: _Edges, nodes: _Nodes, caps: Caps
) -> Content:
    caps.check("edges", len(edges.ends), edge_name)
    number = pd.Index(nodes.ids)
    pairs = np.stack([number.get_indexer(edges.ends[side]) for side in edges.ends], axis=1)
    dangling = (pairs < 0).any(axis=1)
    count, changes = int(dangling.sum()), []
    if count:
        row = int(dangling.argmax())
        first = edges.ends.iloc[row]
        stranger = first["source"] if pairs[row, 0] < 0 else first["target"]
        if count == len(pairs):
            few = ", ".join(shown(name) for name in nodes.ids.head(3))
            raise WGNNError(
                f"None of the {count} edges of {edge_name} joins two nodes of {node_name}: the "
                f"first edge names {shown(first['source'])} and {shown(first['target'])}, but the "
                f"ids of {node_name} are like {few}."
            )
        text = (
            f"{plural(count, 'edge')} left out, because {node_name} lacks an id that they name "
            f"(first {shown(stranger)})."
        )
        changes.append(Change("dangling ids", count, text))
    if nodes.unread:
        text = (
            f"{plural(len(nodes.unread), 'column')} of {node_name} not read, since only numbers "
            f"and text are: {listed(nodes.unread)}."
        )
        changes.append(Change("columns not read", len(nodes.unread), text))
    if edges.extra:
        text = (
            f"{plural(len(edges.extra), 'column')} of {edge_name} not used, since edges carry no "
            f"values: {listed(edges.extra)}."
        )
        changes.append(Change("edge columns left out", len(edges.extra), text))
    return Content(
        source=f"{edge_name} and {node_name}",
        kind=kind,
        understood=(*edges.understood, *nodes.understood),
        num_nodes=len(nodes.ids),
        edges=pairs[~dangling].astype(np.int64),
        directed=None,
        table=nodes.table,
        ids=tuple(nodes.ids),
        changes=tuple(changes),
    )
