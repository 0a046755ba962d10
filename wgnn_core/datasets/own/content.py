"""What every reader hands over: the graph as the file has it, before anything is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from wgnn_core.datasets.own.caps import Caps
from wgnn_core.errors import WGNNError
from wgnn_core.graph import IntArray, Split

FORMULA = re.compile(r"=|[+\-@].*[(|!]")
"""Text that a spreadsheet would run. Plain signs and handles (-1, @anna) are no formulas."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True)
class Change:
    """One thing that the import did to the data, or that the user should know of it.

    Attributes:
        kind: A short name that stays the same from version to version.
        count: How many nodes, edges, columns or values it concerns.
        text: The sentence for people.
    """

    kind: str
    count: int
    text: str


@dataclass(frozen=True)
class File:
    """A file by name and content; the name decides how it is read."""

    name: str
    content: bytes

    @property
    def ending(self) -> str:
        return self.name.rsplit(".", 1)[-1].lower() if "." in self.name else ""


@dataclass(frozen=True, eq=False)
class Content:
    """A graph as it was found.

    Attributes:
        source: Names of the files, or the kind of object.
        kind: The format, in words.
        understood: Pairs (what, value) for the preview, such as encoding and separator.
        num_nodes: N.
        edges: Pairs of node numbers as listed, ``[M, 2]``, with repetitions and self-loops.
        directed: Whether the source says that edges have a direction; None if it cannot say.
        table: One row per node: columns that may be label, split or feature.
        x: Features that came as a matrix.
        splits: Splits that came as masks.
        ids: What the source calls each node; None where it counts 0, 1, 2, ...
        class_names: Names of the labels 0, 1, 2, ..., where given.
        changes: What happened while reading.
    """

    source: str
    kind: str
    understood: tuple[tuple[str, str], ...]
    num_nodes: int
    edges: IntArray
    directed: bool | None
    table: pd.DataFrame
    x: sparse.csr_array | None = None
    splits: tuple[Split, ...] = ()
    ids: tuple[str, ...] | None = None
    class_names: tuple[str, ...] | None = None
    changes: tuple[Change, ...] = ()


@contextmanager
def foreign(name: str, kind: str) -> Iterator[None]:
    """Around a call of somebody else's parser: whatever it raises becomes one sentence.

    Parsers raise what they like on broken input (KeyError, RecursionError, struct.error, ...), so
    all is caught, but only what is raised inside the call; our own code stays outside.
    """
    try:
        yield
    except WGNNError:
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise WGNNError(f"{name} cannot be read as {kind}: {printable(said)}.") from error


def printable(text: str) -> str:
    """The text without control characters, for a message."""
    return "".join(c if c.isprintable() else "?" for c in text)


def shown(value: object) -> str:
    """A value in a message: short, quoted, on one line."""
    text = str(value)
    return repr(text if len(text) <= 40 else text[:37] + "...")


def check_names(names: Sequence[str], what: str, where: str, caps: Caps) -> None:
    """Refuse names that are empty, too long, hold control characters or begin like a formula."""
    for number, name in enumerate(names, 1):
        if not name:
            raise WGNNError(f"{where}: {what} number {number} is empty; name it.")
        if len(name) > caps.text:
            caps.check("text", len(name), f"{where}: {what} {number}")
        for fault, found in (
            ("a control character", CONTROL.search(name)),
            ("a spreadsheet formula", FORMULA.match(name)),
        ):
            if found:
                raise WGNNError(
                    f"{where}: the {what} {shown(printable(name))} holds {fault}, which is never "
                    "imported; rename it."
                )


def vectors(column: pd.Series, caps: Caps, where: str) -> Any:
    """A column of equally long lists of numbers as a matrix, ``[N, F]``; None if it is none."""
    first = column.iloc[0] if len(column) else None
    if not isinstance(first, list | tuple | np.ndarray) or np.ndim(first) != 1 or not len(first):
        return None
    width = len(first)
    same = all(isinstance(v, list | tuple | np.ndarray) and len(v) == width for v in column)
    if not same:
        return None
    caps.check("features", width, where)
    caps.check("values", width * len(column), where)
    try:
        matrix = np.asarray(column.tolist(), dtype=np.float64)
    except (ValueError, TypeError):
        return None
    return matrix if matrix.ndim == 2 else None
