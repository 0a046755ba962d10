"""The pages, in the order of the navigation; a page is one file in `pages/` and one line here."""

from __future__ import annotations

from typing import NamedTuple


class Page(NamedTuple):
    """`what` says in one sentence what it is for; Start offers the pages that have one.

    A page that `shows_runs` can be opened on the graph, model and knobs of a stored run.
    """

    name: str
    title: str
    icon: str
    what: str = ""
    shows_runs: bool = False


PAGES = (
    Page("start", "Start", "play_circle"),
    Page("dataset", "Dataset", "hub", "What is in the graph: sizes, classes, splits, any node."),
    Page("own", "Your own", "upload_file", "Bring a graph, or predictions of your own program."),
    Page(
        "problem1", "Problem 1", "leaderboard", "Which nodes can the network be trusted on?", True
    ),
    Page(
        "model", "Model", "troubleshoot", "Which nodes are wrong, and is it as sure as right?", True
    ),
    Page(
        "map", "Non-uniformity map", "map", "Where is w small, and are those the wrong nodes?", True
    ),
    Page("playground", "Playground", "tune", "Turn η and see nodes join and edges go.", True),
    Page("grid", "Eta grid", "grid_on", "Over how wide a range of η does it help?", True),
    Page(
        "theory", "Theory", "function", "What Section 3 says, checked on a graph, and its limits."
    ),
    Page(
        "paper",
        "Paper",
        "menu_book",
        "Which tables and figures of the paper hold, and by how much?",
    ),
    Page("runs", "Runs", "inventory_2", "Everything computed so far: compare, note, export."),
)
