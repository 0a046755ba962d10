"""Adding a figure kind or a page: one file and one line, done here in a copy of the program."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
KIND = '''
"""The largest degrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wgnn_core.fields import hyper
from wgnn_core.figures.bars import Bars
from wgnn_core.figures.scene import Choices, Scene


@dataclass(frozen=True)
class HubsChoices(Choices):
    """How many."""

    most: int = hyper(5, "nodes of hubs", 1, 99)


class Hubs(Bars):
    """One bar for each of the nodes with the most neighbours."""

    kind: ClassVar[str] = "hubs"
    choices: ClassVar[type[HubsChoices]] = HubsChoices
    runs: ClassVar[tuple[int, int]] = (0, 1)

    @classmethod
    def make(cls, scene: Scene) -> Hubs:
        degree = np.sort(np.diff(scene.graph.adjacency.indptr))[::-1][: scene.choices.most]
        names = {"title": "Hubs", "caption": "Hubs.", "x_label": "Node", "y_label": "Degree"}
        return cls.of(range(len(degree)), {"degree": degree}, **names)
'''
PAGE = '''
"""A page."""

import streamlit as st

from ui.shell import page_start

view = page_start("Mine", "What is mine.")
st.write(view.graph.name)
'''
VISIT = """
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app.py", default_timeout=120)
app.query_params["dataset"] = "Karate club"
app.switch_page("pages/mine.py")
app.run()
assert not app.exception, app.exception
assert app.title[0].value == "Mine"
app.switch_page("pages/start.py")
app.run()
assert "Mine" in [link.proto.label.strip("*") for link in app.get("page_link")]
"""


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in ("wgnn_core", "ui", "pages"):
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "app.py", tmp_path)
    monkeypatch.setenv("WGNN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def add_line(file: Path, line: str, before: str) -> None:
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, f"{line}\n{before}", 1))


def run(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_a_figure_kind_is_one_file_and_one_line(copy: Path) -> None:
    (copy / "wgnn_core/figures/hubs.py").write_text(KIND)
    line = "from wgnn_core.figures.hubs import Hubs as Hubs"
    add_line(copy / "wgnn_core/figures/__init__.py", line, "from wgnn_core.graph import")
    assert "--most" in run(copy, "-m", "wgnn_core", "export", "--help")
    words = ("export", "--dataset", "karate", "--figure", "hubs", "--most", "3", "--out", "made")
    run(copy, "-m", "wgnn_core", *words)
    with zipfile.ZipFile(copy / "made/karate-hubs.zip") as archive:
        assert archive.read("data.csv").decode().count("degree") == 3
        assert "--figure hubs --most 3" in archive.read("command.txt").decode()
    kinds = "from wgnn_core import datasets; from wgnn_core.figures import kinds_of;"
    kinds += "print(kinds_of((), datasets.load('karate')))"
    assert "hubs" in run(copy, "-c", kinds), "what a bundle of everything holds"


def test_a_page_is_one_file_and_one_line(copy: Path) -> None:
    (copy / "pages/mine.py").write_text(PAGE)
    add_line(
        copy / "ui/pages.py",
        '    Page("mine", "Mine", "star", "What is mine."),',
        '    Page("runs"',
    )
    run(copy, "-c", VISIT)
