"""Serving a leaderboard: its store, database and workers, a socket, and an end at Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select

from benchwright.errors import InputError
from benchwright.leaderboard.app import application
from benchwright.leaderboard.connection import trusting
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.guard import Site
from benchwright.leaderboard.limits import Limits
from benchwright.leaderboard.models import Entry
from benchwright.leaderboard.ranking import ORDER
from benchwright.leaderboard.scoring_crew import Crew, Work
from benchwright.leaderboard.service import Service
from benchwright.leaderboard.store import Store
from benchwright.suite import Suite
from benchwright.viewer.access import App
from benchwright.viewer.serving import Place, listening

if TYPE_CHECKING:
    import uvicorn

DATABASE = "leaderboard.db"
"""In the store, where no other database is named."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A leaderboard to serve: `url` of its database (empty: SQLite in the store), `proxies` that may say who asks.

    `order` are the subsets that places go by, the first before all.
    """

    suite: Suite
    store: Path
    place: Place
    url: str = ""
    public_url: str = ""
    proxies: str = ""
    workers: int = 1
    order: tuple[str, ...] = ORDER
    limits: Limits = field(default_factory=Limits)


def database_at(store: Path, url: str = "") -> Database:
    """The database of a leaderboard, brought up to date. Errors: InputError, EnvironmentFault."""
    return Database(_url(store, url))


def _url(store: Path, url: str) -> str:
    return url or f"sqlite:///{store.absolute() / DATABASE}"


@contextmanager
def opened(plan: Plan, port: int) -> Iterator[App]:
    """The application of a leaderboard, with workers that score; what a killed server left is put in order first.

    Errors: InputError where the suite has no gold, or another server has the store.
    """
    if not plan.suite.has_gold:
        raise InputError(
            f"suite {plan.suite.name} holds no gold: {plan.suite.folder}",
            expected="gold/gold.jsonl: submissions are scored on the server",
        )
    for name in plan.order[:1]:
        plan.suite.subset(name)  # which says what is wrong with it
    store = Store(plan.store)
    with store.alone(), database_at(plan.store, plan.url) as database, database.alone():
        if odd := database.differences():
            raise InputError("the database is not what this version expects", found=str(odd[:3])[:400])
        with database.reading() as session:
            store.tidy(frozenset(session.scalars(select(Entry.id))))
        title = plan.suite.info.title or plan.suite.name
        service = Service(database, store, plan.limits, title, plan.order)
        work = Work(_url(plan.store, plan.url), store.path, plan.suite.folder.absolute(), plan.limits)
        site = Site.of(plan.place.host, port, plan.public_url)
        with Crew(database, work, plan.workers):
            yield application(service, site)


def configured(app: App, proxies: str = "") -> uvicorn.Config:
    """How the application is served: with limits on what comes in, and who asks told by these proxies alone."""
    import uvicorn

    return uvicorn.Config(
        app,
        http=trusting(proxies),
        ws="none",
        log_level="warning",
        server_header=False,
        access_log=False,
        lifespan="off",
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies or None,
        limit_concurrency=500,
        timeout_graceful_shutdown=10,
    )


def serve(plan: Plan, tell: Callable[[str], None]) -> None:
    """Serve until the process is ended. `tell` is given the address to open."""
    import uvicorn

    with listening(plan.place) as listener, opened(plan, port := listener.getsockname()[1]) as app:
        tell(plan.public_url or f"http://{plan.place.host}:{port}/")
        with suppress(KeyboardInterrupt):
            uvicorn.Server(configured(app, plan.proxies)).run(sockets=[listener])
