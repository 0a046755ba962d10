"""From bytes to a table of text: encoding, separator, rows."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from wgnn_core.datasets.own.caps import Caps
from wgnn_core.datasets.own.content import File, foreign, shown
from wgnn_core.errors import WGNNError

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "space": " "}
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None")
SAMPLE_LINES = 50
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Reading:
    """How text tables are read; None means: find out.

    Attributes:
        encoding: Such as ``utf-8``, ``cp1252``, ``utf-16``.
        separator: One of comma, semicolon, tab, bar and space, or the character itself.
        id: The column of `nodes` that names the node.
        source: The column of `edges` with one end.
        target: The column of `edges` with the other end.
    """

    encoding: str | None = None
    separator: str | None = None
    id: str | None = None
    source: str | None = None
    target: str | None = None

    def __post_init__(self) -> None:
        known = [*SEPARATORS, *SEPARATORS.values()]
        if self.separator is not None and self.separator not in known:
            raise WGNNError(
                f"The separator is {self.separator!r}; choose one of {', '.join(SEPARATORS)}."
            )
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except (LookupError, ValueError) as error:
                raise WGNNError(
                    f"The encoding {self.encoding!r} is not known; utf-8 and cp1252 are common."
                ) from error


@dataclass(frozen=True)
class Text:
    """A decoded text table: its first line in cells, and how it was understood."""

    name: str
    text: str
    encoding: str
    separator: str
    first: tuple[str, ...]

    @property
    def understood(self) -> tuple[tuple[str, str], ...]:
        word = next(word for word, sign in SEPARATORS.items() if sign == self.separator)
        return (
            (f"{self.name}: encoding", self.encoding),
            (f"{self.name}: separator", word),
        )


def decoded(file: File, reading: Reading, rows: str, caps: Caps) -> Text:
    """Decode a text table, find its separator, and check its size before it is parsed."""
    text, encoding = _decode(file, reading)
    text = text.lstrip("\r\n")
    if "\0" in text:
        raise WGNNError(
            f"{file.name} holds a NUL byte at character {text.index(chr(0))}; it is no text table."
        )
    if not text.strip():
        raise WGNNError(f"{file.name} is empty; a table has a first line and rows.")
    caps.check(rows, _lines(text) - 1, file.name)
    separator = _separator(file.name, text, reading)
    with foreign(file.name, "a table"):
        first = next(csv.reader(io.StringIO(text[:1_000_000], newline=""), delimiter=separator))
    caps.check("features", len(first), file.name)
    if rows == "nodes":
        caps.check("values", _lines(text) * len(first), file.name)
    return Text(file.name, text, encoding, separator, tuple(cell.strip() for cell in first))


def parse(table: Text, header: bool, text: Sequence[int], bare: Sequence[int]) -> pd.DataFrame:
    """Read the rows of a table; a row with more cells than the first is refused.

    Args:
        table: From `decoded`.
        header: Whether the first line names the columns; else they are numbered.
        text: Positions of the columns that stay text, whatever they look like.
        bare: Positions of the columns in which no value stands for "missing" (ids: NA is one).
    """
    labels: list[str | int] = list(table.first) if header else list(range(len(table.first)))
    missing = {name: [] if i in bare else list(MISSING) for i, name in enumerate(labels)}
    with foreign(table.name, "a table"), warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame = pd.read_csv(
            io.StringIO(table.text),
            sep=table.separator,
            header=None,
            names=labels,
            skiprows=1 if header else 0,
            dtype={labels[i]: "str" for i in text},
            keep_default_na=False,
            na_values=missing,
            engine="c",
            low_memory=False,
            skipinitialspace=True,
        )
        if not isinstance(frame.index, pd.RangeIndex):
            # Without names for them, pandas takes surplus cells for an index of the rows.
            raise ValueError("rows have more cells than the first line")
    return frame


def _decode(file: File, reading: Reading) -> tuple[str, str]:
    content = file.content
    marked = next((name for mark, name in BOMS if content.startswith(mark)), None)
    asked = reading.encoding or marked
    for encoding in (asked,) if asked else ("utf-8", "cp1252"):
        try:
            text = content.decode(encoding)
        except (UnicodeError, ValueError) as error:
            fault = error
            continue
        return text.removeprefix("\ufeff"), encoding
    at = getattr(fault, "start", 0)
    tried = asked or "utf-8 or cp1252"
    raise WGNNError(
        f"{file.name} is not text in {tried} (byte {at} does not fit); save it as UTF-8 or name "
        "its encoding."
    )


def _lines(text: str) -> int:
    return max(text.count("\n"), text.count("\r")) + (not text.endswith(("\n", "\r")))


def _separator(name: str, text: str, reading: Reading) -> str:
    if reading.separator is not None:
        return SEPARATORS.get(reading.separator, reading.separator)
    sample = text[:1_000_000].splitlines()[:SAMPLE_LINES]
    widths: dict[str, list[int]] = {}
    for word, sign in SEPARATORS.items():
        with contextlib.suppress(csv.Error):
            widths[word] = [len(row) for row in csv.reader(sample, delimiter=sign)]
    fitting = {
        w: found for w, found in widths.items() if len(set(found) - {0}) == 1 and found[0] > 1
    }
    best = max(fitting or widths, key=lambda word: widths[word][0], default="comma")
    found = widths.get(best, [1])
    if found[0] < 2:
        raise WGNNError(
            f"No separator fits {name}: the first line is {shown(sample[0])}; its cells must be "
            "separated by comma, semicolon, tab, bar or space."
        )
    if best not in fitting:
        row = next(i for i, width in enumerate(found) if width not in (0, found[0]))
        raise WGNNError(
            f"{name}: row {row + 1} has {found[row]} cells where the first has {found[0]}, "
            f"separated by {best}; all rows need the same number."
        )
    return SEPARATORS[best]
