from __future__ import annotations

import csv
import io
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgnn_core.export import table_csv
from wgnn_core.figures.text import (
    LABEL_LENGTH,
    NO_NAME,
    csv_cell,
    label,
    labels,
    latex_text,
    paper_text,
    plotly_text,
    share,
)

any_text = st.text(max_size=200)


@given(any_text)
def test_label_is_one_printable_line_of_80(text) -> None:
    cut = label(text)
    assert 0 < len(cut) <= LABEL_LENGTH and cut.isprintable()
    assert label(cut) == cut


def test_label_keeps_ordinary_names_and_names_the_nameless() -> None:
    assert label("Neural Networks") == "Neural Networks"
    assert label(" two\n lines\t") == "two lines"
    assert label("\x00\u202e") == NO_NAME
    assert label("a" * 81) == "a" * 79 + "…"


@given(st.lists(any_text, max_size=8))
def test_labels_are_all_different(names) -> None:
    cut = labels(names)
    assert len(cut) == len(names) == len(set(cut))
    assert all(len(name) <= LABEL_LENGTH for name in cut)


def test_labels_do_not_take_a_name_that_is_there() -> None:
    assert len(set(labels(["a", "a", "a (2)"]))) == 3


@given(any_text)
def test_plotly_text_has_no_markup_and_loses_nothing(text) -> None:
    safe = plotly_text(text)
    assert not set("<>$") & set(safe)
    back = safe.replace("&#36;", "$").replace("&lt;", "<").replace("&gt;", ">")
    assert back.replace("&amp;", "&") == text


@given(any_text)
def test_latex_text_is_inert(text) -> None:
    safe = latex_text(text)
    rest = re.sub(r"\\(text\w+|char34|ldots)\{\}|\\[{}$&#_%]", "", safe)
    rest = re.sub(r"\$(-|\\pm|\\eta|\\geq|\\alpha|_[012])\$", "", rest)
    assert not set("\\{}$&#_%~^") & set(rest)
    assert all(ord(c) < 256 for c in safe)


def test_latex_text_prints_what_it_is_given() -> None:
    assert latex_text(r"a_b & 50% #1 $x") == r"a\_b \& 50\% \#1 \$x"
    assert latex_text("é😀ð") == "é??"


def test_paper_text_marks_what_has_no_glyph() -> None:
    assert paper_text("caf\N{LATIN SMALL LETTER E WITH ACUTE} $x$") == "café $x$"
    assert paper_text("\N{CJK UNIFIED IDEOGRAPH-6F22}") == "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_starts_a_formula(start) -> None:
    bad = start + "cmd|' /C calc'!A0"
    table = pd.DataFrame({"name": [bad, "plain"], "gain": [-1.5, 2.0], bad: [1, 2]})
    rows = list(csv.reader(io.StringIO(table_csv(table), newline="")))
    bad = bad.replace("\r", " ")
    assert rows[0] == ["name", "gain", "'" + bad] and rows[1][:2] == ["'" + bad, "-1.5"]
    assert rows[2] == ["plain", "2.0", "2"]
    assert csv_cell(-1.5) == -1.5


@given(st.floats(0, 100))
def test_a_share_is_all_or_none_only_when_it_is(percent: float) -> None:
    text = share(percent)
    assert (text == "100 %") == (percent == 100)
    assert (text == "0 %") == (percent == 0)
    assert abs(float(text.split()[-2]) - percent) <= 1


def test_shares_in_words() -> None:
    assert [share(x) for x in (0, 0.2, 19.4, 99.6, 100)] == [
        "0 %", "under 1 %", "19 %", "over 99 %", "100 %",
    ]  # fmt: skip
