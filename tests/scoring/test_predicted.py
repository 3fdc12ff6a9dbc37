import json
import re

import pytest

from benchwright.errors import InputError
from benchwright.gold import Gold
from benchwright.scoring import score_predictions
from benchwright.suite import Selection, Suite, SuiteInfo
from benchwright.task import Task


def by_id(document):
    return {task["id"]: task for task in document["tasks"]}


def test_the_document_has_every_key_of_the_contract_and_is_strict_json(suite, predictions):
    document = score_predictions(suite, predictions((1, "38 %"), (2, "Germany; 12.5"), (9, "x"), (1, "38%"))).document()
    json.dumps(document, allow_nan=False)
    assert (document["suite"], document["release"], document["n_tasks"]) == ("small", "v9", 4)
    assert (document["n_predictions"], document["n_scored"]) == (4, 2)
    assert (document["missing_ids"], document["extra_ids"], document["duplicate_ids"]) == (["3", "4"], ["9"], ["1"])
    assert document["duplicates"] == "last"
    assert {"mean", "ci95", "exact_accuracy", "numeric_accuracy"} <= document["reference"].keys()
    assert {"mean", "ci95", "scored", "unscored"} <= document["sound"].keys()
    assert list(document["subsets"]) == ["full", "hard"]
    for part in document["subsets"].values():
        assert {"n_tasks", "reference", "sound", "discovery"} <= part.keys()
    for task in document["tasks"]:
        assert {"id", "reference", "sound", "discovery", "checks"} <= task.keys()
        assert {"score", "error", "exact", "numeric"} <= task["reference"].keys()
        assert {"score", "reason"} <= task["sound"].keys()
        for check in task["checks"]:
            assert check.keys() == {"scorer", "output", "reference", "sound"}


def test_the_two_verdicts_differ_where_the_published_rule_is_fooled(suite, predictions):
    tasks = by_id(score_predictions(suite, predictions((2, "Germany; 12.5"), (4, "1234"))).document())
    assert (tasks["2"]["reference"]["exact"], tasks["2"]["reference"]["numeric"]) == (False, True)
    assert tasks["2"]["sound"]["score"] == 0
    assert (tasks["4"]["reference"]["numeric"], tasks["4"]["sound"]["score"]) == (False, 1)


def test_denominators_are_all_tasks_of_the_subset(suite, predictions):
    document = score_predictions(suite, predictions((1, "38%"), (2, "France; 12.5"))).document()
    assert document["reference"]["exact_accuracy"] == 0.5
    assert document["sound"]["mean"] == 0.5
    hard = document["subsets"]["hard"]
    assert (hard["n_tasks"], hard["sound"]["mean"], hard["reference"]["exact_accuracy"]) == (2, 0.5, 0.5)
    assert document["coverage"] == 0.5


def test_a_subset_is_scored_over_its_own_tasks(suite, predictions):
    document = score_predictions(
        suite, predictions((1, "38%"), (2, "France; 12.5")), selection=Selection(subset="hard")
    ).document()
    assert (document["n_tasks"], document["sound"]["mean"], document["missing_ids"]) == (2, 0.5, ["4"])
    assert document["extra_ids"] == []
    assert document["subsets"]["full"]["n_tasks"] == 2
    assert document["subsets"]["full"]["of"] == 4


def test_a_limited_selection_divides_by_what_was_selected(suite, predictions):
    document = score_predictions(suite, predictions((1, "38%"), (2, "x")), selection=Selection(limit=2)).document()
    assert (document["n_tasks"], document["sound"]["mean"]) == (2, 0.5)


def test_one_mode_leaves_the_other_out(suite, predictions):
    path = predictions((1, "38%"))
    assert score_predictions(suite, path, ("sound",)).document()["reference"] is None
    document = score_predictions(suite, path, ("reference",)).document()
    assert document["sound"] is None
    assert document["tasks"][0]["sound"] is None


def test_predictions_are_paired_by_id_and_not_by_place(suite, predictions):
    tasks = by_id(score_predictions(suite, predictions((3, "Paris"), (1, "38%"))).document())
    assert tasks["1"]["sound"]["score"] == tasks["3"]["sound"]["score"] == 1


def test_blank_answers_are_wrong_and_counted_as_unanswered(suite, predictions):
    document = score_predictions(suite, predictions((1, ""), (3, "Paris"), (2, None))).document()
    assert (document["n_scored"], document["n_answered"]) == (3, 1)
    assert document["sound"]["mean"] == 0.25
    assert by_id(document)["1"]["reference"]["score"] == 0


def test_claimed_files_are_shown_apart_and_never_as_measured(suite, predictions):
    path = predictions((1, "38%"), metadata={"files_accessed": ["sandbox/a/x.csv", "a/y.csv"]})
    document = score_predictions(suite, path).document()
    assert document["discovery"]["reference"]["mean"] == 0.0
    assert document["discovery"]["sound"]["mean"] is None
    assert document["discovery"]["claimed"] == {"mean": 0.25, "found": 1, "n": 4, "told": 1}
    task = by_id(document)["1"]
    assert (task["discovery"]["measured"], task["discovery"]["score"]) == (False, None)
    assert task["claimed"]["score"] == 1


def test_predictions_that_hold_nothing_for_the_suite_are_one_error_that_says_what_there_is(suite, tmp_path):
    for name, content, found in (
        ("empty.jsonl", b"", "an empty file"),
        ("blank.jsonl", b"\xef\xbb\xbf\n \n", "byte order mark"),
        ("array.json", b"[]", "JSON array"),
        ("table.csv", b"id,answer\n1,5\n", r"2 lines that hold no prediction \(line 1: not valid JSON"),
        ("other.jsonl", b'{"id": "a[b]\\u001b", "answer": "5"}', r"1 predictions for other ids: a\[b\]\\x1b$"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="holds no prediction for a task") as caught:
            score_predictions(suite, tmp_path / name)
        assert re.search(found, caught.value.found), name
        assert json.dumps({"instance_id": next(iter(suite.tasks)), "prediction": "..."}) in caught.value.expected
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "answer.txt").write_text("5")
    with pytest.raises(InputError, match="holds no prediction for a task") as caught:
        score_predictions(suite, tmp_path / "outputs")
    assert "no sub-folder" in caught.value.found


def test_one_prediction_for_the_suite_is_enough_whatever_else_there_is(suite, tmp_path):
    (tmp_path / "p.jsonl").write_text('{broken\n{"id": "zz", "answer": "5"}\n{"id": 1, "answer": null}\n')
    found = score_predictions(suite, tmp_path / "p.jsonl")
    assert (found.document()["sound"]["mean"], found.flawed) == (0.0, True)


def test_a_folder_of_outputs_is_scored_with_its_answers(suite, tmp_path):
    for name, text in (("1", "\ufeff38%\n"), ("3", "London")):
        (tmp_path / "out" / name).mkdir(parents=True)
        (tmp_path / "out" / name / "answer.txt").write_text(text, encoding="utf-8")
    tasks = by_id(score_predictions(suite, tmp_path / "out").document())
    assert (tasks["1"]["sound"]["score"], tasks["1"]["reference"]["score"]) == (1, 1)
    assert tasks["3"]["sound"]["score"] == 0
    assert tasks["1"]["answered"]


def test_a_suite_whose_golds_are_empty_is_refused_with_the_count(tmp_path, predictions):
    tasks = [Task(id=name, question="?") for name in ("1", "2")]
    golds = [Gold(task_id=name, answer="") for name in ("1", "2")]
    hidden = Suite.write(tmp_path / "hidden", SuiteInfo(name="hidden"), tasks, (), golds)
    with pytest.raises(InputError, match="no gold available for 2/2 tasks") as caught:
        score_predictions(hidden, predictions((1, "x")))
    assert "submission" in caught.value.hint


def test_a_single_task_without_gold_is_unscored_and_the_rest_is_scored(tmp_path, predictions):
    tasks = [Task(id=name, question="?") for name in ("1", "2")]
    part = Suite.write(tmp_path / "part", SuiteInfo(name="part"), tasks, (), [Gold(task_id="1", answer="5")])
    found = score_predictions(part, predictions((1, "5"), (2, "5")))
    assert by_id(found.document())["2"]["sound"] == {"score": None, "reason": "suite: no gold for this task"}
    assert found.document()["sound"]["mean"] == 1.0
    assert found.document()["sound"]["unscorable"] == 1


def test_scoring_twice_gives_the_same_document(suite, predictions):
    path = predictions((1, "38 %"), (2, "Germany; 12.5"), (3, "paris."), (4, "1 234"))
    assert score_predictions(suite, path).document() == score_predictions(suite, path).document()
