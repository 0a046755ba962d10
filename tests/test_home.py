"""Where things are kept: what the environment says, or one sentence why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from wgnn_core import datasets
from wgnn_core.errors import WGNNError
from wgnn_core.home import home


@pytest.mark.parametrize(
    ("text", "words"), [("~nosuchuser/x", "no such user"), ("a" * 300, "long")]
)
@pytest.mark.parametrize(
    ("name", "ask"), [("WGNN_HOME", home), ("WGNN_DATA", datasets.data_folder)]
)
def test_a_folder_that_cannot_be(
    name: str, ask: object, text: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, text)
    with pytest.raises(WGNNError, match=f"{name} is .*{words}"):
        ask()  # type: ignore[operator]


def test_a_tilde_is_the_users_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("WGNN_HOME", "~/x")
    assert home() == tmp_path / "x"
