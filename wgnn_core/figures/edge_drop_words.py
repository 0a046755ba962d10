"""The words of the close-up of Algorithm 2: every one is counted from what is drawn."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from wgnn_core.claims import dropped_edges_join_classes
from wgnn_core.edgedrop import EdgeDrop
from wgnn_core.figures.text import count, share
from wgnn_core.graph import IntArray
from wgnn_core.layout import CloseUp

KEPT, FOREST, DROPPED = "kept", "forest", "dropped"
LINES = {
    DROPPED: "dashed red: edges that go",
    FOREST: "strong: the spanning forest of V', which stays",
    KEPT: "thin: other edges",
}
BOXES = (
    " Each box is one connected piece of V', largest loss first; its line counts the edges that go "
    "and those of them that join two classes."
)
BOXES_INTACT = " Each box is one connected piece of V'."


def around(shot: CloseUp | None, states: Container[object]) -> str:
    """How to read the drawing, and what is left out of it; `states` are those of drawn edges."""
    marks = [words for state, words in LINES.items() if state in states]
    if shot is None:
        return " " + _sentence([*marks, "large dots: nodes of V'", "colours: true classes"])
    loss = any(piece.dropped for piece in shot.pieces)
    faint = ["faint: nodes around a piece"] * bool((~shot.inside).any())
    read = _sentence([*marks, *faint, "colours: true classes"])
    return f"{BOXES if loss else BOXES_INTACT} {read}{_left_out(shot, loss)}"


def _sentence(parts: list[str]) -> str:
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def piece_line(piece: dict[str, Any], room: float) -> str:
    """What happens in a piece, as many words as `room` characters hold."""
    return next((t for t in piece_lines(piece) if len(t) <= room), "")


def piece_lines(piece: dict[str, Any]) -> list[str]:
    """What happens in a piece, ever shorter: edges that go, and those that join two classes."""
    lost, crossing = int(piece["dropped"]), int(piece["crossing"])
    if lost == 0:
        return ["no edge goes", "none goes", "0"]
    go = f"{lost:,} edge{'s go' if lost > 1 else ' goes'}"
    join = f"{crossing:,} {'joins' if crossing == 1 else 'join'}"
    shown = int(piece["dropped_shown"])
    part = "" if shown == lost else f" ({shown:,} shown)"
    short = f"{lost:,} go{'es' if lost == 1 else ''}"
    return [
        f"{go}{part}, {join} two classes",
        f"{short}{part}, {join} classes",
        f"{short}, {crossing:,} cross",
        f"{lost:,} ({crossing:,})",
    ]


def what_goes(edges: IntArray, drop: EdgeDrop, classes: IntArray, shot: CloseUp | None) -> str:
    """What Algorithm 2 did, in numbers."""
    lost, least = int(drop.dropped.sum()), int(drop.least.sum())
    if not lost:
        spare = int((drop.least[edges].all(axis=1) & ~drop.forest).sum())
        why = (
            f"its spanning forest leaves {count(spare, 'edge')}, and the share eta2 of that is "
            "less than one edge"
            if spare
            else "its spanning forest holds every edge among them, so none can go"
        )
        return f"No edge goes among the {count(least, 'node')} of V': {why}."
    claim = dropped_edges_join_classes(edges, drop.dropped, classes)
    crossing, other = claim.numbers["dropped"], claim.numbers["kept"]
    parts = f"{share(crossing)} of them join two classes"
    rest = f", and {share(other)} of the other edges"
    if lost == 1:
        parts = "it joins two classes" if crossing else "it joins nodes of one class"
        rest = f"; of the other edges {share(other)} join two classes"
    if np.isfinite(other):
        parts += rest
    hidden = shot.dropped_hidden if shot is not None else 0
    shown = f"; {lost - hidden:,} of them are shown" if hidden else ""
    verb = "goes" if lost == 1 else "go"
    text = f"{lost:,} of {count(len(edges), 'edge')} {verb} among the {count(least, 'node')} of V'"
    return f"{text}{f': {parts}' if np.isfinite(crossing) else ''}{shown}."


def _left_out(shot: CloseUp, loss: bool) -> str:
    found = (
        (shot.pieces_hidden, "piece", "of small loss"),
        (shot.trimmed, "node", "of these pieces, far from what is shown"),
        (shot.intact, "node", f"of V' in {'pieces that lose no edge' if loss else 'other pieces'}"),
        (shot.lonely, "node", "of V' without an edge to another"),
    )
    parts = [f"{count(number, thing)} {what}" for number, thing, what in found if number]
    return f" Left out: {'; '.join(parts)}." if parts else ""
