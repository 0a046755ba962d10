"""The examples and the numbers of docs/own-graph.md."""

from __future__ import annotations

import re
from pathlib import Path

from wgnn_core import datasets
from wgnn_core.datasets import own

TEXT = (Path(__file__).resolve().parents[3] / "docs/own-graph.md").read_text("utf-8")


def test_the_python_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    values: dict[str, object] = {}
    exec(example, values)
    assert values["graph"].num_nodes == 4
    assert values["preview"].graph.content_hash == values["graph"].content_hash
    assert "friends" not in datasets.names()


def test_the_caps_are_those_of_the_code():
    caps = own.Caps()
    assert caps.bytes == 512 * 2**20
    for name in ("nodes", "edges", "features", "classes", "values"):
        assert f"{getattr(caps, name):,} {name}" in TEXT
