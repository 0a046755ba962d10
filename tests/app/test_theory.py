"""The page Theory: every statement on every kind of graph; edges change and numbers follow."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.test_pages import texts, uncaptioned

SECTIONS = {
    "Lemmas": 1,
    "Theorem 1": 2,
    "Corollary 1": 2,
    "Theorem 2": 1,
    "Theorem 3": 1,
    "Wasserstein lemma": 2,
    "Does the assumption hold?": 2,
}
"""Charts of each statement on a graph where it can be shown."""


def opened(visit: Any, **address: str) -> Any:
    return visit("theory", **({"dataset": "Karate club"} | address))


@pytest.mark.parametrize("section", SECTIONS)
def test_every_statement_on_a_dataset(section: str, visit: Any, jobs_in: Any) -> None:
    jobs_in("finished")
    app = opened(visit, theory_section=section)
    assert not app.error and not app.info
    assert len(app.get("plotly_chart")) == SECTIONS[section]
    assert uncaptioned(app) == []
    assert "holds:" in texts(app) or section.startswith("Does")
