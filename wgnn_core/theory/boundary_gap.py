"""Theorem 2 and its remark: how far the smooth interpolation jumps across a boundary.

V is cut into V_0 and V_1, for example by class. Over the edges between them f~ is summed at both
ends, A(f~, V_0) and A(f~, V_1); their difference is the *gap*. Read f~ as a voltage and each edge
as a wire of resistance 1: the gap is the current through the boundary, and the same current flows
through every boundary between O_0 and O_1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from wgnn_core.errors import WGNNError
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.theory.harmonic import Flow, flow_between
from wgnn_core.theory.sets import crossing, edges_of, matrix_of
from wgnn_core.theory.statement import Hypothesis, Statement, Term, compare

TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Boundary:
    """Every term of Theorem 2 for one cut of the nodes into V_0 and V_1.

    Edges whose ends have no value (no observed node in their component) are left out.

    Attributes:
        edges: Gamma(V_0) = Gamma(V_1), the end in V_0 first, ``[k, 2]``.
        inner: A(f~, V_0), the sum of f~ over the ends in V_0.
        outer: A(f~, V_1), the sum over the ends in V_1.
        gap: A(f~, V_1) - A(f~, V_0).
        lowest: a, the smallest f~ outside O; 1 if every node is observed.
        headroom: b, the smallest 1 - f~ outside O; 1 if every node is observed.
        around_zeros: The number of edges that leave O_0.
        around_ones: The number of edges that leave O_1.
        conductance: The current that leaves O_1.
    """

    edges: IntArray
    inner: float
    outer: float
    gap: float
    lowest: float
    headroom: float
    around_zeros: int
    around_ones: int
    conductance: float

    @property
    def bound(self) -> float:
        """max(b |Gamma(O_1)|, a |Gamma(O_0)|): Theorem 2 says that the gap is at least this."""
        return max(self.headroom * self.around_ones, self.lowest * self.around_zeros)

    @property
    def mean_gap(self) -> float:
        """The gap for each edge of the boundary; nan without any."""
        return self.gap / len(self.edges) if len(self.edges) else float("nan")


def boundary(adjacency: sparse.csr_array, flow: Flow, side: BoolArray) -> Boundary:
    """The terms of Theorem 2.

    Args:
        adjacency: Symmetric 0/1 matrix without self-loops, ``[N, N]``.
        flow: f~ on it.
        side: True on V_1, false on V_0, ``[N]``.
    """
    edges = edges_of(adjacency)
    edges = edges[flow.reached[edges].all(axis=1)]
    cut = crossing(edges, side)
    low, high = cut.T
    from_zeros, from_ones = crossing(edges, ~flow.zeros), crossing(edges, ~flow.ones)
    free = flow.free
    return Boundary(
        edges=cut,
        inner=float(flow.f[low].sum()),
        outer=float(flow.f[high].sum()),
        gap=_current(flow, low, high),
        lowest=float(flow.f[free].min(initial=1.0)),
        headroom=float(flow.rest[free].min(initial=1.0)),
        around_zeros=len(from_zeros),
        around_ones=len(from_ones),
        conductance=float(flow.rest[from_ones[:, 1]].sum()),
    )


def effective_conductance(adjacency: sparse.csr_array, flow: Flow) -> float:
    """The effective conductance between O_0 and O_1: the current at a voltage of 1.

    It is the current that leaves O_1, and also the energy f~ L f~ (a test compares them).
    """
    return boundary(adjacency, flow, flow.ones).conductance


def theorem_2(adjacency: sparse.csr_array, flow: Flow, side: BoolArray) -> Statement:
    """Theorem 2 (equation 3): A(V_0) <= A(V_1) - max(b |Gamma(O_1)|, a |Gamma(O_0)|)."""
    terms = boundary(adjacency, flow, side)
    right = terms.outer - terms.bound
    observed = flow.zeros | flow.ones
    on_boundary = np.zeros(len(side), dtype=np.bool_)
    on_boundary[terms.edges] = True
    free = flow.free
    return Statement(
        title="Theorem 2",
        words="Across the boundary between two sides that hold one pole each, the smooth "
        "interpolation jumps, in sum, by at least as much as the observed nodes force it to.",
        hypotheses=(
            _poles_on_their_sides(flow, side),
            Hypothesis(
                "no observed node lies on the boundary",
                not (observed & on_boundary).any(),
                needed=False,
            ),
            Hypothesis(
                "every value outside the observed nodes lies strictly between 0 and 1",
                bool(((flow.f > 0) & (flow.rest > 0))[free].all()) and bool(flow.reached.all()),
                needed=False,
            ),
        ),
        left=Term("A(V0)", terms.inner),
        relation="<=",
        right=Term("A(V1) - max(b |Gamma(O1)|, a |Gamma(O0)|)", right),
        holds=compare(terms.inner, "<=", right, TOLERANCE * max(1.0, terms.outer)),
        terms=(
            Term("A(V1)", terms.outer),
            Term("a", terms.lowest),
            Term("b", terms.headroom),
            Term("|Gamma(O0)|", terms.around_zeros),
            Term("|Gamma(O1)|", terms.around_ones),
            Term("edges of the boundary", len(terms.edges)),
            Term("gap A(V1) - A(V0)", terms.gap),
            Term("mean gap", terms.mean_gap),
        ),
        nodes={"V1": np.flatnonzero(side), "boundary": np.flatnonzero(on_boundary)},
        edges={"boundary": terms.edges},
    )


def conductance_identity(adjacency: sparse.csr_array, flow: Flow, side: BoolArray) -> Statement:
    """A(V_1) - A(V_0) is the effective conductance between O_0 and O_1, whatever the boundary."""
    terms = boundary(adjacency, flow, side)
    return Statement(
        title="The gap is the same for every boundary",
        words="Summed over the edges of any boundary between the poles, the jumps of the smooth "
        "interpolation give one and the same number: the current that flows between the poles. A "
        "boundary with fewer edges therefore has larger jumps.",
        hypotheses=(_poles_on_their_sides(flow, side),),
        left=Term("gap A(V1) - A(V0)", terms.gap),
        relation="=",
        right=Term("effective conductance", terms.conductance),
        holds=compare(terms.gap, "=", terms.conductance, TOLERANCE * max(1.0, terms.conductance)),
        terms=(
            Term("edges of the boundary", len(terms.edges)),
            Term("mean gap", terms.mean_gap),
        ),
        nodes={"V1": np.flatnonzero(side)},
        edges={"boundary": terms.edges},
    )


def more_observed(
    adjacency: sparse.csr_array,
    flow: Flow,
    side: BoolArray,
    zeros: BoolArray,
    ones: BoolArray,
) -> Statement:
    """Remark (b)(i) after Theorem 2, Algorithm 1: more observed nodes, a larger mean gap.

    Observing a node on its own side joins it to its pole; by Rayleigh's principle the current
    never falls, and the boundary stays the same.

    Args:
        adjacency: Symmetric 0/1 matrix without self-loops, ``[N, N]``.
        flow: f~ before.
        side: True on V_1.
        zeros: Nodes that are newly observed as 0, ``[N]``.
        ones: Nodes that are newly observed as 1, ``[N]``.

    Raises:
        WGNNError: A node would be observed as both.
    """
    new = (zeros | ones) & ~(flow.zeros | flow.ones)
    after_flow = flow_between(adjacency, flow.zeros | zeros, flow.ones | ones)
    before, after = boundary(adjacency, flow, side), boundary(adjacency, after_flow, side)
    return _remedy(
        before,
        after,
        title="Remark (b)(i): more observed nodes",
        words="Observing more nodes, with the label of their side, never lowers the mean jump "
        "across the boundary.",
        hypotheses=(
            _poles_on_their_sides(flow, side),
            Hypothesis(
                "every new node is observed as the side on which it lies",
                not ((zeros & side) | (ones & ~side)).any(),
            ),
            _no_new_values(flow, after_flow),
        ),
        proved=True,
        nodes={"newly observed": np.flatnonzero(new)},
        edges={"boundary": after.edges},
    )


def fewer_edges(
    adjacency: sparse.csr_array, flow: Flow, side: BoolArray, dropped: IntArray
) -> Statement:
    """Remark (b)(ii) after Theorem 2, Algorithm 2: fewer edges across, a larger mean gap.

    This is a rule of thumb. Dropping edges lowers the current (Rayleigh). Dropping an edge of the
    boundary also makes the boundary smaller, so the mean may rise or fall; dropping an edge
    inside V_0 or V_1 never raises it.

    Args:
        adjacency: Symmetric 0/1 matrix without self-loops, ``[N, N]``.
        flow: f~ before.
        side: True on V_1.
        dropped: The edges to drop, ``[k, 2]``.

    Raises:
        WGNNError: A pair of `dropped` is no edge.
    """
    edges = edges_of(adjacency)
    pairs = np.sort(np.asarray(dropped, dtype=np.int64).reshape(-1, 2), axis=1)
    size = len(side)
    gone = np.isin(edges[:, 0] * size + edges[:, 1], pairs[:, 0] * size + pairs[:, 1])
    missing = ~np.isin(pairs[:, 0] * size + pairs[:, 1], edges[:, 0] * size + edges[:, 1])
    if missing.any():
        u, v = pairs[missing][0]
        raise WGNNError(f"the nodes {u} and {v} are to lose their edge, but they have none.")
    smaller = matrix_of(edges[~gone], size)
    after_flow = flow_between(smaller, flow.zeros, flow.ones)
    before, after = boundary(adjacency, flow, side), boundary(smaller, after_flow, side)
    across = side[pairs[:, 0]] != side[pairs[:, 1]]
    return _remedy(
        before,
        after,
        title="Remark (b)(ii): fewer edges",
        words="Dropping edges of the boundary should raise the mean jump across it. It often "
        "does, but not always; dropping edges inside a side never does.",
        hypotheses=(
            _poles_on_their_sides(flow, side),
            Hypothesis("every dropped edge crosses the boundary", bool(across.all())),
            _no_new_values(flow, after_flow),
        ),
        proved=False,
        extra=(
            Term("dropped edges", float(len(pairs))),
            Term("of them across the boundary", float(across.sum())),
        ),
        edges={"boundary": after.edges, "dropped": pairs},
    )


def _remedy(
    before: Boundary,
    after: Boundary,
    *,
    title: str,
    words: str,
    hypotheses: tuple[Hypothesis, ...],
    proved: bool,
    edges: dict[str, IntArray],
    nodes: dict[str, IntArray] | None = None,
    extra: tuple[Term, ...] = (),
) -> Statement:
    return Statement(
        title=title,
        words=words,
        hypotheses=hypotheses,
        left=Term("mean gap before", before.mean_gap),
        relation="<=",
        right=Term("mean gap after", after.mean_gap),
        holds=compare(before.mean_gap, "<=", after.mean_gap, TOLERANCE),
        proved=proved,
        terms=(
            Term("gap before", before.gap),
            Term("gap after", after.gap),
            Term("edges of the boundary before", len(before.edges)),
            Term("edges of the boundary after", len(after.edges)),
            *extra,
        ),
        nodes=nodes or {},
        edges=edges,
    )


def _current(flow: Flow, low: IntArray, high: IntArray) -> float:
    """The sum of f~_high - f~_low, each difference taken where it cancels least."""
    near_zero = flow.f[low] + flow.f[high] <= flow.rest[low] + flow.rest[high]
    steps = np.where(near_zero, flow.f[high] - flow.f[low], flow.rest[low] - flow.rest[high])
    return float(steps.sum())


def _poles_on_their_sides(flow: Flow, side: BoolArray) -> Hypothesis:
    return Hypothesis(
        "O0 lies in V0 and O1 in V1", not ((flow.zeros & side) | (flow.ones & ~side)).any()
    )


def _no_new_values(before: Flow, after: Flow) -> Hypothesis:
    """A component that gains or loses its last observed node changes which edges count."""
    return Hypothesis(
        "the same nodes have a value before and after",
        bool((before.reached == after.reached).all()),
    )
