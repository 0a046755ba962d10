import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from wgnn_core.confusion import changes, class_accuracy, confusion_matrix
from wgnn_core.errors import WGNNError

classes = st.integers(0, 3)


@given(st.lists(st.tuples(classes, classes), min_size=1, max_size=40))
def test_matrix_equals_scikit_learn_and_accuracy_counts(pairs):
    labels, predicted = np.array(pairs).T
    matrix = confusion_matrix(labels, predicted, 4)
    np.testing.assert_array_equal(
        matrix, metrics.confusion_matrix(labels, predicted, labels=range(4))
    )
    expected = [
        100 * np.mean(predicted[labels == c] == c) if (labels == c).any() else np.nan
        for c in range(4)
    ]
    np.testing.assert_allclose(class_accuracy(matrix), expected)


@given(st.lists(st.tuples(classes, classes, classes), min_size=1, max_size=40))
def test_changes_part_the_nodes_and_add_up_to_the_gain(triples):
    labels, before, after = np.array(triples).T
    found = changes(labels, before, after)
    parts = np.stack([found.fixed, found.broken, found.right, found.wrong])
    assert (parts.sum(axis=0) == 1).all()
    gain = int((after == labels).sum()) - int((before == labels).sum())
    assert int(found.fixed.sum()) - int(found.broken.sum()) == gain
    np.testing.assert_array_equal(found.right | found.fixed, after == labels)
    np.testing.assert_array_equal(found.right | found.broken, before == labels)


def test_rows_are_true_classes():
    assert confusion_matrix(np.array([0, 0]), np.array([1, 1]), 2).tolist() == [[0, 2], [0, 0]]


def test_bad_classes_are_refused():
    with pytest.raises(WGNNError, match="A class is -1; classes are 0 to 1"):
        confusion_matrix(np.array([0, -1]), np.array([1, 1]), 2)
    with pytest.raises(WGNNError, match=r"shape \(2,\) and the predictions \(1,\)"):
        confusion_matrix(np.array([0, 1]), np.array([1]), 2)
