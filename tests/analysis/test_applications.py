"""A model scores how each skill was applied; its scores fit the attempt's, and stand in for the estimate."""

import asyncio
import json
import re

import pytest

from benchwright.analysis import skills
from benchwright.analysis.applications import APPLICATIONS, score_applications
from benchwright.chat.asking import Ledger
from benchwright.chat.scripted import ScriptedChat, ScriptedReply, register
from benchwright.gold import Gold
from benchwright.labels import Labels
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task
from benchwright.trajectory import Answered

NAMES = ("Join", "Mean", "Plot")
CATEGORIES = {"Join": "Data Manipulation", "Mean": "Data Analysis", "Plot": "Data Visualization"}
TASKS = ("a", "b", "c", "d")


@pytest.fixture
def suite(tmp_path):
    return Suite.write(
        tmp_path / "suite",
        SuiteInfo(name="applied"),
        [Task(id=name, question="How many?") for name in TASKS],
        [Labels(task_id=name, domain="shop", skills=NAMES, extra={"skill_categories": CATEGORIES}) for name in TASKS],
        [Gold(task_id=name, answer="SECRETGOLD") for name in TASKS],
    )


@pytest.fixture
def run(suite, tmp_path):
    cells = tuple(Cell(agent="a", model=model, suite_digest=suite.digest) for model in ("m", "n"))
    spec = RunSpec(suite="applied", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=cells)
    folder = RunFolder.create(tmp_path / "run", spec)
    for cell in cells:
        for name in TASKS:
            answer = "SECRETGOLD" if name == "a" or cell.model == "n" else "9"
            folder.record(Attempt(cell=cell.id, task_id=name, uuid=name, ending=Answered(), answer=answer))
    keep_scores(score_run(suite, folder), folder)
    return folder


def scoring(**scores):
    def script(messages):
        told = messages[1].text
        token = re.findall(r'"case": "([0-9a-f]{12})"', told)[-1]
        right = "attempt's score is 1.000" in told
        given = dict.fromkeys(NAMES, 1.0) if right else scores
        said = {"case": token, "skills": [{"skill": name, "score": value} for name, value in given.items()]}
        return ScriptedReply(text=json.dumps(said))

    return script


def ask(suite, run, script, tmp_path):
    with Ledger.open(tmp_path / "ledger.sqlite") as ledger:
        return asyncio.run(score_applications(suite, run, "sound", ScriptedChat(script), ledger))


FITTING = scoring(Join=0.5, Mean=0.0, Plot=0.0)


def test_scores_of_a_model_take_the_place_of_the_estimate(suite, run, tmp_path, asked, monkeypatch):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    before = json.loads(asked("analyse", run.path, "--json"))["skills"]
    assert before["scores"]["a m"]["Join"] == {"mean": 0.25, "n": 4}
    register("applied", FITTING)
    found = json.loads(asked("analyse", run.path, "--skills-model", "scripted/applied", "--json"))["skills"]
    assert found["estimated"] == "each application was scored by a model"
    assert found["scores"]["a m"] == {
        "Join": {"mean": 0.625, "n": 4},
        "Mean": {"mean": 0.25, "n": 4},
        "Plot": {"mean": 0.25, "n": 4},
    }
    assert found["profile"]["a m"]["Data Manipulation"] == {"mean": 0.625, "skills": 1}
    assert found["category_shares"] == {"shop": dict.fromkeys(CATEGORIES.values(), pytest.approx(1 / 3))}
    assert found["concordance"] == {"all": 1.0, "agents": {"a": 1.0}}
    assert next(iter(found["challenging"]["shop"])) == "Mean"


@pytest.mark.parametrize(
    "script",
    [
        scoring(Join=1.0, Mean=1.0, Plot=1.0),
        scoring(Join=0.0, Mean=0.0),
        scoring(Join=0.0, Mean=0.0, Plot=0.0, Fly=0.0),
        scoring(Join=2.0, Mean=0.0, Plot=0.0),
    ],
)
def test_scores_that_do_not_fit_the_attempts_or_the_list_are_not_taken(suite, run, tmp_path, script):
    assert ask(suite, run, script, tmp_path) == (8, 3)


def test_what_is_kept_holds_numbers_and_holds_for_the_same_attempt_only(suite, run, tmp_path):
    ask(suite, run, FITTING, tmp_path)
    assert "SECRETGOLD" not in (run.path / "analysis" / "skills.jsonl").read_text()
    run.record(Attempt(cell=run.spec.cells[0].id, task_id="b", uuid="new", ending=Answered(), answer="9"))
    found = APPLICATIONS.read(run, "sound", run.attempts())
    assert len(found) == 7


def test_a_profile_is_the_mean_of_the_categorys_skills():
    scores = {
        name: skills.SkillScore(mean, 5) for name, mean in (("Join", 0.2), ("Mean", 0.4), ("Sum", 0.8), ("X", 1.0))
    }
    assert skills.profile(scores, {"Join": "M", "Mean": "A", "Sum": "A"}) == {
        "A": skills.SkillScore(pytest.approx(0.6), 2),
        "M": skills.SkillScore(0.2, 1),
    }


def test_rankings_agree_as_far_as_their_pairs_do():
    assert skills.concordance([(0.1, 0.2), (0.3, 0.4), (0.5, 0.6)]) == 1.0
    assert skills.concordance([(0.1, 0.6), (0.3, 0.4)]) == -1.0
    assert skills.concordance([(0.1, 0.6)]) is None
    assert skills.concordance([(0.1, 0.6), (0.1, 0.7)]) is None


def test_published_shares_of_categories_follow_from_the_published_labels(shared):
    """Over all tasks that are here: annotations by type, as the reference counts them (207 tasks)."""
    from benchwright.suites.agentic_data_bench.skills import read_categories, read_types

    folder = shared / "data" / "agenticdatabench"
    found = read_categories(read_types(folder / "step-clusters.jsonl"))
    tasks = [json.loads(line) for line in (folder / "tasks.jsonl").read_text().splitlines()]
    counted = {
        task["id"]: [(f"{task['id']}/{name}", found.by_skill[name]) for name in task["skills"]] for task in tasks
    }
    every = {name: category for pairs in counted.values() for name, category in pairs}
    names = {task: [name for name, _ in pairs] for task, pairs in counted.items()}
    (shares,) = skills.category_shares(dict.fromkeys(counted, "all"), names, every).values()
    assert len(every) == 4790
    assert shares["Data Visualization"] * 4790 == pytest.approx(181)
    assert shares["Data Modeling"] * 4790 == pytest.approx(308)
    assert shares["Data Format Handling"] * 4790 == pytest.approx(851 + 71)
