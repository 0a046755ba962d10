import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import linprog

from wgnn_core.errors import WGNNError
from wgnn_core.nonuniformity import max_nonuniformity, nonuniformity


@st.composite
def distributions(draw, max_classes=8):
    rows, classes = draw(st.integers(1, 4)), draw(st.integers(2, max_classes))
    raw = draw(hnp.arrays(np.float64, (rows, classes), elements=st.floats(0, 1, width=32)))
    raw[raw.sum(axis=1) < 1e-3] += 1
    return raw / raw.sum(axis=1, keepdims=True)


def squared_wasserstein(p, q):
    """W2 squared under the discrete metric, by the optimal-transport linear program."""
    n = len(p)
    cost = (1 - np.eye(n)) ** 2
    marginals = np.vstack([np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))])
    plan = linprog(cost.ravel(), A_eq=marginals, b_eq=np.concatenate([p, q]))
    assert plan.success
    return plan.fun


@given(distributions())
def test_w_lies_in_its_range(prob):
    w = nonuniformity(prob)
    assert w.shape == prob.shape[:-1]
    assert (w >= 0).all()
    assert (w <= max_nonuniformity(prob.shape[-1]) + 1e-12).all()


@pytest.mark.parametrize("classes", [2, 3, 7, 15])
def test_extremes_are_uniform_and_one_hot(classes):
    assert nonuniformity(np.full((1, classes), 1 / classes))[0] == pytest.approx(0)
    np.testing.assert_allclose(nonuniformity(np.eye(classes)), max_nonuniformity(classes))
    assert max_nonuniformity(classes) == pytest.approx(2 * (classes - 1) / classes)


@given(distributions(max_classes=5))
def test_w_is_twice_the_squared_wasserstein_distance_to_uniform(prob):
    classes = prob.shape[-1]
    uniform = np.full(classes, 1 / classes)
    transport = [squared_wasserstein(row, uniform) for row in prob]
    np.testing.assert_allclose(nonuniformity(prob), 2 * np.array(transport), atol=1e-7)


@given(distributions(), st.randoms(use_true_random=False))
def test_classes_can_be_renamed_and_nodes_reordered(prob, random):
    columns, rows = list(range(prob.shape[1])), list(range(prob.shape[0]))
    random.shuffle(columns)
    random.shuffle(rows)
    expected = nonuniformity(prob)[rows]
    np.testing.assert_allclose(nonuniformity(prob[rows][:, columns]), expected, atol=1e-12)


def test_replicas_are_independent_and_precision_is_kept():
    prob = np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 5)).astype(np.float32)
    w = nonuniformity(prob)
    assert w.dtype == np.float32
    assert w.shape == (3, 5)
    np.testing.assert_array_equal(w[1], nonuniformity(prob[1]))


def test_w_by_hand():
    assert nonuniformity(np.array([[0.5, 0.25, 0.25, 0.0]]))[0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    "prob",
    [[[0.5, 0.6]], [[2.0, -1.0]], [[np.nan, 1.0]], [[np.inf, 0.0]]],
)
def test_rows_that_are_no_distribution_are_refused(prob):
    with pytest.raises(WGNNError, match=r"\(0,\).*sum to 1"):
        nonuniformity(np.array(prob))


def test_one_class_is_refused():
    with pytest.raises(WGNNError, match=r"\(3, 1\)"):
        nonuniformity(np.ones((3, 1)))
    with pytest.raises(WGNNError, match="is 1"):
        max_nonuniformity(1)
