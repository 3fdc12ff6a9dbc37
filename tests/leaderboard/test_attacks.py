"""What strangers try at the server: forms of other sites, guesses, markup, archives, floods, and questions about the gold."""

import io
import json
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import hypothesis
import pytest
from hypothesis import strategies as st
from sqlalchemy import select
from starlette.testclient import TestClient
from tests.leaderboard.given import CANARY, ROOMY, served, settled, submission, until

from benchwright.errors import InputError
from benchwright.leaderboard import accounts
from benchwright.leaderboard.app import described
from benchwright.leaderboard.connection import PunctualProtocol
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.guard import Site
from benchwright.leaderboard.judging import borne_out, released, rounded
from benchwright.leaderboard.limits import Limits, Throttle, network
from benchwright.leaderboard.models import Account, Entry, SignIn
from benchwright.leaderboard.service import Service
from benchwright.leaderboard.store import Store
from benchwright.publishing.submission import Result

HOSTILE = "<script>window.pwned=1</script>\"'><img src=x onerror=alert(1)>{{7*7}}'; DROP TABLE entries;--"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def content(suite, tmp_path_factory):
    made = submission(
        suite, tmp_path_factory.mktemp("made"), 3, organization=HOSTILE[:100], method=HOSTILE, model=HOSTILE
    )
    return made.read_bytes()


@pytest.fixture(scope="module")
def server(suite, tmp_path_factory):
    limits = replace(ROOMY, bytes=200_000, wrong_tokens=1_000)
    with served(suite, tmp_path_factory.mktemp("store") / "store", limits) as server:
        yield server


@pytest.fixture(scope="module")
def token(server):
    return server.token("ann")


@pytest.fixture(scope="module")
def scored(server, token, content):
    """The id of an entry whose every text is hostile, on the board."""
    entry = json.loads(server.upload(token, content)[2])["id"]
    assert settled(server, token, entry)["status"] == "scored"
    return entry


def ended(raw):
    """Whether the other side has given a connection up; waits for it."""
    try:
        return raw.recv(100) == b""
    except ConnectionResetError:
        return True


def zipped(**members):
    """An archive of texts by their names, packed."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.json", data)
    return made.getvalue()


class TestTheSameFile:
    def test_it_is_one_entry_and_which_is_said(self, server, content):
        token = server.token("twice")
        first = json.loads(server.upload(token, content + b" ", same=True)[2])["id"]
        status, _, body = server.upload(token, content + b" ", same=True, trajectories=b"others")
        assert (status, json.loads(body)["entry"]) == (409, first)
        assert f"handed in already, as entry {first}" in json.loads(body)["detail"]
        (only,) = json.loads(server.ask("GET", "/api/submissions", token=token)[2])
        assert only["id"] == first
        cookie, csrf = server.browser(token)
        headers = {"Cookie": cookie, "Origin": server.address}
        status, _, page = server.upload("", content + b" ", same=True, path="/submit", headers=headers, csrf=csrf)
        assert status == 409
        assert f'<a href="/entries/{first}">' in page.decode()

    def test_it_may_come_again_when_it_was_withdrawn_and_from_others(self, server, content):
        one, other = server.token("one"), server.token("other")
        first = json.loads(server.upload(one, content + b"\t", same=True)[2])["id"]
        assert server.upload(other, content + b"\t", same=True)[0] == 202
        assert server.ask("POST", f"/api/submissions/{first}/withdraw", token=one)[0] == 200
        assert server.upload(one, content + b"\t", same=True)[0] == 202


class TestForms:
    def test_a_form_of_our_page_is_taken(self, server, token):
        cookie, csrf = server.browser(token)
        headers = {"Cookie": cookie, "Origin": server.address}
        status, told, _ = server.upload("", b"{}", path="/submit", headers=headers, csrf=csrf)
        assert (status, told["location"][:9]) == (303, "/entries/")

    @pytest.mark.parametrize("origin", ["https://evil.example.org", "null", None])
    def test_a_form_of_another_site_is_not(self, server, token, origin):
        cookie, csrf = server.browser(token)
        headers = {"Cookie": cookie, **({"Origin": origin} if origin else {})}
        assert server.upload("", b"{}", path="/submit", headers=headers, csrf=csrf)[0] == 403

    def test_a_form_without_the_secret_of_its_browser_is_not(self, server, token):
        cookie, _ = server.browser(token)
        _, of_another = server.browser(token)
        headers = {"Cookie": cookie, "Origin": server.address}
        for csrf in ("", "0" * 64, of_another):
            assert server.upload("", b"{}", path="/submit", headers=headers, csrf=csrf)[0] == 403

    @pytest.mark.parametrize("path", ["/sign-out", "/entries/{}/withdraw", "/entries/{}/name"])
    def test_nor_are_others_that_change_something(self, server, token, scored, path):
        cookie, csrf = server.browser(token)
        for origin, given in (("https://evil.example.org", csrf), (server.address, "")):
            headers = {**FORM, "Cookie": cookie, "Origin": origin}
            assert server.ask("POST", path.format(scored), urlencode({"csrf": given}).encode(), headers)[0] == 403
        assert json.loads(server.ask("GET", f"/api/submissions/{scored}")[2])["withdrawn"] is False

    def test_the_api_knows_no_cookie(self, server, token):
        cookie, _ = server.browser(token)
        assert server.ask("GET", "/api/submissions", headers={"Cookie": cookie})[0] == 401
        assert server.ask("GET", "/api/submissions", token=token)[0] == 200

    def test_cookies_are_out_of_reach_of_scripts_other_sites_and_plain_connections(self, suite, tmp_path):
        with served(suite, tmp_path / "store", public_url="https://board.example.org") as server:
            told = urlencode({"token": server.token()}).encode()
            headers = {**FORM, "Origin": "https://board.example.org", "Host": "board.example.org"}
            _, answer, _ = server.ask("POST", "/sign-in", told, headers)
            assert answer["set-cookie"].startswith("__Host-leaderboard=")
            for word in ("HttpOnly", "SameSite=strict", "Secure", "Path=/"):
                assert word in answer["set-cookie"]
            assert "strict-transport-security" in answer


class TestTokens:
    def test_wrong_ones_are_refused_and_after_some_nobody_listens(self, suite, tmp_path):
        with served(suite, tmp_path / "store", replace(ROOMY, wrong_tokens=5)) as server:
            token = server.token()
            wrong = f"{token[:-1]}{'A' if token[-1] != 'A' else 'B'}"
            assert server.ask("GET", "/api/submissions", token=token)[0] == 200
            statuses = [server.ask("GET", "/api/submissions", token=wrong)[0] for _ in range(7)]
            assert statuses == [401] * 5 + [429] * 2
            assert server.ask("POST", "/sign-in", b"token=bw_x", {**FORM, "Origin": server.address})[0] == 429

    @pytest.mark.parametrize(("proxies", "told_apart"), [("127.0.0.1", True), ("", False), ("192.0.2.9", False)])
    def test_only_a_proxy_that_is_trusted_may_say_who_asks(self, suite, tmp_path, proxies, told_apart):
        with served(suite, tmp_path / "store", replace(ROOMY, wrong_tokens=2), proxies=proxies) as server:
            asked = [
                server.ask("GET", "/api/submissions", token="bw_x", headers={"X-Forwarded-For": address})[0]
                for address in ("198.51.100.1", "198.51.100.1", "198.51.100.1", "198.51.100.2")
            ]
            assert asked == [401, 401, 429, 401 if told_apart else 429]

    def test_only_hashes_are_kept(self, server, token):
        cookie, _ = server.browser(token)
        with Database(server.url) as database, database.reading() as session:
            kept = [
                session.scalars(select(Account.token_hash)).all(),
                session.scalars(select(SignIn.cookie_hash)).all(),
            ]
        assert token.rpartition("_")[2] not in str(kept)
        assert cookie.partition("=")[2] not in str(kept)

    def test_a_revoked_one_opens_nothing_and_its_browsers_are_out(self, server):
        token = server.token("bob")
        cookie, _ = server.browser(token)
        assert server.ask("GET", "/mine", headers={"Cookie": cookie})[0] == 200
        with Database(server.url) as database:
            accounts.revoke(database, "bob")
        assert server.ask("GET", "/api/submissions", token=token)[0] == 401
        assert server.ask("GET", "/mine", headers={"Cookie": cookie})[0] == 303

    def test_an_address_is_counted_with_its_neighbours_of_one_customer(self):
        assert network("2001:db8::1") == network("2001:db8::2") != network("2001:db8:0:1::1")
        assert network("::ffff:192.0.2.1") == network("192.0.2.1") != network("192.0.2.2")
        clock = [0.0]
        throttle = Throttle(2, lambda: clock[0])
        assert [throttle.allows("a"), throttle.allows("a"), throttle.allows("a"), throttle.allows("b")] == [
            *(True, True, False, True)
        ]
        clock[0] = 30.0
        assert [throttle.allows("a"), throttle.allows("a")] == [True, False]


class TestUploads:
    def test_one_that_is_too_large_is_refused_whatever_it_says_of_itself(self, server, token):
        assert server.upload(token, b"x" * 190_000)[0] == 202
        assert server.upload(token, b"x" * 300_000)[0] == 413
        head = (
            "POST /api/submissions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n"
        )
        begin = b'--b\r\nContent-Disposition: form-data; name="submission"; filename="x"\r\n\r\n'
        with server.connection() as raw:
            raw.sendall(head.encode() + b"%x\r\n%s\r\n" % (len(begin), begin))
            with suppress(OSError):  # where it is cut off before the end
                for _ in range(40):
                    raw.sendall(b"%x\r\n%s\r\n" % (10_000, b"x" * 10_000))
            assert b" 413 " in raw.recv(100)

    def test_a_body_that_dribbles_is_cut(self, suite, tmp_path):
        with served(suite, tmp_path / "store", replace(ROOMY, seconds=1.5)) as server, server.connection() as raw:
            head = (
                "POST /api/submissions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n"
                f"Authorization: Bearer {server.token()}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n"
            )
            raw.sendall(head.encode() + b"--b\r\n")
            assert b" 408 " in raw.recv(100)

    def test_headers_that_dribble_are_cut_and_others_are_served_meanwhile(self, suite, tmp_path):
        class Impatient(PunctualProtocol):
            header_seconds = 3.0

        with served(suite, tmp_path / "store", protocol=Impatient) as server, server.connection() as raw:
            raw.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ")
            assert server.ask("GET", "/api/board")[0] == 200
            assert ended(raw)

    def test_a_request_that_is_whole_late_but_in_time_is_answered(self, server):
        with server.connection() as raw:
            raw.sendall(b"GET /api/board HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            time.sleep(0.7)
            raw.sendall(b"\r\n")
            assert b" 200 " in raw.recv(100)

    def test_an_account_has_so_many_coming_in_at_once(self, suite, tmp_path):
        with served(suite, tmp_path / "store", replace(ROOMY, at_once=1)) as server:
            token = server.token()
            with server.connection() as raw:
                raw.sendall(
                    b"POST /api/submissions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n"
                    b"Expect: 100-continue\r\nAuthorization: Bearer %s\r\n"
                    b"Content-Type: multipart/form-data; boundary=b\r\n\r\n" % token.encode()
                )
                assert b" 100 " in raw.recv(100)  # it is counted, and its body is waited for
                raw.sendall(b"--b\r\n")
                assert server.upload(token, b"{}")[0] == 429
                assert server.upload(server.token("bob"), b"{}")[0] == 202
            until(lambda: server.upload(token, b"{}")[0] == 202)  # as soon as it was broken off

    def test_strangers_cannot_send_files_at_all(self, server):
        assert server.upload("", b"{}")[0] == 401
        assert server.upload("bw_0000000000000000_" + "A" * 43, b"{}")[0] == 401

    def test_an_account_has_so_many_and_a_form_without_a_file_is_none(self, suite, tmp_path):
        with served(suite, tmp_path / "store", replace(ROOMY, per_day=2)) as server:
            token = server.token()
            status, _, body = server.ask("POST", "/api/submissions", b"anonymous=yes", {**FORM}, token)
            assert (status, b"no submission was sent" in body) == (400, True)
            statuses = [server.upload(token, b"{}")[0] for _ in range(3)]
            assert statuses == [202, 202, 429]
            assert len(list((tmp_path / "store" / "entries").iterdir())) == 2

    @pytest.mark.parametrize("name", ["../../../../tmp/benchwright-escaped", "/tmp/benchwright-escaped", "files/../x"])
    def test_archives_with_names_that_lead_out_are_refused(self, server, token, tmp_path, name):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            archive.writestr(name, b"x")
        entry = json.loads(server.upload(token, made.getvalue())[2])["id"]
        assert "no part of a submission" in settled(server, token, entry)["reason"]

    def test_trajectories_that_lead_out_link_out_or_swell_cost_the_trajectories_alone(self, server, token, content):
        for member in ("../out.json", "/tmp/benchwright-escaped", "link"):
            made = io.BytesIO()
            with tarfile.open(fileobj=made, mode="w:gz") as archive:
                info = tarfile.TarInfo(member)
                if member == "link":
                    info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
                archive.addfile(info)
            entry = json.loads(server.upload(token, content, trajectories=made.getvalue())[2])["id"]
            found = settled(server, token, entry)
            assert (found["status"], found["trajectories"]) == ("scored", [])
            assert sum("trajectories" in note for note in found["notes"]) == 1

    def test_one_that_takes_too_much_memory_is_refused_and_others_are_scored_after_it(self, suite, tmp_path, content):
        with served(suite, tmp_path / "store", replace(ROOMY, memory_mb=350)) as server:
            token = server.token()
            swells = zipped(submission=b"[" + b"[]," * 4_000_000 + b"[]]")
            entries = [json.loads(server.upload(token, each)[2])["id"] for each in (swells, content)]
            assert "more than 350 MB of memory" in settled(server, token, entries[0])["reason"]
            assert settled(server, token, entries[1])["status"] == "scored"

    def test_a_disk_that_takes_no_more_is_said_and_nothing_is_taken(self, suite, tmp_path):
        (tmp_path / "disk").mkdir()
        done = subprocess.run(
            [
                "unshare",
                "-rm",
                "sh",
                "-c",
                MOUNTED,
                tmp_path / "disk",
                sys.executable,
                "-c",
                FULL,
                suite.folder,
                tmp_path,
            ],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        if done.returncode in (1, 77) and "Traceback" not in done.stderr:
            pytest.skip(f"no file system can be mounted here: {done.stderr[:200]}")
        assert json.loads(done.stdout) == [202, 503, 202, 2, 0], done.stderr
        assert "No space left on device" in done.stderr
        assert "Traceback" not in done.stderr


MOUNTED = 'mount -t tmpfs -o size=900k none "$0" || exit 77; exec "$@"'
FULL = """
import json, sys, threading
from pathlib import Path
from given import ROOMY, served
from benchwright.suite import Suite
suite, place = Suite.open(Path(sys.argv[1])), Path(sys.argv[2])
store = place / "disk" / "store"
with served(suite, store, ROOMY, url=f"sqlite:///{place}/board.db") as server:
    token = server.token()
    told = [server.upload(token, b"x" * size)[0] for size in (1000, 2_000_000, 1000)]
print(json.dumps([*told, len(list((store / "entries").iterdir())), len(list((store / "incoming").iterdir()))]))
"""


class TestWhatIsShown:
    def test_no_page_holds_markup_of_a_submission(self, server, token, scored):
        cookie, _ = server.browser(token)
        for path in ("/", f"/entries/{scored}", "/mine", f"/entries/{HOSTILE[:20]}"):
            for headers in ({}, {"Cookie": cookie}):
                _, told, page = server.ask("GET", path.replace(" ", "%20").replace("<", "%3C"), headers=headers)
                assert b"<script" not in page
                assert b"<img" not in page
                assert b">49" not in page
                assert "unsafe" not in told["content-security-policy"]
                assert told["x-content-type-options"] == "nosniff"
        assert b"&lt;script&gt;" in server.ask("GET", "/")[2]

    def test_words_of_sql_are_words(self, server, token, scored):
        for path in ("/api/submissions/' OR '1'='1", "/entries/x' UNION SELECT token_hash FROM accounts--"):
            assert server.ask("GET", path.replace(" ", "%20"))[0] in (404, 422)
        assert server.ask("GET", "/api/submissions", token="' OR 1=1 --")[0] == 401
        with Database(server.url) as database, database.reading() as session:
            assert session.get(Entry, scored).method == HOSTILE[:120]

    def test_other_names_for_this_server_are_not_answered(self, server):
        assert server.ask("GET", "/", headers={"Host": "evil.example.org"})[0] == 421
        assert server.ask("GET", "/", headers={"Host": "localhost"})[0] == 200
        assert server.ask("PUT", "/")[0] == 405

    @pytest.mark.parametrize(
        "host",
        ["127.0.0.1@evil.example.org", "127.0.0.1:80@evil.example.org", "localhost:x", "[::1]evil.example.org", ""],
    )
    def test_a_name_that_only_begins_like_ours_is_not_ours(self, server, host):
        assert server.ask("GET", "/", headers={"Host": host})[0] in (400, 421)

    def test_nothing_is_redirected_by_what_a_request_calls_this_server(self, server):
        for path in ("/submit/", "//evil.example.org/submit/", "/sign-in/?next=https://evil.example.org"):
            status, told, _ = server.ask("GET", path, headers={"Host": "localhost:99"})
            assert (status, told.get("location")) == (404, None)

    def test_a_head_is_answered_as_a_page_without_its_body(self, server):
        status, told, body = server.ask("HEAD", "/")
        assert (status, body) == (200, b"")
        assert int(told["content-length"]) == len(server.ask("GET", "/")[2])

    @pytest.mark.parametrize("entry", ["%00", "%ff%00", "a" * 5000, "..%2f..", "%0d%0aX-A:1"])
    def test_what_is_no_id_is_no_entry_whatever_the_database(self, suite, tmp_path_factory, postgresql, entry):
        with Database(postgresql.database(f"odd_{time.monotonic_ns()}")) as database:
            service = Service(database, Store(tmp_path_factory.mktemp("store")), ROOMY, "A board")
            asking = TestClient(described(service, Site.of("127.0.0.1", 80)))
            cookie = accounts.sign_in(
                database, found := accounts.by_token(database, accounts.add_account(database, "ann"))
            )
            headers = {"Cookie": f"leaderboard={cookie}"}
            csrf = {"csrf": accounts.csrf_of(cookie)}
            assert found is not None
            assert asking.get(f"/entries/{entry}", headers=headers).status_code == 404
            assert asking.get(f"/entries/{entry}/trajectories/1", headers=headers).status_code == 404
            for verb in ("withdraw", "name"):
                assert asking.post(f"/entries/{entry}/{verb}", data=csrf, headers=headers).status_code == 404

    def test_an_address_may_ask_so_often(self, suite, tmp_path):
        with served(suite, tmp_path / "store", replace(ROOMY, requests=5)) as server:
            statuses = [server.ask("GET", "/api/board")[0] for _ in range(8)]
            assert statuses[:5] == [200] * 5
            assert 429 in statuses[5:]

    @pytest.mark.parametrize("wanted", ["true", "1", "on", "YES"])
    def test_a_wish_for_anonymity_that_is_not_understood_is_no_entry(self, server, token, content, wanted):
        assert server.upload(token, content, anonymous=wanted)[0] == 422

    def test_an_anonymous_entry_is_shown_without_names(self, server, token, content, scored):
        entry = json.loads(server.upload(token, content, anonymous="yes")[2])["id"]
        assert settled(server, token, entry)["account"] == "ann"  # to itself
        shown = json.loads(server.ask("GET", f"/api/submissions/{entry}")[2])
        assert (shown["account"], shown["organization"], shown["model"]) == ("", "", "")
        assert shown["method"] == f"anonymous {entry[:4]}"
        assert b"<bdi>ann</bdi>" not in server.ask("GET", f"/entries/{entry}")[2]
        assert b"<bdi>ann</bdi>" in server.ask("GET", f"/entries/{scored}")[2]  # as of one with names


class TestGold:
    def test_no_answer_holds_a_gold_or_a_verdict_on_a_task(self, suite, server, token, scored):
        cookie, _ = server.browser(token)
        for path in (
            "/",
            f"/entries/{scored}",
            "/mine",
            "/api/board",
            f"/api/submissions/{scored}",
            "/api/submissions",
        ):
            for more in ({"headers": {"Cookie": cookie}}, {"token": token}, {}):
                _, headers, body = server.ask("GET", path, **more)
                assert CANARY not in body.decode()
                assert CANARY not in str(headers)
                assert "n_correct" not in body.decode()
                assert "task-0" not in body.decode()
        assert all(CANARY in gold.answer for gold in suite.golds.values())  # what is looked for is there

    def test_what_is_released_is_rounded(self):
        result = Result(execution_accuracy=616 / 1009, discovery_accuracy=0.523, n_tasks=1009, n_correct=616)
        assert released(result, 0.01) == {"ea": 0.61, "da": 0.52, "n_tasks": 1009}
        assert [rounded(value, 0.05) for value in (0.0, 0.024, 0.025, 0.98, 1.0, None)] == [0, 0, 0.05, 1.0, 1.0, None]
        assert (rounded(0.295, 0.01), rounded(0.2949, 0.01)) == (0.3, 0.29)  # halves up, as they are written

    def test_claims_about_single_tasks_are_not_compared(self, suite, server, token, content):
        """A refusal would say whether the one answer is right."""
        told = []
        for value in (0.0, 1.0):
            made = io.BytesIO()
            with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
                for info in old.infolist():
                    data = old.read(info)
                    if info.filename == "manifest.json":
                        manifest = json.loads(data)
                        for line in manifest["tasks"]:
                            line.update(sound=None, reference=None, numeric=None, discovery=None)
                        manifest["tasks"][5]["sound"] = value
                        data = json.dumps(manifest).encode()
                    new.writestr(info.filename, data)
            entry = json.loads(server.upload(token, made.getvalue())[2])["id"]
            found = settled(server, token, entry)
            told.append({name: found[name] for name in ("status", "reason", "notes", "results")})
        assert told[0] == told[1]
        assert told[0]["status"] == "scored"


def test_a_name_that_is_no_address_is_refused():
    for wrong in ("board.example.org", "ftp://x", "https://x/path", "https://"):
        with pytest.raises(InputError, match="not an address"):
            Site.of("127.0.0.1", 80, wrong)
    with pytest.raises(InputError, match="others than this machine"):
        Site.of("0.0.0.0", 80)
    assert Site.of("0.0.0.0", 80, "https://b.org").access.knows("b.org")
    assert Site.of("127.0.0.1", 80, "https://Board.example.org").origin == "https://board.example.org"


def test_twenty_slow_clients_do_not_keep_others_from_being_served(server, token):
    slow = [server.connection() for _ in range(20)]
    head = (
        "POST /api/submissions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n"
    )
    try:
        for raw in slow:
            raw.sendall(head.encode())
        statuses = []
        threads = [threading.Thread(target=lambda: statuses.append(server.ask("GET", "/")[0])) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert statuses == [200] * 5
    finally:
        for raw in slow:
            raw.close()


@hypothesis.given(st.integers(0, 119), st.integers(0, 119), st.floats(0, 1), st.sampled_from([0.01, 0.05, 0.1]))
def test_a_row_of_claims_finds_no_more_than_the_rounded_number(one, two, claimed, step):
    """Two results that are shown alike take and refuse the same claims; what is shown itself is always taken."""
    first, second = one / 119, two / 119
    if rounded(first, step) == rounded(second, step):
        assert borne_out(claimed, first, step) == borne_out(claimed, second, step)
    assert borne_out(rounded(first, step), first, step)
    assert borne_out(first, first, step)
    assert not borne_out(claimed, first, step) or abs(claimed - first) < 2 * step + 1e-6
    assert not borne_out(claimed, None, step)


def test_an_address_cannot_take_all_connections_and_gets_others_when_it_gives_up_some(suite, tmp_path):
    class Crowded(PunctualProtocol):
        most_of_one = 3

    class Trusting(Crowded):
        proxies = frozenset({"127.0.0.1"})

    for protocol, refused in ((Crowded, True), (Trusting, False)):
        with served(suite, tmp_path / protocol.__name__, protocol=protocol) as server:
            held = [server.connection() for _ in range(3)]
            for raw in held:
                raw.sendall(b"GET / HTTP/1.1\r\n")
            with server.connection() as more:
                with suppress(OSError):  # where it is given up before
                    more.sendall(b"GET /api/board HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
                assert ended(more) is refused
            for raw in held:
                raw.close()
            until(lambda: server.ask("GET", "/api/board")[0] == 200)


def test_the_limits_that_people_get_are_narrow():
    assert (Limits().per_day, Limits().in_all, Limits().wrong_tokens, Limits().step) == (5, 50, 10, 0.01)
