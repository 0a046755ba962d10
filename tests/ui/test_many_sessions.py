"""Two hundred open tabs that nobody looks at, and one more visitor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from tests.ui.test_guard import START, Running, serving

SESSIONS = 200
SECONDS = 3.0
"""Of CPU, for one page with all others open; alone it takes well under one."""


@contextmanager
def visit(server: Running, page: str) -> Iterator[None]:
    """A session as a browser begins it: connected, its page drawn to the end."""
    asked = BackMsg()
    asked.rerun_script.page_name = page
    asked.rerun_script.query_string = "dataset=Karate+club"
    address = f"ws://localhost:{server.port}/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], open_timeout=60, max_size=None) as talk:  # type: ignore[list-item]
        talk.send(asked.SerializeToString())
        done = False
        while not done:
            told = talk.recv(timeout=60)
            assert isinstance(told, bytes)
            message = ForwardMsg.FromString(told)
            kind = message.WhichOneof("type")
            assert kind != "auto_rerun", "nothing is trained, and the page wants to look again"
            done = (
                kind == "script_finished"
                and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
            )
        yield


def cpu_seconds(server: Running) -> float:
    spent = psutil.Process(server.pid).cpu_times()
    return spent.user + spent.system


def test_one_more_page_beside_two_hundred_idle_ones(tmp_path: Path) -> None:
    words = ["streamlit", "run", "app.py", "--server.port"]
    with serving(tmp_path, START, words) as server, ExitStack() as held:
        for _ in range(SESSIONS):
            held.enter_context(visit(server, "runs"))
        before = cpu_seconds(server)
        held.enter_context(visit(server, "dataset"))
        assert cpu_seconds(server) - before < SECONDS
