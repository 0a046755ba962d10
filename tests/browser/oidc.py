"""A small OpenID provider on this machine, for tests: whoever has the cookie ``who`` is that user.

Discovery, authorization code with PKCE, tokens signed with RS256, and its keys. It asks nobody for
a password, so it is for tests alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "wgnn", "a secret of the client"


class Provider:
    """Its state: the key, and codes that were given out and not yet redeemed."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.key = RSAKey.generate_key(2048, {"kid": "1"})
        self.codes: dict[str, dict[str, str]] = {}

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def authorize(self, asked: dict[str, str], who: str) -> str:
        """The address to go back to, with a code."""
        assert asked["client_id"] == CLIENT and asked["response_type"] == "code"
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked | {"who": who}
        back = urlencode({"code": code, "state": asked["state"]})
        return f"{asked['redirect_uri']}?{back}"

    def token(self, asked: dict[str, str], login: str) -> dict[str, Any]:
        """The tokens for a code, which is good once."""
        known = self.codes.pop(asked["code"])
        digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        assert challenge == known["code_challenge"]
        assert asked["redirect_uri"] == known["redirect_uri"]
        expected = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        assert login == f"Basic {expected}"
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": known["who"],
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": known["nonce"],
            "name": known["who"],
        }
        signed = jwt.encode({"alg": "RS256", "kid": "1"}, claims, self.key)
        return {"access_token": "none", "token_type": "Bearer", "id_token": signed}


@contextmanager
def provider() -> Iterator[Provider]:
    """Serves until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/authorize":
                who = SimpleCookie(self.headers.get("cookie", ""))["who"].value
                self.send_response(302)
                self.send_header("location", held.authorize(dict(parse_qsl(parts.query)), who))
                self.end_headers()
            else:
                keys = {"keys": [held.key.as_dict(private=False)]}
                self._send(keys if parts.path == "/keys" else held.discovery())

        def do_POST(self) -> None:
            form = self.rfile.read(int(self.headers["content-length"])).decode()
            self._send(held.token(dict(parse_qsl(form)), self.headers.get("authorization", "")))

        def _send(self, value: dict[str, Any]) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *given: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    held = Provider(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield held
    finally:
        server.shutdown()
        server.server_close()
