"""Text that comes from users (class, node, dataset names), made safe for each place it goes to.

A name is cut once, by `label`, on its way into a figure's data; it is escaped once, by the
renderer, on its way out: `plotly_text`, `paper_text`, `latex_text`, `csv_cell`.
"""

from __future__ import annotations

import html
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

LABEL_LENGTH = 80
NO_NAME = "(no name)"
NO_LABEL = "no label"
"""What stands where others have a class, for a node whose class nobody knows."""
PAPER_FONTS = {
    "serif": ("STIXGeneral", "DejaVu Serif", "DejaVu Sans"),
    "sans": ("DejaVu Sans",),
}
"""Only fonts that come with matplotlib, so a figure looks the same on every machine."""


def label(name: object, length: int = LABEL_LENGTH) -> str:
    """`name` on one line, printable characters only, at most `length` of them."""
    shown = "".join(c for c in str(name) if c.isprintable() or c.isspace())
    text = " ".join(shown.split())
    if len(text) > length:
        text = text[: length - 1].rstrip() + "…"
    return text or NO_NAME


def labels(names: Iterable[object]) -> list[str]:
    """One label for each name, all different: names that cutting made equal get a number."""
    cut = [label(name) for name in names]
    repeated = {text for text, count in Counter(cut).items() if count > 1}
    used, result = set(cut) - repeated, []
    for text in cut:
        number = 1
        unique = text
        while text in repeated and unique in used:
            number += 1
            unique = f"{label(text, LABEL_LENGTH - 6)} ({number})"
        used.add(unique)
        result.append(unique)
    return result


def count(number: int, thing: str) -> str:
    """``1 node``, ``2,708 nodes``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def signed(value: float, digits: int = 2) -> str:
    """``+1.20``, ``−0.50`` with a true minus, and plain ``0.00``."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def share(percent: float) -> str:
    """``19 %``; never all or none unless it is: ``over 99 %``, ``under 1 %``."""
    if 99.5 <= percent < 100:
        return "over 99 %"
    return "under 1 %" if 0 < percent <= 0.5 else f"{percent:.0f} %"


def plotly_text(text: str) -> str:
    """`text` as plotly shows it literally: it reads a subset of HTML, and TeX between dollars.

    Quotes stay: plotly never puts text into an attribute and does not know ``&quot;``.
    """
    return html.escape(text, quote=False).replace("$", "&#36;")


def paper_text(text: str, length: int = LABEL_LENGTH) -> str:
    """`text` for matplotlib, where math parsing is off: characters without a glyph become �."""
    known = _covered()
    return "".join(
        c if ord(c) in known else "\N{REPLACEMENT CHARACTER}" for c in label(text, length)
    )


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "…": r"\ldots{}",
    "±": r"$\pm$",
    "≥": r"$\geq$",
    "−": r"$-$",
    "α": r"$\alpha$",
    "η": r"$\eta$",
    "₀": r"$_0$",
    "₁": r"$_1$",
    "₂": r"$_2$",
}


def latex_text(text: str) -> str:
    """`text` as every LaTeX prints it literally; other characters become ``?``.

    pdfLaTeX stops at a character it has no glyph for, an emoji for one. It has ASCII, the
    accented Latin letters and what `_LATEX` names.
    """
    return "".join(_LATEX.get(c, c if _in_latex(c) else "?") for c in text)


def _in_latex(character: str) -> bool:
    if ord(character) < 128:
        return character.isprintable()
    accented = ord(character) < 256 and character.isalpha()
    return character in "ßæøåÆØÅ" or (accented and bool(unicodedata.decomposition(character)))


def csv_cell(value: object) -> object:
    """A string that a spreadsheet would run as a formula gets a leading ``'`` (CWE-1236).

    Carriage returns become spaces: not every reader takes them for part of a cell.
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r", " ")
    return "'" + text if value[:1] in ("=", "+", "-", "@", "\t", "\r") else text


@lru_cache(maxsize=1)
def _covered() -> frozenset[int]:
    """Characters of DejaVu Sans, the last resort of both lists in `PAPER_FONTS`."""
    return frozenset(FT2Font(font_manager.findfont("DejaVu Sans")).get_charmap())
