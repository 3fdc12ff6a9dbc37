import re

import pytest

from benchwright.baselines import Constant, KnowNothing, Random
from benchwright.task import Task

TASK = Task(
    id="t",
    question="Was the price higher in London or Paris, and what was its share in 1999?",
    guidelines="Answer as: city; share. The share is a percentage with 1 decimal and a percent sign. Example: Rome; 1.0%",
)


@pytest.mark.parametrize("baseline", [Random(), Constant(), KnowNothing()])
def test_guesses_are_pure_and_measure_nothing(baseline):
    one, two = baseline.attempt(TASK, None, 7), baseline.attempt(TASK, None, 7)
    assert one == two
    assert one.accesses.kind == "not_measured"
    assert not baseline.needs_sandbox


def test_random_depends_on_the_seed_and_on_the_task():
    answers = {
        Random().attempt(TASK.model_copy(update={"id": name}), None, seed).answer for name in "abc" for seed in range(5)
    }
    assert len(answers) > 10


def test_a_guess_has_the_shape_that_the_guideline_asks_for():
    for baseline in (Random(), KnowNothing()):
        assert re.fullmatch(r"\w+; \d+\.\d%", baseline.attempt(TASK, None, 0).answer)


def test_know_nothing_takes_what_the_question_offers():
    assert KnowNothing().attempt(TASK, None, 0).answer == "London; 50.0%"
    asked = Task(id="y", question="Is it so?", guidelines="Answer yes or no.")
    assert KnowNothing().attempt(asked, None, 0).answer == "Yes"


def test_a_program_that_reads_no_data_gets_next_to_nothing_on_the_official_tasks(shared):
    import json

    from benchwright.gold import Check, Gold
    from benchwright.scorers.answer import AnswerScorer
    from benchwright.scorers.base import Expected
    from benchwright.trajectory import Submission

    rows = json.loads((shared / "data" / "coda_bench" / "coda_bench.json").read_text())[::5]
    right = dict.fromkeys(("random", "constant", "know_nothing"), 0)
    for row in rows:
        task = Task(id=str(row["instance_id"]), question=row["question"], guidelines=row["answer_guidelines"])
        gold = Gold(task_id=task.id, answer=row["answer"])
        expected = Expected(task=task, gold=gold, check=Check(scorer="answer"), files=shared)
        for baseline in (Random(), Constant(), KnowNothing()):
            answer = baseline.attempt(task, None, 0).answer
            score = AnswerScorer().score(Submission(answer=answer), expected)
            right[baseline.name] += score.kind == "scored" and score.value == 1
    assert all(count <= 0.03 * len(rows) for count in right.values()), right
