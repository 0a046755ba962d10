"""What every kind of figure promises, checked on all of them."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.patches import PathPatch, Rectangle, StepPatch
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from tests.figures import pdf, samples
from wgnn_core.export import figure_latex, table_csv
from wgnn_core.figures import KINDS, VENUES, Figure, Style
from wgnn_core.figures.text import LABEL_LENGTH, latex_text

MAPS = {"node-map", "edge-drop", "harmonic-map"}
HOSTILE = (
    "<script>alert(1)</script>",
    "\" onload='alert(1)' x=\"",
    '<a href="javascript:alert(1)">click</a>',
    "😀 ☃ émigré",
    "x" * 5000,
    "x" * 4999 + "y",
    r"_ & % # $ \ ^ ~ $x^2$ {",
    "=1+1",
    "%{x} %{customdata}",
    "bell\x07 line\nbreak \u202ereversed",
)
OWN_MARKUP = re.compile(r"<br>|<extra></extra>|</?b>")

ORDINARY = {name: make() for name, make in samples.build().items()}
EVIL = {name: make() for name, make in samples.build(HOSTILE, graph=HOSTILE[6]).items()}
ONE_OF_EACH = {name: figure for name, figure in ORDINARY.items() if name == figure.kind}
every_figure = pytest.mark.parametrize("figure", ORDINARY.values(), ids=ORDINARY.keys())
every_evil = pytest.mark.parametrize("figure", EVIL.values(), ids=EVIL.keys())


def drawn_by_plotly(figure: Figure) -> np.ndarray:
    numbers = [np.zeros(0)]
    for trace in figure.to_plotly().data:
        parts = ["x", "y", "z", "q1", "median", "q3", "lowerfence", "upperfence", "base"]
        numbers += [trace[part] for part in parts if part in trace and trace[part] is not None]
        if "base" in trace and trace["base"] is not None:
            numbers.append(np.asarray(trace["base"]) + np.asarray(trace["y"]))
        colour = trace["marker"]["color"] if "marker" in trace else None
        if isinstance(colour, np.ndarray) and colour.dtype.kind == "f":
            numbers.append(colour)
    return _finite(numbers)


def drawn_by_matplotlib(figure: Figure) -> np.ndarray:
    numbers = [np.zeros(0)]
    for axes in figure.to_matplotlib().axes:
        numbers += [line.get_xydata() for line in axes.lines]
        for artist in axes.collections:
            if isinstance(artist, PathCollection):
                numbers.append(artist.get_offsets())
            if isinstance(artist, LineCollection | PolyCollection):
                numbers += [path.vertices for path in artist.get_paths()]
            if isinstance(artist, PathCollection | QuadMesh) and artist.get_array() is not None:
                numbers.append(artist.get_array())
        for patch in axes.patches:
            if isinstance(patch, Rectangle):
                numbers.append([patch.get_y(), patch.get_y() + patch.get_height()])
            elif isinstance(patch, StepPatch):
                numbers.append(patch.get_data().values)
            elif isinstance(patch, PathPatch):
                numbers.append(patch.get_path().vertices)
    return _finite(numbers)


def _finite(parts) -> np.ndarray:
    flat = np.concatenate(
        [np.ma.filled(np.ma.asarray(p, dtype=float), np.nan).ravel() for p in parts]
    )
    return np.unique(flat[np.isfinite(flat)])


def present(wanted: np.ndarray, among: np.ndarray) -> np.ndarray:
    """For each wanted number whether it is among the drawn ones, to float32 precision."""
    if not len(among):
        return np.zeros(len(wanted), dtype=bool)
    place = np.clip(np.searchsorted(among, wanted), 1, len(among) - 1)
    gap = np.minimum(np.abs(among[place] - wanted), np.abs(among[place - 1] - wanted))
    return gap <= 1e-6 * np.maximum(1, np.abs(wanted))


def shown(figure: Figure) -> np.ndarray:
    """The numbers the figure says it draws. Categories are names, not numbers."""
    columns = [c for c in figure.drawn if not getattr(figure, "names", ()) or c != "value"]
    return _finite(
        [figure.data[column].to_numpy(dtype=float, na_value=np.nan) for column in columns]
    )


def test_every_kind_has_a_sample() -> None:
    assert {figure.kind for figure in ORDINARY.values()} == set(KINDS)
    assert all(KINDS[figure.kind] is type(figure) for figure in ORDINARY.values())


@every_figure
def test_both_renderers_draw_the_numbers_of_the_data_and_no_others(figure: Figure) -> None:
    before = shown(figure)
    assert len(before)
    moved = figure.data.copy()
    for column in figure.drawn:
        if column in moved and not (column == "value" and getattr(figure, "names", ())):
            moved[column] = moved[column].astype(float) * 0.987123 + 0.001357
    other = replace(figure, data=moved)
    stale = before[~present(before, shown(other))]
    for drawn in (drawn_by_plotly, drawn_by_matplotlib):
        assert present(before, drawn(figure)).all()
        after = drawn(other)
        assert present(shown(other), after).all()
        # a number that was computed beside the data would still stand where it stood
        left = stale[present(stale, after)]
        assert len(left) <= 0.02 * len(stale), left


@every_figure
def test_words_are_there(figure: Figure) -> None:
    page, paper = figure.to_plotly(), figure.to_matplotlib(Style(title=True))
    assert figure.title and page.layout.title.text
    assert paper.get_suptitle() and figure.to_matplotlib(Style()).get_suptitle() == ""
    assert figure.caption.endswith(".") and figure.alt.endswith(".")
    assert len(figure.caption.split()) > 10 and len(figure.alt.split()) > 5
    unit = r"%|[hH]ops|points|w\(v\)|layers|η|Dataset|0 to 1|[cC]lass|Prediction|nodes|neighbours|μ"
    unit += "|Epoch|Loss"
    if figure.kind not in MAPS:
        for axes in (page.select_xaxes(), page.select_yaxes()):
            texts = [axis.title.text for axis in axes if axis.title.text]
            assert texts and all(re.search(unit, text) for text in texts)
        for texts in zip(*((a.get_xlabel(), a.get_ylabel()) for a in paper.axes), strict=True):
            assert any(texts) and all(re.search(unit, text) for text in texts if text)
    elif len(paper.axes) > 1 and figure.kind != "edge-drop":
        assert re.search(unit, paper.axes[1].get_ylabel())
    else:
        assert paper.legends and paper.legends[0].get_texts()


@every_figure
def test_light_and_dark(figure: Figure) -> None:
    light, dark = (figure.to_plotly(dark=d).layout for d in (False, True))
    assert light.paper_bgcolor == "#ffffff" and dark.paper_bgcolor == "#0e1117"
    assert light.font.color != dark.font.color
    assert "#000000" not in json.dumps(figure.to_plotly(dark=True).to_plotly_json(), default=str)


@pytest.mark.parametrize("figure", ONE_OF_EACH.values(), ids=ONE_OF_EACH.keys())
@pytest.mark.parametrize("fmt", ["pdf", "svg", "png"])
def test_the_same_figure_is_the_same_file(figure: Figure, fmt) -> None:
    low = Style(), 100
    assert figure.render(fmt, *low) == figure.render(fmt, *low)


def strings(value) -> list[str]:
    if isinstance(value, dict):
        # bdata: an array of numbers in base64
        return [s for key, item in value.items() if key != "bdata" for s in strings(item)]
    if isinstance(value, list | tuple | np.ndarray):
        return [s for item in value if not isinstance(item, float) for s in strings(item)]
    return [value] if isinstance(value, str) else []


@every_evil
def test_hostile_names_in_plotly(figure: Figure) -> None:
    for text in strings(figure.to_plotly().to_plotly_json()):
        rest = OWN_MARKUP.sub("", text)
        assert "<" not in rest and ">" not in rest, text
        assert "$" not in rest and "\n" not in rest and "\x07" not in rest and "\u202e" not in rest
        assert len(text) < 12 * LABEL_LENGTH
    for trace in figure.to_plotly().select_traces():  # where %{...} is read as a field
        assert "&lt;" not in str(trace.to_plotly_json().get("hovertemplate"))


@every_evil
def test_hostile_names_in_matplotlib(figure: Figure) -> None:
    paper = figure.to_matplotlib(Style(title=True))
    texts = [text for text in paper.findobj(Text) if text.get_text()]
    assert not any(text.get_parse_math() for text in texts)
    root = ET.fromstring(figure.render("svg", Style(title=True), 72))
    tags = {element.tag.split("}")[1] for element in root.iter()}
    assert not tags & {"script", "a", "foreignObject"}
    assert unclipped_pdf(figure, Style(title=True)).startswith(b"%PDF")


@every_evil
def test_hostile_names_in_csv_and_latex(figure: Figure) -> None:
    rows = list(csv.reader(io.StringIO(table_csv(figure.data), newline="")))
    assert len(rows) == len(figure.data) + 1 and {len(row) for row in rows} == {len(rows[0])}
    for cell in (cell for row in rows for cell in row):
        assert cell[:1] not in ("=", "+", "@") and (cell[:1] != "-" or float(cell) < 0)
    source = re.sub(r"\\[{}$&#_%]", "", figure_latex(figure, Style()))
    assert "%" not in source and "#" not in source and "&" not in source
    assert source.count("{") == source.count("}") and source.count("$") % 2 == 0


@every_figure
def test_latex_has_every_character_of_the_captions(figure: Figure) -> None:
    assert latex_text(figure.caption).count("?") == figure.caption.count("?")


def test_hostile_names_that_are_equal_when_cut_stay_apart() -> None:
    names = EVIL["node-map class"].names
    assert len(set(names)) == len(HOSTILE)
    assert all(len(name) <= LABEL_LENGTH for name in names)


def styles() -> list[Style]:
    """Every venue and width, those that give the same figure once."""
    every = [Style(venue, width) for venue in VENUES for width in ("column", "full")]
    return list({(s.inches, s.points, s.titled): s for s in every}.values())


def unclipped_pdf(figure: Figure, style: Style) -> bytes:
    """The figure as a PDF; fails if a text leaves the page or two texts overlap."""
    draw = Text.draw
    seen: dict[Text, tuple[Bbox, Bbox]] = {}

    def record(text, renderer, *args, **kwargs) -> None:  # not every Text that exists is drawn
        draw(text, renderer, *args, **kwargs)
        if text.get_visible() and text.get_text().strip():
            page = Bbox(text.get_figure(root=True).bbox.get_points())
            seen[text] = text.get_window_extent(renderer), page  # the last pass counts

    with mock.patch.object(Text, "draw", record):
        document = figure.render("pdf", style, 72)
    assert seen
    placed = [(text, box) for text, (box, _) in seen.items()]
    for i, (text, box) in enumerate(placed):
        page = seen[text][1]
        assert box.x0 > -0.5 and box.y0 > -0.5, text
        assert box.x1 < page.x1 + 0.5 and box.y1 < page.y1 + 0.5, text
        for other, second in placed[:i]:
            across = min(box.x1, second.x1) - max(box.x0, second.x0)
            down = min(box.y1, second.y1) - max(box.y0, second.y0)
            slanted = text.get_rotation() % 90 and other.get_rotation() % 90  # boxes say little
            assert across < 1 or down < 1 or slanted, f"{text} overlaps {other}"
    return document


@pytest.mark.parametrize("style", styles(), ids=lambda s: f"{s.venue}-{s.width}")
def test_every_kind_fits_every_venue(style: Style) -> None:
    for figure in ONE_OF_EACH.values():
        document = unclipped_pdf(figure, style)
        assert abs(pdf.width(document) - 72 * style.inches) < 0.5, figure.kind
        subtypes, descriptors, programs = pdf.fonts(document)
        assert subtypes and subtypes <= {b"Type0", b"CIDFontType2", b"TrueType"}, figure.kind
        assert descriptors == programs > 0, figure.kind
        sizes = pdf.type_sizes(document)
        assert sizes and min(sizes) >= 5, (figure.kind, sizes)
