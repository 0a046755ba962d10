"""What makes somebody known on a server for several people, and what is theirs alone.

The server itself, with a real log-in, is in tests/browser/test_shared.py.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.runtime.secrets import AttrDict

from ui import door, guard, load
from ui.kept import kept
from ui.ledger import ENTRY, Ledger
from ui.users import folder_of, is_shared
from wgnn_core import datasets
from wgnn_core import home as home_module
from wgnn_core.cli.serve import app
from wgnn_core.errors import WGNNError
from wgnn_core.home import APP_SHARED, at_home, home, keep_apart, program_home
from wgnn_core.runs.config import RunConfig

ROOT = Path(__file__).resolve().parents[2]
ADA = {"is_logged_in": True, "iss": "https://login.example", "sub": "../../ada"}
BOB = ADA | {"sub": "bob"}


@pytest.fixture
def asking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Says who is asking from now on."""
    monkeypatch.setenv("WGNN_HOME", str(tmp_path))
    monkeypatch.setattr(home_module, "_whose", None)
    user: dict[str, Any] = {}
    here = threading.get_ident()
    keep_apart(lambda: folder_of(user if threading.get_ident() == here else {}))

    def now(one: dict[str, Any]) -> None:
        user.clear()
        user.update(one)

    yield now


def test_by_default_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_shared()
    assert home() == program_home()
    monkeypatch.setattr(guard, "prepare", lambda: pytest.fail("was asked"))
    monkeypatch.setattr(guard, "allow_descriptors", lambda: None)
    assert [one.cls for one in guard.guarded()["middleware"]] == [guard.Guard]
    monkeypatch.setattr(guard, "prepare", lambda: "https://host")
    monkeypatch.setenv(APP_SHARED, "1")
    assert [one.cls for one in guard.guarded()["middleware"]] == [guard.Guard, door.Door]


@given(st.dictionaries(st.sampled_from(["iss", "sub", "is_logged_in"]), st.text() | st.none()))
def test_half_a_user_is_nobody(user: dict[str, Any]) -> None:
    with pytest.raises(WGNNError, match="not logged in"):
        folder_of(user)
    with pytest.raises(WGNNError, match="not logged in"):
        folder_of(ADA | {"sub": user.get("sub") or ""} | {"is_logged_in": user.get("iss")})


@given(st.text(min_size=1), st.text(min_size=1), st.text(min_size=1), st.text(min_size=1))
def test_every_user_has_one_folder_of_an_innocent_name(a: str, b: str, c: str, d: str) -> None:
    one, other = (folder_of(ADA | {"iss": i, "sub": s}) for i, s in ((a, b), (c, d)))
    assert (one == other) == ((a, b) == (c, d))
    assert one.parent == program_home() / "users" and set(one.name) <= set("0123456789abcdef")


def test_where_nobody_is_known_there_is_no_home(asking: Any, tmp_path: Path) -> None:
    with pytest.raises(WGNNError, match="not logged in"):
        load.jobs()
    with pytest.raises(WGNNError, match="not logged in"):
        datasets.catalogue()
    assert list(tmp_path.iterdir()) == []
    assert datasets.data_folder().parts[-1] == "raw" or "WGNN_DATA" in os.environ  # everybody's


def test_another_thread_works_for_whoever_asked(asking: Any) -> None:
    found: list[Path | str] = []

    def look() -> None:
        try:
            found.append(home())
        except WGNNError:
            found.append("nobody")

    asking(ADA)
    carried = at_home(look)
    asking(BOB)
    for call in (look, carried, look):
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    assert found == ["nobody", folder_of(ADA), "nobody"]
    assert home() == folder_of(BOB)


def test_what_is_kept_is_kept_for_each_user(asking: Any) -> None:
    made: list[tuple[Path, int]] = []
    ledger = Ledger(2 * ENTRY + 10)

    @kept(ledger=ledger)
    def mine(number: int, **named: int) -> str:
        made.append((home(), number))
        return str(home())[-4:]

    @kept(whose=lambda number: "")
    def everybodys(number: int) -> int:
        made.append((home(), number))
        return number

    asking(ADA)
    assert mine(1) == mine(1) == str(folder_of(ADA))[-4:]
    assert everybodys(2) == 2
    asking(BOB)
    assert mine(1) == str(folder_of(BOB))[-4:]
    assert everybodys(2) == 2
    assert made == [(folder_of(ADA), 1), (folder_of(ADA), 2), (folder_of(BOB), 1)]
    mine(3)  # the third, and two have room: what Ada had is forgotten, though Bob asks
    asking(ADA)
    mine(1)
    assert made[-1] == (folder_of(ADA), 1)
    assert mine(1, a=1) and mine(1, a=2) and len(made) == 7


def test_imported_graphs_of_the_same_content_are_not_mixed_up(asking: Any, tiny_graph: Any) -> None:
    """Names of nodes are no part of the content, and so not of the name it is pinned by."""
    from dataclasses import replace

    from wgnn_core.datasets import shelf

    for user, word in ((ADA, "a"), (BOB, "b")):
        asking(user)
        names = tuple(f"{word}{i}" for i in range(tiny_graph.num_nodes))
        shelf.put(replace(tiny_graph, name="same", node_names=names))
    for user, word in ((ADA, "a"), (BOB, "b")):
        asking(user)
        for graph in (RunConfig("same").graph(), load.graph("same")):
            assert graph.node_names is not None and graph.node_names[0] == f"{word}0"


def test_every_cache_and_every_download_knows_whose_it_is() -> None:
    """Streamlit's caches are asked through `kept`; a download is made in a thread of nobody."""
    allowed = {("kept.py", "cache_resource"), ("load.py", "cache_data"), ("load.py", "fetches")}
    for file in (*ROOT.glob("ui/*.py"), *ROOT.glob("pages/*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef):
                named = [ast.unparse(one) for one in node.decorator_list]
                if (file.name, node.name) in allowed:
                    continue
                assert not any("st.cache_resource" in one for one in named), (file, node.name)
            if isinstance(node, ast.Attribute) and node.attr == "cache_data":
                assert (file.name, "cache_data") in allowed
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "st.download_button":
                made = ast.unparse(node.args[1])
                plain = file.name == "own.py" and made == "text"
                assert made.startswith("at_home(") or plain, (file, node.lineno)


GOOD = {"cookie_secret": "x" * 32, "redirect_uri": "https://public.example/oauth2callback"}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"redirect_uri": "http://public.example/oauth2callback"}, "must be https"),
        ({"redirect_uri": "https://public.example/elsewhere"}, "must be https"),
        ({"redirect_uri": "https:///oauth2callback"}, "must be https"),
        ({"cookie_secret": "short"}, "5 characters"),
        ({}, ""),
    ],
)
def test_an_unsafe_way_to_log_in_is_refused(
    changed: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "find_spec", lambda name: name)
    monkeypatch.setattr(door.auth_util, "validate_auth_credentials", lambda name: None)
    section = AttrDict(GOOD | changed)
    monkeypatch.setattr(door.auth_util, "get_secrets_auth_section", lambda: section)
    if not words:
        assert door._checked_origin() == "https://public.example"
        return
    with pytest.raises(WGNNError, match=words):
        door._checked_origin()


def test_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "find_spec", lambda name: None)
    with pytest.raises(WGNNError, match=r"authlib and httpx.*wgnn-explorer\[shared\]"):
        door._checked_origin()


def test_one_way_to_let_people_in() -> None:
    with pytest.raises(WGNNError, match="choose one"):
        app(token=True, shared=True)


def test_a_server_at_which_nobody_could_log_in_does_not_start(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", "1"],
        cwd=ROOT,
        env=os.environ
        | {"HOME": str(tmp_path), "WGNN_HOME": str(tmp_path / "home"), APP_SHARED: "1"},
        capture_output=True,
        text=True,
    )
    assert said.returncode == 1
    assert "a shared server" in said.stderr and "Traceback" not in said.stderr
