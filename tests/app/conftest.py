"""The app in AppTest, with a store of its own and a stand-in for the worker process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.runs.run_helpers import Idle
from ui import load
from wgnn_core.runs.events import Ended
from wgnn_core.runs.jobs import Jobs
from wgnn_core.runs.life import Driver, Here
from wgnn_core.runs.store import Store

ROOT = Path(__file__).resolve().parents[2]
QUICK = {"seeds": "2", "gcn_epochs": "12"}
TITLES = {"digits": "Digits", "karate": "Karate club", "csbm": "Contextual block model"}
TITLES |= {"cora": "Cora"}
FAULT = "the disk is full <script>alert(1)</script>; make room and resume the run."


class AtOnce(Idle):
    """An executor that trains a run before `submit` returns."""

    def start(self, run_id: str) -> None:
        driver = Driver(self.store, self.owner, self.seconds, Here(), self.tell)
        driver.add(run_id)
        while driver.busy:
            driver.step()


class Failing(Idle):
    """An executor whose every run fails."""

    def start(self, run_id: str) -> None:
        self.store.set_state(run_id, self.owner, "failed", FAULT)
        self.tell(Ended(run_id, "failed", FAULT))


EXECUTORS = {"fresh": Idle, "finished": AtOnce, "failed": Failing}
Open = Callable[..., AppTest]


@pytest.fixture(scope="session")
def finished_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shared, so that what one page trained the next one finds."""
    return tmp_path_factory.mktemp("finished")


@pytest.fixture
def jobs_in(
    tmp_path: Path, finished_store: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Jobs]]:
    """Gives the app a job system in a state: fresh, finished or failed."""
    held: list[Jobs] = []

    def make(state: str) -> Jobs:
        store = Store(finished_store if state == "finished" else tmp_path / state)
        held.append(Jobs(store, executor=EXECUTORS[state]))
        monkeypatch.setattr(load, "jobs", lambda: held[-1])
        return held[-1]

    yield make
    for jobs in held:
        jobs.close()


def _open(page: str = "start", **address: str | list[str]) -> AppTest:
    """A visit of a page by its address."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in (QUICK | address).items():
        app.query_params[key] = value
    if page != "start":
        app.switch_page(f"pages/{page}.py")
    app.run()
    assert not app.exception, app.exception
    return app


@pytest.fixture
def visit() -> Open:
    return _open
