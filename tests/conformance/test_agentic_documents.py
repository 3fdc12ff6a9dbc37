"""The documents and predictions of the 207 published tasks that are here, under the sound scorers."""

import json

import numpy as np
import pytest

from benchwright.score import Unscored
from benchwright.scoring.attempt import Evaluation
from benchwright.scoring.jobs import Job
from benchwright.trajectory import Submission


@pytest.fixture(scope="module")
def cases(suite):
    """Task, number and gold file of every check of a kind whose gold is here."""

    def of(kind):
        for task_id, gold in suite.golds.items():
            for number, check in enumerate(gold.checks):
                if check.scorer == kind and not check.options.get("self_reported"):
                    yield task_id, number, suite.gold_files(task_id) / check.golds[0]

    return of


@pytest.fixture
def verdict(suite, tmp_path):
    """The sound verdict on some bytes as the output of one check."""

    def run(task_id, number, content):
        check = suite.golds[task_id].checks[number]
        path = tmp_path / "output"
        path.write_bytes(content)
        return Evaluation(suite, Job(task_id, Submission(files={check.output: path}))).verdict((number, "sound"))

    return run


def rewritten(value):
    """Another way to write the same: keys the other way round and in capitals, numbers with noise."""
    if isinstance(value, dict):
        return {f" {key.upper()}_": rewritten(item) for key, item in reversed(value.items())}
    if isinstance(value, list):
        return [rewritten(item) for item in value]
    return value * (1 + 1e-9) if isinstance(value, float) else value


def test_every_gold_document_is_right_for_itself(cases, verdict):
    scores = [verdict(task_id, number, path.read_bytes()).value for task_id, number, path in cases("document")]
    assert scores == [1.0] * 30


def test_documents_may_be_written_in_another_way(cases, verdict):
    for task_id, number, path in cases("document"):
        text = json.dumps(rewritten(json.loads(path.read_text())))
        assert verdict(task_id, number, text.encode("utf-8-sig")).value == 1, task_id
        assert verdict(task_id, number, text.encode("utf-16")).value == 1, task_id


def test_items_of_gold_lists_may_come_in_another_order(cases, verdict):
    golds = {(task_id, number): json.loads(path.read_text()) for task_id, number, path in cases("document")}
    lists = {place: gold for place, gold in golds.items() if isinstance(gold, list)}
    assert lists
    for (task_id, number), gold in lists.items():
        assert verdict(task_id, number, json.dumps(gold[::-1]).encode()).value == 1, task_id


@pytest.mark.parametrize("fixed", ["{}", "[]", "null", '{"a": 7}', "[{}]", '{"": 0}', "1", '"x"', '{"a": [0.5, 1]}'])
def test_a_fixed_document_is_worth_nothing(cases, verdict, fixed):
    assert [verdict(task_id, number, fixed.encode()).value for task_id, number, _ in cases("document")] == [0.0] * 30


def test_gold_documents_with_every_value_changed_are_worth_little(cases, verdict):
    def changed(value):
        if isinstance(value, dict):
            return {key: changed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, bool):
            return not value
        return f"{value}x" if isinstance(value, str) else "none" if value is None else value * 3 + 1

    scores = [
        verdict(task_id, number, json.dumps(changed(json.loads(path.read_text()))).encode()).value
        for task_id, number, path in cases("document")
    ]
    assert np.mean(scores) < 0.02


def test_what_an_agent_says_of_itself_is_worth_nothing(suite, verdict):
    checks = [
        (task_id, number)
        for task_id, gold in suite.golds.items()
        for number, check in enumerate(gold.checks)
        if check.options.get("self_reported")
    ]
    assert len(checks) == 15
    for task_id, number in checks:
        found = verdict(task_id, number, b'{"train_auc": 1, "test_auc": 1e9}')
        assert isinstance(found, Unscored)
        assert found.reason.startswith("self-reported")


def test_gold_predictions_are_right_for_themselves_in_any_order(suite, cases, verdict):
    seen = 0
    for task_id, number, path in cases("model_metric"):
        if not path.is_file():
            assert verdict(task_id, number, b"a\n1\n").reason.startswith("suite: "), task_id
            continue
        seen += 1
        assert verdict(task_id, number, path.read_bytes()).value == 1, task_id
        header, *rows = path.read_text().splitlines()
        if "id_columns" in suite.golds[task_id].checks[number].options:
            assert verdict(task_id, number, "\n".join([header, *rows[::-1]]).encode()).value == 1, task_id
    assert seen == 11


def test_text_for_predictions_is_worth_nothing(cases, verdict):
    for task_id, number, path in cases("model_metric"):
        if path.is_file():
            header, *rows = path.read_text().splitlines()
            width = header.count(",")
            junk = "\n".join([header, *(",".join(["junk"] * (width + 1)) for _ in rows)])
            assert verdict(task_id, number, junk.encode()).value == 0, task_id
