"""The leaderboard as a web application: its pages and its API, behind the gate."""

from __future__ import annotations

import sys

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as WaitedInVain
from starlette.exceptions import HTTPException as StarletteException
from starlette.responses import JSONResponse, Response

from benchwright.errors import InputError
from benchwright.leaderboard.api import api
from benchwright.leaderboard.asking import Door
from benchwright.leaderboard.guard import API, Gate, Site
from benchwright.leaderboard.limits import Throttle, TooMany
from benchwright.leaderboard.pages import Pages
from benchwright.leaderboard.queue import HandedInAlready
from benchwright.leaderboard.service import Service
from benchwright.viewer.access import App

_LATER = {"retry-after": "10"}


def application(service: Service, site: Site) -> App:
    """The server over a leaderboard, behind its gate."""
    limits = service.limits
    return Gate(described(service, site), site, Throttle(limits.requests))


def described(service: Service, site: Site) -> FastAPI:
    """The application itself, with the description of its API at `/api/openapi.json`."""
    made = FastAPI(
        title=service.title,
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}openapi.json",
        redirect_slashes=False,  # those redirects are made of what the request says this server is called
    )
    made.state.service = service
    made.state.door = door = Door(service.database, site, Throttle(service.limits.wrong_tokens))
    pages = Pages(service, door)
    made.include_router(api)
    made.include_router(pages.routes())
    _tell_faults(made, pages)
    return made


def _tell_faults(made: FastAPI, pages: Pages) -> None:
    """Whatever is raised becomes an answer: JSON below `/api/`, a page elsewhere."""

    def told(request: Request, status: int, why: str, headers: dict[str, str] | None = None) -> Response:
        if request.url.path.startswith(API):
            return JSONResponse({"detail": why}, status, headers)
        return pages.trouble(status, why)

    @made.exception_handler(StarletteException)
    async def refused(request: Request, error: HTTPException) -> Response:
        return told(request, error.status_code, str(error.detail), dict(error.headers or {}))

    @made.exception_handler(RequestValidationError)
    async def not_valid(request: Request, error: RequestValidationError) -> Response:
        return told(request, 422, "; ".join(str(item["msg"]) for item in error.errors()[:5]))

    @made.exception_handler(InputError)
    async def unknown(request: Request, error: InputError) -> Response:
        return told(request, 400 if request.url.path == f"{API}submissions" else 404, error.text())

    @made.exception_handler(HandedInAlready)
    async def again(_: Request, error: HandedInAlready) -> Response:
        return JSONResponse({"detail": error.text(), "entry": error.entry}, 409)

    @made.exception_handler(TooMany)
    async def too_many(request: Request, error: TooMany) -> Response:
        return told(request, 429, error.text())

    @made.exception_handler(OperationalError)
    @made.exception_handler(InterfaceError)
    @made.exception_handler(WaitedInVain)
    async def away(request: Request, error: SQLAlchemyError) -> Response:
        cause = str(getattr(error, "orig", error)).strip()
        sys.stderr.write(f"leaderboard: the database does not answer: {cause[:400]}\n")
        return told(request, 503, "the database does not answer; nothing was taken, try again", _LATER)

    @made.exception_handler(OSError)
    async def not_written(request: Request, error: OSError) -> Response:
        sys.stderr.write(f"leaderboard: a file cannot be written or read: {error}\n")
        return told(request, 503, "the server's disk does not take it; nothing was taken, try again", _LATER)
