"""Names in Markdown."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ui.text import md
from wgnn_core.figures.text import count, label


@given(st.text(max_size=300))
def test_markdown_loses_its_meaning_and_nothing_else(name: str) -> None:
    text = md(name)
    assert not re.search(r"(?<!\\)[`*_\[\]()<>$:|#]", re.sub(r"\\\\", "", text))
    shown = re.sub(r"\\(.)", r"\1", text)
    assert shown == label(name)


def test_counts() -> None:
    assert count(1, "node") == "1 node"
    assert count(2708, "node") == "2,708 nodes"
