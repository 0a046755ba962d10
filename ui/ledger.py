"""How many bytes the server keeps for its pages, whatever the number of things."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from sys import getsizeof
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy import sparse

ENTRY = 16 * 2**10
"""Bytes that an entry counts beside its parts: small ones do not become endlessly many."""


@dataclass(frozen=True)
class _Entry:
    parts: dict[int, int]
    forget: Callable[[], None]


class Ledger:
    """Notes what caches hold and makes them forget what was not asked for the longest.

    Streamlit counts the entries of a cache; one graph may be a thousand times another. An array
    that several entries hold, such as the graph behind figures, counts once, and is free only when
    the last of them goes.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._held: OrderedDict[tuple[Any, ...], _Entry] = OrderedDict()
        self._holders: Counter[int] = Counter()
        self._total = 0
        self._lock = threading.Lock()

    @property
    def total(self) -> int:
        """Bytes held at present."""
        return self._total

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            gone = list(self._held.values())
            self._held.clear()
            self._holders.clear()
            self._total = 0
        for entry in gone:
            entry.forget()

    def noted(self, cached: Any) -> Callable[..., Any]:
        """`cached`, a Streamlit cache, but with its entries noted here."""

        def call(*given: Any, **named: Any) -> Any:
            value = cached(*given, **named)
            key = (id(cached), repr(given), repr(sorted(named.items())))  # 1 is not True here
            self._note(key, value, lambda: cached.clear(*given, **named))
            return value

        return call

    def _note(self, key: tuple[Any, ...], value: object, forget: Callable[[], None]) -> None:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return
        entry, dropped = _Entry(parts_of(value), forget), []
        with self._lock:
            if key in self._held:  # noted by another session meanwhile
                return
            self._held[key] = entry
            self._add(entry)
            while self._total > self.limit and len(self._held) > 1:
                dropped.append(self._held.popitem(last=False)[1])
                self._remove(dropped[-1])
        for old in dropped:
            old.forget()

    def _add(self, entry: _Entry) -> None:
        new = [part for part in entry.parts if not self._holders[part]]
        self._total += ENTRY + sum(entry.parts[part] for part in new)
        self._holders.update(entry.parts.keys())

    def _remove(self, entry: _Entry) -> None:
        self._holders.subtract(entry.parts.keys())
        gone = [part for part in entry.parts if not self._holders[part]]
        self._total -= ENTRY + sum(entry.parts[part] for part in gone)
        for part in gone:
            del self._holders[part]


def bytes_of(value: object) -> int:
    """Bytes of the arrays, tables and texts in a value."""
    return sum(parts_of(value).values())


def parts_of(value: object) -> dict[int, int]:
    """Bytes of each array, table or text that a value holds, by its identity."""
    parts: dict[int, int] = {}
    _collect(value, parts, set())
    return parts


def _collect(value: Any, parts: dict[int, int], seen: set[int]) -> None:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        while isinstance(value.base, np.ndarray):  # a view keeps the whole
            value = value.base
        parts[id(value)] = int(value.nbytes)
    elif isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        parts[storage.data_ptr()] = storage.nbytes()
    elif isinstance(value, str | bytes):
        parts[id(value)] = getsizeof(value)  # of a text up to four bytes a letter
    elif isinstance(value, pd.DataFrame | pd.Series):
        parts[id(value)] = int(np.sum(value.memory_usage(deep=True)))
    elif sparse.issparse(value):
        _collect(value.__dict__, parts, seen)
    elif isinstance(value, Mapping):
        _collect_all(value, value.values(), parts, seen)
    elif isinstance(value, list | tuple | set | frozenset):
        _collect_all(value, value, parts, seen)
    elif is_dataclass(value) and not isinstance(value, type):
        names = {field.name for field in fields(value)} | set(getattr(value, "__dict__", {}))
        for name in names:
            _collect(getattr(value, name, None), parts, seen)


def _collect_all(
    holder: object, items: Collection[Any], parts: dict[int, int], seen: set[int]
) -> None:
    """Texts are one part with what holds them: a graph may have a name for every node."""
    texts = [item for item in items if isinstance(item, str | bytes)]
    parts[id(holder)] = 8 * len(items) + sum(map(getsizeof, texts))
    for item in items:
        if not isinstance(item, str | bytes):
            _collect(item, parts, seen)
