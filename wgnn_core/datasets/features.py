"""Features made from others, or from nothing but the graph."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from wgnn_core.graph import IntArray


def row_normalised(x: sparse.csr_array) -> sparse.csr_array:
    """Each row scaled to sum to 1 in absolute value; a row of zeros stays."""
    return sparse.csr_array(normalize(x, norm="l1"))


def degree_one_hot(edges: IntArray, num_nodes: int) -> sparse.csr_array:
    """A 1 in the column of a node's degree; only degrees that occur have a column."""
    degree = np.bincount(edges.ravel(), minlength=num_nodes)
    column = np.unique(degree, return_inverse=True)[1]
    ones = np.ones(num_nodes, dtype=np.float32)
    return sparse.csr_array((ones, column, np.arange(num_nodes + 1)))
