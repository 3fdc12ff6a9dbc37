"""The queue of submissions: accepted once, taken by one worker at a time, finished once, and never lost."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from benchwright.errors import BenchwrightError
from benchwright.leaderboard.accounts import Known
from benchwright.leaderboard.audit import note
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.limits import Limits, TooMany
from benchwright.leaderboard.models import FAILED, QUEUED, SCORING, Account, Entry
from benchwright.leaderboard.store import SUBMISSION, Kept

_TRIES = 3
"""How often a submission is taken that no worker lives through."""
_DAY = 86_400.0


class HandedInAlready(BenchwrightError):
    """The same file came from the same account before, as the entry with this id."""

    def __init__(self, entry: str) -> None:
        self.entry = entry
        super().__init__(
            f"this file was handed in already, as entry {entry}", hint="withdraw that one to hand it in anew"
        )


@dataclass(frozen=True, slots=True)
class Claimed:
    """A submission that a worker has taken; `claim` is what it finishes it with."""

    id: str
    claim: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a submission: `status`, with its `reason` or its `values` (columns of an entry)."""

    status: str
    reason: str = ""
    values: dict[str, Any] = field(default_factory=dict)


def check_room(database: Database, account: Known, limits: Limits) -> None:
    """Whether one more may come; asked before it is read, too. Errors: TooMany."""
    with database.reading() as session:
        _check_room(session, account, limits)


def accept(database: Database, account: Known, kept: Kept, limits: Limits, *, anonymous: bool) -> None:
    """Put an upload that is on disk into the queue; when this returns, it will be scored.

    Errors: TooMany; HandedInAlready.
    """
    with database.writing() as session:
        # of one account, one at a time: what is counted is what there is
        session.scalars(select(Account).where(Account.id == account.id).with_for_update()).one()
        _check_room(session, account, limits)
        _check_new(session, account, kept.files[SUBMISSION])
        session.add(
            Entry(
                id=kept.id,
                account_id=account.id,
                received=time.time(),
                status=QUEUED,
                sha256=kept.sha256,
                submission=kept.files[SUBMISSION],
                bytes=kept.bytes,
                anonymous=anonymous,
            )
        )
        note(session, account.name, "submitted", f"{kept.id} sha256 {kept.sha256}")


def _check_room(session: Session, account: Known, limits: Limits) -> None:
    mine = select(func.count()).select_from(Entry).where(Entry.account_id == account.id)
    if session.scalar(mine) >= limits.in_all:  # type: ignore[operator] # a count is never NULL
        raise TooMany(f"this account has handed in {limits.in_all} submissions, which is all that it may")
    now = time.time()  # what came while the clock was far ahead is of no day
    if session.scalar(mine.where(Entry.received.between(now - _DAY, now + _DAY))) >= limits.per_day:  # type: ignore[operator]
        raise TooMany(f"this account has handed in {limits.per_day} submissions within a day; try again tomorrow")
    waiting = select(func.count()).select_from(Entry).where(Entry.status == QUEUED)
    if session.scalar(waiting) >= limits.waiting:  # type: ignore[operator]
        raise TooMany("too many submissions wait to be scored; try again later")


def _check_new(session: Session, account: Known, submission: str) -> None:
    """Whether this account has not handed in this file yet. What it withdrew, or broke the scorer, may come again."""
    same = select(Entry.id).where(
        Entry.account_id == account.id,
        Entry.submission == submission,
        Entry.withdrawn.is_(None),
        Entry.status != FAILED,
    )
    if (entry := session.scalar(same.order_by(Entry.received).limit(1))) is not None:
        raise HandedInAlready(entry)


def claim(database: Database, tell: Callable[[str], None] = lambda _: None) -> Claimed | None:
    """Take the submission that has waited longest; None: none waits, or another worker was quicker.

    `tell` hears of the claim before it is written down: whenever this process dies, somebody can put it back.
    """
    waiting = select(Entry.id).where(Entry.status == QUEUED).order_by(Entry.received, Entry.id).limit(1)
    with database.reading() as session:
        found = session.scalar(waiting)
    if found is None:
        return None
    mine = Claimed(found, secrets.token_urlsafe(16))
    tell(mine.claim)
    taken = (
        update(Entry)
        .where(Entry.id == found, Entry.status == QUEUED)
        .values(status=SCORING, claim=mine.claim, tries=Entry.tries + 1)
    )
    with database.writing() as session:
        done = session.execute(taken)
    return mine if done.rowcount == 1 else None  # type: ignore[attr-defined] # of an UPDATE


def finish(database: Database, mine: Claimed, outcome: Outcome) -> bool:
    """Write down what became of a submission; False where it was taken from this worker meanwhile."""
    reason = outcome.reason.replace("\x00", "\ufffd")  # which PostgreSQL cannot keep
    done = (
        update(Entry)
        .where(Entry.id == mine.id, Entry.claim == mine.claim, Entry.status == SCORING)
        .values(status=outcome.status, reason=reason, finished=time.time(), **outcome.values)
    )
    with database.writing() as session:
        if session.execute(done).rowcount != 1:  # type: ignore[attr-defined]
            return False
        note(session, "scorer", outcome.status, f"{mine.id} {reason}".strip())
    return True


def put_back(database: Database, claims: set[str] | None = None) -> int:
    """Let what dead workers had taken wait again (None: all that is taken); how many.

    What nobody lived through for the third time is given up.
    """
    taken = select(Entry).where(Entry.status == SCORING).with_for_update(of=Entry)
    count = 0
    with database.writing() as session:
        for entry in session.scalars(taken):
            if claims is not None and entry.claim not in claims:
                continue
            count += 1
            entry.claim = ""
            entry.tries -= claims is None  # that a server ended is no doing of the submission
            if entry.tries < _TRIES:
                entry.status = QUEUED
                continue
            entry.status, entry.finished = FAILED, time.time()
            entry.reason = "the scorer died on this submission, three times; the operator can say more"
            note(session, "scorer", FAILED, f"{entry.id} {entry.reason}")
    return count
