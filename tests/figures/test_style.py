from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex

from wgnn_core.errors import WGNNError
from wgnn_core.figures.style import (
    CORRECT,
    MARKERS,
    OKABE_ITO,
    PALETTES,
    PLOTLY_MARKERS,
    VENUES,
    WRONG,
    Style,
    class_mark,
    grayscale_clashes,
    lightness,
)


def test_lightness_of_known_colours() -> None:
    assert lightness("#000000") == pytest.approx(0, abs=1e-9)
    assert lightness("#ffffff") == pytest.approx(100, abs=1e-3)
    assert lightness("#777777") == pytest.approx(50.03, abs=0.05)  # CIELAB, D65


def test_grayscale_check_finds_what_print_loses() -> None:
    assert grayscale_clashes(["#ff0000", "#008a00"]) == [(0, 1)]
    assert grayscale_clashes([CORRECT, WRONG]) == []


@pytest.mark.parametrize("name", ["viridis", "cividis"])
def test_sequential_maps_rise_steadily_in_grayscale(name) -> None:
    values = [lightness(to_hex(matplotlib.colormaps[name](t))) for t in np.linspace(0, 1, 30)]
    assert (np.diff(values) > 1).all()


@pytest.mark.parametrize("palette", PALETTES)
def test_colours_that_clash_in_grayscale_differ_in_shape_and_dash(palette) -> None:
    marks = [class_mark(i, palette) for i in range(len(PALETTES[palette]))]
    clashes = grayscale_clashes([mark.colour for mark in marks])
    for i, j in clashes:
        assert marks[i].marker != marks[j].marker
        assert marks[i].plotly_marker != marks[j].plotly_marker
    assert palette != "okabe-ito" or clashes  # the check has something to find


def test_many_classes_stay_apart() -> None:
    assert [class_mark(i).colour for i in range(8)] == list(OKABE_ITO)
    for dark in (False, True):
        marks = [class_mark(i, dark=dark) for i in range(24)]
        assert len({mark.colour for mark in marks}) == 24
    pairs = {(class_mark(i).colour, class_mark(i).marker) for i in range(64)}
    assert len(pairs) == 64
    assert len(MARKERS) == len(PLOTLY_MARKERS) == len(set(MARKERS))


def test_venues_have_the_widths_of_their_style_files() -> None:
    inches = {name: (venue.column, venue.full) for name, venue in VENUES.items()}
    assert inches["icml"] == (3.25, 6.75) and inches["neurips"] == inches["iclr"] == (5.5, 5.5)
    assert inches["nature"] == pytest.approx((3.504, 7.205), abs=1e-3)
    assert set(inches) == {"icml", "neurips", "iclr", "ieee", "aaai", "nature", "thesis", "slides"}


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("venue", "vldb", "figure venue is 'vldb'; choose one of icml"),
        ("width", "half", "choose one of column, full"),
        ("font", "comic", "choose one of serif, sans"),
        ("palette", "jet", "choose one of okabe-ito"),
        ("base_size", 4, "base font size is 4; it must be 6 to 40 pt"),
    ],
)
def test_bad_styles_are_named(field, value, message) -> None:
    with pytest.raises(WGNNError, match=message):
        Style(**{field: value})


def test_settings_do_not_leak() -> None:
    before = matplotlib.rcParams["pdf.fonttype"], matplotlib.rcParams["font.size"]
    with Style("slides").applied():
        assert matplotlib.rcParams["pdf.fonttype"] == 42
    assert (matplotlib.rcParams["pdf.fonttype"], matplotlib.rcParams["font.size"]) == before
