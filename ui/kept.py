"""What the server keeps for its pages, for each user by himself. The one way to keep something.

Every key is a name, a number or a run id: arrays are never hashed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from ui.ledger import Ledger
from wgnn_core.home import home

P = ParamSpec("P")
T = TypeVar("T")


LEDGER = Ledger(256 * 2**20)


def mine(*given: Any) -> str:
    """Whoever asks."""
    return str(home())


def kept(
    show_spinner: bool | str = False,
    *,
    whose: Callable[..., str] = mine,
    ledger: Ledger | None = LEDGER,
    on_release: Callable[[Any], None] | None = None,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """`st.cache_resource`, whose keys also say for whom a value was made.

    Args:
        show_spinner: As there, and so is `on_release`.
        whose: From the arguments, for whom a value is kept; the same text for everybody where all
            may have it.
        ledger: Counts the bytes, and forgets what was not asked for the longest; None: kept for
            good.
    """

    def decorate(make: Callable[P, T]) -> Callable[P, T]:
        def one(owner: str, given: tuple[Any, ...], named: tuple[tuple[str, Any], ...]) -> T:
            return make(*given, **dict(named))

        # Streamlit tells functions apart by these and by their source.
        one.__module__, one.__qualname__ = make.__module__, make.__qualname__
        cached = st.cache_resource(show_spinner=show_spinner, on_release=on_release)(one)
        held: Callable[..., T] = cached if ledger is None else ledger.noted(cached)

        @wraps(make)
        def ask(*given: P.args, **named: P.kwargs) -> T:
            return held(whose(*given), given, tuple(sorted(named.items())))

        return ask

    return decorate
