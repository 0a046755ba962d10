"""A worker that is started before the libraries are loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import torch  # noqa: F401  this program has its libraries

from wgnn_core.runs import process

SCRIPT = """
import sys
from wgnn_core.runs import process

process.spawn_ahead()
process.spawn_ahead()
assert "torch" not in sys.modules, "it would be waited for"
(early,) = process._ahead.values()
assert process.spawn(process.home()) is early
late = process.spawn(process.home())
assert late is not early
for started in (early, late):
    started.stdin.close()
    assert started.wait(60) == 0
"""


def test_a_worker_started_ahead_is_taken_once(tmp_path: Path) -> None:
    home = tmp_path / "not" / "there yet"
    environment = {**os.environ, "WGNN_HOME": str(home), "OMP_NUM_THREADS": "1"}
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=root, env=environment, check=True)
    assert (home / "worker.log").read_text() == ""


def test_nothing_is_started_ahead_where_the_libraries_are_loaded() -> None:
    process.spawn_ahead()
    assert process._ahead == {}
