"""Every page on a graph of which half the nodes have no label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.app.test_own import texts
from tests.half_labelled import CHOICES, draft
from ui import pages


@pytest.mark.parametrize("page", [page.name for page in pages.PAGES])
def test_every_page_says_how_many_there_are(
    page: str, visit: Any, jobs_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WGNN_HOME", str(tmp_path))
    draft().save("half", CHOICES)
    jobs_in("finished")
    app = visit(page, dataset="half", map_node="1", dataset_node_half="1", grid_x=["0.4"])
    assert not app.exception and not app.error
    said = "\n".join(caption.value for caption in app.sidebar.caption)
    assert "80 of its 160 nodes have no label" in said
    if page == "map":
        assert "true class **no label**" in texts(app)
        neighbours = next(d.value for d in app.dataframe if "verdict" in d.value)
        unknown = neighbours["node"] % 2 == 1
        assert set(neighbours["verdict"][unknown]) <= {"no label"}
        assert "no label" not in set(neighbours["verdict"][~unknown])
    if page == "dataset":
        assert "has no label" in texts(app)
    if page in ("playground", "start"):
        noted = [metric.delta for metric in app.metric] + [texts(app)]
        assert any("without label" in text for text in noted)
