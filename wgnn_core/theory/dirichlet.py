"""The Dirichlet problem on a graph: values given on some nodes, averages of neighbours elsewhere.

Everything that Section 3 of the paper says about a smooth interpolation starts with this solve.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import LinearOperator, cg, splu

from wgnn_core.errors import WGNNError
from wgnn_core.graph import BoolArray, IntArray
from wgnn_core.theory.sets import parts

Signal = npt.NDArray[np.float64]

SMALL_ENVELOPE = 5_000_000
"""Up to this envelope a factor takes well under a second and is the more exact way."""
MAX_ENVELOPE = 1_000_000_000
"""Above this envelope a factor might not fit into memory and is never tried. Such a graph has no
small separators, and then conjugate gradients need few steps."""
RESIDUAL = 1e-14
"""Conjugate gradients stop when the residual has this size relative to the right-hand side."""
PATIENCE = 300
"""Steps after which a factor is the better way, where it fits into memory (grids, road maps)."""
MAX_STEPS = 5_000


@dataclass(frozen=True, eq=False)
class Extension:
    """Values on all nodes.

    Attributes:
        values: ``[N, K]``; nan on every connected component without a given node, where any
            constant would do.
        reached: Nodes whose component holds a given node, ``[N]``.
        islands: How many connected components hold none.
        iterated: Whether conjugate gradients were used and not a factor.
    """

    values: Signal
    reached: BoolArray
    islands: int
    iterated: bool


def harmonic_extension(
    adjacency: sparse.csr_array, given: BoolArray, values: npt.ArrayLike
) -> Extension:
    """The signal f' with the given values that minimises f' L f', for K signals at once.

    On the other nodes U it solves L_UU f_U = A_UO f_O: one matrix and K right-hand sides. Before
    that, trees without given nodes are cut off; they are constant, exactly.

    Args:
        adjacency: Symmetric 0/1 matrix without self-loops, ``[N, N]``.
        given: Mask of O, the nodes with given values, ``[N]``.
        values: ``[N, K]``, read on O only.

    Raises:
        WGNNError: No value is given, or conjugate gradients do not converge.
    """
    if not given.any():
        raise WGNNError("0 nodes are observed; an interpolation needs at least 1.")
    target = np.asarray(values, dtype=np.float64)
    count, component = parts(adjacency)
    lit = np.zeros(count, dtype=np.bool_)
    lit[component[given]] = True
    reached = lit[component]
    root = _roots(adjacency, given)
    core = reached & (root == np.arange(len(given)))
    full = np.full(target.shape, np.nan)
    full[given] = target[given]
    free, known = np.flatnonzero(core & ~given), np.flatnonzero(given)
    iterated = False
    if free.size:
        rows = adjacency[free].astype(np.float64)
        inner, outer = rows[:, free], rows[:, known]
        laplacian = sparse.diags_array(inner.sum(axis=1) + outer.sum(axis=1)) - inner
        full[free], iterated = _solve(sparse.csr_array(laplacian), outer @ target[known])
    full[reached] = full[root[reached]]
    return Extension(full, reached, int((~lit).sum()), iterated)


def _roots(adjacency: sparse.csr_array, given: BoolArray) -> IntArray:
    """Where each node's tree is attached: itself for a node outside the trees without given nodes.

    Leaves that are not given are cut until none is left; each has the value of its one neighbour.
    The exclusive-or of the remaining neighbours names the last one without any search.
    """
    degree = np.diff(adjacency.indptr)
    last = np.zeros(len(given), dtype=np.int64)
    busy = np.flatnonzero(degree)
    last[busy] = np.bitwise_xor.reduceat(adjacency.indices, adjacency.indptr[busy])
    cut: list[int] = []
    leaves = np.flatnonzero((degree == 1) & ~given).tolist()
    left, neighbour, fixed = degree.tolist(), last.tolist(), given.tolist()
    while leaves:
        leaf = leaves.pop()
        if left[leaf] != 1:  # the other end of a component without given nodes
            continue
        parent = neighbour[leaf]
        cut.append(leaf)
        left[leaf] = 0
        left[parent] -= 1
        neighbour[parent] ^= leaf
        if left[parent] == 1 and not fixed[parent]:
            leaves.append(parent)
    root = list(range(len(given)))
    for leaf in reversed(cut):
        root[leaf] = root[neighbour[leaf]]
    return np.asarray(root, dtype=np.int64)


def _envelope(matrix: sparse.csr_array) -> int:
    """Entries between the first of each row and the diagonal, in the order of Cuthill and McKee.

    A factor in that order fits into the envelope; a minimum degree order does better.
    """
    order = csgraph.reverse_cuthill_mckee(sparse.csr_array(matrix), symmetric_mode=True)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    first = place.copy()
    entries = sparse.coo_array(matrix)
    np.minimum.at(first, entries.row, place[entries.col])
    return int((place - first).sum())


def _solve(laplacian: sparse.csr_array, right: Signal) -> tuple[Signal, bool]:
    """The solution, and whether it was found step by step."""
    envelope = _envelope(laplacian)
    if envelope > SMALL_ENVELOPE:
        steps = PATIENCE if envelope <= MAX_ENVELOPE else MAX_STEPS
        solution = _iterate(laplacian, right, steps)
        if solution is not None:
            return solution, True
        if envelope > MAX_ENVELOPE:
            raise WGNNError(
                f"the interpolation did not converge in {MAX_STEPS} steps of conjugate "
                f"gradients on {len(right)} nodes; observe more nodes or take a smaller graph."
            )
    return _factorise(laplacian, right), False


def _factorise(laplacian: sparse.csr_array, right: Signal) -> Signal:
    # L_UU is symmetric and positive definite, so pivots may stay on the diagonal: six times
    # faster on PubMed than a general solve
    factor = splu(
        sparse.csc_array(laplacian),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    solution: Signal = factor.solve(right)
    return solution


def _iterate(laplacian: sparse.csr_array, right: Signal, steps: int) -> Signal | None:
    """By conjugate gradients, scaled by the degrees; None if `steps` are too few."""
    inverse = 1 / laplacian.diagonal()
    jacobi = LinearOperator(laplacian.shape, matvec=lambda x: inverse * x, dtype=np.float64)
    solution = np.empty_like(right)
    for k in range(right.shape[1]):
        solution[:, k], failed = cg(laplacian, right[:, k], rtol=RESIDUAL, maxiter=steps, M=jacobi)
        if failed:
            return None
    return solution
