"""Who asks: the account behind a token or a cookie, and how often somebody may guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool

from benchwright.leaderboard import accounts
from benchwright.leaderboard.accounts import Known
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.guard import Site, client
from benchwright.leaderboard.limits import Throttle

if TYPE_CHECKING:
    from starlette.responses import Response

_WRONG = "this token is not known here"


@dataclass(frozen=True, slots=True)
class Door:
    """Tells who asks; whoever showed too many wrong tokens within a minute is not listened to for a while."""

    database: Database
    site: Site
    wrong: Throttle

    @property
    def cookie(self) -> str:
        """The name of the cookie of signed-in browsers; with TLS one that no other host can set."""
        return "__Host-leaderboard" if self.site.secure else "leaderboard"

    async def by_token(self, request: Request, token: str) -> Known:
        """Whose token this is. Errors: HTTPException with 401 or 429."""
        address = client(request.scope)
        if not self.wrong.allows(address, cost=0.0):
            raise HTTPException(429, "too many wrong tokens; wait a minute", {"retry-after": "60"})
        found = await run_in_threadpool(accounts.by_token, self.database, token)
        if found is None:
            self.wrong.allows(address)
            raise HTTPException(401, _WRONG, {"www-authenticate": "Bearer"})
        return found

    async def reader(self, request: Request) -> Known | None:
        """Whose browser asks; None: somebody's who has not signed in."""
        return await run_in_threadpool(accounts.by_cookie, self.database, request.cookies.get(self.cookie, ""))

    def let_in(self, response: Response, cookie: str) -> None:
        """Give a browser the cookie by which it is known."""
        response.set_cookie(
            self.cookie,
            cookie,
            max_age=int(accounts.SIGNED_IN),
            path="/",
            secure=self.site.secure,
            httponly=True,
            samesite="strict",
        )


def door_of(request: Request) -> Door:
    """The door of the server that was asked."""
    door: Door = request.app.state.door
    return door


_Shown = Annotated[object, Depends(HTTPBearer(auto_error=False))]
"""So that the description of the API says how a token is shown."""


async def bearer(request: Request, shown: _Shown) -> Known:  # noqa: ARG001 - see there
    """Who shows a token with the request. Errors: HTTPException with 401 or 429."""
    return await _bearer(request)


async def bearer_or_nobody(request: Request, shown: _Shown) -> Known | None:  # noqa: ARG001
    """Who shows a token, where one is shown. Errors: HTTPException with 401 or 429."""
    return await _bearer(request) if "authorization" in request.headers else None


async def _bearer(request: Request) -> Known:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer":
        raise HTTPException(401, "a token is needed: Authorization: Bearer bw_...", {"www-authenticate": "Bearer"})
    return await door_of(request).by_token(request, token.strip())


Account = Annotated[Known, Depends(bearer)]
Anybody = Annotated[Known | None, Depends(bearer_or_nobody)]
