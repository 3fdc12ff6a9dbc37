"""Results scored again and made again: what is the same, and what is said to differ."""

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.publishing.submission.conftest import ANSWERS, build
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.live.reproducing import Again, rerun
from benchwright.publishing.submission import make, write
from benchwright.publishing.submission.records import TaskLine
from benchwright.publishing.submission.reproducing import (
    Setup,
    compare_lines,
    of_manifest,
    package_at,
    rescored_package,
    settings,
    versions_now,
)
from benchwright.publishing.submission.strict_json import Share
from benchwright.suite import Suite


def asked(*arguments, code=0):
    done = CliRunner().invoke(app, ["reproduce", *map(str, arguments), "--json"])
    assert done.exit_code == code, done.output + repr(done.exception)
    return json.loads(done.stdout)


def refused(*arguments):
    done = CliRunner().invoke(app, ["reproduce", *map(str, arguments)])
    assert done.exception.exit_code == 2
    return str(done.exception)


def test_a_submission_scored_again_is_the_same(archive, suite):
    found = asked(archive, "--suite", suite.folder)
    assert (found["mode"], found["differs"], found["settings"], found["tasks"]) == ("rescore", False, [], [])
    assert (found["then"], found["now"]) == (0.6, 0.6)
    assert found["same"] == 5 * 2 + 4 + 4  # sound, reference, numeric of answers, and four discoveries


def test_a_run_scored_again_is_the_same_and_nothing_of_it_is_written(run):
    before = {path: path.stat().st_mtime_ns for path in run.path.rglob("*")}
    assert not asked(run.path)["differs"]
    assert {path: path.stat().st_mtime_ns for path in run.path.rglob("*")} == before


@pytest.fixture
def regolded(suite, tmp_path):
    """The same questions with another gold for task 3."""
    folder = tmp_path / "regolded"
    shutil.copytree(suite.folder, folder)
    golds = [gold.model_copy(update={"answer": "42"}) if gold.task_id == "3" else gold for gold in suite.golds.values()]
    return Suite.write(folder, suite.info, suite.tasks.values(), suite.labels.values(), golds)


def test_another_gold_is_said_with_every_verdict_that_it_changes(archive, run, regolded):
    for what in (archive, run.path):
        found = asked(what, "--suite", regolded.folder, code=1)
        assert [item["name"] for item in found["settings"]] == ["gold_digest"]
        assert {(item["task"], item["verdict"], item["then"], item["now"]) for item in found["tasks"]} == {
            ("3", name, 0.0, 1.0) for name in ("reference", "numeric", "sound")
        }
        assert (found["then"], found["now"]) == (0.6, 0.8)


def test_other_versions_prompts_and_data_are_said(package, suite, tmp_path):
    manifest = package.manifest
    spec = manifest.runs[0]
    old = spec.model_copy(
        update={
            "versions": {**spec.versions, "inspect_ai": "0.1", "no_such_program": "9"},
            "prompts": {**spec.prompts, "react": "0" * 64, "gone": "1" * 64},
        }
    )
    then = package.__class__(
        package.detailed,
        package.protocol,
        manifest.model_copy(update={"runs": (old,)}),
        package.predictions,
        package.files,
    )
    later = build(tmp_path / "later", release="v2")
    found = rescored_package(then, later, spec.prompts)
    told = {(item.kind, item.name): (item.then, item.now) for item in found.settings}
    assert told["suite", "release"] == ("v1", "v2")
    assert ("suite", "digest") in told
    assert told["version", "inspect_ai"] == ("0.1", versions_now({"inspect_ai": ""})["inspect_ai"])
    assert ("version", "no_such_program") not in told  # nobody knows which one is here
    assert told["prompt", "gone"][1] == ""
    assert told["prompt", "react"][0] == "0" * 12
    assert not found.tasks  # the golds are the same


def test_what_a_manifest_describes_is_made_again(archive, suite, package, tmp_path):
    """A scripted model answers the same; the manifest alone is enough."""
    (tmp_path / "manifest.json").write_text(json.dumps(package.manifest.to_json()))
    arguments = (tmp_path / "manifest.json", "--suite", suite.folder)
    assert "--rerun makes the attempts again" in refused(*arguments)
    found = asked(*arguments, "--rerun", "--out", tmp_path / "again")
    assert (found["mode"], found["differs"], found["p"]) == ("rerun", False, 1.0)
    assert found["same"] == 18
    again = asked(archive, "--suite", suite.folder, "--rerun", "--out", tmp_path / "again")  # resumes: all is done
    assert (again["same_answers"], again["answers"]) == (5, 5)


def test_a_stranger_s_manifest_neither_runs_code_nor_sends_keys_without_a_word(package, suite, tmp_path):
    spec = package.manifest.runs[0]
    cell = spec.cells[0].model_copy(update={"agent": f"{tmp_path}/evil.py@agent"})
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    own = spec.model_copy(update={"cells": (cell,)})
    manifest = package.manifest.model_copy(update={"runs": (own,), "cell": cell})
    with pytest.raises(InputError, match="its code would run here"):
        rerun(manifest, suite, Again(tmp_path / "out"))
    assert not (tmp_path / "ran").exists()
    sent = spec.model_copy(update={"model_args": {"base_url": "http://127.0.0.1:1/v1"}})
    for told in ({}, {"base_url": "http://127.0.0.1:2/v1"}):
        with pytest.raises(InputError, match="may send keys to an address"):
            rerun(package.manifest.model_copy(update={"runs": (sent,)}), suite, Again(tmp_path / "out", given=told))
    assert not (tmp_path / "out").exists()


def test_another_suite_a_claim_and_options_out_of_place_are_one_message(archive, package, tmp_path):
    other = build(tmp_path / "other", answers=(*ANSWERS, "1"))
    assert "other questions or data" in refused(archive, "--rerun", "--suite", other.folder)
    claim = tmp_path / "claim.zip"
    write(package.__class__(package.detailed, package.protocol), claim)
    assert "cannot be made again" in refused(claim)
    assert "belong to --rerun" in refused(archive, "--out", tmp_path / "x")
    with pytest.raises(InputError, match="not a valid Manifest"), package_at(_written(tmp_path, "{}")):
        pass


def _written(folder, text):
    (folder / "manifest.json").write_text(text)
    return folder / "manifest.json"


def test_open_results_cannot_be_compared_and_withheld_gold_is_said(run, suite, package, tmp_path):
    folder = tmp_path / "withheld"
    withheld = Suite.write(folder, suite.info, suite.tasks.values(), suite.labels.values())
    with pytest.raises(InputError, match="tells no scores by task"):
        rescored_package(make(withheld, [run]), suite, {})
    with pytest.raises(InputError, match="holds no gold"):
        rescored_package(package, withheld, {})


shares = st.none() | st.sampled_from([0.0, 0.5, 1.0]).map(Share)
line = st.builds(
    TaskLine, id=st.sampled_from("abcdef"), reference=shares, numeric=shares, sound=shares, discovery=shares
)
results = st.lists(line, unique_by=lambda each: each.id, max_size=6)


@given(results, results)
def test_a_result_is_the_same_as_itself_and_every_difference_is_told_from_both_sides(one, two):
    assert not compare_lines("rescore", one, one, "sound", ()).differs
    there, back = compare_lines("rerun", one, two, "sound", ()), compare_lines("rerun", two, one, "sound", ())
    assert {(item.task, item.verdict, item.then, item.now) for item in there.tasks} == {
        (item.task, item.verdict, item.now, item.then) for item in back.tasks
    }
    assert set(there.left_out) == {each.id for each in one} - {each.id for each in two}


def test_a_manifest_s_setup_does_not_differ_from_itself(package):
    then = Setup.of(package.manifest)
    assert settings(then, then) == ()
    assert of_manifest(package.manifest).predictions == ()
