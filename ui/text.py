"""Words on the pages, and names from users made safe for Markdown."""

from wgnn_core.figures.text import label

COLOURS = {
    "w": "w(v)",
    "class": "true class",
    "prediction": "prediction",
    "correctness": "correct or wrong",
    "distance": "distance to the class boundary",
}
"""What a map can show, in plain words."""
_SPECIAL = r"\`*_{}[]()<>#+-.!|~$:&"


def md(name: object, length: int = 80) -> str:
    """`name` on one line as Streamlit's Markdown shows it literally.

    Streamlit already refuses HTML; what is left are links, formulas, icons and colours.
    """
    return "".join("\\" + c if c in _SPECIAL else c for c in label(name, length))


def percent(value: float) -> str:
    return f"{value:.1f} %"


def count(number: int, thing: str) -> str:
    """``1 node``, ``2,708 nodes``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
