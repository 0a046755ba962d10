"""The start page, run by Streamlit's AppTest with a stand-in for the training process."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
RESULT = {
    "dataset": "digits",
    "model": "gcn",
    "eta": [0.8, 0.3, 0.4],
    "seeds": [0, 1, 2],
    "base": {"val": [80.0, 81.0, 82.0], "test": [80.0, 81.0, 82.0]},
    "wgnn": {
        "val": [82.0, 83.0, 84.5],
        "test": [82.0, 83.0, 84.5],
        "test_retrained": [83.0, 84.0, 85.0],
    },
    "edges_dropped": 10,
    "pseudo_labels": 20,
    "pseudo_label_accuracy": 95.0,
    "p_value": 0.0123,
    "seconds": 1.25,
}

Stand = Callable[[str], Path]


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stand:
    """Makes the page start a shell script, which also records its arguments, instead of Python."""

    def install(body: str) -> Path:
        script, arguments = tmp_path / "python", tmp_path / "arguments"
        script.write_text(f'#!/bin/sh\necho "$@" > "{arguments}"\n{body}\n')
        script.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(script))
        return arguments

    return install


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()


def until(page: AppTest, done: Callable[[AppTest], bool], seconds: float = 20) -> None:
    """Let the page poll until `done`, as the browser's timer would."""
    end = time.monotonic() + seconds
    while not done(page):
        assert time.monotonic() < end, "the page did not get there in time"
        time.sleep(0.05)
        page.run()
        assert not page.exception


def press(page: AppTest) -> None:
    page.button(key="start_button").click().run()
    assert not page.exception


def test_first_visit_explains_w_and_offers_a_run(page: AppTest) -> None:
    assert not page.exception
    assert page.title[0].value == "wGNN Explorer"
    assert "label non-uniformity" in page.markdown[0].value
    assert page.selectbox(key="dataset").value in {"cora", "digits"}
    assert not page.button(key="start_button").disabled
    assert not page.metric


def test_without_benchmark_files_the_app_opens_on_digits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not page.exception
    assert page.selectbox(key="dataset").value == "digits"
    assert any("data get" in code.value for code in page.sidebar.code)


def test_a_run_shows_base_beside_wgnn(page: AppTest, stand_in: Stand) -> None:
    arguments = stand_in(f"cat <<'JSON'\n{json.dumps(RESULT)}\nJSON")
    page.selectbox(key="dataset").set_value("digits").run()
    page.slider(key="start_eta1").set_value(0.25).run()
    page.slider(key="start_seeds").set_value(3).run()
    press(page)
    until(page, lambda page: len(page.metric) > 0)
    given = "-m wgnn_core run --json --dataset digits --model gcn --seeds 3 --eta0 0.8"
    assert arguments.read_text().split() == [*given.split(), "--eta1", "0.25", "--eta2", "0.4"]
    base, wgnn, p_value = page.metric
    assert (base.value, wgnn.value, p_value.value) == ("81.0 %", "83.2 %", "0.012")
    assert wgnn.delta == "+2.17 points"
    table = page.dataframe[0].value
    assert list(table.index) == ["gcn (base)", "wGNN", "wGNN, retrained model alone"]
    assert table["standard deviation"].tolist() == pytest.approx([1.0, 1.2583, 1.0], abs=1e-4)
    assert table["n"].tolist() == [3, 3, 3]


def test_a_run_can_be_cancelled_and_started_again(page: AppTest, stand_in: Stand) -> None:
    stand_in("exec sleep 60")
    press(page)
    assert page.button(key="start_button").disabled
    assert "Training on" in page.info[0].value
    page.button(key="start_cancel").click().run()
    until(page, lambda page: len(page.warning) > 0)
    assert "Cancelled" in page.warning[0].value
    assert not page.button(key="start_button").disabled
    assert page.session_state["start_run"].process.returncode != 0


def test_a_refused_request_shows_its_one_sentence(page: AppTest, stand_in: Stand) -> None:
    stand_in("echo 'eta0 is 7; it must lie in [0, 1].' >&2; exit 2")
    press(page)
    until(page, lambda page: len(page.error) > 0)
    assert page.error[0].value == "eta0 is 7; it must lie in [0, 1]."


def test_a_crash_shows_a_command_and_no_traceback(page: AppTest, stand_in: Stand) -> None:
    stand_in("echo 'Traceback (most recent call last): secret' >&2; exit 1")
    press(page)
    until(page, lambda page: len(page.error) > 0)
    shown = page.error[0].value + " ".join(code.value for code in page.main.code)
    assert "code 1" in shown
    assert "python -m wgnn_core run" in shown
    assert "Traceback" not in shown
