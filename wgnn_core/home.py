"""The one folder in which the program keeps what it was given: runs, graphs, raw files."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def home() -> Path:
    """``WGNN_HOME``, else the place where this system keeps data of programs."""
    configured = os.environ.get("WGNN_HOME", "")
    if configured:
        return Path(configured).expanduser()
    return Path(platformdirs.user_data_dir("wgnn-explorer", appauthor=False))
