"""How many bytes the server keeps for its pages, whatever the number of things."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd
import torch
from scipy import sparse

from wgnn_core.graph import Graph

P = ParamSpec("P")
T = TypeVar("T")


class Ledger:
    """Notes what caches hold and makes them forget what was not asked for the longest.

    Streamlit counts the entries of a cache; one graph may be a thousand times another.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[tuple[Any, ...], tuple[int, Callable[[], None]]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def total(self) -> int:
        """Bytes held at present."""
        return sum(size for size, _ in self._held.values())

    def noted(self, cached: Any) -> Callable[[Callable[P, T]], Callable[P, T]]:
        """For a function that asks `cached`, a Streamlit cache, with the same arguments."""

        def decorate(ask: Callable[P, T]) -> Callable[P, T]:
            @wraps(ask)
            def call(*given: P.args, **named: P.kwargs) -> T:
                value = ask(*given, **named)
                key = (id(cached), given, tuple(sorted(named.items())))
                self._note(key, value, lambda: cached.clear(*given, **named))
                return value

            return call

        return decorate

    def _note(self, key: tuple[Any, ...], value: object, forget: Callable[[], None]) -> None:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return
            self._held[key] = bytes_of(value), forget
            dropped = []
            while self.total > self._limit and len(self._held) > 1:
                dropped.append(self._held.popitem(last=False)[1][1])
        for drop in dropped:
            drop()


def bytes_of(value: object) -> int:
    """Bytes of the arrays and texts in a value; a graph inside another value is not its own."""
    return _bytes(value, set(), outermost=True)


def _bytes(value: Any, seen: set[int], outermost: bool = False) -> int:
    if id(value) in seen or (isinstance(value, Graph) and not outermost):
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, torch.Tensor):
        return value.numel() * value.element_size()
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, pd.DataFrame | pd.Series):
        return int(np.sum(value.memory_usage()))
    if sparse.issparse(value):
        return sum(_bytes(part, seen) for part in vars(value).values())
    if isinstance(value, Mapping):
        return sum(_bytes(part, seen) for part in value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return sum(_bytes(part, seen) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        names = {field.name for field in fields(value)} | set(getattr(value, "__dict__", {}))
        return sum(_bytes(getattr(value, name, None), seen) for name in names)
    return 0
