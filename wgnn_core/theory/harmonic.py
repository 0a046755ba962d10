"""The smooth interpolation f~ of observed label weights and what Section 3 proves about it.

A class is fixed; nodes of O_0 are observed at 0 (other classes), nodes of O_1 at 1 (this
class). f~ is the minimiser of f' L f' among all f' that agree with the observations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import splu

from wgnn_core.errors import WGNNError
from wgnn_core.graph import BoolArray, IntArray

Signal = npt.NDArray[np.float64]

SAME_LEVEL = 1e-9
"""Values closer than this count as equal: far above the error of the solve, far below a step."""


def smooth_interpolation(adjacency: sparse.csr_array, zeros: BoolArray, ones: BoolArray) -> Signal:
    """f~ = argmin f' L f' with f' = 0 on O_0 and 1 on O_1 (Section 3.1).

    The minimiser solves the Dirichlet problem L_UU f_U = A_UO f_O on the unobserved nodes U.

    Args:
        adjacency: Symmetric 0/1 matrix without self-loops, ``[N, N]``.
        zeros: Mask of O_0, ``[N]``.
        ones: Mask of O_1, ``[N]``.

    Returns:
        f~ in [0, 1] as ``[N]``; nan on every connected component without an observed node,
        where any constant is a minimiser.

    Raises:
        WGNNError: O_0 or O_1 is empty, or they share a node.
    """
    _check_poles(zeros, ones)
    observed = zeros | ones
    _, component = csgraph.connected_components(adjacency, directed=False)
    reached = np.isin(component, component[observed])
    free = np.flatnonzero(reached & ~observed)
    f = np.where(ones, 1.0, np.where(zeros, 0.0, np.nan))
    if free.size:
        weights = sparse.csr_array(adjacency, dtype=np.float64)
        rows = weights[free]
        laplacian = sparse.diags_array(rows.sum(axis=1)) - rows[:, free]
        # L_UU is symmetric and positive definite, so pivots may stay on the diagonal: six times
        # faster on PubMed than a general solve
        solver = splu(
            sparse.csc_array(laplacian),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        f[free] = solver.solve(rows[:, np.flatnonzero(ones)].sum(axis=1))
    return np.clip(f, 0.0, 1.0)  # the maximum principle; the solve may overshoot by an ulp


def level_components(adjacency: sparse.csr_array, f: Signal) -> IntArray:
    """Number of the level-component C_v of each node (Section 3.1).

    C_v is the connected component of {v' : f_v' = f_v} that contains v.
    """
    edges = sparse.coo_array(adjacency)
    level = np.abs(f[edges.row] - f[edges.col]) <= SAME_LEVEL
    same = sparse.csr_array(
        (np.ones(int(level.sum())), (edges.row[level], edges.col[level])), shape=edges.shape
    )
    return np.asarray(csgraph.connected_components(same, directed=False)[1], dtype=np.int64)


def increasing_path(adjacency: sparse.csr_array, f: Signal, node: int) -> IntArray:
    """A path of Theorem 1: from O_0 to O_1, f~ strictly increasing, through C_v of `node`.

    Args:
        adjacency: As in `smooth_interpolation`.
        f: Its result.
        node: v; its connected component must hold nodes of both O_0 and O_1.

    Returns:
        Nodes v_0, ..., v_m in order.

    Raises:
        WGNNError: The component of `node` does not hold both poles.
    """
    inside = level_components(adjacency, f)
    members = np.flatnonzero(inside == inside[node])
    lowest, highest = _extreme_neighbours(adjacency, f, members)
    rises, falls = f[highest] > f[members] + SAME_LEVEL, f[lowest] < f[members] - SAME_LEVEL
    at_bottom, at_top = f[node] <= SAME_LEVEL, f[node] >= 1 - SAME_LEVEL
    passes = (rises | at_top) & (falls | at_bottom)
    if not passes.any() or np.isnan(f[node]):
        raise WGNNError(
            f"node {node} has no rising path: its connected component needs observed nodes of "
            "both kinds, 0 and 1."
        )
    middle = int(members[np.argmax(passes)])
    below = _walk(adjacency, f, middle, direction=-1)
    above = _walk(adjacency, f, middle, direction=+1)
    path = np.array([*below[::-1], middle, *above], dtype=np.int64)
    if f[path[0]] > SAME_LEVEL or f[path[-1]] < 1 - SAME_LEVEL:
        raise WGNNError(
            f"the rising path through node {node} stops between {f[path[0]]:.2g} and "
            f"{f[path[-1]]:.2g}; steps of f~ under {SAME_LEVEL:g} are below its precision."
        )
    return path


@dataclass(frozen=True)
class BoundarySums:
    """Both sides of equation (awc), Theorem 2: ``inner <= outer - gap``."""

    inner: float
    """A(f~, V_0): f~ summed over the V_0 ends of the edges between V_0 and V_1."""
    outer: float
    """A(f~, V_1): the same over the V_1 ends."""
    gap: float
    """max(b |Gamma(O_1)|, a |Gamma(O_0)|)."""


def boundary_sums(
    adjacency: sparse.csr_array, f: Signal, zeros: BoolArray, ones: BoolArray, side: BoolArray
) -> BoundarySums:
    """The quantities of Theorem 2 (weights near a boundary) for the partition V_0, V_1.

    Args:
        adjacency: As in `smooth_interpolation`.
        f: Its result, without nan.
        zeros: Mask of O_0, inside the interior of V_0.
        ones: Mask of O_1, inside the interior of V_1.
        side: True on V_1, false on V_0.

    Raises:
        WGNNError: A condition of the theorem does not hold; the message says which.
    """
    _check_poles(zeros, ones)
    edges = sparse.coo_array(adjacency)
    cut = ~side[edges.row] & side[edges.col]  # each undirected edge once: V_0 end in row
    at_boundary = np.zeros(len(f), dtype=bool)
    at_boundary[edges.row[cut]] = at_boundary[edges.col[cut]] = True
    misplaced = (zeros & (side | at_boundary)) | (ones & (~side | at_boundary))
    if misplaced.any():
        raise WGNNError(
            f"observed node {int(np.argmax(misplaced))} must lie in the interior of its side."
        )
    free = ~(zeros | ones)
    outside = free & ~((f > 0) & (f < 1))
    if outside.any():
        bad = int(np.argmax(outside))
        raise WGNNError(f"f~ is {f[bad]} at node {bad}; Theorem 2 needs 0 < f~ < 1 outside O.")
    a = float(f[free].min()) if free.any() else 0.0
    b = float((1 - f[free]).min()) if free.any() else 0.0
    around_zeros = int((zeros[edges.row] & ~zeros[edges.col]).sum())
    around_ones = int((ones[edges.row] & ~ones[edges.col]).sum())
    return BoundarySums(
        inner=float(f[edges.row[cut]].sum()),
        outer=float(f[edges.col[cut]].sum()),
        gap=max(b * around_ones, a * around_zeros),
    )


def _check_poles(zeros: BoolArray, ones: BoolArray) -> None:
    for name, mask in (("O_0", zeros), ("O_1", ones)):
        if not mask.any():
            raise WGNNError(f"{name} is empty; it needs at least one observed node.")
    both = zeros & ones
    if both.any():
        raise WGNNError(f"node {int(np.argmax(both))} is in O_0 and in O_1; they are disjoint.")


def _extreme_neighbours(
    adjacency: sparse.csr_array, f: Signal, nodes: IntArray
) -> tuple[IntArray, IntArray]:
    """For each node its neighbour with the lowest and with the highest f~ (itself if isolated)."""
    lowest, highest = nodes.copy(), nodes.copy()
    for i, v in enumerate(nodes):
        around = adjacency.indices[adjacency.indptr[v] : adjacency.indptr[v + 1]]
        if around.size:
            lowest[i], highest[i] = around[np.argmin(f[around])], around[np.argmax(f[around])]
    return lowest, highest


def _walk(adjacency: sparse.csr_array, f: Signal, start: int, direction: int) -> list[int]:
    """Steepest steps from `start` until none goes further; by the Lemma it ends at a pole."""
    steps: list[int] = []
    here = start
    while True:
        lowest, highest = _extreme_neighbours(adjacency, f, np.array([here]))
        there = int((highest if direction > 0 else lowest)[0])
        if direction * (f[there] - f[here]) <= SAME_LEVEL:
            return steps
        steps.append(there)
        here = there
