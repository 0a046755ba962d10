"""Columns of a node table: which is the label, which the split, which are features."""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from wgnn_core.datasets.own.caps import Caps
from wgnn_core.datasets.own.content import check_names, printable, shown, vectors
from wgnn_core.errors import WGNNError
from wgnn_core.graph import UNLABELLED, BoolArray, IntArray, Split

LABELS = ("y", "class", "label", "category", "target", "value", "community", "club", "group")
"""Names of a label column, in any case; the first that is there is taken."""

SETS = {
    **dict.fromkeys(("train", "training", "tr"), "train"),
    **dict.fromkeys(("val", "valid", "validation", "dev"), "val"),
    **dict.fromkeys(("test", "testing", "te"), "test"),
    **dict.fromkeys(("", "none", "nan", "-", "unlabelled", "unlabeled"), ""),
}
MASKS = ("train_mask", "val_mask", "test_mask")
SPARSE = re.compile(r"\s*\d+:[-+.\deE]+(?:[\s,;]+\d+:[-+.\deE]+)*\s*")
SAMPLE = 200
DECIMAL = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+)")
WHOLE = re.compile(r"[+-]?\d+")


def guess_label(table: pd.DataFrame) -> str | None:
    """The column that is the label by its name, unless all its values differ or none is there."""
    named = {str(name).lower(): name for name in reversed(list(table.columns))}
    for word in LABELS:
        name = named.get(word)
        if name is None or vectors_like(table[name]):
            continue
        values = table[name].nunique(dropna=True)
        if 0 < values < max(2, int(table[name].notna().sum())):
            return str(name)
    return None


def label_like(name: str) -> bool:
    """Whether a column is called like a label, so that it would betray the class as a feature."""
    return name.lower() in LABELS


def guess_splits(table: pd.DataFrame) -> tuple[str, ...]:
    """The columns that say train, val or test for each node, or the three mask columns."""
    if all(name in table for name in MASKS):
        return MASKS
    called = [str(n) for n in table.columns if re.fullmatch(r"(?i)split[_ ]?\d*|set", str(n))]
    return tuple(
        name
        for name in called
        if not vectors_like(table[name])
        and set(_words(table[name]).unique()) <= set(SETS)
        and set(_words(table[name]).unique()) - {"", "none", "nan", "-"}
    )


def splits_of(table: pd.DataFrame, names: Sequence[str], where: str) -> list[Split]:
    """The splits that the columns of `guess_splits` give."""
    if tuple(names) == MASKS:
        found = [numbers(table[name]) for name in MASKS]
        masks = [[np.nan_to_num(part) != 0 for part in found if part is not None]]
    else:
        sets = [_words(table[name]).map(SETS) for name in names]
        masks = [[(s == part).to_numpy() for part in ("train", "val", "test")] for s in sets]
    for parts, name in zip(masks, names, strict=False):
        sizes = [int(part.sum()) for part in parts]
        if len(sizes) != 3 or not all(sizes):
            raise WGNNError(
                f"{where}: the split of the column {shown(name)} has {', '.join(map(str, sizes))} "
                "nodes in train, val and test; each set needs at least one."
            )
    return [Split(*parts) for parts in masks]


def labelled_only(splits: Sequence[Split], labelled: BoolArray) -> tuple[list[Split], int]:
    """The splits without the nodes that have no label, and how many nodes that concerns."""
    inside = np.zeros(len(labelled), dtype=np.bool_)
    for split in splits:
        inside |= split.train | split.val | split.test
    kept = [Split(s.train & labelled, s.val & labelled, s.test & labelled) for s in splits]
    return kept, int((inside & ~labelled).sum())


def classes(
    column: pd.Series, unlabelled: str | None, caps: Caps, where: str
) -> tuple[IntArray, tuple[str, ...], str]:
    """Class numbers of a label column, the classes' names, and what stood for "no label".

    A missing value has no label. So has `unlabelled`, if given; else -1, if at least two other
    classes are there (with just one other it is the second class of -1 and 1).
    Numbers are sorted as numbers, words as words.
    """
    if vectors_like(column):
        raise WGNNError(f"{where} holds lists; a label is one value per node.")
    values = column.str.strip().replace("", None) if _is_text(column) else column
    codes, distinct = pd.factorize(values)
    caps.check("classes", len(distinct), where)
    texts = [class_text(value, where) for value in distinct]
    merged, position = np.unique(np.array(texts, dtype=object), return_inverse=True)
    names = [str(name) for name in merged]
    missing = unlabelled
    if missing is None:
        missing = "-1" if "-1" in names and len(names) > 2 else ""
    elif missing not in names:
        raise WGNNError(f"{where} has no value {shown(missing)}, so it cannot stand for no label.")
    order = sorted((name for name in names if name != missing), key=_by_number(names))
    check_names(order, "class name", where, caps)
    number = {name: i for i, name in enumerate(order)}
    final = np.array([number.get(names[p], UNLABELLED) for p in position], dtype=np.int64)
    y = np.where(codes >= 0, np.append(final, UNLABELLED)[codes], UNLABELLED)
    if len(order) < 2:
        raise WGNNError(
            f"{where} has {len(order)} different labels; classification needs at least 2."
        )
    return y, tuple(order), missing


def class_text(value: Any, where: str) -> str:
    """A label as text: 3.0 is class "3"; 0.37 is a measurement, not a class."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating):
        if not float(value).is_integer():
            raise WGNNError(
                f"{where} holds {value}, a number that is not whole; labels are whole numbers or "
                "words."
            )
        return str(int(value))
    text = str(value)
    if len(text) < 40 and DECIMAL.fullmatch(text):
        return class_text(float(text), where)
    return text


def numbers(column: pd.Series) -> npt.NDArray[np.float64] | None:
    """The column as numbers with nan where a value is missing; None if it holds anything else."""
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_numeric_dtype(column.dtype):
        if pd.api.types.is_complex_dtype(column.dtype):
            return None
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if not (_is_text(column) or column.dtype == object) or vectors_like(column):
        return None
    try:
        parsed = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):
        return None
    if (np.isnan(parsed) & column.notna().to_numpy()).any() or np.isnan(parsed).all():
        return None
    return np.asarray(parsed)


def is_sparse(column: pd.Series) -> bool:
    """Whether the first values look like ``3:0.5 17:1``."""
    if not _is_text(column):
        return False
    sample = column.dropna().head(SAMPLE)
    return len(sample) > 0 and all(SPARSE.fullmatch(value) for value in sample if value.strip())


def sparse_matrix(column: pd.Series, caps: Caps, where: str) -> sparse.csr_array:
    """A column of ``index:value`` lists as a matrix; an empty value is a row of zeros."""
    text = column.fillna("").str.replace(r"[,;]", " ", regex=True)
    counts = text.str.count(":").to_numpy(dtype=np.int64)
    caps.check("values", int(counts.sum()), where)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # NumPy's word for text left over
        try:
            flat = np.fromstring(" ".join(text).replace(":", " "), dtype=np.float64, sep=" ")
        except (DeprecationWarning, ValueError):
            flat = np.empty(0)
    pairs = flat[: len(flat) // 2 * 2].reshape(-1, 2)
    index = pairs[:, 0]
    wrong = len(flat) != 2 * counts.sum() or not np.isfinite(pairs).all()
    if wrong or (index < 0).any() or (index % 1 != 0).any():
        bad = next((v for v in column.dropna() if not SPARSE.fullmatch(v) and v.strip()), "")
        raise WGNNError(
            f"{where} holds {shown(printable(bad))}; write each value as index:number, such as "
            "3:0.5 17:1, with whole indices from 0."
        )
    width = int(index.max()) + 1 if len(index) else 1
    caps.check("features", width, where)
    starts = np.concatenate([[0], np.cumsum(counts)])
    data = (pairs[:, 1].astype(np.float32), index.astype(np.int64), starts)
    return sparse.csr_array(data, shape=(len(column), width))


def vectors_like(column: pd.Series) -> bool:
    """Whether the column holds lists, dictionaries and the like instead of single values."""
    if column.dtype != object:
        return False
    return any(isinstance(v, tuple) or not isinstance(v, Hashable) for v in column)


def matrix_of(column: pd.Series, caps: Caps, where: str) -> Any:
    """The features of one column, ``[N, F]`` dense or sparse, with nan where a value is missing;
    None if the column holds something else."""
    if vectors_like(column):
        return vectors(column, caps, where)
    if is_sparse(column):
        return sparse_matrix(column, caps, where)
    values = numbers(column)
    return None if values is None else values[:, None]


def _is_text(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.StringDtype)


def _words(column: pd.Series) -> pd.Series:
    return column.fillna("").astype("str").str.strip().str.lower()


def _by_number(names: Sequence[str]) -> Any:
    whole = all(WHOLE.fullmatch(name) and len(name) < 19 for name in names)
    return (lambda name: (int(name), name)) if whole else str
