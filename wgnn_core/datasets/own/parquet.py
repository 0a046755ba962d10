"""Parquet tables, with their sizes checked in the file's own directory before they are read."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from wgnn_core.datasets.own.caps import Caps
from wgnn_core.datasets.own.content import File, foreign


def read_parquet(file: File, rows: str, caps: Caps) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The columns of numbers and text, and the names of the others, which are not read.

    A nested column may unpack to any size, and nothing in the directory says to which; a column of
    numbers has one value per row.

    Args:
        file: The file.
        rows: The cap on its rows, ``nodes`` or ``edges``.
        caps: Largest sizes.
    """
    with foreign(file.name, "Parquet"):
        # Of a damaged file, asking the metadata of a single column would end the whole process:
        # only the numbers of the file and of its row groups are asked for.
        about = pq.ParquetFile(io.BytesIO(file.content))
        found, schema = about.metadata, about.schema_arrow
        caps.check(rows, found.num_rows, file.name)
        caps.check("features", found.num_columns, file.name)
        caps.check("values", found.num_rows * found.num_columns, file.name)
        size = sum(found.row_group(i).total_byte_size for i in range(found.num_row_groups))
        caps.check("bytes", size, file.name)
        flat = [item.name for item in schema if _is_flat(item.type)]
        text = [item.name for item in schema if _is_text(item.type)]
        # Kept as a dictionary, a text repeated a million times takes its length once: what it
        # would take written out is added up before it is.
        reader = pq.ParquetFile(io.BytesIO(file.content), read_dictionary=text)
        table = reader.read(columns=flat, use_threads=False)
        table.validate(full=True)  # such as text that is no UTF-8
        for column in table.columns:
            caps.check("bytes", _written_out(column), file.name)
        frame = table.to_pandas(ignore_metadata=True).pipe(_plain)
    return frame, tuple(item.name for item in schema if not _is_flat(item.type))


def _is_text(kind: Any) -> bool:
    inside = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(inside) or pa.types.is_large_string(inside))


def _is_flat(kind: Any) -> bool:
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    return bool(number or _is_text(kind))


def _written_out(column: Any) -> int:
    total = 0
    for chunk in column.chunks:
        if pa.types.is_dictionary(chunk.type):
            lengths = pc.binary_length(chunk.dictionary)
            total += pc.sum(lengths.take(chunk.indices)).as_py() or 0
        else:
            total += chunk.nbytes
    return int(total)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Dictionaries become text again."""
    coded = [name for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)]
    return frame.astype(dict.fromkeys(coded, "str"))
