"""The table of attacks names tests that exist, one at least for each fault."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from tests.app import test_addresses
from tests.cli import test_fuzz

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "ATTACKS.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if re.match(r"\| \d", line)
]


@cache
def names_in(file: str) -> frozenset[str]:
    found = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
    return frozenset(node.name for node in found if isinstance(node, ast.FunctionDef))


def test_every_fault_has_a_test_that_exists() -> None:
    for fault, _, test, red in ROWS:
        file, _, name = test.strip("`").partition("::")
        assert name.startswith("test_") and name in names_in(file), (fault, test)
        assert re.match(r"(yes|no: \w)", red), (fault, red)
    assert {int(row[0]) for row in ROWS} == set(range(1, 23))
    assert len({row[2] for row in ROWS}) == len(ROWS)


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`(tests/\S+\.py)::(\w+)`", TEXT)
    assert len(named) > len(ROWS)
    for file, name in named:
        assert name in names_in(file), (file, name)


def test_its_figures_are_those_of_the_tests() -> None:
    red = sum(row[3].startswith("yes") for row in ROWS)
    assert f"**22 of 22**, in {len(ROWS)} parts; {red} of the tests were seen to fail" in TEXT
    assert f"**{test_fuzz.LINES:,}** random command lines" in TEXT
    assert f"**{test_addresses.STRINGS}** hostile query strings" in TEXT
    assert "test_killed_at_every_write" in names_in("tests/runs/test_crash.py")
