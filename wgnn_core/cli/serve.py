"""``app``: the app in a browser, from an installed wheel or from the repository."""

from __future__ import annotations

import os
import secrets
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from wgnn_core.errors import WGNNError
from wgnn_core.home import APP_SHARED, APP_TOKEN, named_folder

PACKAGE = "wgnn_explorer_app"
"""The folder beside `wgnn_core` in which the app's files were installed."""


def app(
    port: Annotated[int, typer.Option(help="Where it listens, on this machine.", min=1, max=65535)]
    = 8501,
    token: Annotated[
        bool,
        typer.Option(
            "--token", help="For a machine with other users: only the printed address opens it."
        ),
    ] = False,
    shared: Annotated[
        bool,
        typer.Option(
            "--shared",
            help="For several people: everybody logs in and has runs of their own "
            "(docs/shared-server.md).",
        ),
    ] = False,
) -> None:  # fmt: skip
    """Serve the app on localhost until Ctrl-C."""
    if token and shared:
        raise WGNNError("--token and --shared are two ways to let people in; choose one.")
    if find_spec("streamlit") is None:
        raise WGNNError(
            "the app needs Streamlit, which is not installed; run: "
            "pip install 'wgnn-explorer[app]'."
        )
    folder = app_folder()
    environment = dict(os.environ)
    for name in ("WGNN_HOME", "WGNN_DATA"):  # they mean the folder of whoever calls
        if (named := named_folder(name)) is not None:
            environment[name] = str(named.absolute())
    os.chdir(folder)  # Streamlit looks for .streamlit/config.toml there
    words = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    if token:  # not among the words, which every user of the machine can read
        environment[APP_TOKEN] = secrets.token_urlsafe(24)
    if shared:
        environment[APP_SHARED] = "1"
    if token or shared:  # Streamlit would print an address at which nobody is let in
        words += ["--logger.hideWelcomeMessage", "true"]
    # A script of a page runs in a thread of its own. With a heap for each, as the C library would
    # have it, what they free lies scattered and stays taken.
    environment.setdefault("MALLOC_ARENA_MAX", "2")
    os.execve(sys.executable, words, environment)  # Ctrl-C and signals reach the server itself


def app_folder() -> Path:
    """Where app.py and its settings are.

    Raises:
        WGNNError: They are not there.
    """
    root = Path(__file__).resolve().parents[2]
    for folder in (root / PACKAGE, root):
        if (folder / "app.py").is_file() and (folder / "ui" / "shell.py").is_file():
            return folder
    raise WGNNError(f"the app's files are not in {root / PACKAGE}; install the package again.")
