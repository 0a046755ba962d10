"""What goes wrong in the callback of a button is a sentence on the page, never a redacted box."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from wgnn_core.errors import WGNNError

ROOT = Path(__file__).resolve().parents[2]
PLAIN = {
    "st.logout",  # raises nothing of ours
    "'ignore'",  # a download
    "act",  # pages/runs.py: collects what could not be done, and says it
    "save_note",  # through act
    "study",  # pages/grid.py: sets widgets
    "_forget",  # ui/specimens.py: too
    "load.fetches().start",  # hands over to a thread, whose fault is shown later
}


def test_every_callback_keeps_its_faults_for_the_page() -> None:
    found = [
        (file.name, ast.unparse(word.value))
        for folder in ("ui", "pages")
        for file in sorted((ROOT / folder).glob("*.py"))
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call)
        for word in node.keywords
        if word.arg == "on_click"
    ]
    assert len(found) > 15
    assert [(file, call) for file, call in found if call not in PLAIN if "asked(" not in call] == []


def test_a_cancel_that_is_refused_is_a_sentence(
    visit: Any, jobs_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = jobs_in("fresh")

    def refuse(run_id: str) -> None:
        raise WGNNError("run x is being trained by another program; cancel it there.")

    monkeypatch.setattr(jobs, "cancel", refuse)
    app = visit("playground", dataset="Karate club")
    (cancel,) = (button for button in app.button if button.label == "Cancel")
    cancel.click().run()
    assert not app.exception
    assert any("another program" in error.value for error in app.error)
