"""Who is asking, on a server for several people, and where their things are kept."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from wgnn_core.errors import WGNNError
from wgnn_core.home import APP_SHARED, USERS, program_home


def is_shared() -> bool:
    """Whether this server serves several people."""
    return APP_SHARED in os.environ


def who() -> dict[str, Any]:
    """What is known about the user whose page is drawn, or who pressed a button on it."""
    return dict(st.user.to_dict())


def folder_of(user: Mapping[str, Any]) -> Path:
    """Where a user's things are kept; what the provider calls a user never becomes a path.

    Raises:
        WGNNError: Nobody has logged in, or the provider did not say who.
    """
    named = user.get("iss"), user.get("sub")
    if user.get("is_logged_in") is not True or not all(isinstance(x, str) and x for x in named):
        raise WGNNError("you are not logged in; load this page again.")
    digest = hashlib.sha256(json.dumps(named).encode()).hexdigest()
    return program_home() / USERS / digest[:32]
