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


def read_parquet(file: File, rows: str, caps: Caps) -> pd.DataFrame:
    """The table of a Parquet file; `rows` names the cap on its rows."""
    with foreign(file.name, "Parquet"):
        about = pq.ParquetFile(io.BytesIO(file.content))
        found = about.metadata
        caps.check(rows, found.num_rows, file.name)
        caps.check("features", found.num_columns, file.name)
        groups = [found.row_group(i) for i in range(found.num_row_groups)]
        parts = [group.column(j) for group in groups for j in range(found.num_columns)]
        caps.check("bytes", sum(part.total_uncompressed_size for part in parts), file.name)
        if rows == "nodes":
            caps.check("values", sum(part.num_values for part in parts), file.name)
        text = [f.name for f in about.schema_arrow if pa.types.is_string(f.type)]
        # Kept as a dictionary, a text repeated a million times takes its length once: what it
        # would take written out is added up before it is.
        table = pq.read_table(io.BytesIO(file.content), read_dictionary=text, use_threads=False)
        table.validate(full=True)  # such as text that is no UTF-8
        for column in table.columns:
            caps.check("bytes", _written_out(column), file.name)
        return table.to_pandas(strings_to_categorical=False).pipe(_plain)


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
