"""How large an imported graph may be; every cap is checked before memory is taken."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace

from wgnn_core.errors import WGNNError


@dataclass(frozen=True)
class Caps:
    """The largest allowed numbers. ``WGNN_CAPS="nodes=2000000,edges=50000000"`` changes them.

    Attributes:
        bytes: Size of all files together, and of what they unpack to.
        nodes: Nodes, that is rows of the node table.
        edges: Edges as listed in the file, before repeated ones are merged.
        features: Features, that is columns of the node table.
        classes: Different labels.
        values: Nodes times features, zeros counted unless they are stored sparsely.
        splits: Splits, given or drawn.
        text: Characters of a name: of a node, a class or a column.
    """

    bytes: int = 512 * 2**20
    nodes: int = 1_000_000
    edges: int = 10_000_000
    features: int = 50_000
    classes: int = 1_000
    values: int = 100_000_000
    splits: int = 100
    text: int = 1_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise WGNNError(f"The cap on {field.name} is {value!r}; give a number from 1.")

    def check(self, cap: str, value: int, where: str) -> None:
        """Raise, naming the cap and the value, if `value` is larger than the cap allows."""
        limit = getattr(self, cap)
        if value > limit:
            what = "characters in a name" if cap == "text" else cap
            raise WGNNError(
                f"{where} has {value} {what}; the cap on {cap} is {limit} (WGNN_CAPS raises it)."
            )

    def with_text(self, text: str) -> Caps:
        """The caps with those of a text like ``nodes=2000000,edges=50000000`` changed."""
        changed: dict[str, int] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, number = (piece.strip() for piece in part.partition("="))
            known = [field.name for field in fields(self)]
            if name not in known or not number.isdecimal():
                raise WGNNError(
                    f"{part!r} is no cap; write NAME=NUMBER with a name of {', '.join(known)}."
                )
            changed[name] = int(number)
        return replace(self, **changed)


def configured() -> Caps:
    """The caps with what ``WGNN_CAPS`` says."""
    return Caps().with_text(os.environ.get("WGNN_CAPS", ""))
