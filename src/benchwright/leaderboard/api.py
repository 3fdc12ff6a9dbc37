"""The leaderboard for programs: what is answered below `/api/`, as JSON, to who shows a token."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Request
from starlette.concurrency import run_in_threadpool

from benchwright.files import Record
from benchwright.leaderboard import showing
from benchwright.leaderboard.accounts import Known
from benchwright.leaderboard.asking import Account, Anybody
from benchwright.leaderboard.forms import FormLimits, files_of, read_form, text_of
from benchwright.leaderboard.ranking import Board
from benchwright.leaderboard.service import Service
from benchwright.leaderboard.showing import EntryShown
from benchwright.leaderboard.store import SUBMISSION, TRAJECTORIES

_ENTRY = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22}$", description="The id of an entry.")]
_FILE = {"type": "string", "format": "binary"}
_UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [SUBMISSION],
                    "properties": {
                        SUBMISSION: _FILE,
                        TRAJECTORIES: _FILE,
                        "anonymous": {"type": "string", "enum": ["yes", "no"]},
                    },
                }
            }
        },
    }
}


class Problem(Record):
    """Why something was not done."""

    detail: str


class Already(Problem):
    """The file was handed in before, as this entry."""

    entry: str


class Accepted(Record):
    """A submission that was taken: it is on disk, and will be scored."""

    id: str
    status: str = "queued"


def _told(*codes: int) -> dict[int | str, dict[str, Any]]:
    return {code: {"model": Problem, "description": "why not"} for code in (*codes, 400, 429)}


api = APIRouter(prefix="/api")


def service_of(request: Request) -> Service:
    """The leaderboard of the server that was asked."""
    service: Service = request.app.state.service
    return service


@api.get("/board", responses=_told())
def ranking(request: Request) -> Board:
    """The ranking."""
    return service_of(request).board()


_TAKING = {**_told(401, 403, 408, 413, 415, 422), 409: {"model": Already, "description": "it came before"}}


@api.post("/submissions", status_code=202, responses=_TAKING, openapi_extra=_UPLOAD)
async def submit(request: Request, account: Account) -> Accepted:
    """Hand in a submission, and trajectories if you like."""
    return Accepted(id=await receive(request, service_of(request), account))


@api.get("/submissions", responses=_told(401))
def mine(request: Request, account: Account) -> list[EntryShown]:
    """Your own submissions, the newest first."""
    return showing.own(service_of(request).database, account)


@api.get("/submissions/{entry}", responses=_told(401, 404, 422))
def one(request: Request, entry: _ENTRY, reader: Anybody) -> EntryShown:
    """One entry; those that are not scored are shown to their account alone."""
    return showing.one(service_of(request).database, entry, reader)


@api.post("/submissions/{entry}/withdraw", responses=_told(401, 404, 422))
def withdraw(request: Request, entry: _ENTRY, account: Account) -> EntryShown:
    """Take an entry of yours off the board."""
    service = service_of(request)
    service.withdraw(account, entry)
    return showing.one(service.database, entry, account)


async def receive(request: Request, service: Service, account: Known, csrf: str = "") -> str:
    """Read an upload's form and accept it; the entry's id. With `csrf`, only a form that carries it.

    Errors: HTTPException, InputError, TooMany, HandedInAlready.
    """
    await run_in_threadpool(service.check_room, account)  # before anything is read
    limits = service.limits
    with service.uploading.one(account.id, limits.at_once):
        form = await read_form(request, FormLimits(limits.bytes, limits.seconds, files=2))
        try:
            if text_of(form, "csrf") != csrf:
                raise HTTPException(403, "this form was not sent from a page of this server")
            files = {name: upload.file for name, upload in files_of(form).items()}
            wanted = text_of(form, "anonymous")
            if wanted not in ("", "yes", "no"):
                raise HTTPException(422, "anonymous is yes or no")
            return await run_in_threadpool(service.take, account, files, anonymous=wanted == "yes")
        finally:
            await form.close()
