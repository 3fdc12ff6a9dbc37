"""The API against its own description: whatever is sent, it answers as described, and never with a fault of its own."""

import warnings
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from tests.leaderboard.given import CANARY, ROOMY

from benchwright.leaderboard.accounts import add_account
from benchwright.leaderboard.app import described
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.guard import Site
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


@pytest.fixture
def app(tmp_path):
    with Database(f"sqlite:///{tmp_path}/board.db") as database:
        app = described(
            Service(database, Store(tmp_path), replace(ROOMY, wrong_tokens=100_000), "A board"),
            Site.of("127.0.0.1", 80),
        )
        app.state.token = add_account(database, "ann")
        yield app


def asked(app):
    """Ask for everything that the description has; how many answers there were by status."""
    schema, statuses = schemathesis.openapi.from_asgi("/api/openapi.json", app), {}
    for found in schema.get_all_operations():
        operation = found.ok()

        @BOUNDED
        @given(case=operation.as_strategy())
        def ask(case):
            for headers in ({}, {"Authorization": f"Bearer {app.state.token}"}):
                answer = case.call(headers=headers)
                statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
                assert CANARY not in answer.text
                case.validate_response(answer, checks=CHECKS)

        ask()
    return statuses


def test_no_request_is_answered_with_a_fault_or_otherwise_than_described(app):
    statuses = asked(app)
    assert {200, 401, 404} <= set(statuses)
    assert 202 in statuses, statuses  # some submissions were well-formed enough to be taken


def test_a_fault_and_an_answer_that_is_not_described_are_seen(app):
    @app.get("/api/broken")
    def broken() -> dict[str, int]:
        raise KeyError("a fault")

    with pytest.raises(Exception, match=r"fault|Server error"):
        asked(app)
