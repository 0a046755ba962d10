"""Versions of Python and of packages, for the record of a result."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from functools import cache
from importlib import metadata

NUMERICAL = ("torch", "numpy", "scipy", "numba")
"""The packages that can change a number; the id of a run holds their versions."""


def versions(packages: Iterable[str] = NUMERICAL) -> dict[str, str]:
    """The version of Python and of each package, ``not installed`` where there is none."""
    return {"python": platform.python_version(), **{name: _version(name) for name in packages}}


@cache  # read from the disk, and every id of a run asks for it
def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
