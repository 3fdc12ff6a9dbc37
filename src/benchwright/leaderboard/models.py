"""What the leaderboard's database holds, as typed tables; `migrations/` makes and changes them."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import JSON, BigInteger, Double, ForeignKey, Index, MetaData, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

QUEUED, SCORING, SCORED, REFUSED, FAILED = "queued", "scoring", "scored", "refused", "failed"
"""What becomes of a submission: it waits, is being scored, and then has a result, a reason, or broke the scorer."""

_NAMES = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """The tables together; constraints have names, so that a migration can change them on every database."""

    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map: ClassVar[dict[Any, Any]] = {float: Double()}


class Account(Base):
    """Who may hand in; of the token only a hash is kept. Times are seconds since the epoch."""

    __tablename__ = "accounts"
    __table_args__ = (UniqueConstraint("name"), UniqueConstraint("token_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    token_id: Mapped[str] = mapped_column(String(16))
    token_hash: Mapped[str] = mapped_column(String(64))
    created: Mapped[float]
    revoked: Mapped[float | None]


class SignIn(Base):
    """A browser that has shown a token; of its cookie only a hash is kept."""

    __tablename__ = "sign_ins"

    cookie_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    until: Mapped[float]


class Entry(Base):
    """One submission, from its acceptance on; its files lie in the store under the same `id`.

    `claim` is drawn anew whenever a worker takes it, so that a worker that was given up cannot finish it. `released`
    are the rounded numbers that may be shown, `exact` what they were made of, which no page and no answer reads.
    """

    __tablename__ = "entries"
    __table_args__ = (Index("ix_entries_status_received", "status", "received"),)

    id: Mapped[str] = mapped_column(String(22), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    received: Mapped[float]
    status: Mapped[str] = mapped_column(String(8))
    claim: Mapped[str] = mapped_column(String(22), default="")
    tries: Mapped[int] = mapped_column(default=0)
    finished: Mapped[float | None]
    reason: Mapped[str] = mapped_column(Text, default="")
    method: Mapped[str] = mapped_column(String(200), default="")
    model: Mapped[str] = mapped_column(String(200), default="")
    organization: Mapped[str] = mapped_column(String(200), default="")
    date: Mapped[str] = mapped_column(String(40), default="")
    anonymous: Mapped[bool] = mapped_column(default=False)
    withdrawn: Mapped[float | None]
    sha256: Mapped[str] = mapped_column(String(64))
    """Over all files of the upload."""
    submission: Mapped[str] = mapped_column(String(64), default="")
    """The SHA-256 of the submission alone; empty where it came before that was kept."""
    bytes: Mapped[int] = mapped_column(BigInteger)
    released: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    exact: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    notes: Mapped[list[str]] = mapped_column(JSON, default=list)
    trajectories: Mapped[list[str]] = mapped_column(JSON, default=list)
    """The ids of tasks whose trajectory can be looked at."""
    account: Mapped[Account] = relationship(lazy="joined", innerjoin=True)


class AuditLine(Base):
    """What happened, in order; triggers refuse to change or delete a line, and the hash is over the one before, too."""

    __tablename__ = "audit"

    number: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[float]
    who: Mapped[str] = mapped_column(String(80))
    did: Mapped[str] = mapped_column(String(40))
    what: Mapped[str] = mapped_column(Text)
    hash: Mapped[str] = mapped_column(String(64))
