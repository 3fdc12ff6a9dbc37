"""Spellings of right answers, and answers that only look right, judged as a careful reader would judge them."""

import tomllib
from pathlib import Path

import pytest

from benchwright.scorers.answer import judge
from benchwright.scorers.answer.guideline import read_guideline

TASKS = tomllib.loads((Path(__file__).parent / "answers.toml").read_text("utf-8"))["task"]


@pytest.mark.parametrize("task", TASKS, ids=[task["gold"] for task in TASKS])
def test_every_spelling_of_the_answer_is_accepted_and_every_fooler_refused(task):
    guideline = read_guideline(task["guidelines"], task["question"], {})
    accepted = {text for text in task["accepted"] + task["refused"] if judge(text, task["gold"], guideline).right}
    assert accepted == set(task["accepted"])


def test_the_table_is_large():
    assert sum(len(task["accepted"]) for task in TASKS) >= 600
    assert sum(len(task["refused"]) for task in TASKS) >= 500
