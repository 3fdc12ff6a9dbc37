"""Claude Code, Codex and mini-swe-agent themselves, from their package indexes, with a scripted model behind the bridge."""

import importlib.util
from pathlib import Path

import pytest

from benchwright.chat.scripted import ScriptedReply, register
from benchwright.errors import EnvironmentFault
from benchwright.live.planning import RunRequest, resolve
from benchwright.live.prompts import Prompts
from benchwright.live.runner import run
from benchwright.sandbox import programs
from benchwright.suite import Selection
from benchwright.suites import find
from benchwright.trajectory import Usage

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-a-key-that-no-program-may-see"
TASK = "biology_05"


@pytest.fixture(scope="module")
def player():
    """The scripted models of the benchmark: they know tasks by their questions, and programs by their instructions."""
    spec = importlib.util.spec_from_file_location("player", ROOT / "benchmarks" / "command_line_agents.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def lake(toolbox):
    return find("lake", print)


@pytest.fixture(scope="module")
def play(lake, tmp_path_factory):
    """Run programs at lake tasks with a scripted model; their attempts by agent and task, and the run's outcome."""

    def start(name, script, agents, ids, **limits):
        missing = [agent for agent in agents if not installed(agent)]
        if missing:
            pytest.skip(f"cannot be installed here: {', '.join(missing)}")
        register(name, script)
        request = RunRequest(
            agents=tuple(agents), models=(f"scripted/{name}",), selection=Selection(ids=tuple(ids)), limits=limits
        )
        outcome = run(resolve(request, lake, Prompts()), tmp_path_factory.mktemp("real") / "run")
        names = {cell.id: cell.agent for cell in outcome.folder.spec.cells}
        return outcome, {(names[key.cell], key.task_id): each for key, each in outcome.folder.attempts().items()}

    return start


_REASONS: dict[str, str] = {}


def installed(agent):
    """Whether a program is here or can be installed; the reason is printed once where it cannot."""
    if agent not in _REASONS:
        try:
            programs.install(agent, print)
            _REASONS[agent] = ""
        except EnvironmentFault as error:
            _REASONS[agent] = str(error)
            print(f"{agent} is not tried: {error}")
    return not _REASONS[agent]


def is_here(agent):
    try:
        programs.need(agent)
    except EnvironmentFault:
        return False
    return True


@pytest.fixture(scope="module", params=["claude_code", "codex", "mini_swe_agent", "openhands"])
def solved(request, lake, player, play):
    """One program at one task, which the model solves."""
    if request.param == "openhands" and not is_here(request.param):
        pytest.skip("OpenHands wants Python 3.12 and takes 770 MB: it is tried where it was installed before")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        patch.setenv("OPENAI_API_KEY", KEY)
        outcome, found = play("solves", player.solutions(lake, [TASK]), [request.param], [TASK])
    return request.param, outcome, found[request.param, TASK]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_real_program_goes_from_prompt_to_scored_answer(solved, lake):
    agent, outcome, attempt = solved
    [cell] = outcome.scoring.document()["cells"]
    assert attempt.ending.kind == "answered", attempt.ending
    assert (cell["sound"]["mean"], cell["discovery"]["sound"]["mean"]) == (1, 1)
    required = {file.path for file in lake.golds[TASK].required_files}
    assert required <= {file.path for file in attempt.accesses.files}
    assert attempt.accesses.tracer != "log"
    # what was counted: every call of the model, whatever the program made it for
    assert attempt.steps >= 2
    assert attempt.usage == Usage(
        input_tokens=400 * attempt.steps, cache_read_tokens=600 * attempt.steps, output_tokens=50 * attempt.steps
    )
    assert outcome.folder.spec.versions[agent].startswith(programs.pins()[agent].version)
    # what the program tells: the same call, in a trajectory
    told = outcome.folder.transcripts.read(attempt.uuid)
    assert told.harness == agent
    assert (told.ending, told.usage) == (attempt.ending, attempt.usage)
    assert (told.answer.text, told.answer.source) == (attempt.answer, "result_file")
    assert any("END_OF_SOLUTION" in call.text for step in told.steps for call in step.calls)
    assert attempt.successful_steps >= 1
    assert not [path for path in outcome.folder.path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_how_real_programs_fail_decides_whose_fault_it_is(lake, player, play):
    ids = ("culture_02", "education_03", "engineering_03")
    replies = {
        "culture_02": [ScriptedReply(error="the machine room burns")],
        "education_03": ["kill -9 -1"],
        "engineering_03": [player.say("")],
    }
    script = player.play({lake.tasks[name].question: lines for name, lines in replies.items()})
    _, found = play("fails", script, ["claude_code", "codex"], ids)
    ends = {key: (each.ending.kind, getattr(each.ending, "fault", None)) for key, each in found.items()}
    for agent in ("claude_code", "codex"):
        assert ends[agent, "culture_02"] == ("broke", "model")
        assert ends[agent, "education_03"] == ("broke", "agent")
        assert ends[agent, "engineering_03"][0] == "gave_up"
        assert "exit code 137" in found[agent, "education_03"].ending.detail
        assert f"{agent}.log" in found[agent, "education_03"].logs
