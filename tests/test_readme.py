"""Every Python example of the README and of the documents runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.S | re.M)
EXAMPLES = [
    pytest.param(block, id=f"{file.name}-{number}")
    for file in DOCUMENTS
    for number, block in enumerate(BLOCK.findall(file.read_text(encoding="utf-8")))
]


def test_the_readme_has_an_example_of_under_ten_lines() -> None:
    first = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))[0]
    lines = [line for line in first.splitlines() if line.strip()]
    assert len(lines) < 10
    assert ".latex()" in first and ".figure(" in first and "to_pyg()" in first


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(
    example: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WGNN_HOME", str(tmp_path / "home"))
    names: dict[str, object] = {}
    exec(compile(example, "example", "exec"), names)
    if "result" in names:
        assert "GCN" in capsys.readouterr().out
