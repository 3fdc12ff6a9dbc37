"""AgenticDataBench's published scores of whole tasks, with files missing and undecodable."""

import pytest

from benchwright.scoring import Job, score_attempt


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_every_task_has_the_published_score(recorded, perturbed, suite):
    rows, different = recorded("task_expected"), []
    for row in rows:
        found = score_attempt(suite, Job(row["task"], perturbed(row), modes=("reference",))).reference
        if abs(found.value - row["score"]) > 1e-9:
            different.append((row["task"], row["perturbation"], row["score"], found.value))
    assert different == []
    assert len(rows) == 931
