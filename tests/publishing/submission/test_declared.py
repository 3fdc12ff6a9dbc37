"""What a submission declares of itself and nobody measured: dates, sizes, names, traces, scorers, limits."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.publishing.submission.test_leaderboard_folder import asked
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.publishing.leaderboard.entries import Board, Entry
from benchwright.publishing.leaderboard.ranking import rank
from benchwright.publishing.submission import check, opened, write
from benchwright.publishing.submission.moments import day, ends, moment
from benchwright.publishing.submission.names import fit, plain_name, twins
from benchwright.publishing.submission.records import Metadata, Result
from benchwright.task import Limits


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-30",
        "2026-13-01",
        "8.6.2026",
        "June 8, 2026",
        "2026-6-8",
        "20260608",
        "2026-W23-1",
        "2026-06-08T12:00:00",
        "2026-06-08T25:00:00Z",
        "0001-01-01T00:00:00+23:00",
        "٢٠٢٦-٠٦-٠٨",
        "now",
    ],
)
def test_what_is_no_day_or_has_no_zone_is_refused(text):
    with pytest.raises(ValueError, match=r".+"):
        day(text)


def test_days_and_times_of_any_zone_are_one_form():
    assert [day(text) for text in ("2026-06-08", "2026-06-08T23:30:00-05:00", "2026-06-08T01:00Z", "")] == [
        "2026-06-08", "2026-06-09", "2026-06-08", "",
    ]  # fmt: skip
    assert moment("2026-06-08T14:00:00+02:00") == moment("2026-06-08 12:00:00") == "2026-06-08T12:00:00+00:00"


@given(
    st.lists(
        st.tuples(st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)), st.floats(0, 1e6)),  # noqa: DTZ001 - as attempts may have it
        min_size=1,
        max_size=5,
    )
)
def test_what_was_made_ends_when_its_last_attempt_ends(spans):
    first, last = ends((started.isoformat(), seconds) for started, seconds in spans)
    end = max(started + timedelta(seconds=seconds) for started, seconds in spans).replace(tzinfo=UTC)
    assert abs(datetime.fromisoformat(last) - end) < timedelta(milliseconds=1)
    assert first <= last


def dated(name, stated, ended=""):
    result = Result(execution_accuracy=0.5, n_tasks=10)
    return Entry(name, name, "", "", Metadata(date=stated), {"full": result}, "claim", ended=ended)


def test_of_equal_entries_the_earlier_day_stands_first_and_nobody_dates_before_the_end():
    entries = [
        dated("undated", ""),
        dated("later", "2026-06-09"),
        dated("in-utc", "2026-06-08T23:30:00-05:00"),
        dated("backdated", "2020-01-01", ended="2026-06-10"),
        dated("first", "2026-06-08"),
    ]
    ranked = rank(Board(), entries).ranked
    assert [(item.place, item.entry.id) for item in ranked] == [
        (1, "first"), (2, "in-utc"), (2, "later"), (4, "backdated"), (5, "undated"),
    ]  # fmt: skip


def verdict(path, suite=None, **more):
    with opened(path) as parcel:
        return check(parcel, suite, **more)


def test_a_day_to_come_or_before_the_end_is_refused(rewritten, package):
    today = datetime.now(UTC).date()  # it may be another one than when this file was read

    def at(value):
        return "; ".join(
            verdict(rewritten("submission.json", lambda form: form["metadata"].update(date=value))).reasons
        )

    assert "still to come" in at((today + timedelta(days=3)).isoformat())
    assert "before its attempts ended" in at("2020-01-01")
    assert "date: Value error, no date such as" in at("08/06/2026")
    assert "the two forms differ: metadata" in at(
        (today + timedelta(days=1)).isoformat()
    )  # for its day alone, it is fine


def test_times_that_cannot_be_are_refused(rewritten):
    later = (datetime.now(UTC) + timedelta(days=3)).isoformat()
    assert "still to come" in str(verdict(rewritten("manifest.json", lambda made: made | {"ended": later})).reasons)
    assert "before they began" in str(
        verdict(rewritten("manifest.json", lambda made: made | {"ended": "2020-01-01T00:00:00Z"})).reasons
    )


def test_the_end_is_that_of_the_last_attempt_and_not_its_beginning(package, run):
    attempts = list(run.attempts().values())
    last = max(datetime.fromisoformat(each.started) + timedelta(seconds=each.wall_seconds) for each in attempts)
    assert abs(datetime.fromisoformat(package.manifest.ended) - last) < timedelta(seconds=0.01)
    assert package.manifest.ended > max(each.started for each in attempts)


def test_the_manifest_tells_what_was_in_force_and_not_only_what_was_set(archive, package):
    with opened(archive) as parcel:
        told = parcel.documents["manifest.json"]
    assert told["runs"][0]["seed"] == 0
    assert told["runs"][0]["tracing"] == "auto"
    assert told["cell"]["generation"] == {}
    assert told["measure"]["partial"] is False
    assert set(told["limits"]) == set(Limits.model_fields)
    assert told["limits"]["wall_seconds"] == {f"{Limits().wall_seconds:g}": 5}
    assert told["limits"]["tokens"] == {"none": 5}
    assert all('"limits":' in settings for settings in told["isolation"])


def first(lines, **changes):
    lines[-1]["files"] |= changes.pop("files", {})
    lines[-1]["metadata"] |= changes


NAMES = {
    "a folder above": "..",
    "a whole path": "/etc/passwd",
    "a path of nothing": "a//b.csv",
    "a long path": "/".join(["a" * 200] * 6),
    "a way out": "../x.csv",
    "a way out of Windows": "..\\x.csv",
    "a control character": "a\x07.csv",
    "a line break": "a\n.csv",
    "a mark of direction": "a\u202ecsv.exe",
    "no character at all": "",
    "128 characters of 256 bytes": "ä" * 128,
    "another case": "OUT.csv",
    "other code points": "oｕt.csv",
}


@pytest.mark.parametrize("how", NAMES)
def test_names_that_are_no_file_s_everywhere_are_refused(how, rewritten):
    def more(lines):
        (item,) = lines[-1]["files"].values()
        lines[-1]["files"][NAMES[how]] = item

    found = verdict(rewritten("predictions.jsonl", more))
    assert [finding.code for finding in found.findings] == ["schema"]


@given(st.text(max_size=40))
def test_a_plain_name_is_written_and_found_again(name):
    try:
        plain_name(name)
    except ValueError:
        return
    assert not {"", ".", ".."} & set(name.split("/"))
    assert all(0 < len(part.encode()) <= 255 for part in name.split("/"))
    assert fit([name], [name]) == [name]
    assert twins([name, name.swapcase()]) or name.swapcase().casefold() != name.casefold()


def test_a_size_that_is_said_is_the_one_that_came(rewritten):
    def grown(lines):
        for item in lines[-1]["files"].values():
            item["bytes"] += 1

    assert "have another size than is said" in str(verdict(rewritten("predictions.jsonl", grown)).reasons)


TRACES = {
    "a file read twice": (lambda lines: first(lines, files_accessed=["a", "a"]), "told twice"),
    "more files than there are": (
        lambda lines: first(lines, files_accessed=["a", "b"], room_files=1),
        "2 files were read of 1",
    ),
    "rooms of other files": (lambda lines: first(lines, files_accessed=["a"], rooms=["x", "y"]), "2 rooms of 1 files"),
    "a trace that was none": (lambda lines: first(lines, tracer="log"), "the manifest's tracers are"),
    "another ending": (lambda lines: first(lines, ending="gave_up"), "the manifest's endings are"),
    "negative seconds": (lambda lines: first(lines, seconds=-1), "greater than or equal to 0"),
}


@pytest.mark.parametrize("how", TRACES)
def test_traces_that_cannot_be_are_refused(how, rewritten):
    change, reason = TRACES[how]
    assert reason in str(verdict(rewritten("predictions.jsonl", change)).reasons)


def test_scorers_that_nobody_has_are_refused_and_those_of_another_version_are_noted(rewritten, suite):
    def by(**changes):
        return rewritten(
            "manifest.json", lambda made: (made["suite"].update(scorer_digest="0" * 64), made | changes)[1]
        )

    (mine,) = [item for item in verdict(by(), suite).findings if item.code == "measure"]
    assert mine.refused
    (other,) = [item for item in verdict(by(benchwright="0.0.1"), suite).findings if item.code == "measure"]
    assert not other.refused
    assert "scored again by those that are here" in other.reason
    bare = rewritten("manifest.json", lambda made: made["suite"].update(scorer_digest=""))
    assert "does not say by which golds and scorers" in str(verdict(bare).reasons)


def test_discovery_is_told_as_the_submitter_s_word_until_the_keepers_ran_it_themselves(archive, suite, tmp_path):
    board = tmp_path / "board"
    asked("init", board, "--suite", suite.folder)
    told = asked("add", archive, "--to", board, "--suite", suite.folder).stderr
    assert "what was read is the submitter's word (5 " in told
    (row,) = json.loads(asked("rank", board, "--json").stdout)["entries"]
    assert (row["status"], row["discovery_by"]) == ("verified", "self-reported")
    assert "self-reported" in asked("rank", board).stdout
    settings = board / "leaderboard.toml"
    settings.write_text(f'measured = ["{row["submission_id"]}"]\n{settings.read_text()}')
    (row,) = json.loads(asked("rank", board, "--json").stdout)["entries"]
    assert row["discovery_by"] == "measured"


@pytest.mark.parametrize(
    ("option", "value"),
    [("--date", "June 8"), ("--submission-id", "a b"), ("--contact", "x" * 301), ("--organization", "a\nb")],
)
def test_words_that_no_form_takes_are_one_message(run, suite, tmp_path, option, value):
    arguments = ["submission", "make", str(run.path), "--out", str(tmp_path / "a.zip"), option, value]
    done = CliRunner().invoke(app, arguments)
    assert done.exception.exit_code == 2, done.output
    assert not (tmp_path / "a.zip").exists()


def test_one_file_that_cannot_be_read_is_named_and_the_rest_is_ranked(archive, suite, tmp_path):
    board = tmp_path / "board"
    asked("init", board, "--suite", suite.folder)
    asked("add", archive, "--to", board)
    submissions = board / "submissions"
    (submissions / "broken.zip").write_bytes(b"PK nothing")
    (submissions / "wrong.json").write_text('{"submission_id": "wrong"}')
    (submissions / "link.zip").symlink_to("/etc/passwd")
    done = asked("rank", board, "--json", code=1)
    document = json.loads(done.stdout)
    assert len(document["entries"]) == 1
    assert [item["file"] for item in document["unread"]] == ["broken.zip", "link.zip", "wrong.json"]
    assert "not ranked: broken.zip: " in asked("rank", board, code=1).stderr
    assert str(tmp_path) not in done.stdout
    asked("site", board, "--out", tmp_path / "site", code=1)
    assert (tmp_path / "site" / "index.html").is_file()
    told = asked("verify", board, "--suite", suite.folder, code=1).stderr
    assert "broken.zip: refused" in told
    assert "verified" in told
    more = asked("add", tmp_path / "none.zip", archive, "--to", board, code=2).stderr
    assert "there is a submission" in more  # what comes after it is looked at


def test_ids_that_differ_in_case_are_one(rewritten, archive, suite, tmp_path):
    board = tmp_path / "board"
    asked("init", board, "--suite", suite.folder)
    asked("add", archive, "--to", board)
    upper = rewritten("submission.json", lambda form: form | {"submission_id": form["submission_id"].upper()})
    assert "already" in asked("add", upper, "--to", board, code=1).stderr
    (board / "submissions" / "twin.zip").write_bytes(upper.read_bytes())
    document = json.loads(asked("rank", board, "--json", code=1).stdout)
    assert (document["entries"], len(document["unread"])) == ([], 2)


def test_a_subset_that_nobody_knows_is_one_message(archive, suite, tmp_path):
    board = tmp_path / "board"
    asked("init", board, "--suite", suite.folder)
    done = CliRunner().invoke(app, ["leaderboard", "rank", str(board), "--subset", "nope"])
    assert done.exception.exit_code == 2
    assert "full, hard" in str(done.exception)
    asked("rank", board, "--subset", "hard")  # known by the settings, and empty


@pytest.mark.parametrize("command", [["audit"], ["token", "list"], ["token", "revoke", "somebody"]])
def test_a_store_that_is_not_there_is_one_message_and_is_not_made(tmp_path, command):
    pytest.importorskip("sqlalchemy")
    done = CliRunner().invoke(app, ["leaderboard", *command, "--store", str(tmp_path / "typo")])
    assert done.exception.exit_code == 2
    assert list(tmp_path.iterdir()) == []


CLAIMS = {
    "one task of a subset of five": {"full": {"execution_accuracy": 1.0, "n_tasks": 1, "n_correct": 1}},
    "more tasks than there are": {"full": {"execution_accuracy": 0.5, "n_tasks": 6}},
}


@pytest.mark.parametrize("how", CLAIMS)
def test_a_claim_over_other_sizes_is_refused_and_has_no_place_where_it_lies_there_all_the_same(how, suite, tmp_path):
    board = tmp_path / "board"
    asked("init", board, "--suite", suite.folder)
    form = {"submission_id": "small", "method": "m", "model": "", "results": CLAIMS[how]}
    claim = tmp_path / "small.json"
    claim.write_text(json.dumps(form))
    assert "full has 5 tasks" in asked("add", claim, "--to", board, code=1).stderr
    (board / "submissions" / "small.json").write_text(json.dumps(form))
    document = json.loads(asked("rank", board, "--json").stdout)
    assert document["entries"] == []
    assert "full has 5 tasks" in document["outside"][0]["why"]


def test_a_suite_of_one_s_own_under_the_board_s_name_is_refused_without_the_suite(rewritten, suite, tmp_path):
    board = tmp_path / "board"
    asked("init", board, "--suite", suite.folder)
    forged = rewritten("manifest.json", lambda made: made["suite"].update(digest="0" * 64))
    assert "other questions or data than the leaderboard's" in asked("check", board, forged, code=1).stderr
    (board / "submissions" / "forged.zip").write_bytes(forged.read_bytes())
    document = json.loads(asked("rank", board, "--json").stdout)
    assert [item["why"] for item in document["outside"]] == ["of other questions or data"]


def better(form):
    form["results"]["full"].update(execution_accuracy=0.8, n_correct=4)


SUMS = {
    "a better result": (
        "submission.json",
        better,
        "n_correct (full) is said to be 4, and by its own scores by task is 3",
    ),
    "parts of 1 where none are": (
        "manifest.json",
        lambda made: made["measure"].update(partial=True),
        "by the scores by task, none is",
    ),
    "tasks moved out of a subset": (
        "manifest.json",
        lambda made: made["tasks"][1].update(subsets=["full"]),
        "hard is over 2 tasks, of which 1 have scores",
    ),
}


@pytest.mark.parametrize("how", SUMS)
def test_results_are_those_of_the_scores_by_task_without_any_gold(how, rewritten):
    name, change, reason = SUMS[how]
    assert reason in str(verdict(rewritten(name, change)).reasons)


def test_scores_that_were_verified_stand_for_no_other_predictions(archive, rewritten, suite, tmp_path):
    board = tmp_path / "board"
    asked("init", board, "--suite", suite.folder)
    asked("add", archive, "--to", board, "--suite", suite.folder)
    (kept,) = (board / "submissions").glob("*.zip")
    status = [entry["status"] for entry in json.loads(asked("rank", board, "--json").stdout)["entries"]]
    kept.write_bytes(rewritten("manifest.json", lambda made: made["predictions"].update(sha256="0" * 64)).read_bytes())
    changed = [entry["status"] for entry in json.loads(asked("rank", board, "--json").stdout)["entries"]]
    assert (status, changed) == (["verified"], ["stated"])


EFFORT = {
    "negative dollars": (lambda made: made["effort"].update(cost_usd=-1), "less than nothing"),
    "cheaper than its attempts": (lambda made: made["effort"].update(steps=1), "steps is 1 in the manifest, and 2 by"),
    "attempts that nobody kept in": (lambda made: made.update(isolation={"{}": 7}), "isolation is told of 7 attempts"),
    "limits of other attempts": (lambda made: made["limits"].update(tokens={"none": 4}), "limit tokens is told of 4"),
}


@pytest.mark.parametrize("how", EFFORT)
def test_what_attempts_took_is_what_the_predictions_tell(how, rewritten):
    change, reason = EFFORT[how]
    assert reason in str(verdict(rewritten("manifest.json", change)).reasons)


def test_settings_that_name_no_submission_are_pointed_out(archive, suite, tmp_path):
    """An entry that was to be hidden under an id with a slip of the pen is shown: that must not pass in silence."""
    board = tmp_path / "board"
    asked("init", board, "--suite", suite.folder)
    asked("add", archive, "--to", board)
    settings = board / "leaderboard.toml"
    settings.write_text(f'anonymous = ["no-such"]\n{settings.read_text()}')
    assert "anonymous: there is no submission no-such" in asked("rank", board, code=1).stderr


def test_a_withdrawal_has_a_reason_and_an_id_to_the_letter(archive, suite, tmp_path):
    board = tmp_path / "board"
    asked("init", board, "--suite", suite.folder)
    asked("add", archive, "--to", board)
    (name,) = (path.stem for path in (board / "submissions").glob("*.zip"))
    for arguments in (("withdraw", name, "--reason", " "), ("withdraw", name.upper(), "--reason", "x"), ("hide", "x")):
        done = CliRunner().invoke(app, ["leaderboard", arguments[0], str(board), *arguments[1:]])
        assert done.exception.exit_code == 2
    assert json.loads(asked("rank", board, "--json").stdout)["outside"] == []


def test_nothing_that_lies_among_the_submissions_is_written_over(package, suite, tmp_path):
    """What cannot be read may be all that is left of somebody's submission."""
    board = tmp_path / "board"
    asked("init", board, "--suite", suite.folder)
    place = board / "submissions" / f"{package.id}.ZIP"
    place.write_bytes(b"PK damaged")
    for name in ("mine.zip", "folder"):
        write(package, tmp_path / name)
        assert "a file of its name" in asked("add", tmp_path / name, "--to", board, code=1).stderr
    assert place.read_bytes() == b"PK damaged"
    place.unlink()
    asked("add", tmp_path / "folder", "--to", board)
    assert [path.name for path in (board / "submissions").iterdir() if path.name != ".gitkeep"] == [package.id]
    (tmp_path / "link").symlink_to(tmp_path)
    done = CliRunner().invoke(app, ["leaderboard", "site", str(board), "--out", str(tmp_path / "link")])
    assert done.exception.exit_code == 2
