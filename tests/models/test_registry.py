"""A model or comparator cannot be registered without a test file of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from wgnn_core.comparators import COMPARATORS
from wgnn_core.errors import WGNNError
from wgnn_core.models import MODELS, make_model

TESTS = Path(__file__).resolve().parents[1]


def untested(names: Iterable[str], folder: Path) -> list[str]:
    """Names without a file of their own that tests against a reference."""
    files = {name: folder / f"test_{name.replace('-', '_')}.py" for name in names}
    return [
        name
        for name, file in files.items()
        if not file.is_file() or "def test_reference" not in file.read_text()
    ]


def test_every_model_is_tested_against_a_reference() -> None:
    assert untested(MODELS, TESTS / "models") == []


def test_every_comparator_is_tested_against_a_reference() -> None:
    assert untested(COMPARATORS, TESTS / "comparators") == []


def test_registries_load_without_the_slow_libraries() -> None:
    """A worker imports every model; what only one of them needs may not slow its start."""
    code = (
        "import sys, wgnn_core.models, wgnn_core.comparators;"
        "print({'torch_geometric'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"


def test_the_rule_finds_a_missing_test(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_reference(): ...")
    (tmp_path / "test_b_c.py").write_text("def test_other(): ...")
    assert untested(["a", "b-c", "d"], tmp_path) == ["b-c", "d"]


def test_names_are_checked_and_recipes_stack() -> None:
    with pytest.raises(WGNNError, match="no model 'gnc'"):
        make_model("gnc")
    with pytest.raises(WGNNError, match="did you mean hidden"):
        make_model("gcn", hiden=3)
    with pytest.raises(WGNNError, match="no preset 'x'"):
        make_model("gcn", preset="x")
    assert make_model("gcn", preset="authors", epochs=7).epochs == 7
    assert make_model("graphcon", "texas").form == "gcn"
