from __future__ import annotations

from itertools import combinations

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from wgnn_core.errors import WGNNError
from wgnn_core.figures import AccuracyCoverage, DepthCurve
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
        assert marks[i].dash != marks[j].dash
        assert marks[i].plotly_dash != marks[j].plotly_dash
    assert palette != "okabe-ito" or clashes  # the check has something to find


def drawn_marks(paper) -> list[tuple[str, object, str]]:
    """(colour, dash, marker) of every curve that stands in the legend."""
    lines = [line for line in paper.axes[0].lines if not line.get_label().startswith("_")]
    return [
        (to_hex(line.get_color()), line._unscaled_dash_pattern, str(line.get_marker()))
        for line in lines
    ]


@pytest.mark.parametrize("palette", PALETTES)
def test_curves_as_drawn_survive_a_grayscale_print(palette) -> None:
    """The marks may be right and a figure still not use them."""
    series = len(PALETTES[palette])
    x, rng = np.linspace(0.1, 1, 5), np.random.default_rng(0)
    names = [f"s{i}" for i in range(series)]
    coverage = AccuracyCoverage.of(x, {n: rng.random((2, 5)) for n in names}, graph="g")
    depth = DepthCurve.of(
        range(2, 7), {0.1 * i: rng.random((2, 5)) for i in range(series)}, graph="g", model="m"
    )
    for figure in (coverage, depth):
        marks = drawn_marks(figure.to_matplotlib(Style(palette=palette)))
        assert len(marks) == series
        clashes = grayscale_clashes([mark[0] for mark in marks])
        assert clashes, "nothing to tell apart"
        for i, j in clashes:
            assert marks[i][1:] != marks[j][1:], (figure.kind, i, j)


# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB
SEEN_BY = {
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
) / np.array([[0.9505], [1.0], [1.089]])
APART = 12.0
"""Distance in CIELAB; one of 2 to 3 is just seen side by side."""


def closest(colours, eye: str) -> float:
    """The smallest CIELAB distance between two of the colours for a colour-blind eye."""
    rgb = np.array([to_rgb(colour) for colour in colours])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = np.clip(linear @ np.array(SEEN_BY[eye]).T, 0, 1) @ TO_XYZ.T
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    lab = np.stack(
        [116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1
    )
    return float(min(np.linalg.norm(a - b) for a, b in combinations(lab, 2)))


@pytest.mark.parametrize("eye", SEEN_BY)
@pytest.mark.parametrize("colours", [*PALETTES.values(), (CORRECT, WRONG)])
def test_palettes_are_apart_for_the_colour_blind(colours, eye) -> None:
    assert closest(colours, eye) > APART


@pytest.mark.parametrize(
    ("pair", "eye"),
    [
        (("#A65E1F", "#5F7F1F"), "deutan"),
        (("#D55E00", "#7A8B00"), "protan"),
        (("#00A0A0", "#20A050"), "tritan"),
    ],
)
def test_the_colour_blind_check_finds_faults(pair, eye) -> None:
    assert closest(pair, eye) < APART


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
        ("venue", "vldb", "venue is 'vldb'; it must be one of icml"),
        ("width", "half", "it must be one of column, full"),
        ("font", "comic", "it must be one of serif, sans"),
        ("palette", "jet", "it must be one of okabe-ito"),
        ("base_size", 4, "base_size is 4; it must lie between 6 and 40"),
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
