"""A real server, as `make app` starts it, and everybody who should get nothing from it."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import os
import re
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from starlette.websockets import WebSocket
from streamlit import net_util
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from ui import guard

ROOT = Path(__file__).resolve().parents[2]
RECORDER = """
import os, socket, sys
def told(what, *given):
    with open(os.environ["TOLD"], "a") as out: out.write(f"{what} {given}\\n")
real = socket.getaddrinfo
def asks(host, *given, **more):
    if host not in ("localhost", "127.0.0.1", None): told("looks up", host); raise OSError
    return real(host, *given, **more)
def connects(self, address): told("connects to", address); raise OSError
socket.getaddrinfo = asks
socket.socket.connect = connects
"""
START = RECORDER + "from streamlit.web.cli import main; sys.argv = WORDS; main()"
SHARED = "import sys; from wgnn_core.cli import main; sys.argv = WORDS; main()"


@dataclass(frozen=True)
class Running:
    port: int
    pid: int
    log: Path
    told: Path

    def get(self, path: str = "/", **headers: str) -> http.client.HTTPResponse:
        """The answer to a request; ``sec_fetch_site="..."`` becomes that header."""
        talk = http.client.HTTPConnection("localhost", self.port, timeout=20)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        talk.request("GET", path, headers={"Host": f"localhost:{self.port}"} | named)
        answer = talk.getresponse()
        answer.text = answer.read().decode("utf-8", "replace")  # type: ignore[attr-defined]
        talk.close()
        return answer

    def socket(self, origin: str | None = None, **headers: str) -> int:
        """The status of a WebSocket's handshake: 101 is a session."""
        try:
            with connect(
                f"ws://localhost:{self.port}/_stcore/stream",
                origin=origin,  # type: ignore[arg-type]
                subprotocols=["streamlit"],  # type: ignore[list-item]
                additional_headers=headers,
                open_timeout=20,
            ):
                return 101
        except InvalidStatus as error:
            return error.response.status_code


@contextmanager
def serving(
    folder: Path, program: str, words: list[str], before: Callable[[], None] | None = None
) -> Iterator[Running]:
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        port = int(listener.getsockname()[1])
    log, told = folder / "log", folder / "told"
    told.touch()
    given = [*words, str(port)]
    environment = os.environ | {"TOLD": str(told), "WGNN_HOME": str(folder / "home")}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", program.replace("WORDS", repr(given))],
            cwd=ROOT,
            env=environment | {"PYTHONPATH": str(ROOT)},
            stdout=out,
            stderr=out,
            preexec_fn=before,
        )
    running = Running(port, process.pid, log, told)
    try:
        end = time.monotonic() + 90
        while time.monotonic() < end and process.poll() is None:
            try:
                running.get("/_stcore/health")
                break
            except OSError:
                time.sleep(0.2)
        else:
            pytest.fail(f"the server did not come up:\n{log.read_text()}")
        yield running
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def few_descriptors() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """As `make app` starts it, but for few descriptors, more than which it cannot have."""
    folder = tmp_path_factory.mktemp("plain")
    words = ["streamlit", "run", "app.py", "--server.port"]
    with serving(folder, START, words, few_descriptors) as running:
        yield running


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """As `make app TOKEN=1` starts it."""
    folder = tmp_path_factory.mktemp("shared")
    with serving(folder, SHARED, ["wgnn", "app", "--token", "--port"]) as running:
        yield running


def test_a_foreign_page_is_refused_without_asking_another_machine(plain: Running) -> None:
    assert plain.socket("http://evil.example") == 403
    assert plain.told.read_text() == ""


def test_streamlit_itself_asks_nobody_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(net_util, "_external_ip", None)
    monkeypatch.setattr(net_util, "_internal_ip", None)
    guard.ask_nobody()
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda *_, **__: pytest.fail("asks"))
    assert net_util.get_external_ip() == net_util.get_internal_ip() == "127.0.0.1"


def test_no_other_site_may_frame_the_app(plain: Running) -> None:
    for path in ("/", "/own", "/_stcore/health", "/static/none.js"):
        answer = plain.get(path)
        assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'self'", path
        assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"


def test_a_page_on_another_port_gets_nothing(plain: Running) -> None:
    other = "http://localhost:3000"
    assert plain.socket(other) == 403
    assert plain.socket("null") == 403
    for path in ("/", "/_stcore/health", "/_stcore/host-config"):
        assert plain.get(path, Origin=other).status == 403
        assert plain.get(path, sec_fetch_site="same-site", sec_fetch_mode="no-cors").status == 403
    framed = {"sec_fetch_mode": "navigate", "sec_fetch_dest": "iframe"}
    assert plain.get("/", sec_fetch_site="cross-site", **framed).status == 403


def test_a_name_that_was_rebound_to_this_machine_gets_nothing(plain: Running) -> None:
    assert plain.get("/", Host="evil.example").status == 403
    assert plain.socket(Host="evil.example") in (400, 403)


def test_the_app_itself_and_links_to_it_are_served(plain: Running) -> None:
    own = f"http://localhost:{plain.port}"
    assert plain.socket(own) == plain.socket() == 101
    assert plain.get("/_stcore/health", Origin=own, sec_fetch_site="same-origin").status == 200
    link = {"sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    assert "<title>" in plain.get("/", sec_fetch_site="cross-site", **link).text


def test_more_page_loads_than_descriptors(plain: Running) -> None:
    for _ in range(100):  # three descriptors each, and 160 are allowed
        assert plain.socket() == 101
    assert plain.get("/_stcore/health").status == 200
    assert psutil.Process(plain.pid).num_fds() < 3 * guard.CLOSED_SESSIONS + 32


def test_too_many_open_sessions_are_refused_and_the_server_lives(plain: Running) -> None:
    address = f"ws://localhost:{plain.port}/_stcore/stream"
    held: list[ClientConnection] = []
    with contextlib.ExitStack() as opened:
        with contextlib.suppress(InvalidStatus):
            for _ in range(60):
                one = connect(address, subprotocols=["streamlit"], open_timeout=20)  # type: ignore[list-item]
                held += [opened.enter_context(one)]
        assert 5 < len(held) < 60
        assert plain.get("/_stcore/health").status == 200
    end = time.monotonic() + 20
    while plain.socket() != 101:
        assert time.monotonic() < end


def test_without_the_token_nothing_is_served(shared: Running) -> None:
    for path in ("/", "/own", "/_stcore/health", "/static/none.js", "/?token=wrong", "/?token="):
        answer = shared.get(path)
        assert (answer.status, "title" in answer.text) == (403, False), path
    port = shared.port
    assert shared.socket() == 403
    assert shared.socket(Cookie=f"wgnn_token_{port}=wrong") == 403
    assert shared.get("/", Cookie="\x01=;;").status == 403


def test_the_printed_address_opens_logged_in(shared: Running) -> None:
    printed = re.search(r"Open http://localhost:\d+(/\?token=\S+)", shared.log.read_text())
    assert printed is not None and shared.log.read_text().count("http://") == 1
    answer = shared.get(f"/own{printed[1][1:]}&seeds=2")
    assert (answer.status, answer.headers["Location"]) == (303, "/own?seeds=2")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "samesite=lax" in cookie.lower()
    name = cookie.partition(";")[0]
    assert shared.get("/", Cookie=name).status == 200
    assert shared.socket(Cookie=name) == 101
    assert shared.get(f"//evil.example{printed[1][1:]}").headers["Location"] == "/evil.example"


def test_other_users_cannot_read_the_token(shared: Running) -> None:
    printed = re.search(r"token=(\S+)", shared.log.read_text())
    words = Path(f"/proc/{shared.pid}/cmdline").read_text()
    assert printed is not None and len(printed[1]) >= 32 and printed[1] not in words


def test_a_low_soft_limit_is_raised() -> None:
    script = (
        "import resource; from ui import guard; hard = resource.getrlimit(7)[1]\n"
        "resource.setrlimit(7, (200, hard)); guard.allow_descriptors()\n"
        "assert resource.getrlimit(7) == (min(hard, guard.DESCRIPTORS), hard)"
    ).replace("7", str(int(resource.RLIMIT_NOFILE)))
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, timeout=60)


def test_a_tab_that_is_closed_while_it_is_told_something_is_no_error() -> None:
    """Streamlit then closes what is closed, and starlette raises."""
    ended: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        line = WebSocket(scope, receive, send)
        try:
            await line.accept()
            await line.close()
            await line.send_bytes(b"too late")
        finally:
            ended.append("the session")

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: object) -> None: ...

    asked = {"type": "websocket", "headers": [(b"host", b"localhost:8501")], "path": "/"}
    asyncio.run(guard.Guard(app)(asked, receive, send))  # type: ignore[arg-type]
    assert ended == ["the session"]
