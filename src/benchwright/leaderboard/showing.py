"""What the leaderboard tells, and whom: values of pages and of the API, without golds and exact numbers."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import Field
from sqlalchemy import select

from benchwright.errors import InputError
from benchwright.files import Record
from benchwright.leaderboard.accounts import Known
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.models import SCORED, Entry
from benchwright.leaderboard.store import is_id
from benchwright.publishing.pages.words import line

ANONYMOUS = "anonymous"


class ResultShown(Record):
    """Numbers of one subset, rounded to the server's step; None: not measured."""

    ea: float | None = None
    da: float | None = None
    n_tasks: int = 0


class EntryShown(Record):
    """A submission as it may be shown. `mine` is whether it is the reader's own: then `reason` and `notes` are told.

    `received` is a date. An anonymous entry has no account, organization and model, and its method is
    called after its id.
    """

    id: str
    status: str
    received: str
    method: str
    model: str = ""
    organization: str = ""
    account: str = ""
    date: str = ""
    anonymous: bool = False
    withdrawn: bool = False
    mine: bool = False
    reason: str = ""
    notes: tuple[str, ...] = ()
    results: dict[str, ResultShown] = Field(default_factory=dict)
    trajectories: tuple[str, ...] = ()


def entry_shown(entry: Entry, reader: Known | None) -> EntryShown:
    """A submission as this reader may see it: strangers see no names of anonymous ones, no numbers of withdrawn."""
    mine = reader is not None and reader.id == entry.account_id
    hidden = entry.anonymous and not mine
    open_ = entry.status == SCORED and entry.withdrawn is None
    return EntryShown(
        id=entry.id,
        status=entry.status,
        received=_day(entry.received),
        method=line(entry.method if not hidden else f"{ANONYMOUS} {entry.id[:4]}"),
        model="" if hidden else line(entry.model),
        organization="" if hidden else line(entry.organization),
        account="" if hidden else line(entry.account.name),
        date=line(entry.date, 40),
        anonymous=entry.anonymous,
        withdrawn=entry.withdrawn is not None,
        mine=mine,
        reason=entry.reason[:4000] if mine else "",
        notes=tuple(line(note, 400) for note in entry.notes) if mine else (),
        results={name: ResultShown(**value) for name, value in entry.released.items()} if open_ or mine else {},
        trajectories=tuple(entry.trajectories) if mine or (open_ and not entry.anonymous) else (),
    )


def one(database: Database, entry: str, reader: Known | None) -> EntryShown:
    """A submission; of those that are not scored, only the reader's own. Errors: InputError where there is none."""
    with database.reading() as session:
        found = session.get(Entry, entry) if is_id(entry) else None
    if found is None or (found.status != SCORED and (reader is None or found.account_id != reader.id)):
        raise InputError("there is no such entry")
    return entry_shown(found, reader)


def own(database: Database, reader: Known) -> list[EntryShown]:
    """All submissions of an account, the newest first."""
    asked = select(Entry).where(Entry.account_id == reader.id).order_by(Entry.received.desc(), Entry.id)
    with database.reading() as session:
        return [entry_shown(entry, reader) for entry in session.scalars(asked)]


def listed(database: Database) -> list[EntryShown]:
    """The entries that are ranked, as strangers see them, in the order in which they came."""
    asked = select(Entry).where(Entry.status == SCORED, Entry.withdrawn.is_(None)).order_by(Entry.received, Entry.id)
    with database.reading() as session:
        return [entry_shown(entry, None) for entry in session.scalars(asked)]


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")
