"""The example, the names and the counts of docs/THEORY.md."""

from __future__ import annotations

import re
from pathlib import Path

from tests.theory import test_atlas
from wgnn_core.theory.gallery import GALLERY

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/THEORY.md").read_text("utf-8")


def test_the_example_runs(capsys) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(example, {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Theorem 1 True True" and lines[2] == "Theorem 2 True True"


def test_every_counterexample_is_named_and_every_name_is_one() -> None:
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", TEXT))
    assert named <= set(GALLERY)
    assert {name for name, item in GALLERY.items() if item.counterexample} <= named


def test_files_and_counts_are_those_of_the_tests() -> None:
    for path in re.findall(r"`((?:tests|wgnn_core)/\S+\.py)`", TEXT):
        assert (ROOT / path).is_file(), path
    source = Path(test_atlas.__file__).read_text("utf-8")
    lowered, across = re.findall(r"(\d+) of (\d+) droppable edges", TEXT)[0]
    (raised,) = re.findall(r"; (\d+) raise it", TEXT)
    (set_ups,) = re.findall(r"\(([\d,]+) set-ups", TEXT)
    for key, value in {
        "across, lowered": lowered,
        "across": across,
        "across, raised": raised,
        "set-ups": set_ups.replace(",", ""),
    }.items():
        assert f'"{key}": {value},' in source
