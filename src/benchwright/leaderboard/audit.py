"""The audit log: who did what and when, in lines that are only ever added."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from benchwright.files import canonical_json, sha256
from benchwright.leaderboard.models import AuditLine

_ADDING = 0x6175646974
"""The number of PostgreSQL's lock under which lines get their numbers."""


def note(session: Session, who: str, did: str, what: str = "") -> None:
    """Add a line, as part of the transaction in which that is done which it tells."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _ADDING})
    last = session.scalars(select(AuditLine).order_by(AuditLine.number.desc()).limit(1)).first()
    number, before = (last.number + 1, last.hash) if last else (1, "")
    line = AuditLine(
        number=number, at=time.time(), who=who[:80], did=did[:40], what=what[:4000].replace("\x00", "\ufffd")
    )
    line.hash = _hash(before, line)
    session.add(line)
    session.flush()


def lines(session: Session) -> Sequence[AuditLine]:
    """All lines in their order."""
    return session.scalars(select(AuditLine).order_by(AuditLine.number)).all()


def broken_at(found: Sequence[AuditLine]) -> int | None:
    """The number of the first line that is not what was written after the one before; None: all are."""
    before = ""
    for number, line in enumerate(found, start=1):
        if line.number != number or line.hash != _hash(before, line):
            return number
        before = line.hash
    return None


def _hash(before: str, line: AuditLine) -> str:
    return sha256(canonical_json([before, line.number, line.at, line.who, line.did, line.what]))
