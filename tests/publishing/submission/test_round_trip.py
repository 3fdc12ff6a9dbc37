"""A submission from a real run: made, opened, checked, scored again to the same numbers; and every way to tamper."""

import hashlib
import json
import zipfile

import pytest
from tests.publishing.submission.conftest import SECRET, build
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.publishing.submission import make, write
from benchwright.suite import Suite


def test_what_is_made_is_taken_and_scores_the_same_again(archive, suite, checked, package):
    verdict = checked(archive, suite)
    assert [(finding.code, finding.refused) for finding in verdict.findings] == [("discovery", False)]
    assert verdict.results == package.detailed.results
    assert verdict.lines == package.manifest.tasks
    full, hard = package.detailed.results["full"], package.detailed.results["hard"]
    assert (full.n_tasks, full.n_correct, full.execution_accuracy) == (5, 3, pytest.approx(0.6))
    assert (hard.n_tasks, hard.n_correct, hard.discovery_accuracy) == (2, 1, 1.0)
    assert full.discovery_accuracy == pytest.approx(0.8)  # which files the table needs is not known: not found


def test_the_protocol_s_form_has_its_fields_and_no_other(archive):
    with zipfile.ZipFile(archive) as opened:
        protocol = json.loads(opened.read("protocol.json"))
        detailed = json.loads(opened.read("submission.json"))
    assert list(protocol) == ["method", "model", "ea_full", "ea_hard", "da_full", "da_hard", "metadata"]
    assert (protocol["ea_full"], protocol["ea_hard"]) == (0.6, 0.5)
    assert protocol["metadata"]["contact"] == "a@example.org"
    assert list(detailed) == ["submission_id", "method", "model", "organization", "results", "metadata"]
    assert list(detailed["results"]["full"]) == ["execution_accuracy", "discovery_accuracy", "n_tasks", "n_correct"]


def test_the_manifest_tells_all_that_the_protocol_asks_for(package, run, suite):
    manifest = package.manifest
    assert (manifest.suite.release, manifest.suite.digest) == ("v1", suite.digest)
    assert manifest.runs[0].versions["inspect_ai"]
    assert manifest.runs[0].prompts == run.spec.prompts
    assert manifest.runs[0].suite_folder == ""
    assert manifest.cell.model == "scripted/submitted"
    assert manifest.endings == {"answered": 5}
    assert sum(manifest.tracers.values()) == sum(manifest.isolation.values()) == 5
    assert manifest.effort.steps == 2


def test_no_gold_and_no_folder_of_this_machine_is_in_a_submission(archive, suite, tmp_path):
    with zipfile.ZipFile(archive) as opened:
        whole = b"".join(opened.read(name) for name in opened.namelist())
    assert b"42" in whole
    assert SECRET.encode() not in whole
    assert str(suite.folder).encode() not in whole


def test_equal_submissions_make_equal_archives_and_a_folder_is_as_good(package, suite, tmp_path, checked):
    for name in ("one.zip", "two.zip", "folder"):
        write(package, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    assert checked(tmp_path / "folder", suite).reasons == ()
    with pytest.raises(InputError, match="is there already"):
        write(package, tmp_path / "folder")


def test_predictions_are_read_by_score_too(archive, suite, tmp_path):
    with zipfile.ZipFile(archive) as opened:
        opened.extract("predictions.jsonl", tmp_path)
    done = CliRunner().invoke(app, ["score", str(suite.folder), str(tmp_path / "predictions.jsonl"), "--json"])
    assert done.exit_code == 0
    assert json.loads(done.stdout)["n_predictions"] == 5


def first(lines, **changes):
    lines[0] |= changes


TAMPERED = {
    "a changed prediction": (
        "predictions.jsonl",
        lambda lines: first(lines, prediction="43"),
        "not the one of the manifest",
    ),
    "a missing id": ("predictions.jsonl", lambda lines: lines[1:], "tasks have no prediction: 0"),
    "an unknown id": ("predictions.jsonl", lambda lines: first(lines, instance_id=99), "are of no task: 99"),
    "an id twice": ("predictions.jsonl", lambda lines: [*lines, lines[0]], "more than one prediction: 0"),
    "an unknown field of a prediction": (
        "predictions.jsonl",
        lambda lines: first(lines, score=1),
        "score: Extra inputs",
    ),
    "two names of a task": ("predictions.jsonl", lambda lines: first(lines, task_id="1"), "names its task once"),
    "an unknown field": ("submission.json", lambda form: form | {"rank": 1}, "rank: Extra inputs"),
    "a count of nothing": (
        "submission.json",
        lambda form: form["results"]["full"].update(n_correct=4),
        "4 of 5 tasks is 0.8",
    ),
    "more right than tasks": (
        "submission.json",
        lambda form: form["results"]["full"].update(n_correct=6),
        "cannot be right",
    ),
    "an impossible share": (
        "submission.json",
        lambda form: form["results"]["hard"].update(execution_accuracy=0.51, n_correct=None),
        "k/2 for no whole k",
    ),
    "an impossible discovery": (
        "submission.json",
        lambda form: form["results"]["hard"].update(discovery_accuracy=0.333),
        "discovery accuracy (hard) of 0.333 is k/2",
    ),
    "a share of two": (
        "submission.json",
        lambda form: form["results"]["full"].update(execution_accuracy=2),
        "not a number from 0 to 1",
    ),
    "other forms": ("protocol.json", lambda form: form | {"ea_full": 0.8}, "the two forms differ: ea_full"),
    "fewer tasks": (
        "submission.json",
        lambda form: form["results"]["full"].update(n_tasks=3, execution_accuracy=1, n_correct=3),
        "full has 5 tasks",
    ),
    "a chosen subset": ("submission.json", lambda form: form["results"].pop("full") and None, "outside the results"),
    "a subset of its own": (
        "submission.json",
        lambda form: form["results"].update(mine=form["results"]["hard"]),
        "has no subset mine",
    ),
    "another release": ("manifest.json", lambda made: made["suite"].update(release="v2"), "release v1 here, v2 there"),
    "other questions": ("manifest.json", lambda made: made["suite"].update(digest="0" * 64), "made with another suite"),
    "other golds": ("manifest.json", lambda made: made["suite"].update(gold_digest="0" * 64), "other golds"),
    "a swapped digest": ("manifest.json", lambda made: made["predictions"].update(sha256="0" * 64), "not 000000000000"),
    "chosen attempts": ("manifest.json", lambda made: made["runs"][0].update(only=["x/0/1"]), "chosen attempts"),
    "another agent's run": ("manifest.json", lambda made: made["cell"].update(agent="other"), "not of its agent"),
    "a score that was not reached": (
        "manifest.json",
        lambda made: made["tasks"][2].update(sound=1.0),
        "1 tasks score otherwise",
    ),
    "a rule of its own": (
        "manifest.json",
        lambda made: made["measure"].update(rule="reference"),
        "scored by the reference rule",
    ),
    "a manifest of another kind": ("manifest.json", lambda made: made | {"format": 2}, "format"),
}


NEED_GOLD = ("other golds", "a score that was not reached")


@pytest.mark.parametrize("how", TAMPERED)
def test_a_tampered_submission_is_refused_with_the_reason(how, rewritten, suite, withheld, checked):
    name, change, reason = TAMPERED[how]
    verdict = checked(rewritten(name, change), suite if how in NEED_GOLD else withheld)
    assert verdict.refused
    assert reason in " | ".join(verdict.reasons)


def test_a_changed_prediction_with_a_new_digest_is_found_by_scoring_again(rewritten, archive, suite, checked, tmp_path):
    """Whoever makes the digest right still cannot claim what the predictions do not give."""
    changed = rewritten("predictions.jsonl", lambda lines: first(lines, prediction="41"))
    with zipfile.ZipFile(changed) as opened:
        texts = {name: opened.read(name) for name in opened.namelist()}
    manifest = json.loads(texts["manifest.json"])
    text = texts["predictions.jsonl"]
    manifest["predictions"] = {"sha256": hashlib.sha256(text).hexdigest(), "bytes": len(text)}
    path = tmp_path / "forged.zip"
    with zipfile.ZipFile(path, "w") as new:
        for name, data in (texts | {"manifest.json": json.dumps(manifest).encode()}).items():
            new.writestr(name, data)
    assert not checked(path).refused  # nothing is wrong with it by itself
    verdict = checked(path, suite)
    assert {finding.code for finding in verdict.findings if finding.refused} == {"score"}
    assert "execution accuracy (full) is said to be 0.6, and is 0.4000" in verdict.reasons
    assert verdict.findings[-1].tasks == ("0",)
    assert all("0," not in reason or "said" in reason for reason in verdict.reasons)


def test_changed_files_are_refused(archive, suite, checked, tmp_path):
    with zipfile.ZipFile(archive) as opened:
        texts = {name: opened.read(name) for name in opened.namelist()}
    (name,) = (name for name in texts if name.startswith("files/"))
    other = f"files/{hashlib.sha256(b'more').hexdigest()}"
    for members, reason in (
        (texts | {name: b"k,v\n"}, "not what their SHA-256 says"),
        ({each: text for each, text in texts.items() if each != name}, "did not come with them"),
        (texts | {other: b"more"}, "that no prediction names"),
    ):
        with zipfile.ZipFile(tmp_path / "files.zip", "w") as new:
            for each, text in members.items():
                new.writestr(each, text)
        assert reason in " | ".join(checked(tmp_path / "files.zip", suite).reasons)


def test_a_submission_for_another_release_is_refused_without_scoring(archive, checked, tmp_path):
    verdict = checked(archive, build(tmp_path / "later", release="v1.0.1"))
    assert any("release v1.0.1 here, v1 there" in reason for reason in verdict.reasons)
    assert verdict.results == {}


@pytest.fixture
def withheld(suite, tmp_path):
    """The suite as those have it who do not know the golds."""
    folder = tmp_path / "withheld"
    shown = Suite.write(folder, suite.info, suite.tasks.values(), suite.labels.values())
    assert shown.digest == suite.digest
    return shown


def test_without_gold_the_results_are_open_and_the_leaderboard_fills_them_in(withheld, run, suite, checked, tmp_path):
    package = make(withheld, [run])
    assert {result.execution_accuracy for result in package.detailed.results.values()} == {None}
    write(package, tmp_path / "open.zip")
    verdict = checked(tmp_path / "open.zip", suite)
    assert verdict.findings == ()
    assert verdict.results["full"].n_correct == 3
    assert checked(tmp_path / "open.zip", withheld).findings == ()


def test_the_commands_make_check_and_say_why(run, suite, tmp_path, rewritten):
    out = tmp_path / "made.zip"
    done = CliRunner().invoke(app, ["submission", "make", str(run.path), "--out", str(out), "--method", "Mine"])
    assert done.exit_code == 0, done.output
    fine = CliRunner().invoke(app, ["submission", "check", str(out), "--suite", str(suite.folder), "--json"])
    assert fine.exit_code == 0
    assert json.loads(fine.stdout)["rescored"]["full"]["n_correct"] == 3
    bad = rewritten("predictions.jsonl", lambda lines: lines[1:])
    refused = CliRunner().invoke(app, ["submission", "check", str(bad), "--suite", str(suite.folder)])
    assert refused.exit_code == 1
    assert "1 tasks have no prediction: 0" in refused.stdout
    nothing = CliRunner().invoke(app, ["submission", "check", str(tmp_path / "none.zip")])
    assert nothing.exception.exit_code == 2
