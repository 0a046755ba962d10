"""Pickled raw files, read without any code of theirs or of the libraries they name.

A pickle names constructors and hands them what it likes: a crafted state given to NumPy's own
makes it crash, and one given to a class of networkx changes that class for everybody. So every
name stands for something of ours, made for this one file, that only remembers what it is given.
What was remembered is then checked and built the ordinary way.
"""

from __future__ import annotations

import io
import math
import pickle
import re
from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
from scipy import sparse

from wgnn_core.errors import WGNNError

NUMBER = re.compile(r"[fiub][1248]")
ALLOWED = {
    "numpy.core.multiarray._reconstruct": "array",
    "numpy._core.multiarray._reconstruct": "array",
    "numpy.ndarray": "name",
    "numpy.dtype": "dtype",
    "scipy.sparse.csr.csr_matrix": "csr",
    "collections.defaultdict": "dict",
    "builtins.list": "list",
    "builtins.dict": "dict",
    "networkx.classes.graph.Graph": "graph",
    "networkx.classes.reportviews.NodeView": "name",
}
"""Every constructor the known pickled files name, and nothing else."""


class _Remembered:
    """What a file said of one thing: the arguments of its constructor, and its state."""

    def __init__(self, kind: str, given: tuple[Any, ...]) -> None:
        self.kind, self.given, self.state = kind, given, None


def _stand_in(kind: str) -> Any:
    """A class that nothing else uses; calling it makes something `_Remembered`."""

    class StandIn(_Remembered):
        def __new__(cls, *given: Any) -> StandIn:
            return object.__new__(cls)

        def __init__(self, *given: Any) -> None:
            super().__init__(kind, given)

        def __setstate__(self, state: Any) -> None:
            self.kind, self.given = kind, getattr(self, "given", ())
            self.state = state

    return StandIn


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content), encoding="latin1")
        made: dict[str, Callable[..., Any]] = {
            kind: _stand_in(kind) for kind in set(ALLOWED.values())
        }
        made["list"], made["dict"] = (lambda: []), (lambda *_: {})
        self._made = made

    def find_class(self, module: str, name: str) -> Any:
        # Files of Python 2 call the module of its built-in types by its old name.
        full = f"{'builtins' if module == '__builtin__' else module}.{name}"
        if full not in ALLOWED:
            raise WGNNError(
                f"A pickled file asks for {module}.{name}; only plain arrays, sparse matrices, "
                "lists, dictionaries and graphs are allowed."
            )
        return self._made[ALLOWED[full]]

    def persistent_load(self, pid: Any) -> Any:
        raise WGNNError("A pickled file asks for something outside itself.")


def safe_unpickle(content: bytes) -> Any:
    """The numbers, arrays, lists, dictionaries, sparse matrices and graphs of a pickled file.

    Raises:
        WGNNError: It holds anything else, or makes no sense.
    """
    try:
        return _built(_Unpickler(content).load())
    except WGNNError:
        raise
    except Exception as error:  # whatever a made-up file leads to
        raise WGNNError(f"A pickled file makes no sense ({type(error).__name__}).") from error


def _built(value: Any) -> Any:
    if isinstance(value, _Remembered):
        build = {"array": _array, "csr": _csr, "graph": _graph}.get(value.kind)
        return build(value.state) if build else None
    if isinstance(value, dict):
        return {key: _built(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_built(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_built(item) for item in value)
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    return None  # a name that was only mentioned


def _array(state: Any) -> npt.NDArray[Any]:
    *_, shape, kind, by_column, raw = state
    content = raw.encode("latin1") if isinstance(raw, str) else raw
    flat = np.frombuffer(content, dtype=_dtype(kind))
    if not all(isinstance(n, int) and n >= 0 for n in shape) or math.prod(shape) != len(flat):
        raise ValueError("an array whose shape does not fit its content")
    return flat.reshape(shape, order="F" if by_column else "C").copy()


def _dtype(found: _Remembered) -> np.dtype[Any]:
    name, order = found.given[0], found.state[1] if found.state else "|"
    if not NUMBER.fullmatch(name) or order not in ("<", ">", "|", "="):
        raise ValueError(f"an array of {name!r}")
    kind: np.dtype[Any] = np.dtype(order + name)
    return kind


def _csr(state: Mapping[str, Any]) -> sparse.csr_matrix:
    parts = tuple(_built(state[name]) for name in ("data", "indices", "indptr"))
    matrix = sparse.csr_matrix(parts, shape=state["_shape"])
    matrix.check_format(full_check=True)
    return matrix


def _graph(state: Mapping[str, Any]) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from((node, _built(said)) for node, said in state["_node"].items())
    graph.add_edges_from((u, v) for u, others in state["_adj"].items() for v in others)
    return graph
