"""Graphs of the user's own: from files, bytes and objects to a `Draft`, and from there to a
`Graph` or into the catalogue::

    draft = own.read("edges.csv", "nodes.csv")
    for change in draft.preview().changes:
        ...
    draft.save("my-graph", own.Choices(split="shares"))

Every reader gives the same `Content`, so what may be chosen, changed and refused is the same for
all formats. Nothing that is read is ever unpickled, and nothing is written before `save`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import pandas as pd

from wgnn_core.datasets.own.archive import read_tables
from wgnn_core.datasets.own.arrays import from_npz
from wgnn_core.datasets.own.caps import Caps, configured
from wgnn_core.datasets.own.choices import Choices
from wgnn_core.datasets.own.content import Change, Content, File, shown
from wgnn_core.datasets.own.draft import Draft, Preview
from wgnn_core.datasets.own.networks import from_gml, from_networkx, from_xml
from wgnn_core.datasets.own.pyg import from_data, from_pt
from wgnn_core.datasets.own.tables import from_frames, from_tables
from wgnn_core.datasets.own.templates import template
from wgnn_core.datasets.own.text import Reading
from wgnn_core.errors import WGNNError

__all__ = [
    "Caps", "Change", "Choices", "Draft", "File", "Preview", "Reading",
    "configured", "read", "read_files", "template",
]  # fmt: skip

TABLES = ("csv", "tsv", "txt", "parquet")
SINGLE = ("graphml", "gexf", "gml", "npz", "pt", "pth", "zip")
BEGINNINGS = (
    (b"PK\x03\x04", "a zip archive", ("npz", "pt", "pth", "zip")),
    (b"PAR1", "a Parquet file", ("parquet",)),
    (b"\x93NUMPY", "a single NumPy array", ()),
    (b"\x1f\x8b", "a gzip file", ()),
    (b"\x80", "a Python pickle", ()),
)
NEEDED = {"npz": "a zip archive", "pt": "a zip archive", "pth": "a zip archive",
          "zip": "a zip archive", "parquet": "a Parquet file"}  # fmt: skip


def read(*sources: Any, reading: Reading | None = None, caps: Caps | None = None) -> Draft:
    """Read a graph from paths or from objects.

    Args:
        sources: One or two paths (an edge table and a node table, or one file of any other
            format), a PyG `Data`, a networkx graph, or two pandas frames, edges then nodes.
        reading: How text tables are read; None finds out.
        caps: Largest sizes; None takes those of ``WGNN_CAPS``.

    Raises:
        WGNNError: One sentence that says what is wrong with the source.
    """
    limits = caps or configured()
    if sources and all(isinstance(source, str | Path) for source in sources):
        return read_files(_read_paths([Path(s) for s in sources], limits), reading, limits)
    if len(sources) == 2 and all(isinstance(source, pd.DataFrame) for source in sources):
        return Draft(from_frames(*sources, reading or Reading(), limits), limits)
    if len(sources) == 1 and isinstance(sources[0], nx.Graph):
        return Draft(from_networkx(sources[0], limits), limits)
    if len(sources) == 1 and (hasattr(sources[0], "edge_index") or isinstance(sources[0], Mapping)):
        return Draft(from_data(sources[0], limits), limits)
    kinds = ", ".join(type(source).__name__ for source in sources) or "nothing"
    raise WGNNError(
        f"A graph cannot be read from {kinds}; give paths, a PyG Data, a networkx graph or two "
        "pandas frames."
    )


def read_files(
    files: Sequence[File], reading: Reading | None = None, caps: Caps | None = None
) -> Draft:
    """Read a graph from files that are in memory, such as uploaded ones."""
    limits, how = caps or configured(), reading or Reading()
    limits.check("bytes", sum(len(file.content) for file in files), "The source")
    for file in files:
        _check_kind(file)
    content = _content(tuple(files), how, limits)
    return Draft(content, limits)


def _content(files: tuple[File, ...], reading: Reading, caps: Caps) -> Content:
    endings = {file.ending for file in files}
    if endings <= set(TABLES):
        return from_tables(files, reading, caps)
    if len(files) != 1:
        names = ", ".join(shown(file.name) for file in files)
        raise WGNNError(f"{names}: only an edge table and a node table are read together.")
    (file,) = files
    if file.ending == "zip":
        return from_tables(read_tables(file, caps), reading, caps)
    if file.ending in ("graphml", "gexf"):
        return from_xml(file, caps)
    if file.ending == "gml":
        return from_gml(file, caps)
    return from_npz(file, caps) if file.ending == "npz" else from_pt(file, caps)


def _check_kind(file: File) -> None:
    """Refuse a file whose first bytes and whose name tell different stories."""
    if file.ending not in (*TABLES, *SINGLE):
        known = ", ".join(f".{ending}" for ending in (*TABLES, *SINGLE))
        raise WGNNError(f"{shown(file.name)} is of no known format; known are {known}.")
    if not file.content:
        raise WGNNError(f"{file.name} is empty.")
    for beginning, kind, endings in BEGINNINGS:
        if file.content.startswith(beginning) and file.ending not in endings:
            raise WGNNError(f"{file.name} is {kind} by its first bytes, not .{file.ending}.")
    needed = NEEDED.get(file.ending)
    found = [kind for beginning, kind, _ in BEGINNINGS if file.content.startswith(beginning)]
    if needed and needed not in found:
        raise WGNNError(f"{file.name} is not .{file.ending}: it does not begin as {needed} does.")


def _read_paths(paths: Sequence[Path], caps: Caps) -> list[File]:
    files, total = [], 0
    for path in paths:
        try:
            if not path.is_file():
                raise WGNNError(f"There is no file {shown(path)}.")
            total += path.stat().st_size
            caps.check("bytes", total, path.name)
            with path.open("rb") as stream:
                content = stream.read(caps.bytes + 1)
        except (OSError, ValueError) as error:
            if isinstance(error, WGNNError):
                raise
            raise WGNNError(f"The file {shown(path)} cannot be read ({error}).") from error
        files.append(File(path.name, content))
    return files
