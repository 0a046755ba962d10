"""Theorem 3: few edges inside a separating set V' make a bottleneck of the graph.

V' separates the rest of the graph into U_0 and U_1. The theorem bounds the Cheeger constant h(G)
by the largest cut C of the subgraph induced by V', which Algorithm 2 makes smaller.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.theory.cuts import (
    BRUTE_FORCE,
    Bounds,
    cheeger,
    cheeger_realisers,
    max_cut,
    min_cut,
)
from wgnn_core.theory.sets import crossing, crossings, edges_of, neighbours, parts
from wgnn_core.theory.statement import Hypothesis, Statement, Term, compare

TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Bottleneck:
    """Every quantity of Theorem 3 for one V'.

    Attributes:
        num_parts: Connected components of the graph outside V'; the theorem asks for two.
        separated: Whether the two have no common neighbour in V'.
        connected: Whether the whole graph is connected.
        largest_cut: C, of the subgraph induced by V'.
        forest_floor: |V'| minus the number of its components: C is at least this as long as a
            spanning forest of V' is kept, as Algorithm 2 does.
        expansion: h(G).
        outside: U_0 and U_1 as masks; empty masks if there are not two.
        around: N_0 and N_1, each U with its neighbours in V'.
        around_cut: |Gamma(N_0)| and |Gamma(N_1)|.
        limit: c_0; nan if there are not two parts.
        divisor: c_1 = min(|N_0|, |N_1|); nan if there are not two parts.
        limit_terms: The terms of the minimum in c_0, by name.
    """

    num_parts: int
    separated: bool
    connected: bool
    largest_cut: Bounds
    forest_floor: int
    expansion: Bounds
    outside: tuple[BoolArray, BoolArray]
    around: tuple[BoolArray, BoolArray]
    around_cut: tuple[int, int]
    limit: Bounds
    divisor: float
    limit_terms: dict[str, Bounds]


def bottleneck(adjacency: sparse.csr_array, least: BoolArray) -> Bottleneck:
    """The quantities of Theorem 3.

    c of a single node, which has no cut, is left out of the minimum in c_0.

    Args:
        adjacency: Symmetric 0/1 matrix without self-loops, ``[N, N]``.
        least: V', ``[N]``.
    """
    edges = edges_of(adjacency)
    num_parts, part = parts(adjacency, ~least)
    inside = _induced(edges, least)
    nothing = np.zeros(len(least), dtype=np.bool_)
    outside, around, around_cut = (nothing, nothing), (nothing, nothing), (0, 0)
    terms: dict[str, Bounds] = {}
    divisor, separated = float("nan"), False
    if num_parts == 2:
        outside = (part == 0, part == 1)
        touched = tuple(neighbours(adjacency, u) for u in outside)
        around = (outside[0] | touched[0], outside[1] | touched[1])
        around_cut = (crossings(edges, around[0]), crossings(edges, around[1]))
        separated = not (touched[0] & touched[1]).any()
        divisor = float(min(around[0].sum(), around[1].sum()))
        terms = _limit_terms(edges, outside)
    limit = Bounds(
        divisor * min((t.lower for t in terms.values()), default=float("nan")),
        divisor * min((t.upper for t in terms.values()), default=float("nan")),
        "lower bounds of its terms",
        "upper bounds of its terms",
        nothing,
    )
    return Bottleneck(
        num_parts=num_parts,
        separated=separated,
        connected=parts(adjacency)[0] == 1,
        largest_cut=_largest_cut(inside, least, around, separated),
        forest_floor=int(least.sum()) - parts(adjacency, least)[0],
        expansion=_with_proof_sets(cheeger(edges, len(least)), around, around_cut),
        outside=outside,
        around=around,
        around_cut=around_cut,
        limit=limit,
        divisor=divisor,
        limit_terms=terms,
    )


def theorem_3(adjacency: sparse.csr_array, least: BoolArray) -> tuple[Statement, Statement]:
    """Both parts of Theorem 3: the bound h(G) <= C / c_1, and where a bottleneck lies.

    The bound needs no C < c_0; the second part does. The second part is decided by trying all
    sets where the graph is small; else `holds` speaks of the best set found.
    """
    terms = bottleneck(adjacency, least)
    return _bound(adjacency, least, terms), _place(adjacency, least, terms)


def _bound(adjacency: sparse.csr_array, least: BoolArray, terms: Bottleneck) -> Statement:
    h, c = terms.expansion, terms.largest_cut
    right = c.lower / terms.divisor
    holds = compare(h.upper, "<=", right, TOLERANCE)
    return Statement(
        title="Theorem 3",
        words="If V' separates the graph into two parts, then the graph has a bottleneck at "
        "least as narrow as the largest cut of V' divided by the size of the smaller side.",
        hypotheses=(*_set_up(terms), _below_limit(terms, needed=False)),
        left=Term("h(G)", h.upper),
        relation="<=",
        right=Term("C / c1", right),
        holds=holds,
        decided=holds or h.lower > c.upper / terms.divisor + TOLERANCE,
        terms=_numbers(terms),
        nodes=_node_sets(least, terms),
        edges={"bottleneck": crossing(edges_of(adjacency), h.side)},
    )


def _place(adjacency: sparse.csr_array, least: BoolArray, terms: Bottleneck) -> Statement:
    edges = edges_of(adjacency)
    num_nodes = len(least)
    decided = terms.connected and num_nodes <= BRUTE_FORCE
    sides = [terms.expansion.side]
    if decided:
        _, sides = cheeger_realisers(edges, num_nodes)
    missing = [s for s in sides if not (s & least).any() or not (~s & least).any()]
    shown = missing[0] if missing else sides[0]
    return Statement(
        title="Theorem 3, moreover",
        words="Every narrowest bottleneck cuts through V': both its sides hold nodes of V'.",
        hypotheses=(*_set_up(terms), _below_limit(terms, needed=True)),
        left=Term("narrowest bottlenecks that do not cut V'", float(len(missing))),
        relation="=",
        right=Term("zero", 0.0),
        holds=not missing,
        decided=decided,
        terms=(Term("narrowest bottlenecks", float(len(sides))), *_numbers(terms)),
        nodes={"side of a bottleneck": np.flatnonzero(shown), **_node_sets(least, terms)},
        edges={"bottleneck": crossing(edges, shown)},
    )


def _set_up(terms: Bottleneck) -> tuple[Hypothesis, ...]:
    return (
        Hypothesis("the graph is connected", terms.connected),
        Hypothesis(
            f"without V' the graph falls into two connected parts (here: {terms.num_parts})",
            terms.num_parts == 2,
        ),
        Hypothesis("the two parts have no common neighbour in V'", terms.separated),
    )


def _below_limit(terms: Bottleneck, needed: bool) -> Hypothesis:
    """C < c_0, with the bounds that make it certain."""
    return Hypothesis(
        "the largest cut of V' is smaller than c0",
        bool(terms.largest_cut.upper < terms.limit.lower - TOLERANCE),
        needed,
    )


def _numbers(terms: Bottleneck) -> tuple[Term, ...]:
    h, c, limit = terms.expansion, terms.largest_cut, terms.limit
    return (
        Term("h(G), lower bound", h.lower, h.lower_by),
        Term("h(G), upper bound", h.upper, h.upper_by),
        Term("C, lower bound", c.lower, c.lower_by),
        Term("C, upper bound", c.upper, c.upper_by),
        Term("C, floor that a spanning forest keeps", terms.forest_floor, "counted"),
        Term("c0, lower bound", limit.lower, limit.lower_by),
        Term("c0, upper bound", limit.upper, limit.upper_by),
        Term("c1", terms.divisor, "counted"),
        *(Term(name, found.upper, found.upper_by) for name, found in terms.limit_terms.items()),
    )


def _node_sets(least: BoolArray, terms: Bottleneck) -> dict[str, IntArray]:
    return {
        "V'": np.flatnonzero(least),
        "U0": np.flatnonzero(terms.outside[0]),
        "U1": np.flatnonzero(terms.outside[1]),
    }


def _limit_terms(edges: IntArray, outside: tuple[BoolArray, BoolArray]) -> dict[str, Bounds]:
    """The terms of the minimum in c_0 (proof of Theorem 3)."""
    terms = {}
    for i, u in enumerate(outside):
        size = int(u.sum())
        leaving = crossings(edges, u) / size
        terms[f"|Gamma(U{i})| / |U{i}|"] = Bounds(leaving, leaving, "counted", "counted", u)
        if size > 1:
            cut = min_cut(_induced(edges, u), size)
            terms[f"c(U{i}) / |U{i}|"] = Bounds(
                cut.lower / size, cut.upper / size, cut.lower_by, cut.upper_by, u
            )
    return terms


def _largest_cut(
    inside: IntArray, least: BoolArray, around: tuple[BoolArray, BoolArray], separated: bool
) -> Bounds:
    """C, with the cuts of the proof, Gamma(N_0) and Gamma(N_1), as further lower bounds."""
    c = max_cut(inside, int(least.sum()))
    for i, side in enumerate(around):
        size = crossings(inside, side[least]) if separated else 0
        if size > c.lower:
            c = Bounds(size, c.upper, f"N{i} of the proof", c.upper_by, side[least])
    return c


def _with_proof_sets(
    h: Bounds, around: tuple[BoolArray, BoolArray], cuts: tuple[int, int]
) -> Bounds:
    """A better upper bound of h if a set of the proof, N_0 or N_1, has one."""
    for i, (side, cut) in enumerate(zip(around, cuts, strict=True)):
        size = int(min(side.sum(), (~side).sum()))
        if size and cut / size < h.upper and not h.exact:
            h = Bounds(h.lower, cut / size, h.lower_by, f"N{i} of the proof", side)
    return h


def _induced(edges: IntArray, inside: BoolArray) -> IntArray:
    """The edges inside a set, its nodes renumbered in order."""
    number = np.cumsum(inside) - 1
    return np.asarray(number[edges[inside[edges].all(axis=1)]])
