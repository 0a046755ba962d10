"""Graphs of the user's own, kept in the program's folder.

A graph called NAME is the folder ``graphs/NAME`` with ``graph.npz`` (plain arrays, no pickle) and
``graph.json`` (what is said about it). The JSON holds the SHA-256 of the arrays, and both that and
the content hash of the graph are checked whenever it is loaded. A folder appears and vanishes by
one rename, so half a graph is never found.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from wgnn_core.datasets.known import DatasetSpec, Imported, known
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph, Split, make_graph
from wgnn_core.home import home

VERSION = 1
NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?")
MAX_TITLE, MAX_DESCRIPTION = 100, 1000
PARTS = ("train", "val", "test")


def folder() -> Path:
    """Where imported graphs are kept."""
    return home() / "graphs"


def entries() -> tuple[DatasetSpec, ...]:
    """The imported graphs by name; a damaged one is there too and says what is wrong with it."""
    try:
        found = sorted(path.name for path in folder().iterdir() if NAME.fullmatch(path.name))
    except OSError:  # nothing was ever imported
        return ()
    return tuple(_entry(name) for name in found)


def put(
    graph: Graph,
    *,
    title: str = "",
    description: str = "",
    split_rule: str = "",
    source: str = "",
    changes: Sequence[str] = (),
) -> DatasetSpec:
    """Keep a graph under its name.

    Raises:
        WGNNError: The name is taken or not allowed, or the folder cannot be written to.
    """
    name = check_free(graph.name)
    content = _packed(graph)
    imported = Imported(
        content_hash=graph.content_hash,
        nodes=graph.num_nodes,
        edges=graph.num_edges,
        features=graph.num_features,
        classes=graph.num_classes,
        unlabelled=int(graph.unlabelled.sum()),
        source=source,
        changes=tuple(changes),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    said = {
        "version": VERSION,
        "title": check_text("title", title or name, MAX_TITLE),
        "description": check_text("description", description, MAX_DESCRIPTION),
        "split_rule": split_rule,
        "class_names": list(graph.class_names),
        "self_loops_removed": graph.self_loops_removed,
        "sha256": hashlib.sha256(content).hexdigest(),
        "imported": asdict(imported),
    }
    with _writing():
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder()) as temporary:
            fresh = Path(temporary) / name
            fresh.mkdir()
            (fresh / "graph.npz").write_bytes(content)
            _write_json(fresh, said)
            fresh.rename(folder() / name)
    return _entry(name)


def load(name: str) -> Graph:
    """The imported graph of that name.

    Raises:
        WGNNError: There is none, or its files are not what was saved.
    """
    said = _read_json(name)
    try:
        content = (folder() / name / "graph.npz").read_bytes()
        if hashlib.sha256(content).hexdigest() != said["sha256"]:
            raise ValueError("graph.npz has another SHA-256 than when it was saved")
        graph = _unpacked(name, said, content)
        if graph.content_hash != said["imported"]["content_hash"]:
            raise ValueError("the graph has another content hash than when it was saved")
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise _damaged(name, error) from error
    return graph


def rename(name: str, new: str) -> DatasetSpec:
    """Call an imported graph by another name; its content, and so its runs, stay the same."""
    _require(name)
    check_free(new)
    with _writing():
        (folder() / name).rename(folder() / new)
    said = _read_json(new)
    if said["title"] == name:  # it had no title of its own
        with _writing():
            _write_json(folder() / new, said | {"title": new})
    return _entry(new)


def describe(name: str, title: str | None = None, description: str | None = None) -> DatasetSpec:
    """Change what is said about an imported graph; None leaves it as it is."""
    said = _read_json(name)
    if title is not None:
        said["title"] = check_text("title", title or name, MAX_TITLE)
    if description is not None:
        said["description"] = check_text("description", description, MAX_DESCRIPTION)
    with _writing():
        _write_json(folder() / name, said)
    return _entry(name)


def delete(name: str) -> None:
    """Remove an imported graph; stored runs on it stay, but can no longer be continued."""
    _require(name)
    with _writing(), tempfile.TemporaryDirectory(prefix=".old-", dir=folder()) as temporary:
        (folder() / name).rename(Path(temporary) / name)


def check_free(name: str) -> str:
    """The name, if a graph may be saved under it."""
    if not NAME.fullmatch(name):
        raise WGNNError(
            f"The name {name[:80]!r} is not allowed; use 1 to 64 of the characters a-z, 0-9, - and "
            "_, beginning and ending with a letter or digit."
        )
    if name in {entry.name for entry in known()}:
        raise WGNNError(f"The name {name!r} belongs to a graph of the program; choose another.")
    if (folder() / name).exists():
        raise WGNNError(f"There is already a graph {name!r}; choose another name or delete it.")
    return name


def check_text(what: str, text: str, most: int) -> str:
    """The text without surrounding blanks, if it is short and free of control characters."""
    text = text.strip()
    if len(text) > most:
        raise WGNNError(f"The {what} has {len(text)} characters; at most {most} are allowed.")
    if any(not c.isprintable() for c in text):
        raise WGNNError(f"The {what} {text[:40]!r} holds a control character; write plain text.")
    return text


def _entry(name: str) -> DatasetSpec:
    try:
        said = _read_json(name)
        names = {field.name for field in fields(Imported)}
        values = {key: value for key, value in said["imported"].items() if key in names}
        imported = replace(Imported(**values), changes=tuple(values["changes"]))
        return DatasetSpec(
            name,
            str(said["title"]),
            str(said["description"]),
            str(said["split_rule"]),
            class_names=tuple(said["class_names"]),
            imported=imported,
        )
    except (WGNNError, KeyError, TypeError, AttributeError) as error:
        problem = str(error) if isinstance(error, WGNNError) else str(_damaged(name, error))
        return DatasetSpec(name, name, problem, "", imported=Imported(problem=problem))


def _require(name: str) -> None:
    if not NAME.fullmatch(name) or not (folder() / name).is_dir():
        if name in {entry.name for entry in known()}:
            raise WGNNError(f"{name} is a graph of the program; only imported graphs can change.")
        there = ", ".join(entry.name for entry in entries()) or "none yet"
        raise WGNNError(f"There is no imported graph {name[:80]!r}; there are: {there}.")


def _read_json(name: str) -> dict[str, Any]:
    _require(name)
    try:
        said = json.loads((folder() / name / "graph.json").read_text("utf-8"))
        if said["version"] != VERSION:
            raise ValueError(f"it has version {said['version']}, this program reads {VERSION}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(name, error) from error
    return dict(said)


def _damaged(name: str, error: Exception) -> WGNNError:
    why = str(error).splitlines()[0] if str(error) else type(error).__name__
    return WGNNError(
        f"The imported graph {name} cannot be read ({why}); delete it and import it again."
    )


def _write_json(into: Path, said: dict[str, Any]) -> None:
    temporary = into / f"graph.json.{os.getpid()}.tmp"
    temporary.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", "utf-8")
    temporary.replace(into / "graph.json")


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WGNNError(
            f"The folder {folder()} cannot be written to ({error.strerror}); set WGNN_HOME to one "
            "that can."
        ) from error


def _packed(graph: Graph) -> bytes:
    arrays = {
        "x_data": graph.x.data,
        "x_indices": graph.x.indices,
        "x_indptr": graph.x.indptr,
        "x_shape": np.array(graph.x.shape),
        "edges": graph.edges,
        "y": graph.y,
    }
    arrays |= {part: np.stack([getattr(s, part) for s in graph.splits]) for part in PARTS}
    if graph.node_names is not None:
        arrays["node_names"] = np.frombuffer("\n".join(graph.node_names).encode(), dtype=np.uint8)
    out = io.BytesIO()
    np.savez(out, allow_pickle=False, **arrays)
    return out.getvalue()


def _unpacked(name: str, said: dict[str, Any], content: bytes) -> Graph:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        x = sparse.csr_array(
            (arrays["x_data"], arrays["x_indices"], arrays["x_indptr"]),
            shape=tuple(arrays["x_shape"].tolist()),
        )
        masks = [arrays[part] for part in PARTS]
        names = arrays["node_names"].tobytes().decode() if "node_names" in arrays else None
        graph = make_graph(
            name,
            x,
            arrays["edges"],
            arrays["y"],
            [Split(*(mask[i] for mask in masks)) for i in range(len(masks[0]))],
            said["class_names"],
            names.split("\n") if names is not None else None,
        )
    return replace(graph, self_loops_removed=int(said["self_loops_removed"]))
