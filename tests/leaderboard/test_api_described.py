"""The API against its own description: whatever is sent, it answers as described, and never with a fault of its own."""

import math
import time
import traceback
import warnings
from collections import Counter
from dataclasses import replace
from io import BytesIO
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.responses import JSONResponse
from starlette.testclient import TestClient
from tests.leaderboard.given import CANARY, ROOMY

from benchwright.leaderboard import queue
from benchwright.leaderboard.accounts import add_account, by_token, csrf_of, sign_in
from benchwright.leaderboard.api import api
from benchwright.leaderboard.app import described
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.guard import Site
from benchwright.leaderboard.pages import Pages
from benchwright.leaderboard.service import Service
from benchwright.leaderboard.store import Store

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of what is imported
    schemathesis = pytest.importorskip("schemathesis")
    from schemathesis import checks

CHECKS = [
    checks.not_a_server_error,
    checks.response_schema_conformance,
    checks.status_code_conformance,
    checks.content_type_conformance,
]
BOUNDED = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    url = f"sqlite:///{tmp_path}/board.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql").database(f"asked_{time.monotonic_ns()}")
    with Database(url) as database:
        yield database


@pytest.fixture
def app(tmp_path, database):
    """The application, with an account and an entry of it that is scored."""
    service = Service(database, Store(tmp_path), replace(ROOMY, wrong_tokens=100_000), "A board")
    app = described(service, Site.of("127.0.0.1", 80))
    app.state.token = add_account(database, "ann")
    account = by_token(database, app.state.token)
    app.state.cookie = sign_in(database, account)
    app.state.entry = service.take(account, {"submission": BytesIO(b"{}")}, anonymous=False)
    results = {"released": {"full": {"ea": 0.5, "da": None, "n_tasks": 10}}, "method": "m"}
    assert queue.finish(database, queue.claim(database), queue.Outcome("scored", "", results))
    return app


def asked(app, below="/api/"):
    """Ask for everything that the description has; how many answers there were by operation and status."""
    schema, found = schemathesis.openapi.from_asgi("/api/openapi.json", app), {}
    for operation in (each.ok() for each in schema.get_all_operations()):
        if operation.path.startswith(below):
            found[operation.label] = _answers(app, operation)
    return found


def _answers(app, operation):
    statuses = Counter()

    @BOUNDED
    @given(case=operation.as_strategy())
    def ask(case):
        for token in ({}, {"Authorization": f"Bearer {app.state.token}"}):
            for entry in {case.path_parameters.get("entry"), app.state.entry}:
                if entry is not None:
                    case.path_parameters["entry"] = entry
                answer = case.call(headers=token)
                statuses[answer.status_code] += 1
                assert CANARY not in answer.text
                case.validate_response(answer, checks=CHECKS)

    ask()
    return statuses


def test_no_request_is_answered_with_a_fault_or_otherwise_than_described(app):
    found = asked(app)
    assert set(found) == {
        f"{method} {route.path}" for route in routes(app) if route.include_in_schema for method in route.methods
    }
    for operation, statuses in found.items():
        assert statuses.keys() & {200, 202}, (operation, statuses)  # it got as far as to an answer
    assert found["POST /api/submissions"].keys() >= {202, 401}
    assert found["GET /api/submissions/{entry}"].keys() >= {200, 404}


def _raises() -> dict[str, int]:
    raise KeyError("a fault")


def _raises_for_some(number: int) -> dict[str, int]:
    return {"of": math.isqrt(number)}


def _tells_otherwise() -> dict[str, int]:
    return JSONResponse({"detail": "not described"}, 418)


def _tells_something_else() -> dict[str, int]:
    return JSONResponse({"a": "word"})


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("planted", "told"),
    [
        (_raises, "a fault"),
        (_raises_for_some, "must be nonnegative"),
        (_tells_otherwise, "Undocumented status code"),
        (_tells_something_else, "violates schema"),
    ],
)
def test_a_fault_and_an_answer_that_is_not_described_are_seen(app, planted, told):
    app.add_api_route("/api/planted", planted)
    with pytest.raises(BaseException, match=r"\w") as caught:  # groups of failures are no exceptions
        asked(app, "/api/planted")
    assert told in "".join(traceback.format_exception(caught.value))


def routes(app):
    """Everything that can be asked for, whether it is described or not."""
    return [*api.routes, *Pages(app.state.service, app.state.door).routes().routes]


ODD = st.one_of(st.text(max_size=30), st.sampled_from(["\x00", "..", "../..", "a" * 22, "%", "\ud7ff", "' OR 1=1 --"]))


def test_no_page_and_no_form_is_answered_with_a_fault(app):
    """Whatever stands in addresses, forms and cookies, for strangers and for those who have signed in."""
    with TestClient(app, follow_redirects=False) as browser:
        for route in routes(app):
            _ask_for_oddities(app, browser, route)


def _ask_for_oddities(app, browser, route):
    @settings(BOUNDED, max_examples=15)
    @given(st.data(), st.sampled_from(sorted(route.methods)), st.booleans(), st.booleans())
    def ask(data, method, known, signed):
        parts = {
            name: quote(app.state.entry if known and name == "entry" else data.draw(ODD), safe="")
            for name in route.param_convertors
        }
        cookie = app.state.cookie if signed else quote(data.draw(ODD))
        form = data.draw(st.dictionaries(st.sampled_from(["csrf", "token", "anonymous", "submission"]), ODD))
        if known:
            form["csrf"] = csrf_of(app.state.cookie)
        answer = browser.request(
            method,
            f"{route.path.format(**parts)}?{urlencode({'next': data.draw(ODD)})}",
            headers={"Cookie": f"leaderboard={cookie}"},
            data=form if method == "POST" else None,
        )
        assert answer.status_code < 500
        assert CANARY not in answer.text
        assert answer.headers.get("location", "/").startswith("/")

    ask()
