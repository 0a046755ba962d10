"""Predictions of somebody else's program: read, checked, put in the order of the nodes."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import softmax

from wgnn_core.errors import WGNNError
from wgnn_core.graph import FloatArray, Graph

MAX_BYTES = 2**30
ROUNDING = 1e-5
"""How far a row of a softmax in single precision is from 1; such rows are taken as they are."""
TOLERANCE = 1e-3
"""How far a row of probabilities may be from 1, for those rounded to a few digits."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """Class probabilities of every node.

    Attributes:
        prob: ``[K, N, C]``, one matrix per seed.
        were_logits: Whether a softmax made probabilities of them.
        by_name: Whether rows were put in order by the names of the nodes.
    """

    prob: FloatArray
    were_logits: bool
    by_name: bool = False


def read_predictions(path: Path | str, graph: Graph) -> Predictions:
    """Predictions in a ``.npy``, ``.npz`` (one array) or ``.csv`` file.

    A CSV file has one row per node and one column per class, with or without a line of names; a
    first column beyond the classes names the node, and the rows may then come in any order.

    Raises:
        WGNNError: The file is not there, too large, no such file, or does not fit the graph.
    """
    file = Path(path)
    try:
        size = file.stat().st_size
        if size > MAX_BYTES:
            raise WGNNError(
                f"{file} has {size:,} bytes; the limit for predictions is {MAX_BYTES:,}."
            )
        content = file.read_bytes()
    except OSError as error:
        raise WGNNError(f"{file} cannot be read: {error.strerror}.") from error
    return parse_predictions(content, file.name, graph)


def parse_predictions(content: bytes, name: str, graph: Graph) -> Predictions:
    """As `read_predictions`, from bytes; `name` says the format."""
    kind = Path(name).suffix.lower()
    if kind == ".csv":
        values, by_name = _of_csv(content, name, graph)
    elif kind in (".npy", ".npz"):
        values, by_name = _of_numpy(content, name), False
    else:
        raise WGNNError(f"{name} must end in .npy, .npz or .csv.")
    return check_predictions(values, graph, by_name)


def check_predictions(values: npt.ArrayLike, graph: Graph, by_name: bool = False) -> Predictions:
    """Probabilities or logits ``[N, C]`` or ``[K, N, C]`` as predictions for the graph."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiu":
        raise WGNNError(f"predictions have the type {array.dtype}; they must be numbers.")
    if array.ndim == 2:
        array = array[None]
    wanted = (graph.num_nodes, graph.num_classes)
    if array.ndim != 3 or array.shape[1:] != wanted or len(array) == 0:
        raise WGNNError(
            f"predictions have the shape {array.shape}; {graph.name} needs [nodes, classes] = "
            f"{list(wanted)}, or several such matrices, one per seed."
        )
    if not np.isfinite(array).all():
        raise WGNNError("predictions hold numbers that are not finite; every entry must be one.")
    given, array = array, array.astype(np.float64)
    sums = array.sum(-1)
    if array.min() >= 0 and abs(sums - 1).max() <= ROUNDING:
        return Predictions(given.astype(np.float32), False, by_name)
    if array.min() >= 0 and abs(sums - 1).max() <= TOLERANCE:
        return Predictions((array / sums[..., None]).astype(np.float32), False, by_name)
    if array.min() >= 0 and array.max() <= 1 and abs(sums - 1).max() <= 0.1:
        raise WGNNError(
            f"rows of the predictions sum to between {sums.min():.4g} and {sums.max():.4g}; give "
            "probabilities that sum to 1, or logits."
        )
    return Predictions(softmax(array, axis=-1).astype(np.float32), True, by_name)


def _of_numpy(content: bytes, name: str) -> npt.NDArray[Any]:
    try:
        loaded = np.load(io.BytesIO(content), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            if len(loaded.files) != 1:
                raise WGNNError(
                    f"{name} holds {len(loaded.files)} arrays ({', '.join(loaded.files[:5])}); "
                    "it must hold one, the predictions."
                )
            found: npt.NDArray[Any] = loaded[loaded.files[0]]
            return found
    except WGNNError:
        raise
    except Exception as error:  # whatever a broken or hostile file makes numpy say
        raise WGNNError(f"{name} is no file of numpy arrays without pickles ({error}).") from error


def _of_csv(content: bytes, name: str, graph: Graph) -> tuple[npt.NDArray[Any], bool]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = content.decode("utf-8-sig")
            first = text.partition("\n")[0].split(",")
            head = 0 if any(not _is_number(cell) for cell in first[1:]) else None
            table = pd.read_csv(io.StringIO(text), header=head, low_memory=False)
    except (UnicodeDecodeError, ValueError) as error:
        raise WGNNError(f"{name} is no CSV file in UTF-8 ({error}).") from error
    if table.shape[1] == graph.num_classes + 1:
        ids = table.iloc[:, 0].astype(str).tolist()
        names = list(graph.node_names or map(str, range(graph.num_nodes)))
        if sorted(ids) != sorted(names):
            missing = sorted(set(names) - set(ids))[:3]
            raise WGNNError(
                f"the first column of {name} must name every node of {graph.name} once; "
                f"not there: {', '.join(missing) or 'none, but some come twice'}."
            )
        place = {node: i for i, node in enumerate(ids)}
        table = table.iloc[[place[node] for node in names], 1:]
        return table.to_numpy(), True
    return table.to_numpy(), False


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
