"""`benchwright leaderboard serve`, and the accounts and the audit log of such a server."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.app import group
from benchwright.cli.leaderboard import leaderboard
from benchwright.cli.output import print_json, print_table, progress
from benchwright.errors import EnvironmentFault, InputError

if TYPE_CHECKING:
    from benchwright.leaderboard.database import Database

token = group("token", "Accounts of a leaderboard server, and their tokens.", leaderboard)

_NEEDED = ("alembic", "fastapi", "psycopg", "python_multipart", "sqlalchemy", "uvicorn")
_Store = Annotated[Path, typer.Option(help="The server's folder: uploads, and the database unless --database.")]
_Url = Annotated[
    str,
    typer.Option(
        "--database", envvar="BENCHWRIGHT_DATABASE", help="postgresql://..., in place of SQLite.", show_envvar=True
    ),
]


@leaderboard.command()
def serve(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    suite: Annotated[str, typer.Argument(help="The suite with its gold: a name or a folder.")],
    store: _Store = Path("leaderboard"),
    database: _Url = "",
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8766,
    public_url: Annotated[str, typer.Option(help="How browsers ask for it, behind a proxy: https://NAME.")] = "",
    proxies: Annotated[str, typer.Option(help="Addresses of proxies that may say who asks, with commas.")] = "",
    workers: Annotated[int, typer.Option(min=1, max=64, help="Submissions that are scored at a time.")] = 1,
    step: Annotated[float, typer.Option(min=0.0001, max=0.5, help="What shown numbers are rounded to.")] = 0.01,
    subset: Annotated[str, typer.Option(help="The subset that places go by.")] = "full",
    then: Annotated[str, typer.Option(help="Subsets that decide ties, split at commas.")] = "hard",
    per_day: Annotated[int, typer.Option(min=1, help="Submissions an account and day.")] = 5,
    in_all: Annotated[int, typer.Option(min=1, help="Submissions an account in all.")] = 50,
    at_once: Annotated[int, typer.Option(min=1, help="Uploads of an account at a time.")] = 4,
    upload_mb: Annotated[int, typer.Option(min=1, max=1024, help="The largest upload.")] = 64,
) -> None:
    """Serve a leaderboard: submissions are uploaded, scored anew where the gold is, ranked and shown.

    The address is printed on stderr; Ctrl-C ends it. Killed at any moment, it goes on when it is started again.
    """
    _check_installed()
    from benchwright.leaderboard.limits import Limits
    from benchwright.leaderboard.serving import Plan
    from benchwright.leaderboard.serving import serve as serve_plan
    from benchwright.suites import find
    from benchwright.viewer.serving import Place

    limits = Limits(per_day=per_day, at_once=at_once, in_all=in_all, bytes=upload_mb << 20, step=step)
    order = (subset, *(name for name in then.split(",") if name and name != subset))
    plan = Plan(find(suite, progress), store, Place(host, port), database, public_url, proxies, workers, order, limits)
    serve_plan(plan, lambda address: progress(f"open {address}"))


@token.command("add")
def add(
    name: Annotated[str, typer.Argument(help="Whom the account is for; shown beside entries.")],
    store: _Store = Path("leaderboard"),
    database: _Url = "",
) -> None:
    """Make an account, and print its token on stdout: this once, for only a hash of it is kept."""
    with _opened(store, database, new=True) as found:
        from benchwright.leaderboard.accounts import add_account

        typer.echo(add_account(found, name))


@token.command("revoke")
def revoke(
    name: Annotated[str, typer.Argument(help="Whose.")], store: _Store = Path("leaderboard"), database: _Url = ""
) -> None:
    """Let an account in no more; its entries stay."""
    with _opened(store, database) as found:
        from benchwright.leaderboard.accounts import revoke as revoke_account

        revoke_account(found, name)


@token.command("list")
def list_accounts(store: _Store = Path("leaderboard"), database: _Url = "") -> None:
    """List the accounts."""
    with _opened(store, database) as found:
        from benchwright.leaderboard.accounts import accounts

        rows = [
            (each.name, _day(each.created), "" if each.revoked is None else _day(each.revoked))
            for each in accounts(found)
        ]
    print_table("", ("account", "since", "revoked"), rows)


@leaderboard.command()
def audit(
    store: _Store = Path("leaderboard"),
    database: _Url = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Print the audit log of a server: who did what and when. Exit code 1: a line is not as it was written."""
    with _opened(store, database) as found:
        from benchwright.leaderboard.audit import broken_at, lines

        with found.reading() as session:
            told = list(lines(session))
    broken = broken_at(told)
    if as_json:
        print_json(
            {
                "broken_at": broken,
                "lines": [
                    {"number": each.number, "at": each.at, "who": each.who, "did": each.did, "what": each.what}
                    for each in told
                ],
            }
        )
    else:
        rows = [
            (each.number, datetime.fromtimestamp(each.at, UTC).isoformat(" ", "seconds"), each.who, each.did, each.what)
            for each in told
        ]
        print_table("", ("line", "when (UTC)", "who", "did", "what"), rows)
        if broken is not None:
            progress(f"line {broken} is not as it was written, or one before it is gone")
    raise typer.Exit(0 if broken is None else 1)


def _opened(store: Path, url: str, *, new: bool = False) -> Database:
    """The database of a server; only where it may be `new`, it is made."""
    _check_installed()
    from benchwright.leaderboard.serving import DATABASE, database_at

    if not url and not new and not (store / DATABASE).is_file():
        raise InputError(f"there is no leaderboard server's store in {store}", found=f"no {DATABASE}")
    if not url:
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
    return database_at(store, url)


def _check_installed() -> None:
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise EnvironmentFault(
            "the leaderboard server needs packages that are not installed",
            found=f"no {', '.join(missing)}",
            hint="pip install 'benchwright[leaderboard]'",
        )


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")
