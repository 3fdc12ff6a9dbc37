"""The viewer as a web application: addresses and what is answered there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import BenchwrightError
from benchwright.run import Key
from benchwright.viewer.access import Access, App, Guard
from benchwright.viewer.gallery import Gallery
from benchwright.viewer.query import COLUMNS, VERDICT_WORDS, Query
from benchwright.viewer.rendering import rendered, sheet

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

_STATIC = Path(__file__).parent / "static"
LIVE = "x-live"
"""The header by which a page asks for its live part alone."""


def application(gallery: Gallery, access: Access) -> App:
    """The viewer over some runs, behind its guard. Requests are answered in threads; nothing is ever written."""
    from starlette.applications import Starlette

    return Guard(Starlette(routes=[*_static(), *_Pages(gallery).routes()]), access)


class _Pages:
    """What is answered at each address of a page."""

    def __init__(self, gallery: Gallery) -> None:
        self._gallery = gallery

    def routes(self) -> list[Route]:
        from starlette.routing import Route

        return [
            Route("/", self.overview),
            Route("/attempts", self.attempts),
            Route("/run/{run}/attempt/{cell}/{task}/{epoch:int}", self.attempt),
            Route("/run/{run}/task/{task}", self.task),
            Route("/{rest:path}", self.missing),
        ]

    def overview(self, request: Request) -> Response:
        return self._answer(request, "runs.html", lambda: {"runs": self._gallery.progress()})

    def attempts(self, request: Request) -> Response:
        return self._answer(request, "attempts.html", lambda: self._found(Query.read(request.query_params)))

    def attempt(self, request: Request) -> Response:
        run, task, cell = (request.path_params[name] for name in ("run", "task", "cell"))
        key = Key(cell, task, request.path_params["epoch"])
        return self._answer(
            request,
            "one_attempt.html",
            lambda: {"page": self._gallery.page(run, key), "run": run, "beside": self._gallery.on_task(run, task)},
        )

    def task(self, request: Request) -> Response:
        run, task = request.path_params["run"], request.path_params["task"]
        return self._answer(request, "task.html", lambda: self._task(run, task))

    def missing(self, request: Request) -> Response:
        def nothing() -> dict[str, Any]:
            raise BenchwrightError("there is no such page")

        return self._answer(request, "missing.html", nothing)

    def _found(self, query: Query) -> dict[str, Any]:
        found, choices = self._gallery.find(query), self._gallery.choices()
        return {"query": query, "found": found, "choices": choices, "columns": COLUMNS, "words": VERDICT_WORDS}

    def _task(self, run: str, task_id: str) -> dict[str, Any]:
        suite, attempts = self._gallery.watched(run).suite, self._gallery.on_task(run, task_id)
        task = suite.tasks.get(task_id) if suite else None
        if task is None and not attempts:
            raise BenchwrightError(f"no task {task_id!r} in the run {run}")
        labels = suite.label(task_id) if suite else None
        return {"run": run, "id": task_id, "task": task, "labels": labels, "attempts": attempts}

    def _answer(self, request: Request, template: str, values: Callable[[], Mapping[str, Any]]) -> Response:
        """A page, or its live part; nothing where the reader has it as it is."""
        from starlette.responses import HTMLResponse, Response

        version = f'"{self._gallery.version()}"'
        live = LIVE in request.headers
        if live and request.headers.get("if-none-match") == version:
            return Response(status_code=304, headers={"etag": version})
        try:
            text, status = rendered(template, values(), live=live), 200
        except BenchwrightError as error:
            text, status = rendered("missing.html", {"message": error.what}, live=live), 404
        return HTMLResponse(text.encode("utf-8", "replace").decode(), status, headers={"etag": version})


def _static() -> list[Route]:
    """The style sheet and the script, read once."""
    from starlette.responses import Response
    from starlette.routing import Route

    def fixed(content: bytes, kind: str) -> Callable[[Request], Response]:
        return lambda _: Response(content, media_type=kind)

    return [
        Route("/static/viewer.css", fixed(sheet().encode(), "text/css")),
        Route("/static/viewer.js", fixed((_STATIC / "viewer.js").read_bytes(), "text/javascript")),
    ]
