"""A sample with several labels counts for each of them."""

import pytest
from inspect_ai.scorer import SampleScore, Score

from benchwright.errors import InputError
from benchwright.labels import Labels
from benchwright.live.metrics import by_label
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task


@pytest.fixture
def scores(tmp_path):
    suite = Suite.write(
        tmp_path / "suite",
        SuiteInfo(name="labelled"),
        [Task(id=name, question="?") for name in ("a", "b", "c")],
        [
            Labels(task_id="a", domain="shop", skills=("Join", "Plot", "Join"), categories=("x",)),
            Labels(task_id="b", domain="shop", skills=("Join",)),
        ],
    )

    def one(name, value):
        metadata = {"suite": str(suite.folder), "task_id": name}
        return SampleScore(score=Score(value=value), sample_id=name, sample_metadata=metadata)

    return [one("a", 1.0), one("b", 0.0), one("c", 1.0)]


def test_each_label_has_the_mean_over_its_samples(scores):
    assert by_label("skill")(scores) == {"Join": 0.5, "Plot": 1.0}
    assert by_label("domain")(scores) == {"shop": 0.5}
    assert by_label()(scores) == {"x": 1.0}


def test_samples_that_are_not_ours_have_no_label(scores):
    assert by_label("skill")([SampleScore(score=Score(value=1.0)), scores[0]]) == {"Join": 1.0, "Plot": 1.0}


def test_a_kind_of_label_that_there_is_not_is_named():
    with pytest.raises(InputError, match="colour"):
        by_label("colour")
