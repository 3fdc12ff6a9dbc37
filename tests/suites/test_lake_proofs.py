"""Every task of the lake, proved: golds score 1, solutions reproduce them in the sandbox, and traps do trap."""

from pathlib import Path

import pytest

from benchwright.errors import EnvironmentFault
from benchwright.proving import ProofOptions, prove
from benchwright.proving.lint import lint
from benchwright.sandbox.base import Exec, Room, SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.scoring.attempt import score_attempt
from benchwright.scoring.jobs import Job
from benchwright.suites.lake.tasks import read_tasks
from benchwright.trajectory import Submission

NAIVE = Path(__file__).parent / "naive"
TRAPS = [(room, task) for room, tasks in read_tasks().items() for task in tasks if task.trap]


@pytest.fixture(scope="module")
def provider():
    try:
        with NamespaceProvider() as made:
            yield made
    except EnvironmentFault as error:
        pytest.skip(f"no sandbox here: {error}")


def unproved(lake, provider, toolbox, ids):
    found = prove(lake, ProofOptions(open=provider.open, toolbox=toolbox, parallel=2, ids=tuple(ids)))
    assert not found.broken
    assert [proof.task_id for proof in found.proofs] == list(ids)
    return {proof.task_id: proof.steps for proof in found.proofs if not proof.proved}


def test_no_rule_of_ours_finds_anything_in_the_lake(lake):
    assert [finding for finding in lint(lake) if finding.alarming] == []


def test_the_demo_tasks_are_proved(lake, provider, toolbox):
    assert not unproved(lake, provider, toolbox, lake.subset("demo"))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_all_tasks_are_proved(lake, provider, toolbox):
    assert not unproved(lake, provider, toolbox, lake.tasks)


@pytest.mark.parametrize(("room", "task"), TRAPS, ids=[task.id for _, task in TRAPS])
def test_the_naive_answer_is_wrong(lake, room, task, tmp_path):
    submission = Submission(answer=task.naive)
    if task.table:
        path = tmp_path / task.table.name
        path.write_text(task.naive)
        submission = Submission(files={task.table.name: path})
    assert sound(lake, task.id, submission) == 0.0
    assert sound(lake, task.id, right(lake, task)) == 1.0


@pytest.mark.parametrize(("room", "task"), TRAPS, ids=[task.id for _, task in TRAPS])
def test_a_hasty_program_gives_the_naive_answer(lake, provider, toolbox, room, task):
    program = (NAIVE / f"{task.id}.py").read_text()
    spec = SandboxSpec(rooms=(Room(room, lake.room_path(room)),), toolbox=toolbox, tracing="off")
    with provider.open(spec) as sandbox:
        outcome = sandbox.run(Exec(("python3", "-"), input=program.encode(), seconds=120))
        assert outcome.exit_code == 0, outcome.stderr.decode()
        printed = sandbox.read(task.table.name) if task.table else outcome.stdout
    assert printed.decode().strip() == task.naive.strip()


def right(lake, task):
    if not task.table:
        return Submission(answer=task.answer)
    return Submission(files={task.table.name: lake.gold_files(task.id) / task.table.name})


def sound(lake, task_id, submission):
    return score_attempt(lake, Job(task_id, submission)).sound.value
