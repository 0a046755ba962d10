import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgnn_core.calibration import reliability
from wgnn_core.errors import WGNNError


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 12))
@settings(max_examples=60)
def test_bins_and_ece_equal_a_loop(seed, n, bins):
    rng = np.random.default_rng(seed)
    prob, labels = rng.dirichlet(np.ones(3), n), rng.integers(0, 3, n)
    found = reliability(prob, labels, bins)
    error = 0.0
    for m in range(bins):
        low, high = 100 * m / bins, 100 * (m + 1) / bins
        inside = [i for i in range(n) if low < 100 * prob[i].max() <= high]
        assert found.count[m] == len(inside)
        if not inside:
            assert np.isnan([found.confidence[m], found.accuracy[m]]).all()
            continue
        accuracy = 100 * np.mean([prob[i].argmax() == labels[i] for i in inside])
        confidence = 100 * np.mean([prob[i].max() for i in inside])
        assert found.accuracy[m] == pytest.approx(accuracy)
        assert found.confidence[m] == pytest.approx(confidence)
        error += len(inside) / n * abs(accuracy - confidence)
    assert found.ece == pytest.approx(error)
    assert abs(found.gap) <= found.ece + 1e-9
    assert found.count.sum() == n


def test_a_bin_includes_its_upper_end():
    assert reliability(np.array([[0.6, 0.4]]), np.array([0]), bins=5).count.tolist() == [
        0,
        0,
        1,
        0,
        0,
    ]


def test_sure_and_always_wrong_is_off_by_100_points():
    prob = np.tile([1.0, 0.0], (5, 1))
    found = reliability(prob, np.ones(5, dtype=np.int64))
    assert (found.ece, found.gap) == (100, 100)
    assert found.count[-1] == 5


def test_a_calibrated_model_has_a_small_error_and_a_modest_one_a_negative_gap():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.5, 1, 20_000)
    prob = np.stack([p, 1 - p], axis=1)
    labels = (rng.random(20_000) > p).astype(np.int64)
    assert reliability(prob, labels).ece < 1.5
    modest = np.stack([0.5 + (p - 0.5) / 2, 0.5 - (p - 0.5) / 2], axis=1)
    assert reliability(modest, labels).gap == pytest.approx(-12.5, abs=1)


def test_what_is_no_diagram_is_refused():
    with pytest.raises(WGNNError, match="softmax, not logits"):
        reliability(np.array([[2.0, 3.0]]), np.array([0]))
    with pytest.raises(WGNNError, match="for 2 labels"):
        reliability(np.array([[0.5, 0.5]]), np.array([0, 1]))
    with pytest.raises(WGNNError, match="bins is 0"):
        reliability(np.array([[0.5, 0.5]]), np.array([0]), bins=0)
