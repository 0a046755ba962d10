"""Every dataset there is: those of the program, then those that the user imported."""

from __future__ import annotations

from wgnn_core.datasets import shelf
from wgnn_core.datasets.known import PINNED_DIGITS, DatasetSpec, known
from wgnn_core.errors import WGNNError


def catalogue() -> tuple[DatasetSpec, ...]:
    """The built-in datasets, the nine of the paper, then the imported ones by name."""
    return known() + shelf.entries()


def names() -> tuple[str, ...]:
    """The names of the catalogue, in its order."""
    return tuple(entry.name for entry in catalogue())


def spec(name: str) -> DatasetSpec:
    """The entry of that name, in any case.

    A pinned name (``name@hash``, see `DatasetSpec.pinned`) finds an imported graph by its content,
    whatever it is called now.

    Raises:
        WGNNError: There is none; lists the names there are.
    """
    wanted = str(name).lower()
    called, at, digits = wanted.partition("@")
    if at:
        return _by_content(called, digits)
    entries = {entry.name: entry for entry in catalogue()}
    if wanted not in entries:
        raise WGNNError(f"There is no dataset {name!r}; choose one of {', '.join(entries)}.")
    return entries[wanted]


def _by_content(called: str, digits: str) -> DatasetSpec:
    for entry in shelf.entries():
        content = entry.imported.content_hash if entry.imported else ""
        if len(digits) >= PINNED_DIGITS and content.startswith(digits):
            return entry
    raise WGNNError(
        f"The graph {called!r} with content {digits!r} is not here (deleted, or imported on "
        "another machine); import it again."
    )
