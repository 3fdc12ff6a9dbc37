"""Faults of scoring that people reported publicly, each with the behaviour that is right."""

import json

import pytest

from benchwright.errors import InputError
from benchwright.gold import Check, Gold, RequiredFile
from benchwright.score import Scored, Unscored
from benchwright.scoring import Discovery, Job, Judged, TaskScores, score_attempt, score_predictions
from benchwright.scoring.aggregate import sound_accuracy
from benchwright.suite import RoomInfo, Selection, Suite, SuiteInfo
from benchwright.task import DataMount, Task
from benchwright.trajectory import FileAccess, Measured, Submission

UNSEEN = Discovery(known=False, measured=False, score=Unscored(reason="not measured: no tracer ran"))


@pytest.fixture(scope="session")
def case(shared):
    cases = {}
    for line in (shared / "cases" / "fault_cases.jsonl").read_text().splitlines():
        value = json.loads(line)
        cases[value["id"]] = value
    return cases.__getitem__


def small_suite(folder, answers, **info):
    tasks = [Task(id=str(name), question="?") for name in answers]
    golds = [Gold(task_id=str(name), answer=answer) for name, answer in answers.items()]
    return Suite.write(folder, SuiteInfo(name="small", **info), tasks, (), golds)


def handed_in(folder, lines, prefix=b""):
    path = folder / "p.jsonl"
    path.write_bytes(prefix + "".join(json.dumps(line) + "\n" for line in lines).encode())
    return path


def judged(name, value):
    score = Unscored(reason="broke: sandbox") if value is None else Scored(value=value)
    return Judged(
        TaskScores(task_id=str(name), answered=True, sound=score, discovery=UNSEEN),
        broke="" if value is not None else "sandbox",
    )


def test_b022_a_byte_order_mark_does_not_cost_a_line(case, tmp_path):
    given = case("B022")
    path = tmp_path / "p.jsonl"
    path.write_bytes(bytes.fromhex(given["input"]["bytes_hex_prefix"]) + given["input"]["line"].encode())
    document = score_predictions(small_suite(tmp_path / "s", {0: "62%"}), path).document()
    assert document["n_scored"] == given["expected"]["loaded"]
    assert document["sound"]["mean"] == 1


def test_b026_duplicates_are_named_and_the_policy_is_recorded(case, tmp_path):
    found = score_predictions(
        small_suite(tmp_path / "s", {7: "b"}), handed_in(tmp_path, case("B026")["input"]["lines"])
    )
    document = found.document()
    assert (document["duplicate_ids"], document["duplicates"], document["n_predictions"]) == (["7"], "last", 2)
    assert found.flawed


def test_b037_a_blank_answer_is_unanswered_and_everything_is_computed(case, tmp_path):
    given = case("B037")
    document = score_predictions(
        small_suite(tmp_path / "s", {1: "A", 2: "A"}), handed_in(tmp_path, given["input"]["predictions"])
    ).document()
    assert document["n_tasks"] - document["n_answered"] == given["expected"]["unanswered"]
    assert document["sound"]["mean"] == 0.5


def test_b038_hidden_golds_are_refused_with_a_way_out(case, tmp_path):
    given = case("B038")
    hidden = small_suite(tmp_path / "s", {task["id"]: task["answer"] for task in given["input"]["tasks"]})
    with pytest.raises(InputError) as caught:
        score_predictions(hidden, handed_in(tmp_path, [{"id": 1, "answer": "x"}]))
    assert "no gold available for 2/2 tasks" in str(caught.value)
    assert "submission" in str(caught.value)


def test_b041_an_errored_sample_stays_in_the_denominator(case):
    given = case("B041")
    summary = sound_accuracy([judged(item["id"], item.get("score")) for item in given["input"]["results"]])
    assert summary["mean"] == given["expected"]["accuracy"]
    assert summary["broke"] == given["expected"]["errors"]


def test_b049_tasks_without_a_gold_are_told_and_the_mean_stands_over_both_counts(case):
    given, told = case("B049")["input"], case("B049")["expected"]["report"]
    scored = [judged(name, float(name < given["n_correct"])) for name in range(given["n_scorable"])]
    lost = TaskScores(task_id="none", answered=True, sound=Unscored(reason="suite: no gold"), discovery=UNSEEN)
    without = [Judged(lost.model_copy(update={"task_id": f"none {n}"})) for n in range(told["n_unscorable"])]
    summary = sound_accuracy([*scored, *without])
    assert (summary["mean"], summary["mean_all"]) == (told["over_scorable"], told["over_all"])
    assert summary["unscorable"] == told["n_unscorable"]


def test_b115_a_blank_line_is_no_result_and_its_task_is_missing(case, tmp_path):
    given, told = case("B115")["input"], case("B115")["expected"]
    path = tmp_path / "p.jsonl"
    lines = [json.loads(line) if line else None for line in given["lines"]]
    shown = [json.dumps({"id": each["id"], "answer": "5" if each["ok"] else "6"}) if each else "" for each in lines]
    path.write_text("\n".join(shown) + "\n")
    document = score_predictions(
        small_suite(tmp_path / "s", dict.fromkeys(range(1, given["n"] + 1), "5")), path
    ).document()
    assert (document["n_scored"], document["missing_ids"]) == (told["parsed"], [str(name) for name in told["missing"]])
    assert document["sound"]["n"] == told["counted"]


def test_b086_predictions_are_paired_by_id(case, tmp_path):
    given = case("B086")["input"]
    lines = [{"task_id": item["task_id"], "answer": item["a"]} for item in given["responses"]]
    document = score_predictions(
        small_suite(tmp_path / "s", {"t1": "A", "t2": "B"}), handed_in(tmp_path, lines)
    ).document()
    assert document["sound"]["mean"] == 1


def test_b092_every_kind_of_answer_is_part_of_the_total(case):
    given = case("B092")
    summary = sound_accuracy([judged(name, item["value"]) for name, item in enumerate(given["input"]["results"])])
    assert (summary["mean"], summary["n"]) == (given["expected"]["total"], given["expected"]["n"])


def test_b110_coverage_is_shown_and_what_is_missing_is_wrong(case, tmp_path):
    given = case("B110")
    n, answered, correct = (given["input"][key] for key in ("n_tasks", "n_answered", "n_correct"))
    lines = [{"id": name, "answer": "5" if name < correct else "6"} for name in range(answered)]
    suite = small_suite(tmp_path / "s", dict.fromkeys(range(n), "5"))
    document = score_predictions(suite, handed_in(tmp_path, lines)).document()
    assert document["sound"]["mean"] == given["expected"]["accuracy"]
    assert document["coverage"] == given["expected"]["coverage"]


def test_b130_tasks_without_a_result_are_not_left_out(case, tmp_path):
    given = case("B130")
    (tmp_path / "out").mkdir()
    for name in range(given["input"]["with_result"]):
        (tmp_path / "out" / str(name)).mkdir()
        (tmp_path / "out" / str(name) / "answer.txt").write_text("5")
    suite = small_suite(tmp_path / "s", dict.fromkeys(range(given["input"]["tasks"]), "5"))
    document = score_predictions(suite, tmp_path / "out").document()
    assert document["sound"]["mean"] == given["expected"]["average_score"]
    assert document["coverage"] == given["expected"]["finished"]


def test_b155_a_limited_run_divides_by_its_limit(case, tmp_path):
    limit, correct = case("B155")["input"]["limit"], case("B155")["input"]["correct"]
    suite = small_suite(tmp_path / "s", dict.fromkeys(range(2 * limit), "5"))
    lines = [{"id": name, "answer": "5" if name < correct else "6"} for name in range(limit)]
    document = score_predictions(suite, handed_in(tmp_path, lines), selection=Selection(limit=limit)).document()
    assert document["sound"]["mean"] == case("B155")["expected"]["accuracy"]
    assert document["n_tasks"] == limit


def test_b043_an_empty_cell_is_not_a_zero(case, tmp_path):
    given = case("B043")["input"]
    suite = Suite.write(
        tmp_path / "s",
        SuiteInfo(name="small"),
        [Task(id="t", question="?")],
        (),
        [Gold(task_id="t", checks=(Check(scorer="table", output="o.csv", golds=("o.csv",)),), files=("o.csv",))],
    )
    suite.gold_files("t").mkdir(parents=True)
    (suite.gold_files("t") / "o.csv").write_text(given["gold_csv"])
    (tmp_path / "o.csv").write_text(given["pred_csv"])
    verdicts = score_attempt(suite, Job("t", Submission(files={"o.csv": tmp_path / "o.csv"}), modes=("reference",)))
    assert verdicts.reference.value == 0


@pytest.mark.parametrize(("opened", "found"), [("x.csv", True), ("y.csv", False)])
def test_b173_opened_files_are_compared_by_their_path_below_the_room(tmp_path, opened, found):
    gold = Gold(task_id="t", answer="1", required_files=(RequiredFile(path="x.csv"),), required_files_status="declared")
    task = Task(id="t", question="?", data=(DataMount(room="r"),))
    suite = Suite.write(tmp_path / "s", SuiteInfo(name="small", rooms={"r": RoomInfo(files=3)}), [task], (), [gold])
    seen = Measured(tracer="fanotify", files=(FileAccess(path=opened, room="r"),), room_files=3)
    discovery = score_attempt(suite, Job("t", Submission(answer="1", accesses=seen))).discovery
    assert discovery.score.value == float(found)
