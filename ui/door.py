"""The door of a server for several people: whoever has not logged in gets one page with a button.

Streamlit does the logging in (OpenID Connect, `[auth]` in its secrets.toml) and then signs a
cookie. It would let strangers open sessions and ask who they are in the script; here they have
none: no WebSocket, no upload, no file.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import auth_util, config, runtime
from streamlit.errors import StreamlitAuthError
from streamlit.user_info import generate_login_redirect_url
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import (
    _get_signed_cookie_with_chunks,
    _parse_decoded_user_cookie,
)

from ui.users import folder_of, who
from wgnn_core.errors import WGNNError
from wgnn_core.home import USERS, keep_apart, make_private, program_home

LOGIN, CALLBACK, LOGOUT = "/auth/login", "/oauth2callback", "/auth/logout"
SECRET_LENGTH = 32
PAGE = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>wGNN Explorer</title>
<meta name="viewport" content="width=device-width"></head>
<body style="font-family: sans-serif; text-align: center; margin-top: 20vh">
<h1>wGNN Explorer</h1>
<form action="{LOGIN}"><button style="font-size: 1.2rem; padding: .5rem 2rem">Log in</button></form>
</body></html>
"""
"""All that a stranger is shown."""


class Door:
    """Lets those in who have logged in at `origin`, such as https://host."""

    def __init__(self, app: ASGIApp, origin: str) -> None:
        self._app, self._origin = app, origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        folder = folder_for(Headers(scope=scope), self._origin)
        path = scope["path"]
        if folder is not None:
            if path == LOGOUT:
                end_sessions(folder)
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif path == LOGIN and "provider" not in QueryParams(scope["query_string"]):
            # as `st.login` does; its address is good for two minutes, the page for longer
            answer = RedirectResponse(generate_login_redirect_url("default"), 303)
            await answer(scope, receive, send)
        elif path in (LOGIN, CALLBACK, LOGOUT):
            await self._app(scope, receive, send)
        else:
            await HTMLResponse(PAGE, 401)(scope, receive, send)


def prepare() -> str:
    """Make this process a server for several people; returns its address, such as https://host.

    It is the address of `redirect_uri`: requests under any other name are refused.

    Raises:
        WGNNError: Nobody could log in, or not safely.
    """
    origin = _checked_origin()
    config.set_option("server.allowedHosts", [urlsplit(origin).hostname])
    for folder in (program_home(), program_home() / USERS):
        make_private(folder)
    keep_apart(lambda: folder_of(who()))
    return origin


def _checked_origin() -> str:
    missing = [name for name in ("authlib", "httpx") if find_spec(name) is None]
    if missing:
        raise WGNNError(
            f"a shared server needs {' and '.join(missing)}; "
            "run: pip install 'wgnn-explorer[shared]'."
        )
    try:
        auth_util.validate_auth_credentials("default")
    except StreamlitAuthError as error:
        text = " ".join(str(error).split())
        raise WGNNError(f"a shared server must know how people log in. {text}") from None
    section = auth_util.get_secrets_auth_section()
    length = len(str(section["cookie_secret"]))
    if length < SECRET_LENGTH:
        raise WGNNError(
            f"cookie_secret in secrets.toml has {length} characters; it must have "
            f"{SECRET_LENGTH} or more, drawn at random."
        )
    address = auth_util.get_redirect_uri(section) or ""
    parts = urlsplit(address)
    safe = parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1")
    if not (safe and parts.hostname and parts.path == CALLBACK):
        raise WGNNError(
            f"redirect_uri in secrets.toml is {address!r}; it must be https://HOST{CALLBACK}, with "
            "the name under which people reach this server."
        )
    return f"{parts.scheme}://{parts.netloc}"


def folder_for(headers: Headers, origin: str) -> Path | None:
    """The folder of whoever sent a request, by the signed cookie; None for a stranger.

    Streamlit makes the user of a session from the same cookie.
    """
    cookies = cookie_parser(headers.get("cookie", ""))
    try:
        raw = _get_signed_cookie_with_chunks(cookies, USER_COOKIE_NAME)
        return folder_of(_parse_decoded_user_cookie(raw or b"{}", origin))
    except (WGNNError, UnicodeEncodeError):
        return None


def end_sessions(folder: Path) -> None:
    """Close all tabs of a user who logs out: Streamlit would end one of them.

    For the thread of the server.
    """
    held = runtime.get_instance()
    for info in held._session_mgr.list_active_sessions():
        with suppress(WGNNError):
            if folder_of(info.session._user_info) == folder:
                held.close_session(info.session.id)
