"""Who may see the pages: by the name that the browser asked for, a token where others could ask, reading alone."""

from __future__ import annotations

import ipaddress
import re
import secrets
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s:@/?#\[\]]+))(?::[0-9]*)?")
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Access:
    """The rules of one viewer. `token` is empty where only this machine can ask; `port` tells viewers' cookies apart.

    `hosts` are the names by which the viewer may be asked for. `numbers`: so may every address in numbers, which no
    name server of a stranger can point elsewhere.
    """

    token: str = ""
    hosts: frozenset[str] = _LOCAL
    numbers: bool = False
    port: int = 0

    @classmethod
    def of(cls, host: str, port: int, allowed: Iterable[str] = (), *, token: bool = False) -> Access:
        """The rules for a place to listen at: anything but loopback needs a token."""
        local = is_loopback(host)
        made = secrets.token_urlsafe(32) if token or not local else ""
        names = {host, *allowed, *(() if local else (socket.gethostname(),))}
        return cls(made, _LOCAL | {name.lower() for name in names}, not local, port)

    @property
    def cookie(self) -> str:
        """The name of the cookie that holds the token."""
        return f"benchwright_view_{self.port}"

    def knows(self, host: str) -> bool:
        """Whether a `Host` header is one of ours: otherwise a page of elsewhere may have had its name point here."""
        name = _name(host)
        return name in self.hosts or (self.numbers and _is_number(name))

    def is_token(self, given: str) -> bool:
        """Whether this is the token, in a time that does not tell how much of it is."""
        return secrets.compare_digest(given.encode("utf-8", "replace"), self.token.encode())


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    return host == "localhost" or (_is_number(host) and ipaddress.ip_address(host).is_loopback)


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _name(host: str) -> str:
    """The host of a `Host` header, without its port; empty where it is not written as one."""
    found = _HOST.fullmatch(host)
    return (found[1] or found[2]).lower() if found else ""


class Guard:
    """Stands before an application: refuses what may not be answered, and puts the headers on what is."""

    def __init__(self, app: App, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        refused = self._refused(scope)
        if refused is None:
            await self._app(scope, receive, with_headers(send))
        else:
            await answer(with_headers(send), *refused)

    def _refused(self, scope: Scope) -> tuple[int, str, dict[str, str]] | None:
        """Why a request is not answered, as status, text and headers; None where it is."""
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "pages are only read here", {"allow": "GET, HEAD"}
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._access.knows(hosts[0]):
            return 421, "this viewer is not known by that name; see --allow-host", {}
        if not self._access.token or self._has_cookie(scope):
            return None
        asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in asked if name == "token"]
        if given and self._access.is_token(given[0]):
            rest = urlencode([(name, value) for name, value in asked if name != "token"])
            cookie = f"{self._access.cookie}={self._access.token}; Path=/; HttpOnly; SameSite=Strict"
            place = "/" + quote(scope["path"].lstrip("/\\"), safe="/") + (f"?{rest}" if rest else "")
            return 303, "", {"location": place, "set-cookie": cookie}
        return 401, "open the address with the token that `benchwright view` printed", {}

    def _has_cookie(self, scope: Scope) -> bool:
        for name, value in scope["headers"]:
            if name == b"cookie":
                cookies: SimpleCookie = SimpleCookie()
                try:
                    cookies.load(value.decode("latin-1"))
                except CookieError:
                    continue
                morsel = cookies.get(self._access.cookie)
                if morsel is not None and self._access.is_token(morsel.value):
                    return True
        return False


def with_headers(send: Send, more: Mapping[str, str] = MappingProxyType({})) -> Send:
    """A `send` that puts the headers on every answer which keep browsers from doing more than to show it.

    `more` are further ones, or others in their place.
    """
    told = {**_HEADERS, **more}

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            added = [(name.encode(), value.encode()) for name, value in told.items()]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return sending


async def answer(send: Send, status: int, text: str, headers: dict[str, str]) -> None:
    """Answer with a plain text, without any application."""
    told = {"content-type": "text/plain; charset=utf-8", **headers}
    packed = [(name.encode(), value.encode("latin-1", "replace")) for name, value in told.items()]
    await send({"type": "http.response.start", "status": status, "headers": packed})
    await send({"type": "http.response.body", "body": text.encode()})
