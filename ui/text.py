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
TERMS = {
    "w": "Label non-uniformity: how far a node's class probabilities are from all being equal.",
    "tally": "The paper's way to score: nodes that joined R′ keep their first prediction.",
    "retrained": "The retrained model's own predictions on all test nodes, no tally.",
    "R′": "The training set R and the test nodes that Algorithm 1 adds, with predicted labels.",
    "V′": "The least sure nodes, among which Algorithm 2 drops edges.",
    "G′": "The graph without the edges that Algorithm 2 drops.",
    "forest": "One spanning tree for each piece of V′; its edges stay, so no piece falls apart.",
    "Problem 1": "Choose the share alpha of the test nodes on which the model is most accurate.",
    "wGNN1": "Algorithm 1 alone: nodes join, no edge goes.",
    "wGNN2": "Algorithm 2 alone: edges go, no node joins.",
    "paired": "Base and wGNN are compared seed by seed, so that luck of a seed cancels.",
}
"""The paper's terms in one line each, for whoever hovers over them."""
_SPECIAL = r"\`*_{}[]()<>#+-.!|~$:&"


def md(name: object, length: int = 80) -> str:
    """`name` on one line as Streamlit's Markdown shows it literally.

    Streamlit already refuses HTML; what is left are links, formulas, icons and colours.
    """
    return "".join("\\" + c if c in _SPECIAL else c for c in label(name, length))


def percent(value: float) -> str:
    return f"{value:.1f} %"
