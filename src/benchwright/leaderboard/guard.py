"""What stands before the leaderboard's pages: names, methods, the sender of forms, and how often an address may ask."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from benchwright.errors import InputError
from benchwright.leaderboard.limits import Throttle
from benchwright.viewer.access import Access, App, Receive, Scope, Send, answer, is_loopback, with_headers

_METHODS = ("GET", "HEAD", "POST")
API = "/api/"
"""Below it programs ask, each time with their token, and never by a cookie."""
_FORMS = {"referrer-policy": "same-origin"}
"""With none at all, browsers do not say that a form comes from a page of ours."""
_TLS = {"strict-transport-security": "max-age=31536000"}


@dataclass(frozen=True, slots=True)
class Site:
    """Under which address browsers see the server: `origin` is its scheme, name and port.

    `access` says by which names it may be asked for.
    """

    origin: str
    access: Access

    @classmethod
    def of(cls, host: str, port: int, public_url: str = "") -> Site:
        """The site at a place, or behind a proxy under another address. Errors: InputError for what is no address."""
        if not public_url and not is_loopback(host):
            raise InputError(
                f"others than this machine can ask at {host}",
                expected="--public-url: by which address browsers will ask for it",
                hint="put a proxy with TLS before it, and let it listen at 127.0.0.1",
            )
        shown = f"[{host}]" if ":" in host else host
        parts = urlsplit(public_url or f"http://{shown}:{port}")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
            raise InputError(
                "not an address under which a server can be seen",
                found=public_url[:200],
                expected="https://NAME, without a path",
            )
        names = Access.of("127.0.0.1", port, (parts.hostname, host))
        return cls(f"{parts.scheme}://{parts.netloc}".lower(), names)

    @property
    def secure(self) -> bool:
        """Whether browsers come by TLS, so that cookies are for it alone."""
        return self.origin.startswith("https:")


class Gate:
    """Stands before an application; see the module."""

    def __init__(self, app: App, site: Site, throttle: Throttle) -> None:
        self._app, self._site, self._throttle = app, site, throttle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        refused = self._refused(scope)
        guarded = with_headers(send, {**_FORMS, **(_TLS if self._site.secure else {})})
        if refused is None:
            # of HEAD the server leaves the body out
            await self._app({**scope, "method": "GET"} if scope["method"] == "HEAD" else scope, receive, guarded)
        else:
            await answer(guarded, *refused)

    def _refused(self, scope: Scope) -> tuple[int, str, dict[str, str]] | None:
        """Why a request is not answered, as status, text and headers; None where it is."""
        if scope["method"] not in _METHODS:
            return 405, "this is not done here", {"allow": ", ".join(_METHODS)}
        if not self._throttle.allows(client(scope)):
            return 429, "too many requests from your address; wait a minute", {"retry-after": "60"}
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        hosts = [value for name, value in headers if name == "host"]
        if len(hosts) != 1 or not self._site.access.knows(hosts[0]):
            return 421, "this server is not known by that name; see --public-url", {}
        if scope["method"] == "POST" and not self._is_own(scope["path"], dict(headers)):
            return 403, "this form was not sent from a page of this server", {}
        return None

    def _is_own(self, path: str, headers: dict[str, str]) -> bool:
        """Whether a form comes from a page of ours. The API knows no cookies: no other site can use a browser's."""
        scheme = self._site.origin.partition(":")[0]
        own = (self._site.origin, f"{scheme}://{headers.get('host', '')}".lower())
        return path.startswith(API) or headers.get("origin", "").lower() in own


def client(scope: Scope) -> str:
    """The address that a request comes from; behind a proxy that is trusted, the one that it tells."""
    found = scope.get("client")
    return str(found[0]) if found else ""
