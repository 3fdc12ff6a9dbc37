"""What agents without a model score on the lake; `benchmarks/whole_lake.py` holds the same bounds over every task."""

import pytest

from benchwright.baselines import BASELINES
from benchwright.errors import EnvironmentFault
from benchwright.live.planning import RunRequest, resolve
from benchwright.live.prompts import Prompts
from benchwright.live.runner import run
from benchwright.sandbox.base import SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.scoring.attempt import score_attempt
from benchwright.scoring.jobs import Job
from benchwright.suite import Selection


@pytest.mark.parametrize("name", ["know_nothing", "random", "constant"])
def test_an_agent_that_reads_no_data_is_right_on_three_tasks_of_a_hundred_at_most(lake, name):
    scores = [
        score_attempt(lake, Job(task.id, BASELINES[name].attempt(task, None, seed))).sound.value
        for task in lake.tasks.values()
        for seed in range(3)
    ]
    assert sum(scores) / len(scores) <= 0.03


@pytest.fixture(scope="module")
def cells(lake, toolbox, tmp_path_factory):
    """The verdicts of a run of the oracle and the explorer over every fourth task of the demo, one a domain."""
    try:
        with NamespaceProvider() as provider, provider.open(SandboxSpec()) as sandbox:
            if sandbox.accessed().kind != "measured":
                pytest.skip("no tracer here")
    except EnvironmentFault as error:
        pytest.skip(f"no sandbox here: {error}")
    ids = lake.subset("demo")[::4]
    assert len({lake.label(task_id).domain for task_id in ids}) == len(ids) == 5
    request = RunRequest(agents=("oracle", "explorer"), selection=Selection(ids=ids))
    outcome = run(resolve(request, lake, Prompts()), tmp_path_factory.mktemp("baselines") / "run")
    assert outcome.in_order
    return {cell["title"]: cell for cell in outcome.scoring.document()["cells"]}


def test_the_oracle_answers_every_task_and_reads_every_required_file(cells):
    assert (cells["oracle"]["sound"]["mean"], cells["oracle"]["discovery"]["sound"]["mean"]) == (1.0, 1.0)


def test_the_explorer_discovers_files_and_answers_some_tasks(cells):
    assert cells["explorer"]["sound"]["mean"] >= 0.15
    assert cells["explorer"]["discovery"]["sound"]["mean"] >= 0.30
