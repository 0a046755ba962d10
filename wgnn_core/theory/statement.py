"""`Statement`: what a theorem of Section 3 says, and what is true of it on one graph."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from wgnn_core.graph import IntArray

Relation = Literal["=", "<=", "<"]


@dataclass(frozen=True)
class Hypothesis:
    """Something a statement asks of the graph.

    Attributes:
        text: In plain words.
        holds: Whether it is so on this graph.
        needed: False where the paper asks for it, but the statement is true without it.
    """

    text: str
    holds: bool
    needed: bool = True


@dataclass(frozen=True)
class Term:
    """A number with its name: a side of a statement, or a part of one; `by` is how it was found."""

    name: str
    value: float
    by: str = ""


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement of the paper on one graph.

    Attributes:
        title: Its name in the paper.
        words: What it says, in plain words.
        hypotheses: What it asks of the graph, each with a tick or a cross.
        left: The left side; nan where it is not defined on this graph.
        relation: How the left side should relate to the right one.
        right: The right side.
        holds: Whether the conclusion is true on this graph, up to rounding.
        decided: False where only bounds are known and they do not settle it; `holds` then
            speaks of the best set found.
        proved: False for a rule of thumb, which may fail although its hypotheses hold.
        terms: Further numbers that the statement speaks of.
        nodes: Node sets to draw, by name.
        edges: Edge sets to draw, by name, each ``[k, 2]``.
    """

    title: str
    words: str
    hypotheses: tuple[Hypothesis, ...]
    left: Term
    relation: Relation
    right: Term
    holds: bool
    decided: bool = True
    proved: bool = True
    terms: tuple[Term, ...] = ()
    nodes: Mapping[str, IntArray] = field(default_factory=dict)
    edges: Mapping[str, IntArray] = field(default_factory=dict)

    @property
    def applies(self) -> bool:
        """Whether every hypothesis that is needed holds."""
        return all(hypothesis.holds for hypothesis in self.hypotheses if hypothesis.needed)

    def term(self, name: str) -> float:
        """The value of the side or term of this name."""
        return next(t.value for t in (self.left, self.right, *self.terms) if t.name == name)


def compare(left: float, relation: Relation, right: float, tolerance: float) -> bool:
    """Whether the relation holds up to `tolerance`; never with nan.

    A strict "<" asks for a difference of more than 0 and knows no tolerance.
    """
    if relation == "<":
        return left < right
    if relation == "<=":
        return left <= right + tolerance
    return abs(left - right) <= tolerance


def symbols(text: str) -> str:
    """A name of a set or number as the paper prints it: V0 as V₀, V' as V′, Gamma as Γ."""
    named = text.replace("Gamma", "Γ").replace("'", "′").replace("^2", "²")
    named = named.replace("mu_v", "μᵥ").replace(" - ", " − ")
    return re.sub(r"\b([VOUNc])([01])\b", lambda m: f"{m[1]}{'₀₁'[int(m[2])]}", named)


def verdict(statement: Statement) -> str:
    """One sentence: whether the statement applies on this graph, and whether it holds."""
    here = "What it needs holds here" if statement.applies else "What it needs does not hold here"
    undefined = math.isnan(statement.left.value) or math.isnan(statement.right.value)
    if undefined and (statement.applies or not statement.decided):
        return f"{here}; a side of it is not defined on this graph."
    if not statement.decided:
        return f"{here}; for the conclusion only bounds are known, and they do not settle it."
    if not statement.applies:
        does = "does all the same" if statement.holds else "does not either"
        return f"{here}; the conclusion {does}."
    if statement.holds:
        return f"{here}, and so does the conclusion."
    if not statement.proved:
        return f"{here}, the conclusion does not: it is a rule of thumb."
    return f"{here}, but the numbers are too close to show the conclusion."


def sides(statement: Statement) -> str:
    """Both sides in words: ``x (1) <= y (2)``, or ``x (3) should be <= y (2)``."""
    left, right = statement.left, statement.right
    relation = statement.relation if statement.holds else f"should be {statement.relation}"
    return f"{_named(left)} {relation} {_named(right)}"


def _named(term: Term) -> str:
    if term.name in ("zero", "one"):
        return f"{term.value:g}"
    return f"{term.name} " + ("(undefined)" if math.isnan(term.value) else f"({term.value:.4g})")
