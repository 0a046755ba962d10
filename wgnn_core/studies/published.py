"""What the paper prints, as data: its tables, and where a figure of them is doubtful."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

Printed = tuple[float, float]
"""Mean and standard deviation in percent."""

SLIP = (
    "the paper prints 64.28 ± 1.94 both for PTDNet on Airport and for wGNN2 on Chameleon, "
    "probably a slip of copying"
)
NOTES = {
    ("PTDNet", "Airport"): SLIP,
    ("wGNN2", "Chameleon"): SLIP,
    ("MaskGAE", "Photo"): "the figure fits MaskGAE's own 10 / 10 / 80 % split, not 20 per class",
    ("MaskGAE", "CS"): "the paper says that it used another split here",
}
"""By (row, column): why a printed figure should not be leant on."""
GRAPH_NOTES = {
    "Airport": "the loader that is copied most has test nodes in its training set; here they are "
    "kept apart",
    "Chameleon": "many pages are duplicates, in training and test set alike",
}
"""The same for all figures on a graph."""


@dataclass(frozen=True)
class Published:
    """Two figures of the paper that belong together; None where it prints none."""

    base: Printed | None = None
    method: Printed | None = None
    note: str = ""

    @property
    def gain(self) -> float | None:
        """Points of the second over the first."""
        if self.base is None or self.method is None:
            return None
        return round(self.method[0] - self.base[0], 2)


@cache
def tables() -> dict[str, Any]:
    """Every table of the paper, by the names of ``published.json``."""
    text = resources.files("wgnn_core.studies").joinpath("published.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def of_table(table: str, model: str, graph: str) -> Published:
    """Base model and wGNN in a table with both."""
    rows = tables()[table].get(model, {})
    return Published(
        _pair(rows.get("base", {}).get(graph)),
        _pair(rows.get("wgnn", {}).get(graph)),
        note(model, graph),
    )


def base_of(model: str, graph: str) -> Printed | None:
    """The base model in Table 1 or Table 2, whichever has the graph."""
    for table in ("table_1_node_classification", "table_2_heterophilic"):
        found = of_table(table, model, graph).base
        if found is not None:
            return found
    return None


def note(row: str, graph: str) -> str:
    """Why the printed figure should not be leant on; empty if nothing speaks against it."""
    return NOTES.get((row, graph), GRAPH_NOTES.get(graph, ""))


def _pair(value: Any) -> Printed | None:
    return None if value is None else (float(value[0]), float(value[1]))
