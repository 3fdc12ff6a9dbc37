import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchwright.files import read_jsonl
from benchwright.skills.nodes import read_hierarchy
from benchwright.skills.steps import read_steps

pytestmark = pytest.mark.skipif(find_spec("wordllama") is None, reason="needs the offline embedder: the extra `skills`")
KILLS, RUNS = 10, 3


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """One process imports everything once and forks those that are killed."""
    folder = tmp_path_factory.mktemp("pipeline")
    words = [sys.executable, str(Path(__file__).with_name("pipeline.py")), str(folder), str(KILLS), str(RUNS)]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ | threads)
    assert run.returncode == 0, run.stderr
    return folder, json.loads(run.stdout.splitlines()[-1])


def test_killed_at_random_points_it_comes_to_the_same_files_and_three_runs_are_identical(done):
    _, told = done
    assert told["posts"] >= 200
    assert told["interrupted"] >= KILLS - 1  # on a fast machine the last may find the work done
    killed, *runs = told["exports"]
    assert len(runs) == RUNS
    assert all(run == runs[0] for run in runs)
    assert killed == runs[0]
    assert {"corpus.jsonl", "steps/steps.jsonl", "skills/skills.jsonl", "reviewed/skills.jsonl"} <= runs[0].keys()
    assert told["resumed"] < told["whole"]  # what was answered before the kills was not asked again


def test_counts_add_up_from_posts_to_reviewed_skills(done):
    out = done[0] / "run0"
    corpus = [row["id"] for _, row in read_jsonl(out / "corpus.jsonl")]
    status = [row for _, row in read_jsonl(out / "steps" / "status.jsonl")]
    assert [row["id"] for row in status] == corpus
    assert all(row["status"] == "done" for row in status)
    steps = [step.id for step in read_steps(out / "steps")]
    assert len(steps) == sum(row["steps"] for row in status) == 3 * len(corpus)
    for stage in ("skills", "reviewed"):
        found = read_hierarchy(out / stage)
        used = {step for node in found.tops for step in node.steps}
        left = [each.step for each in found.unassigned]
        assert used | set(left) == set(steps)
        assert len(used) + len(left) == len(steps)
        assert all(each.reason for each in found.unassigned)


def test_the_review_did_what_people_decided(done):
    before, after = read_hierarchy(done[0] / "run0" / "skills"), read_hierarchy(done[0] / "run0" / "reviewed")
    assert sorted(node.name for node in before.tops) == [
        "Chart Drawing Work",
        "Date and Time Work",
        "Missing Value Work",
        "Table Joining Work",
    ]
    assert sorted(node.name for node in after.tops) == [
        "Parsing Dates from Text",
        "Resampling Time Series",
        "Shifting Time Zones",
        "Work with Charts",
    ]
    assert [each.how for each in after.lineage[len(before.lineage) :]].count("split") == 1
    dropped = next(node for node in before.tops if node.name == "Table Joining Work")
    assert {each.step for each in after.unassigned} == set(dropped.steps) - {
        step for node in after.tops for step in node.steps
    }
