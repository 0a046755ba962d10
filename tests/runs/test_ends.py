"""Three ways in which a command ends while it trains; nothing of it may be left.

Each command runs on a terminal of its own (a pseudo-terminal, whose session it leads), with its own
store and its own folder for temporary files.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.runs.run_helpers import ROOT, ends, train_here, until, worker_of_a_killed_owner
from wgnn_core.runs.arrays import write_arrays
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store

LONG = ("--dataset", "digits", "--seeds", "20", "--epochs", "5000")
KEPT = {"runs.sqlite", "runs.sqlite-wal", "runs.sqlite-shm", "arrays", "worker.log", "compiled"}
"""What a store holds; SQLite folds its log into the file when it is next opened."""
GONE_SECONDS = 30
ENDS = (
    *(("app", how) for how in ("Ctrl-C", "kill -9", "closed terminal")),
    *(("run", how) for how in ("Ctrl-C", "kill -9")),
    ("sweep", "closed terminal"),
)
"""`run` and `sweep` wait for their worker in one and the same way."""


def _as_in_a_window() -> None:
    """Ctrl-C and a closed window are signals, also where whoever runs the tests ignores these."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Terminal:
    """A command on a terminal."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.home, self.temporary = folder / "home", folder / "temporary"
        self.temporary.mkdir()
        self.master, slave = pty.openpty()
        places = {"WGNN_HOME": str(self.home), "TMPDIR": str(self.temporary)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wgnn_core", *words],
            env=os.environ | places | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_as_in_a_window,
        )
        os.close(slave)
        self.shown, self.closed = b"", False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        """Who fills a terminal that nobody reads waits for ever."""
        with contextlib.suppress(OSError):  # nobody has it open any more
            while not self.closed:  # one that is being read stays open when it is closed
                if select.select([self.master], [], [], 0.1)[0]:
                    self.shown += os.read(self.master, 65536)

    def end(self, how: str) -> None:
        if how == "Ctrl-C":
            os.write(self.master, b"\x03")
        elif how == "kill -9":
            self.process.kill()
        else:
            self.close()

    def close(self) -> None:
        """As when the window is closed: the system hangs up."""
        if not self.closed:
            self.closed = True
            self.reader.join()
            os.close(self.master)

    def family(self) -> set[int]:
        """Every process that was started with this store, whoever its parent is by now."""
        mark, found = f"WGNN_HOME={self.home}".encode(), set()
        for process in psutil.process_iter():
            with contextlib.suppress(OSError, psutil.Error):
                environment = Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
                if mark in environment and process.status() != psutil.STATUS_ZOMBIE:
                    found.add(process.pid)
        return found

    def trains(self) -> bool:
        time.sleep(0.3)
        assert self.process.poll() is None, self.shown.decode(errors="replace")
        if not (self.home / "runs.sqlite").is_file():
            return False
        return any(run.state == "running" for run in Store(self.home).runs())


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()
        for pid in terminal.family():
            os.kill(pid, signal.SIGKILL)
        terminal.process.wait()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return int(listener.getsockname()[1])


def visit(port: int) -> None:
    """Open the Start page of an app as a browser does: it trains by itself."""
    asks = BackMsg()
    asks.rerun_script.query_string = "dataset=Digits&seeds=20&gcn_epochs=5000"
    end = time.monotonic() + 150
    while True:
        try:
            socket_ = connect(
                f"ws://localhost:{port}/_stcore/stream",
                subprotocols=["streamlit"],  # type: ignore[list-item]
                max_size=None,
                legacy=True,
            )
            break
        except OSError:
            assert time.monotonic() < end, "the server did not come up"
            time.sleep(0.2)
    socket_.send(asks.SerializeToString())
    threading.Thread(target=_listen, args=(socket_,), daemon=True).start()


def _listen(to: ClientConnection) -> None:
    with contextlib.suppress(ConnectionClosed, OSError, EOFError):  # it ends with the server
        for _ in to:
            pass


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(("command", "how"), ENDS)
def test_nothing_is_left(command: str, how: str, tmp_path: Path, terminals: list[Terminal]) -> None:
    port = free_port()
    words = ("app", "--port", str(port)) if command == "app" else (command, *LONG)
    terminal = Terminal(tmp_path, *words)
    terminals.append(terminal)
    if command == "app":
        visit(port)
    until(terminal.trains, 200)
    family = terminal.family()
    assert len(family) == 2, "the command and its worker"

    terminal.end(how)
    code = terminal.process.wait(GONE_SECONDS)
    until(lambda: not terminal.family(), GONE_SECONDS)
    if how == "Ctrl-C" and command != "app":
        assert code == 130
    assert b"Traceback" not in terminal.shown
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("localhost", port))
    assert list(terminal.temporary.iterdir()) == []
    assert {file.name for file in terminal.home.iterdir()} <= KEPT
    assert "Traceback" not in (terminal.home / "worker.log").read_text()
    store = Store(terminal.home)
    assert list(terminal.home.rglob("*.tmp")) == []
    (run,) = store.runs()
    assert run.state == "interrupted", "whoever wants can go on with it"


def test_a_worker_that_still_loads_its_libraries_ends_with_its_owner(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "torch.py").write_text("import time\ntime.sleep(120)\n")

    def it_looks_after_its_owner(worker: int) -> None:
        until(lambda: psutil.Process(worker).num_threads() > 1)

    ends(worker_of_a_killed_owner(tmp_path, it_looks_after_its_owner, slow), 20)


DIES_WRITING = """
import os, signal, sys, json
import numpy as np
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.store import Store

def dies(file, **arrays):
    file.write(b"half of it")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)

np.savez_compressed = dies
run_here(RunConfig.from_json(json.loads(sys.argv[1])), Store(sys.argv[2]))
"""


def test_a_half_written_file_goes_when_the_store_is_next_opened(
    tmp_path: Path, store: Store, config: RunConfig
) -> None:
    words = [sys.executable, "-c", DIES_WRITING, json.dumps(config.to_json()), str(tmp_path)]
    ended = subprocess.run(words, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert ended.returncode == -signal.SIGKILL
    (half,) = tmp_path.rglob("*.tmp")
    assert half.read_bytes() == b"half of it"
    again = Store(tmp_path)
    assert list(tmp_path.rglob("*.tmp")) == []
    expected = load_result(store, train_here(store, config)).rows
    assert load_result(again, train_here(again, config)).rows.equals(expected)


def test_what_a_live_process_is_writing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store(tmp_path)
    written = np.savez_compressed

    def meanwhile(file: object, **arrays: object) -> None:
        Store(tmp_path)  # another thread or program opens the store
        written(file, **arrays)  # type: ignore[arg-type]

    monkeypatch.setattr(np, "savez_compressed", meanwhile)
    file = tmp_path / "arrays" / "run" / "0.npz"
    write_arrays(file, {"a": np.arange(3)})
    assert file.is_file() and list(tmp_path.rglob("*.tmp")) == []
