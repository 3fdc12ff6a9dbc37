"""What the server does for who asks, by whichever way: take a submission, withdraw one, show its trajectories."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO

from sqlalchemy.orm import Session

from benchwright.errors import InputError
from benchwright.leaderboard import queue
from benchwright.leaderboard.accounts import Known
from benchwright.leaderboard.audit import note
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.limits import Limits, TooMany, Uploading
from benchwright.leaderboard.models import Entry
from benchwright.leaderboard.ranking import ORDER, Board, board
from benchwright.leaderboard.store import SUBMISSION, TRAJECTORIES, Store, is_id


@dataclass(frozen=True, slots=True)
class Service:
    """One leaderboard: its database, its store, its limits, its title, and the subsets that places go by."""

    database: Database
    store: Store
    limits: Limits
    title: str
    order: tuple[str, ...] = ORDER
    uploading: Uploading = field(default_factory=Uploading)

    def board(self) -> Board:
        """The ranking."""
        return board(self.database, self.order)

    def check_room(self, account: Known) -> None:
        """Whether this account may hand in one more. Errors: TooMany."""
        queue.check_room(self.database, account, self.limits)
        if shutil.disk_usage(self.store.path).free < self.limits.free_bytes:
            raise TooMany("the server's disk is full; try again later")

    def take(self, account: Known, files: Mapping[str, IO[bytes]], *, anonymous: bool) -> str:
        """Accept an upload; the id of the entry, which is on disk and in the queue then.

        Errors: InputError where the submission is not among the files; TooMany; HandedInAlready.
        """
        if SUBMISSION not in files:
            raise InputError("no submission was sent", expected=f"a file in the field {SUBMISSION!r}")
        kept = self.store.keep({name: files[name] for name in (SUBMISSION, TRAJECTORIES) if name in files})
        try:
            queue.accept(self.database, account, kept, self.limits, anonymous=anonymous)
        except BaseException:
            self.store.remove(kept.id)
            raise
        return kept.id

    def withdraw(self, account: Known, entry: str) -> None:
        """Take an entry of this account off the board, for good; it still counts as handed in. Errors: InputError."""
        with self.database.writing() as session:
            found = _own(session, account, entry)
            if found.withdrawn is None:
                found.withdrawn = time.time()
                note(session, account.name, "withdrew", entry)

    def name(self, account: Known, entry: str, *, anonymous: bool) -> None:
        """Show an entry of this account without its names, or with them. Errors: InputError."""
        with self.database.writing() as session:
            found = _own(session, account, entry)
            if found.anonymous != anonymous:
                found.anonymous = anonymous
                note(session, account.name, "made anonymous" if anonymous else "made known", entry)


def _own(session: Session, account: Known, entry: str) -> Entry:
    """An entry of this account, held until the transaction ends. Errors: InputError."""
    found = session.get(Entry, entry, with_for_update={"of": Entry}) if is_id(entry) else None
    if found is None or found.account_id != account.id:
        raise InputError("you have no such entry")
    return found
