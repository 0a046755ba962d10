"""w as twice the squared Wasserstein distance, against a linear programme."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from wgnn_core.errors import WGNNError
from wgnn_core.nonuniformity import nonuniformity
from wgnn_core.theory.wasserstein import moved_mass, optimal_coupling, wasserstein_lemma


def distributions(seed: int, classes: int, sparse: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    pair = rng.dirichlet(np.ones(classes) * (0.1 if sparse else 1.0), size=2)
    return pair[0], pair[1]


@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.booleans())
@settings(max_examples=300)
def test_the_coupling_is_one_and_the_lemma_holds(seed: int, classes: int, sparse: bool) -> None:
    mu, nu = distributions(seed, classes, sparse)
    coupling = optimal_coupling(mu, nu)
    assert (coupling >= 0).all()
    np.testing.assert_allclose(coupling.sum(axis=1), mu, atol=1e-12)
    np.testing.assert_allclose(coupling.sum(axis=0), nu, atol=1e-12)
    np.testing.assert_allclose(np.diag(coupling), np.minimum(mu, nu), atol=1e-12)
    assert moved_mass(coupling) == pytest.approx(np.abs(mu - nu).sum() / 2, abs=1e-12)
    off = coupling - np.diag(np.diag(coupling))
    assert (off[:, mu >= nu] == 0).all()  # who has too much takes nothing: zeros in the column
    assert (off[mu <= nu] == 0).all()  # who has too little gives nothing: zeros in the row

    statement = wasserstein_lemma(mu)
    assert statement.holds
    assert statement.left.value == pytest.approx(nonuniformity(mu), abs=1e-12)
    assert statement.left.value == pytest.approx(statement.right.value, abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
@settings(max_examples=40)
def test_no_coupling_moves_less(seed: int, classes: int) -> None:
    mu, nu = distributions(seed, classes, sparse=False)
    cost = 1 - np.eye(classes)
    rows = np.kron(np.eye(classes), np.ones(classes))
    columns = np.kron(np.ones(classes), np.eye(classes))
    best = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([mu, nu]))
    assert moved_mass(optimal_coupling(mu, nu)) == pytest.approx(best.fun, abs=1e-9)


def test_the_zeros_of_the_papers_proof_are_in_the_wrong_row_and_column() -> None:
    """x_1 >= y_1 and x_2 <= y_2; with z_11 = y_1 and z_12 = 0 row 1 sums to y_1, not x_1."""
    x, y = np.array([0.75, 0.25]), np.array([0.5, 0.5])
    paper = np.diag(np.minimum(x, y))  # zeros in row 1 and column 2, and so nowhere to move
    paper[1, 0] = x[1] - paper[1, 1]
    assert paper[0].sum() != x[0]
    np.testing.assert_allclose(optimal_coupling(x, y), [[0.5, 0.25], [0, 0.25]])


def test_single_precision_is_enough_and_logits_are_refused() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=7).astype(np.float32) * 5
    prob = np.exp(logits) / np.exp(logits).sum()
    assert wasserstein_lemma(prob.astype(np.float32)).holds
    with pytest.raises(WGNNError, match="not logits"):
        wasserstein_lemma(logits)
