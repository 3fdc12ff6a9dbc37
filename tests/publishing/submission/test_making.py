"""Which runs make a submission, and which do not: cells, epochs, shards, what is missing, broken or stale."""

import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.files import sha256
from benchwright.gold import Gold
from benchwright.labels import Labels
from benchwright.publishing.leaderboard.entries import Board
from benchwright.publishing.leaderboard.repository import Leaderboard
from benchwright.publishing.submission import About, check, make, opened, write
from benchwright.publishing.submission.package import handed_in, predictions_text
from benchwright.publishing.submission.records import ANSWER_CHARACTERS
from benchwright.run import Artifact, Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task
from benchwright.trajectory import Answered, Broke, Estimated, FileAccess, GaveUp, LimitHit, Measured

TASKS = ("0", "1", "2", "03", "x.y")


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Five questions, two of them hard, whose answers are their ids; one uses two rooms."""
    rooms = {"one": RoomInfo(files=20), "two": RoomInfo(files=20)}
    tasks = [
        Task(
            id=name,
            question="?",
            data=(DataMount(room="one"), *((DataMount(room="two", target="/two"),) * (name == "2"))),
        )
        for name in TASKS
    ]
    labels = [Labels(task_id=name, subsets=("full", "hard")) for name in TASKS[:2]]
    golds = [
        Gold(
            task_id=name,
            answer=name,
            required_files=({"path": "a.csv", "room": "one"},),
            required_files_status="declared",
        )
        for name in TASKS
    ]
    return Suite.write(
        tmp_path_factory.mktemp("answers") / "suite", SuiteInfo(name="ids", rooms=rooms), tasks, labels, golds
    )


@pytest.fixture
def made(answers, tmp_path):
    """A scored run over chosen tasks; `more` are settings of the run, `change` says what an attempt is like."""

    def run(name, ids=TASKS, cells=("a",), change=lambda cell, task, epoch: {}, scored=True, **more):
        every = tuple(Cell(agent=each, suite_digest=answers.digest) for each in cells)
        spec = RunSpec(
            suite="ids", suite_folder=str(answers.folder), suite_digest=answers.digest, cells=every, ids=ids, **more
        )
        folder = RunFolder.create(tmp_path / name, spec)
        for key in spec.keys(ids):
            given = {"ending": Answered(), "answer": key.task_id} | change(key.cell, key.task_id, key.epoch)
            if given["ending"] is not None:
                folder.record(
                    Attempt(
                        cell=key.cell,
                        task_id=key.task_id,
                        epoch=key.epoch,
                        isolation={"provider": "n", "path": "/tmp/x"},
                        **given,
                    )
                )
        if scored:
            keep_scores(score_run(answers, folder), folder)
        return folder

    return run


def test_shards_of_one_agent_make_one_submission(made, answers):
    package = make(answers, [made("first", TASKS[:2]), made("second", TASKS[2:], seed=7)])
    assert package.detailed.results["full"].n_correct == 5
    assert [each.id for each in package.predictions] == list(TASKS)
    assert [each.instance_id for each in package.predictions] == [0, 1, 2, None, None]  # "03" is not the number 3
    assert [run.ids for run in package.manifest.runs] == [TASKS[:2], TASKS[2:]]
    assert make(answers, [made("hard", TASKS[:2])]).detailed.results.keys() == {"hard"}


def no_attempt(cell, task, epoch):
    return {"ending": None} if task == "1" else {}


def broke(cell, task, epoch):
    return {"ending": Broke(fault="model"), "error": "no such host"} if task == "1" else {}


@pytest.mark.parametrize(
    ("runs", "arguments", "message"),
    [
        ([{"ids": TASKS[:1]}], {}, "hold no whole subset of ids"),
        ([{"change": no_attempt}], {}, "the attempt at 1 is still to be made"),
        ([{"change": broke}], {}, "no such host"),
        ([{}, {"ids": TASKS[:1]}], {}, "more than one run holds task 0"),
        ([{"ids": TASKS[:2]}, {"ids": TASKS[2:], "sandbox": "podman"}], {}, "other settings"),
        ([{"ids": TASKS[:2]}, {"ids": TASKS[2:], "cells": ("b",)}], {}, "the runs have 2 cells"),
        ([{"ids": TASKS[:2]}, {"ids": TASKS[2:], "cells": ("b",)}], {"cell": "a"}, "has no cell a"),
        ([{"cells": ("a", "b")}], {}, "name it with --cell"),
        ([{"cells": ("a", "b")}], {"cell": "c"}, "no single cell 'c'"),
        ([{}], {"epoch": 2}, "no epoch 2"),
    ],
)
def test_runs_that_make_no_submission_are_one_message(made, answers, runs, arguments, message):
    folders = [made(f"run-{place}", scored=False, **each) for place, each in enumerate(runs)]
    with pytest.raises(InputError, match=re.escape(message)):
        make(answers, folders, **arguments)


def test_chosen_attempts_of_another_run_make_no_submission(made, answers):
    whole = made("whole", scored=False)
    only = tuple(str(key) for key in whole.spec.keys(TASKS))
    with pytest.raises(InputError, match="repeats chosen attempts"):
        make(answers, [made("again", scored=False, only=only)])


def test_scores_by_other_golds_are_refused_until_scored_again(made, answers, tmp_path):
    run = made("stale")
    golds = [gold.model_copy(update={"answer": "other"}) for gold in answers.golds.values()]
    changed = Suite.write(tmp_path / "changed", answers.info, answers.tasks.values(), answers.labels.values(), golds)
    with pytest.raises(InputError, match="are of another gold"):
        make(changed, [run])
    keep_scores(score_run(changed, run), run)
    assert make(changed, [run]).detailed.results["full"].n_correct == 0


def test_one_epoch_of_several_is_handed_in_and_that_is_noted(made, answers, tmp_path):
    run = made("twice", epochs=2, change=lambda cell, task, epoch: {"answer": task if epoch == 2 else "no"})
    assert make(answers, [run]).detailed.results["full"].n_correct == 0
    second = make(answers, [run], epoch=2)
    assert second.detailed.results["full"].n_correct == 5
    write(second, tmp_path / "made.zip")
    with opened(tmp_path / "made.zip") as parcel:
        verdict = check(parcel, answers)
    assert [(finding.code, finding.refused) for finding in verdict.findings] == [("epochs", False)]
    assert verdict.findings[0].reason == "epoch 2 of 2 that were made"


ENDINGS = {"0": Answered(), "1": GaveUp(), "2": LimitHit(which="wall"), "03": Broke(fault="agent"), "x.y": Answered()}


def test_endings_and_what_was_read_come_through_and_score_the_same_again(made, answers, tmp_path):
    """Measured in one room, in two, estimated, and not at all; nobody's path of this machine is told."""
    read = {
        "0": Measured(tracer="fanotify", files=(FileAccess(path="a.csv", room="one"),), room_files=20),
        "1": Measured(tracer="strace", files=(FileAccess(path="b.csv", room="one"),), room_files=20),
        "2": Measured(
            tracer="fanotify",
            files=tuple(FileAccess(path="a.csv", room=room) for room in ("one", "two")),
            room_files=40,
        ),
        "03": Estimated(files=(FileAccess(path="a.csv", room="one"),)),
    }

    def change(cell, task, epoch):
        given = {"ending": ENDINGS[task]} | ({} if isinstance(ENDINGS[task], Answered) else {"answer": None})
        return given | ({"accesses": read[task]} if task in read else {})

    package = make(answers, [made("odd", change=change)])
    told = {each.id: each.metadata for each in package.predictions}
    assert [told[name].ending for name in TASKS] == ["answered", "gave_up", "limit:wall", "broke:agent", "answered"]
    assert (told["2"].rooms, told["0"].rooms) == (("one", "two"), ())
    assert (told["03"].estimated, told["x.y"].files_accessed) == (True, None)
    assert package.detailed.results["full"].discovery_accuracy == pytest.approx(2 / 5)
    assert package.predictions[1].prediction == ""
    assert list(package.manifest.isolation) == ['{"provider":"n"}']
    write(package, tmp_path / "made.zip")
    with opened(tmp_path / "made.zip") as parcel:
        verdict = check(parcel, answers)
    assert {finding.code for finding in verdict.findings} == {"broken", "discovery"}
    assert verdict.lines == package.manifest.tasks


def test_what_is_said_of_people_is_left_out_of_an_anonymous_submission(made, answers):
    words = {"organization": "Us", "contact": "us@example.org", "paper": "p", "code": "c", "notes": "n"}
    run = made("people")
    named, hidden = (make(answers, [run], about=About(**words, anonymous=flag)) for flag in (False, True))
    assert named.detailed.organization == "Us"
    assert {hidden.detailed.organization, *hidden.detailed.metadata.model_dump().values()} == {
        "",
        hidden.detailed.metadata.date,
    }
    assert named.id.startswith("a-2")


def test_each_cell_of_a_run_makes_a_file_of_its_own(made, tmp_path):
    run = made("grid", cells=("a", "b"), change=lambda cell, task, epoch: {"answer": f"{cell} {task}"})
    done = CliRunner().invoke(app, ["submission", "make", str(run.path), "--each", "--out", str(tmp_path / "all")])
    assert done.exit_code == 0, done.output
    names = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert [name[:2] for name in names] == ["a-", "b-"]


def test_reads_that_were_swapped_between_tasks_are_found_by_scoring_again(made, answers, tmp_path):
    """Whoever seals the swapped lines anew still cannot claim the discovery of the others."""
    right, wrong = ((FileAccess(path=name, room="one"),) for name in ("a.csv", "b.csv"))

    def change(cell, task, epoch):
        return {"accesses": Measured(tracer="fanotify", files=wrong if task == "1" else right, room_files=20)}

    package = make(answers, [made("swapped", change=change)])
    first, second, *rest = package.predictions
    lines = (
        first.model_copy(update={"metadata": second.metadata}),
        second.model_copy(update={"metadata": first.metadata}),
        *rest,
    )
    manifest = package.manifest.model_copy(update={"predictions": handed_in(predictions_text(lines))})
    write(replace(package, predictions=lines, manifest=manifest), tmp_path / "swapped.zip")
    with opened(tmp_path / "swapped.zip") as parcel:
        verdict = check(parcel, answers)
    assert [finding.tasks for finding in verdict.findings if finding.refused] == [("0", "1")]


def test_a_manifest_holds_no_budget(made, answers):
    package = make(answers, [made("dear", budget_usd=12.5, budget_minutes=30)])
    assert {(run.budget_usd, run.budget_minutes) for run in package.manifest.runs} == {(None, None)}


ODD = ["a.csv", "A.csv", "sub/b.csv", "line\nbreak.csv", "\u202egpj.csv", "ä" * 130, "sub/../c"]


def test_whatever_an_agent_left_in_its_workspace_a_submission_is_made_and_taken(made, answers, tmp_path):
    """Folders are kept; names that no submission takes, twins and answers of megabytes are left out, and that is told."""
    place = tmp_path / "left"
    place.write_text("x")

    def change(cell, task, epoch):
        given = {name: Artifact(sha256=sha256(b"x"), bytes=1) for name in ODD} if task == "0" else {}
        return {"files": given, "answer": "0" * (ANSWER_CHARACTERS + 1) if task == "0" else task}

    run = made("odd-names", change=change, scored=False)
    run.artifacts.keep(place)
    keep_scores(score_run(answers, run), run)
    package = make(answers, [run])
    assert set(package.predictions[0].files) == {"A.csv", "sub/b.csv"}
    assert package.predictions[0].metadata.left_out == 6
    assert len(package.predictions[0].prediction) == ANSWER_CHARACTERS
    for name in ("odd.zip", "again.zip", "odd"):
        write(package, tmp_path / name)
        with opened(tmp_path / name) as parcel:
            verdict = check(parcel, answers)
        assert [(finding.code, finding.refused) for finding in verdict.findings] == [("left out", False)]
    assert (tmp_path / "odd.zip").read_bytes() == (tmp_path / "again.zip").read_bytes()


def test_who_opened_everything_is_told_by_the_suite_s_rooms_where_the_submission_does_not_say(made, answers, tmp_path):
    def change(cell, task, epoch):
        names = (f"{n}.csv" for n in range(19 if task == "0" else 2))
        files = tuple(FileAccess(path=name, room="one") for name in names)
        return {"accesses": Measured(tracer="fanotify", files=files, room_files=None if task == "0" else 1_000)}

    write(make(answers, [made("swept", change=change)]), tmp_path / "swept.zip")
    boards = {}
    for name, more in (("stated", None), ("verified", answers)):
        boards[name] = Leaderboard.create(tmp_path / name, Board(then=(), sizes={"full": 5, "hard": 2}))
        assert not boards[name].add(tmp_path / "swept.zip", more).refused
    told = {name: (entry.swept, entry.measured) for name, board in boards.items() for entry in board.entries()}
    assert told == {"stated": (0, 4), "verified": (1, 5)}
