"""From a run to a place on the board, by the API: on SQLite and on PostgreSQL."""

import io
import json
import tarfile
import zipfile

import pytest
from tests.leaderboard.given import CANARY, served, settled, submission

from benchwright.errors import InputError
from benchwright.files import sha256
from benchwright.leaderboard.audit import broken_at, lines
from benchwright.leaderboard.database import Database


@pytest.fixture(scope="module")
def handed_in(suite, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return {
        right: submission(suite, folder / str(right), right, organization="Org", method=f"m{right}").read_bytes()
        for right in (3, 7)
    }


def changed(archive, name, change):
    """The archive with one member changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(made, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            new.writestr(info.filename, change(data) if info.filename == name else data)
    return made.getvalue()


def packed(files):
    """A .tar.gz of files by name."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return made.getvalue()


LOG = json.dumps(
    {
        "schema_version": "ATIF-v1.4",
        "session_id": "s",
        "agent": {"name": "a", "version": "1"},
        "steps": [{"step_id": 1, "source": "agent", "message": "I looked at <b>sales.csv</b>"}],
    }
).encode()


def test_a_submission_is_scored_ranked_shown_and_withdrawn(suite, tmp_path, handed_in):
    with served(suite, tmp_path / "store") as server:
        ann, bob = server.token("ann"), server.token("bob")
        archive = packed({"atif/task-3.json": LOG, "atif/nothing.json": LOG})
        status, _, body = server.upload(ann, handed_in[3], trajectories=archive)
        assert status == 202
        low = json.loads(body)["id"]
        high = json.loads(server.upload(bob, handed_in[7])[2])["id"]
        found = settled(server, ann, low)
        assert (found["status"], found["results"]["full"]) == ("scored", {"ea": 0.3, "da": 0.5, "n_tasks": 10})
        word = "what was read is the submitter's word (10 fanotify): no check repeats it"
        assert found["notes"] == [word, "trajectory atif/nothing.json: no such task"]
        assert found["trajectories"] == ["task-3"]
        assert settled(server, bob, high)["results"]["hard"]["ea"] == 1.0
        board = json.loads(server.ask("GET", "/api/board")[2])
        assert [(one["rank"], one["entry"]["method"]) for one in board["entries"]] == [(1, "m7"), (2, "m3")]
        assert json.loads(server.ask("GET", f"/api/submissions/{low}")[2])["notes"] == []  # to strangers
        page = server.ask("GET", f"/entries/{low}/trajectories/1")[2].decode()
        assert "I looked at &lt;b&gt;sales.csv&lt;/b&gt;" in page
        assert server.ask("POST", f"/api/submissions/{high}/withdraw", token=ann)[0] == 404
        assert json.loads(server.ask("POST", f"/api/submissions/{high}/withdraw", token=bob)[2])["withdrawn"]
        board = json.loads(server.ask("GET", "/api/board")[2])
        assert [one["entry"]["method"] for one in board["entries"]] == ["m3"]
        assert json.loads(server.ask("GET", f"/api/submissions/{high}")[2])["results"] == {}
        with Database(server.url) as database, database.reading() as session:
            told = lines(session)
        assert [line.did for line in told].count("submitted") == 2
        assert {"withdrew", "scored", "account added"} <= {line.did for line in told}
        assert broken_at(told) is None


def resealed(archive, change):
    """The archive with other predictions, of which the manifest is made to say that they are the ones."""
    with zipfile.ZipFile(io.BytesIO(archive)) as old:
        before = old.read("predictions.jsonl")
        manifest = json.loads(old.read("manifest.json"))
    after = change(before)
    manifest["predictions"] = {"sha256": sha256(after), "bytes": len(after)}
    manifest["tasks"] = []
    replaced = changed(archive, "manifest.json", lambda _: json.dumps(manifest).encode())
    return changed(replaced, "predictions.jsonl", lambda _: after)


def test_what_was_tampered_with_is_refused_with_the_reason(suite, tmp_path, handed_in):
    whole = handed_in[3]
    tampered = {
        "is not the one of the manifest": changed(
            whole, "predictions.jsonl", lambda data: data.replace(b"wrong 9", b"right 9")
        ),
        "1 tasks have no prediction: task-0": resealed(
            whole, lambda data: b"".join(data.splitlines(keepends=True)[1:])
        ),
        "made with another suite": changed(
            whole, "manifest.json", lambda data: data.replace(b'"name": "board"', b'"name": "bored"')
        ),
        "99 of 10 tasks cannot be right": changed(
            whole, "submission.json", lambda data: data.replace(b'"n_correct": 3', b'"n_correct": 99')
        ),
        "scoring it again does not bear out": resealed(whole, lambda data: data.replace(b"-task-0", b"-task-x")),
        "could be scored here": json.dumps({"method": "m", "model": "x", "ea_full": 0.3}).encode(),
        "no zip archive": whole[:-300],
    }
    with served(suite, tmp_path / "store", workers=2) as server:
        token = server.token()
        entries = {why: json.loads(server.upload(token, content)[2])["id"] for why, content in tampered.items()}
        for why, entry in entries.items():
            found = settled(server, token, entry)
            assert (found["status"], found["results"]) == ("refused", {})
            assert why in found["reason"]
            assert CANARY not in found["reason"]
            assert str(tmp_path) not in found["reason"]
        assert json.loads(server.ask("GET", "/api/board")[2])["entries"] == []
        assert server.ask("GET", f"/api/submissions/{entry}")[0] == 404  # to strangers
        control = json.loads(server.upload(token, resealed(whole, bytes))[2])["id"]
        assert settled(server, token, control)["status"] == "scored"


def test_postgresql_holds_it_as_well(suite, tmp_path, handed_in, postgresql):
    url = postgresql.database("board")
    with served(suite, tmp_path / "store", url=url) as server:
        token = server.token()
        entry = json.loads(server.upload(token, handed_in[7])[2])["id"]
        assert settled(server, token, entry)["results"]["full"]["ea"] == 0.7
        assert server.ask("POST", f"/api/submissions/{entry}/withdraw", token=token)[0] == 200
    with Database(url) as database:
        assert database.differences() == []


def test_places_go_by_the_subset_that_the_keepers_name(suite, tmp_path, handed_in):
    with served(suite, tmp_path / "store", order=("hard",)) as server:
        token = server.token()
        for content in handed_in.values():
            settled(server, token, json.loads(server.upload(token, content)[2])["id"])
        board = json.loads(server.ask("GET", "/api/board")[2])
        assert board["order"] == ["hard"]
        assert [(one["rank"], one["entry"]["results"]["hard"]["ea"]) for one in board["entries"]] == [
            (1, 1.0),
            (2, 0.75),
        ]
        assert board["entries"][0]["low"] < 0.75  # of four tasks nothing can be told
        assert board["entries"][0]["group"] == board["entries"][1]["group"]
        assert "By EA (hard), DA (hard), then the earlier date" in server.ask("GET", "/")[2].decode()
    with pytest.raises(InputError, match="no subset 'easy'"), served(suite, tmp_path / "other", order=("easy",)):
        pass


def test_a_submission_that_was_made_anonymous_is_shown_so_until_its_account_makes_it_known(suite, tmp_path):
    content = submission(suite, tmp_path, 5, method="telling", model="of/a-kind", anonymous=True).read_bytes()
    with served(suite, tmp_path / "store") as server:
        ann = server.token("ann")
        entry = json.loads(server.upload(ann, content)[2])["id"]
        assert settled(server, ann, entry)["model"] == "of/a-kind"  # to itself
        stranger = json.loads(server.ask("GET", f"/api/submissions/{entry}")[2])
        assert (stranger["anonymous"], stranger["method"], stranger["model"]) == (True, f"anonymous {entry[:4]}", "")
        page = server.ask("GET", "/")[2]
        assert b"a-kind" not in page
        assert b"telling" not in page
        cookie, csrf = server.browser(ann)
        form = {"Cookie": cookie, "Origin": server.address, "Content-Type": "application/x-www-form-urlencoded"}
        assert server.ask("POST", f"/entries/{entry}/name", f"csrf={csrf}&anonymous=no".encode(), form)[0] == 303
        assert json.loads(server.ask("GET", f"/api/submissions/{entry}")[2])["model"] == "of/a-kind"
