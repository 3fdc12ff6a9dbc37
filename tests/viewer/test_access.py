import asyncio
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from tests.viewer.serving import new_run

from benchwright.errors import InputError
from benchwright.viewer.access import Access, Guard, is_loopback
from benchwright.viewer.serving import Place, listening

LOCAL = Access.of("127.0.0.1", 8765)
OPEN = Access.of("0.0.0.0", 8765, ("viewer.example.org",))


def ask(access, method="GET", host="127.0.0.1:8765", path="/", query="", headers=()):
    """What a guarded application answers: status, headers, body."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-inside", b"1")]})
        await send({"type": "http.response.body", "body": b"inside"})

    async def send(message):
        sent.append(message)

    given = [(name.encode(), value.encode()) for name, value in headers]
    given += [(b"host", host.encode())] if host is not None else []
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": given}
    asyncio.run(Guard(app, access)(scope, None, send))
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, sent[1]["body"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8765", "localhost:1", "LOCALHOST", "[::1]:8765"])
def test_this_machine_is_answered(host):
    assert ask(LOCAL, host=host)[0] == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example.org", "evil.example.org:8765", "127.0.0.1.evil.org", "", "localhost.evil.org", "192.0.2.1", None],
)
def test_a_name_of_elsewhere_that_points_here_is_not_answered(host):
    status, _, body = ask(LOCAL, host=host)
    assert (status, b"inside" in body) == (421, False)


def test_the_check_of_names_is_what_refuses_them():
    assert ask(Access(hosts=frozenset({"evil.example.org"})), host="evil.example.org")[0] == 200


def test_two_names_in_one_request_are_refused():
    assert ask(LOCAL, headers=[("host", "localhost")])[0] == 421


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_pages_are_only_read(method):
    assert ask(LOCAL, method=method)[0] == 405


def test_every_answer_forbids_scripts_frames_and_readers_of_elsewhere():
    for answer in (ask(LOCAL), ask(LOCAL, host="evil.example.org"), ask(OPEN, host="192.0.2.1")):
        headers = answer[1]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["content-security-policy"].startswith("default-src 'none'; style-src 'self'; script-src 'self'")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


class TestToken:
    def test_it_is_asked_for_wherever_others_can_ask(self):
        assert not LOCAL.token
        assert len(OPEN.token) >= 32
        assert OPEN.token != Access.of("0.0.0.0", 8765).token
        assert Access.of("127.0.0.1", 1, token=True).token
        assert [
            is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "10.0.0.1", "a.org")
        ] == [
            *(True, True, True),
            *(False, False, False, False),
        ]

    def test_without_it_nothing_is_shown(self):
        for query in ("", "token=", "token=wrong", f"token={OPEN.token}x", f"token={OPEN.token[:-1]}"):
            status, _, body = ask(OPEN, host="192.0.2.1:8765", query=query)
            assert (status, b"inside" in body) == (401, False)

    def test_it_becomes_a_cookie_that_no_script_and_no_other_site_can_use(self):
        status, headers, _ = ask(OPEN, host="192.0.2.1", path="/attempts", query=f"text=a%20b&token={OPEN.token}")
        assert (status, headers["location"]) == (303, "/attempts?text=a+b")
        cookie = headers["set-cookie"]
        assert cookie == f"benchwright_view_8765={OPEN.token}; Path=/; HttpOnly; SameSite=Strict"
        status, _, body = ask(OPEN, host="192.0.2.1", headers=[("cookie", f"other=1; {cookie.partition(';')[0]}")])
        assert (status, body) == (200, b"inside")

    def test_a_wrong_cookie_is_refused(self):
        for value in ("", "wrong", OPEN.token.swapcase(), '"'):
            assert ask(OPEN, host="192.0.2.1", headers=[("cookie", f"{OPEN.cookie}={value}")])[0] == 401

    def test_it_is_the_token_that_refuses(self):
        free = Access(token="", hosts=OPEN.hosts, numbers=True)
        assert ask(free, host="192.0.2.1")[0] == 200

    def test_an_open_viewer_knows_its_names_and_addresses_in_numbers_alone(self):
        known = ("192.0.2.1:8765", "[2001:db8::1]", "viewer.example.org", "localhost")
        assert [OPEN.knows(host) for host in known] == [True] * 4
        assert not OPEN.knows("other.example.org")

    @pytest.mark.parametrize("path", ["//evil.example.org", "/\\evil.example.org", "/\r\nx: y"])
    def test_the_way_on_never_leads_elsewhere(self, path):
        _, headers, _ = ask(OPEN, host="192.0.2.1", path=path, query=f"token={OPEN.token}")
        assert headers["location"][:2] not in ("//", "/\\")
        assert "\r" not in headers["location"]


def test_the_program_prints_its_address_answers_there_and_ends_in_order(suite, tmp_path):
    run = new_run(suite, tmp_path / "run")
    command = [
        sys.executable,
        "-c",
        "from benchwright.cli import main; main()",
        "view",
        str(run.path),
        "--port",
        "0",
        "--token",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as viewer:
        address = viewer.stderr.readline().removeprefix("open ").strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32,}", address)
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(address.partition("?")[0])
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert b"0 of 120 attempts" in opener.open(address).read()
        viewer.send_signal(signal.SIGINT)
        assert (viewer.stderr.read(), viewer.wait(120)) == ("", 0)


def test_a_place_that_is_taken_is_said():
    with listening(Place(port=0)) as taken, pytest.raises(InputError, match="cannot listen at"):
        listening(Place(port=taken.getsockname()[1]))
