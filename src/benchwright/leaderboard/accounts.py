"""Accounts and their tokens, and browsers that have shown one; only hashes of either are kept."""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import dataclass

from sqlalchemy import delete, select

from benchwright.errors import InputError
from benchwright.files import sha256
from benchwright.leaderboard.audit import note
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.models import Account, SignIn

_NAME = re.compile(r"[\w.@+ -]{1,80}")
_TOKEN = re.compile(r"bw_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
SIGNED_IN = 12 * 3600.0
"""Seconds after which a browser has to show the token again."""


@dataclass(frozen=True, slots=True)
class Known:
    """Who asks. `csrf` is what this browser's forms must carry; empty where a token was shown with the request."""

    id: int
    name: str
    csrf: str = ""


def add_account(database: Database, name: str) -> str:
    """Make an account; returns its token, which is said this once. Errors: InputError for a name that is taken."""
    if not _NAME.fullmatch(name) or name != name.strip():
        raise InputError(
            "not a name for an account", found=repr(name)[:100], expected="letters, digits, spaces, . @ + -"
        )
    number, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    with database.writing() as session:
        if session.scalars(select(Account).where(Account.name == name)).first():
            raise InputError(f"there is an account {name!r} already", hint="revoke it, or take another name")
        session.add(Account(name=name, token_id=number, token_hash=sha256(secret), created=time.time()))
        note(session, "operator", "account added", name)
    return f"bw_{number}_{secret}"


def revoke(database: Database, name: str) -> None:
    """Let an account's token and its browsers in no more; its entries stay. Errors: InputError for an unknown name."""
    with database.writing() as session:
        account = session.scalars(select(Account).where(Account.name == name)).first()
        if account is None:
            raise InputError(f"there is no account {name!r}")
        account.revoked = time.time()
        session.execute(delete(SignIn).where(SignIn.account_id == account.id))
        note(session, "operator", "account revoked", name)


def accounts(database: Database) -> list[Account]:
    """All accounts by name."""
    with database.reading() as session:
        return list(session.scalars(select(Account).order_by(Account.name)))


def by_token(database: Database, token: str) -> Known | None:
    """Whose token this is; the secret is compared in a time that does not tell how much of it is right.

    A plain SHA-256 is enough: the secret is 256 random bits, which no list of words holds.
    """
    found = _TOKEN.fullmatch(token)
    if found is None:
        return None
    with database.reading() as session:
        account = session.scalars(select(Account).where(Account.token_id == found[1])).first()
    right = secrets.compare_digest(sha256(found[2]), account.token_hash if account else "0" * 64)
    return Known(account.id, account.name) if account and right and account.revoked is None else None


def sign_in(database: Database, account: Known) -> str:
    """A cookie for a browser that has shown the account's token."""
    cookie = secrets.token_urlsafe(32)
    with database.writing() as session:
        session.execute(delete(SignIn).where(SignIn.until < time.time()))
        session.add(SignIn(cookie_hash=sha256(cookie), account_id=account.id, until=time.time() + SIGNED_IN))
        note(session, account.name, "signed in")
    return cookie


def by_cookie(database: Database, cookie: str) -> Known | None:
    """Whose browser this is."""
    if not 0 < len(cookie) < 100:
        return None
    with database.reading() as session:
        held = session.get(SignIn, sha256(cookie))
        left = held.until - time.time() if held else 0.0  # more than all: the clock was ahead when it signed in
        account = session.get(Account, held.account_id) if held and 0 < left < 2 * SIGNED_IN else None
    if account is None or account.revoked is not None:
        return None
    return Known(account.id, account.name, csrf=csrf_of(cookie))


def sign_out(database: Database, cookie: str) -> None:
    """Forget a browser."""
    with database.writing() as session:
        session.execute(delete(SignIn).where(SignIn.cookie_hash == sha256(cookie)))


def csrf_of(cookie: str) -> str:
    """What forms of a signed-in browser carry, known to who can read its pages. It does not tell the cookie."""
    return sha256(f"form of {cookie}")
