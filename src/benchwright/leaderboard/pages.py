"""The leaderboard for people: its pages and forms, to browsers that may have signed in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from math import ceil, log10
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response

from benchwright.errors import InputError
from benchwright.leaderboard import accounts, showing, trajectories
from benchwright.leaderboard.accounts import Known
from benchwright.leaderboard.api import receive
from benchwright.leaderboard.asking import Door
from benchwright.leaderboard.forms import read_form, text_of
from benchwright.leaderboard.limits import TooMany
from benchwright.leaderboard.models import QUEUED, SCORING
from benchwright.leaderboard.queue import HandedInAlready
from benchwright.leaderboard.rendering import rendered, sheet
from benchwright.leaderboard.service import Service

_REFRESH = 2
"""Seconds after which the page of a submission that waits is loaded again."""


class Pages:
    """What is answered at each address of a page."""

    def __init__(self, service: Service, door: Door) -> None:
        self._service, self._door = service, door

    def routes(self) -> APIRouter:
        """All of it."""
        made = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
        for path, page in (
            ("/", self.board),
            ("/mine", self.mine),
            ("/submit", self.submit),
            ("/sign-in", self.sign_in),
            ("/entries/{entry}", self.entry),
            ("/entries/{entry}/trajectories/{number}", self.trajectory),
        ):
            made.add_api_route(path, self._for_reader(page))
        made.add_api_route("/static/leaderboard.css", lambda: Response(sheet(), media_type="text/css"))
        for path, action in (
            ("/sign-in", self.let_in),
            ("/sign-out", self.let_out),
            ("/submit", self.take),
            ("/entries/{entry}/withdraw", self.withdraw),
            ("/entries/{entry}/name", self.name),
        ):
            made.add_api_route(path, action, methods=["POST"])
        return made

    def _for_reader(self, page: Callable[..., Response]) -> Callable[[Request], Awaitable[Response]]:
        """A page, asked for by whoever has signed in, with the parts of the address."""

        async def asked(request: Request) -> Response:
            reader = await self._door.reader(request)
            return await run_in_threadpool(page, reader, **request.path_params)

        return asked

    # --- what is only read

    def board(self, reader: Known | None) -> Response:
        """The ranking."""
        found = self._service.board()
        here = {name for one in found.entries for name in one.entry.results}
        subsets = [*(name for name in found.order if name in here), *sorted(here - set(found.order))]
        return self._page("board.html", reader, here="board", found=found, subsets=subsets)

    def mine(self, reader: Known | None) -> Response:
        """An account's own submissions."""
        if reader is None:
            return _to("/sign-in")
        return self._page("mine.html", reader, here="mine", entries=showing.own(self._service.database, reader))

    def submit(self, reader: Known | None, message: str = "", status: int = 200, before: str = "") -> Response:
        """The form to hand in with; `before` is the entry as which a file came already."""
        if reader is None:
            return _to("/sign-in")
        values = {"message": message, "limits": self._service.limits, "before": before}
        return self._page("submit.html", reader, status, here="submit", **values)

    def sign_in(self, reader: Known | None, message: str = "", status: int = 200) -> Response:
        """The form to sign in with."""
        return self._page("sign_in.html", reader, status, message=message)

    def entry(self, reader: Known | None, entry: str) -> Response:
        """One entry; while it waits, the page looks again by itself."""
        shown = showing.one(self._service.database, entry, reader)
        waits = shown.status in (QUEUED, SCORING) and not shown.withdrawn
        return self._page("entry.html", reader, entry=shown, refresh=_REFRESH if waits else 0)

    def trajectory(self, reader: Known | None, entry: str, number: str) -> Response:
        """What an agent did at one task, as its senders tell it."""
        shown = showing.one(self._service.database, entry, reader)
        found = dict(zip(map(str, range(1, 1 + len(shown.trajectories))), shown.trajectories, strict=True))
        if number not in found:
            raise InputError("there is no such trajectory")
        task = found[number]
        values = trajectories.shown(self._service.store.made(entry), task)
        return self._page("trajectory.html", reader, entry=shown, task=task, **values)

    # --- what forms do

    async def let_in(self, request: Request) -> Response:
        """Sign in, by the token in the form."""
        form = await read_form(request)
        try:
            account = await self._door.by_token(request, text_of(form, "token"))
        except HTTPException as error:
            return await run_in_threadpool(self.sign_in, None, str(error.detail), error.status_code)
        answer = _to("/submit")
        self._door.let_in(answer, await run_in_threadpool(accounts.sign_in, self._service.database, account))
        return answer

    async def let_out(self, request: Request) -> Response:
        """Sign out."""
        await self._checked(request)
        cookie = request.cookies[self._door.cookie]
        await run_in_threadpool(accounts.sign_out, self._service.database, cookie)
        answer = _to("/")
        answer.delete_cookie(self._door.cookie, path="/", secure=self._door.site.secure, httponly=True)
        return answer

    async def take(self, request: Request) -> Response:
        """Take a submission."""
        reader = await self._door.reader(request)
        if reader is None:
            return _to("/sign-in")
        try:
            entry = await receive(request, self._service, reader, reader.csrf)
        except (InputError, TooMany) as error:
            status = 429 if isinstance(error, TooMany) else 400
            return await run_in_threadpool(self.submit, reader, error.text(), status)
        except HandedInAlready as error:
            return await run_in_threadpool(self.submit, reader, error.text(), 409, error.entry)
        return _to(f"/entries/{entry}")

    async def withdraw(self, request: Request, entry: str) -> Response:
        """Withdraw an entry."""
        reader, _ = await self._checked(request)
        await run_in_threadpool(self._service.withdraw, reader, entry)
        return _to(f"/entries/{entry}")

    async def name(self, request: Request, entry: str) -> Response:
        """Make an entry anonymous, or known."""
        reader, form = await self._checked(request)
        wanted = form.get("anonymous") == "yes"
        await run_in_threadpool(lambda: self._service.name(reader, entry, anonymous=wanted))
        return _to(f"/entries/{entry}")

    async def _checked(self, request: Request) -> tuple[Known, Mapping[str, Any]]:
        """Who sends a form, and what it holds. Errors: HTTPException where it is not from a page of theirs."""
        reader = await self._door.reader(request)
        form = await read_form(request)
        if reader is None or text_of(form, "csrf") != reader.csrf:
            raise HTTPException(403, "this form was not sent from a page of this server")
        return reader, form

    def trouble(self, status: int, message: str) -> Response:
        """Why something was not done."""
        return self._page("trouble.html", None, status, message=message)

    def _page(self, template: str, reader: Known | None, status: int = 200, **values: Any) -> Response:
        step = self._service.limits.step
        known = {
            "board_title": self._service.title,
            "reader": reader,
            "step": step,
            "decimals": max(2, ceil(-log10(step))),
            "here": "",
        }
        return HTMLResponse(rendered(template, {**known, "status": status, **values}), status)


def _to(place: str) -> Response:
    return RedirectResponse(place, 303)
