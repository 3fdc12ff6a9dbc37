"""What a report says of runs in which little is as one hopes, and that its numbers are the tables' there, too."""

import pytest
from tests.publishing.conftest import HOSTILE, TASKS, attempt
from tests.publishing.recomputing import numbers_elsewhere, recomputed_differently

from benchwright.publishing.report.contents import plain
from benchwright.publishing.report.gather import gather, source
from benchwright.publishing.report.writing import write
from benchwright.run import Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.trajectory import Broke

EVERY = len(TASKS)
BROKE = {"ending": Broke(fault="model"), "answer": None}
SETTINGS = {"model": f"maker/{HOSTILE}", "generation": {"seed": 1}}
RUNS = {
    # agents with how many tasks they get right, how many they were asked, and what else their attempts have
    "none": {"a": (0, 0, {}), "b": (0, 0, {})},
    "one": {"a": (1, 1, {})},
    "zero": {"a": (0, EVERY, {}), "b": (0, EVERY, {})},
    "equal": {"a": (6, EVERY, {}), "b": (6, EVERY, {}), "c": (3, EVERY, {})},
    "part": {"a": (EVERY, EVERY, {}), "b": (2, 2, {})},
    "broke": {"a": (0, EVERY, BROKE), "b": (0, 3, BROKE)},
    "reference": {"oracle": (EVERY, EVERY, {}), "b": (EVERY, EVERY, {})},
}


@pytest.fixture(scope="module", params=RUNS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def made(name, suite, tmp_path_factory):
    cells = tuple(Cell(agent=agent, suite_digest=suite.digest, **SETTINGS) for agent in RUNS[name])
    spec = RunSpec(suite="small", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=cells)
    run = RunFolder.create(tmp_path_factory.mktemp("runs") / name, spec)
    for cell, (right, asked, more) in zip(cells, RUNS[name].values(), strict=True):
        for place, task in enumerate(TASKS[:asked]):
            run.record(attempt(cell, task, place, right, 1).model_copy(update=more))
    keep_scores(score_run(suite, run), run)
    return source(suite, [run], "sound", None, ["first"])


@pytest.fixture(scope="module")
def report(made):
    return gather(made)


SAID = {
    "none": ["None of 24 planned attempts was made"],
    "one": [
        "a maker",
        "reaches the highest sound mean, 0.083",
        "11 of 12 planned attempts were not made; they count 0.",
    ],
    "zero": ["No agent gets anything right: the highest sound mean is 0.000"],
    "equal": [
        "a and b share the highest",
        "not more than noise: on these tasks a cannot be told apart from b",
        "0.500",
    ],
    "part": ["a reaches the highest sound mean, 1.000", "10 of 24 planned attempts were not made"],
    "broke": ["No agent gets anything right", "9 of 24 planned attempts were not made", "Every attempt broke"],
    "reference": ["b reaches the highest sound mean, 1.000", "oracle, which runs the reference solutions"],
}
NEVER = {
    "none": ["highest", "fails most"],
    "zero": ["noise", "lowest domain"],
    "one": ["Not run yet", "noise"],
    "part": ["Not run yet", "Every attempt broke"],
    "broke": ["noise"],
    "reference": ["share the highest"],
}


def test_the_verdict_says_what_there_is_to_say_and_no_more(name, report):
    said = " ".join(map(plain, report.verdict))
    assert [words for words in SAID[name] if words not in said] == [], said
    assert [words for words in NEVER.get(name, ()) if words in said] == [], said


def test_its_numbers_are_those_of_the_tables(made, report, tmp_path):
    write(made, report, tmp_path / "tables", "parquet")
    write(made, report, tmp_path / "report.html", "html")
    found, wrong = numbers_elsewhere((tmp_path / "report.html").read_text(), tmp_path / "tables")
    assert found
    assert wrong == []
    assert recomputed_differently(report, tmp_path / "tables", "sound") == ([], [])


def test_agents_are_called_by_what_tells_them_apart_and_the_rest_is_said_once(name, made, report):
    if len(RUNS[name]) > 1:
        assert "all agents: maker/<script>alert(1)</script> seed=1" in report.about
        (table,) = [table for table in report.tables if table.name == "accuracy"]
        assert {line[0].text for line in table.grid.lines} == set(RUNS[name])
        assert {row["title"] for row in table.rows} == set(made.titles)  # files keep the whole titles
