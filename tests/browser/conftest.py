"""A real server and a real Chromium."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserType, ConsoleMessage, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",  # WebGL without a graphics card
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
START_SECONDS = 60
PROBES = ("/_stcore/health", "/_stcore/host-config")
"""Streamlit's frontend looks for its server below a page's own address first; that is a 404."""


def of_a_probe(text: str, url: str) -> bool:
    """Whether a message of the console is about that; a slow page also says it in words."""
    worded = "404" in text and any(probe in text for probe in PROBES)
    return url.endswith(PROBES) or worded or text.startswith("Connection failed with status 404")


@dataclass(frozen=True)
class Server:
    address: str
    pid: int


@dataclass
class Visit:
    """A page with everything it asked for and complained about."""

    page: Page
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not of_a_probe(message.text, message.location["url"]):
            self.problems.append(message.text)

    @property
    def outside(self) -> list[str]:
        """Requests that left this machine; data: and blob: addresses have no host."""
        return [url for url in self.requests if urlsplit(url).hostname not in (None, "localhost")]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return int(listener.getsockname()[1])


def wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
            return
        except urllib.error.HTTPError:
            return  # it is up, and wants a token
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the server did not come up:\n{log.read_text()}")


@contextmanager
def serve(home: Path, data: Path, *program: str) -> Iterator[Server]:
    """The app, for these tests alone; `program` stands in for ``-m streamlit run app.py``."""
    address, log = f"http://localhost:{free_port()}", home / "server.log"
    command = [sys.executable, *(program or ("-m", "streamlit", "run", "app.py")), "--server.port"]
    environment = os.environ | {"WGNN_HOME": str(home), "WGNN_DATA": str(data)}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, address.rpartition(":")[2]],
            cwd=ROOT,
            env=environment | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until_healthy(address, process, log)
        yield Server(address, process.pid)
    finally:
        # The group, so that a training process it started goes with it.
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with an empty store, and with the benchmark files where there are any."""
    home = tmp_path_factory.mktemp("home")
    data = os.environ.get("WGNN_DATA", "")
    with serve(home, Path(data) if data else home / "data") as running:
        yield running


@pytest.fixture(scope="session")
def bare_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server nobody has visited, with an empty store and no benchmark files."""
    home = tmp_path_factory.mktemp("bare")
    with serve(home, home / "data") as running:
        yield running


@pytest.fixture(scope="session")
def hostile_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose karate club has hostile names, see hostile_app.py."""
    home = tmp_path_factory.mktemp("hostile")
    program = str(Path(__file__).with_name("hostile_app.py"))
    with serve(home, home / "data", program) as running:
        yield running


def launch(kind: BrowserType, flags: list[str]) -> Browser:
    """The system's Chromium, or the one Playwright brought; skips where there is none."""
    own = Path(kind.executable_path)
    found = next(filter(None, map(shutil.which, CHROMIUMS)), str(own) if own.exists() else None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(CHROMIUMS)} is installed")
    return kind.launch(executable_path=found, args=flags)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = launch(playwright.chromium, FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def light_browser(browser: Browser) -> Iterator[Browser]:
    """One that draws no WebGL: for many pages at once, where the maps are not what is tested."""
    flags = [flag for flag in FLAGS if "swiftshader" not in flag]
    chromium = launch(browser.browser_type, [*flags, "--disable-3d-apis"])
    yield chromium
    chromium.close()


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Shows a measured number whatever pytest captures."""

    def write(text: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n  {text}\n")

    return write


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(30_000)
    yield Visit(page)
    page.close()
