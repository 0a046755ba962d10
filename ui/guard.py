"""What stands between the network and the app: who may ask, and what a session may hold.

The server listens on this machine only, yet other users of the machine and every web page that
a browser has open can send it requests. `Guard` sees each request first, WebSockets included.
"""

from __future__ import annotations

import hmac
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import psutil
import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected
from streamlit import config, net_util, runtime
from streamlit.web.server.server_util import is_allowed_origin
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from ui.answers import keep_answers
from ui.door import Door, prepare
from ui.downloads import keep_downloads
from ui.users import is_shared
from wgnn_core.errors import WGNNError
from wgnn_core.home import APP_TOKEN, keep_compiled_here

QUERY = "token"
DESCRIPTORS = 16_384
CLOSED_SESSIONS = 32
SPARE = 32
"""Descriptors that stay free for files and for answers to requests."""
HEADERS = {
    "content-security-policy": "frame-ancestors 'self'",
    "x-frame-options": "SAMEORIGIN",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # an address may hold the token
}


class Guard:
    """Refuses requests of other sites, of other ports and, where one is set, without the token."""

    def __init__(
        self, app: ASGIApp, token: str = "", has_room: Callable[[], bool] = lambda: True
    ) -> None:
        self._app, self._token, self._has_room = app, token, has_room

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        reason = refusal(headers)
        if reason:
            await _refuse(reason, scope, receive, send)
        elif self._knows(headers):
            if scope["type"] == "websocket" and not self._has_room():
                await send({"type": "websocket.close", "code": 1013})  # the browser tries again
            else:
                with suppress(WebSocketDisconnected):  # a tab was closed while it was told
                    await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "http" and self._is(_query(scope).get(QUERY, "")):
            await self._let_in(scope, receive, send)
        else:
            reason = "This app wants a token: open the address that the terminal printed.\n"
            await _refuse(reason, scope, receive, send)

    def _knows(self, headers: Headers) -> bool:
        if not self._token:
            return True
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(_cookie(headers))
        return found is not None and self._is(found.value)

    def _is(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self._token.encode())

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The token goes from the address into a cookie."""
        rest = urlencode([(key, value) for key, value in _pairs(scope) if key != QUERY])
        path = "/" + scope["path"].lstrip("/")  # two slashes would name another machine
        answer = RedirectResponse(path + (f"?{rest}" if rest else ""), 303)
        answer.set_cookie(_cookie(Headers(scope=scope)), self._token, httponly=True, samesite="lax")
        await answer(scope, receive, _with_headers(send))


def refusal(headers: Mapping[str, str]) -> str:
    """Why a request is not answered, from what a browser says about who sent it; else empty.

    Nothing is looked up to find out. A page of another site, or of another port of this machine,
    may lead here (a link) and do nothing else.
    """
    host = headers.get("host")
    if not is_host_allowed(host):
        return "The app is not served under this name.\n"
    origin = headers.get("origin")
    if origin is not None and _netloc(origin) != host and not is_allowed_origin(origin):
        return "Pages of another address may not use this app.\n"
    site = headers.get("sec-fetch-site", "same-origin")
    is_link = (
        headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    )
    if site in ("cross-site", "same-site") and not is_link and origin is None:
        return "Pages of another address may not use this app.\n"
    return ""


def _netloc(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None


async def _refuse(reason: str, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await PlainTextResponse(reason, 403)(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.append(name, value)
        await send(message)

    return sent


def _pairs(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _query(scope: Scope) -> dict[str, str]:
    return dict(_pairs(scope))


def _cookie(headers: Mapping[str, str]) -> str:
    """Cookies know no ports: each server of a machine has a name of its own."""
    port = urlsplit(f"//{headers.get('host', '')}").port or 80
    return f"wgnn_token_{port}"


def ask_nobody() -> None:
    """Streamlit would ask another machine for our address before it refuses a foreign page.

    That blocks the server until the name service answers (streamlit issue 7721), and every web
    page could make it do so. What stands here already is not looked up.
    """
    net_util._external_ip = net_util._internal_ip = "127.0.0.1"


def allow_descriptors() -> None:
    """A session holds three open files until it is forgotten; some systems start with 256."""
    if sys.platform == "win32":
        return  # it has no such limit
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def release_sessions() -> bool:
    """Forget the oldest sessions whose tabs are closed; False if there is no room for another.

    Streamlit keeps 128 of them for two minutes, for a browser that comes back. It has no call that
    lists them.
    """
    held = runtime.get_instance()
    closed = held._session_mgr._session_storage.list()  # type: ignore[attr-defined]
    for info in closed[: max(0, len(closed) - CLOSED_SESSIONS)]:
        held.close_session(info.session.id)
    if sys.platform == "win32":
        return True
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft == resource.RLIM_INFINITY or psutil.Process().num_fds() + SPARE < soft


def guarded() -> dict[str, Any]:
    """What `st.App` is given; also prepares this process.

    The token comes in an environment variable, where other users of the machine cannot read it.
    A server for several people at which nobody could log in ends here.
    """
    ask_nobody()
    allow_descriptors()
    keep_answers()
    keep_downloads()
    keep_compiled_here()
    token = os.environ.pop(APP_TOKEN, "")
    guard = Middleware(Guard, token=token, has_room=release_sessions)
    if not is_shared():
        return {"middleware": [guard], "lifespan": _saying_where(token=token)}
    try:
        origin = prepare()
    except WGNNError as error:
        sys.exit(f"Error: {error}")
    door = Middleware(Door, origin=origin)
    return {"middleware": [guard, door], "lifespan": _saying_where(origin=origin)}


def _saying_where(
    token: str = "", origin: str = ""
) -> Callable[[st.App], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: st.App) -> AsyncIterator[None]:
        if token:
            port = config.get_option("server.port")
            sys.stdout.write(f"\n  Open http://localhost:{port}/?{QUERY}={token}\n\n")
        elif origin:
            sys.stdout.write(f"\n  Open {origin}\n\n")
        sys.stdout.flush()
        yield

    return lifespan
