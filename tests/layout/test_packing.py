from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgnn_core.errors import WGNNError
from wgnn_core.layout.packing import canvas, pack_columns, pack_rows

areas = st.lists(st.floats(0.05, 100), min_size=1, max_size=30)


@given(areas, st.floats(0.3, 4), st.sampled_from([pack_rows, pack_columns]))
def test_boxes_fill_the_canvas_by_area_and_do_not_overlap(values, height, pack):
    boxes = pack(values, 2.0, height)
    area = boxes.size.prod(axis=1)
    np.testing.assert_allclose(area / area.sum(), np.array(values) / sum(values))
    assert area.sum() == pytest.approx(2 * height)
    low, high = boxes.corner, boxes.corner + boxes.size
    assert (low >= -1e-9).all()
    assert (high <= np.array([2, height]) + 1e-9).all()
    for i, j in combinations(range(len(values)), 2):
        common = np.minimum(high[i], high[j]) - np.maximum(low[i], low[j])
        assert common.min() < 1e-6
    np.testing.assert_allclose(boxes.centre, (low + high) / 2)


def test_rows_read_like_words_and_columns_like_lists():
    rows, columns = (pack([1] * 6, 3.0, 2.0) for pack in (pack_rows, pack_columns))
    x, y = rows.corner.T
    assert x.round(6).tolist() == [0, 1, 2, 0, 1, 2]
    assert y.round(6).tolist() == [1, 1, 1, 0, 0, 0]
    x, y = columns.corner.T
    assert x.round(6).tolist() == [0, 0, 1, 1, 2, 2]
    assert y.round(6).tolist() == [1, 0, 1, 0, 1, 0]


def badness(boxes, shape):
    width, height = boxes.size.T
    return float((np.log(width / (shape * height)) ** 2).sum())


@given(
    st.lists(st.floats(0.1, 20), min_size=1, max_size=7),
    st.floats(0.4, 3),
    st.sampled_from([1.0, 1.3]),
)
@settings(max_examples=60)
def test_breaks_are_the_best_of_all(values, width, shape):
    found = badness(pack_rows(values, width, 1.0, shape), shape)
    area = np.array(values) * width / sum(values)
    n = len(values)
    for count in range(n):
        for inner in combinations(range(1, n), count):
            total = 0.0
            for first, last in pairwise((0, *inner, n)):
                row = area[first:last]
                high = row.sum() / width
                total += (np.log(row / high / (shape * high)) ** 2).sum()
            assert found <= total + 1e-9


def test_many_boxes_are_quick_and_nothing_is_nothing():
    boxes = pack_rows(np.ones(20_000), 1.6, 1.0)
    aspect = boxes.size[:, 0] / boxes.size[:, 1]
    assert 0.7 < aspect.min() <= aspect.max() < 1.4
    assert len(pack_rows([], 1, 1).corner) == 0


@pytest.mark.parametrize("bad", [[0.0], [-1.0], [np.nan], [np.inf], [[1.0]]])
def test_what_is_no_area_is_refused(bad):
    with pytest.raises(WGNNError, match="positive numbers"):
        pack_rows(bad, 1, 1)


def test_canvas_has_the_aspect_and_the_longer_side_is_1():
    assert canvas(2.0) == (1, 0.5)
    assert canvas(0.5) == (0.5, 1)
    with pytest.raises(WGNNError, match="aspect is 0"):
        canvas(0)
